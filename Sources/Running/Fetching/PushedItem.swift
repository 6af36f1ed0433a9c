// Pushes that announce one file: a new item and its transfer, without a request to the feed.

import Core
import Store

extension FeedFetcher {
  /// How a push of one file is committed.
  private struct PushOutcome {
    var result = FetchResult.noData
    var reason: String
    /// The item, if it is new.
    var new: ItemRecord?
    /// The number of the item, if it is known.
    var known: Int64?
    /// The file, unless the store knows it.
    var assets = AssetFindings()
  }

  /// Handles a push for a feed with `push.url`: queues the file that it announces.
  ///
  /// - Throws: what the store throws.
  func handle(_ push: StoredPush, of feed: FeedSpec) async throws -> FeedReport? {
    let now = effects.machine.now()
    let pushed = try await outcome(of: push, feed, at: now)
    let state = try await effects.store.feedState(feed.name) ?? FeedState()
    var found = Classification()
    found.newItems = [pushed.new].compactMap(\.self)
    let outcome = FetchOutcome(result: pushed.result, reason: pushed.reason, classification: found)
    var fetch = FinishedFetch(
      feed, outcome, state: state, started: now, ended: now, origin: origin.ofPush(push))
    fetch.commit.record.isCounted = pushed.result != .failed
    fetch.commit.assets = pushed.assets
    fetch.pushedItem = pushed.known
    fetch.pushes.settlement.settled = [push.number]
    fetch.pushes.settlement.causedAt = now
    // An alert about a file that cannot be downloaded is not shown.
    fetch.pushes.shown = pushed.result == .failed ? [] : [push]
    return try await commit(fetch)
  }

  /// Reads the push and finds the item it announces.
  private func outcome(of push: StoredPush, _ feed: FeedSpec, at now: Instant) async throws -> PushOutcome {
    let pushed: (item: ItemRecord, asset: Asset)?
    do throws(PushProblem) {
      pushed = try pushedItem(push.payload, feed: feed, at: now)
    } catch {
      // The push was valid when it was received, but the configuration has changed since.
      return PushOutcome(result: .failed, reason: "the push no longer fits push.url")
    }
    guard let pushed else { return PushOutcome(reason: "a push") }
    return try await outcome(of: pushed.item, pushed.asset, feed, at: now)
  }

  /// Attaches the file to a new item, or to the known one with the same guid, even if that has other files.
  private func outcome(
    of item: ItemRecord, _ asset: Asset, _ feed: FeedSpec, at now: Instant
  ) async throws -> PushOutcome {
    let title = item.title ?? "a file"
    let store = effects.store
    let known = try await store.knownItems(feed.name).first { $0.keys.guid == item.keys.guid }
    guard let known else {
      return PushOutcome(
        result: .newData, reason: "a push: \(title)", new: item,
        assets: AssetFindings(ofPush: asset, of: .new(0), description: title))
    }
    let file = KnownAsset(item: known.number, key: asset.key)
    guard try await store.knownAssets(feed.name).contains(file) else {
      // Like a file that a document adds to a known item: downloaded, but not announced.
      return PushOutcome(
        reason: "a push: \(title), a file of a known item", known: known.number,
        assets: AssetFindings(ofPush: asset, of: .known(known.number), description: title))
    }
    let added = try await store.addTransfers(feed.name, [file.item], isAskedFor: false, at: now) { asset, _ in
      asset.key == file.key
    }
    return PushOutcome(
      reason: "a push: \(title), " + (!added.isEmpty ? "once more" : "which is known"), known: known.number)
  }
}

extension EventOrigin {
  /// The origin of the events that a push causes.
  func ofPush(_ push: StoredPush) -> EventOrigin {
    var origin = self
    // One round may take several pushes of a feed, each with an item of its own.
    origin.id += "-p\(push.number)"
    origin.cause = .push
    return origin
  }
}
