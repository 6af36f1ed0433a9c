// Pushes that bring one file: an item and its transfer, and no request to the feed.

import Core
import FeedReading

extension FeedRun {
  /// What a push of one file comes to, before it is committed.
  private struct Brought {
    var result = FetchResult.noData
    var reason: String
    /// The new item; nil where the item is known, or there is none.
    var new: ItemRecord?
    /// The known item.
    var known: Int64?
    /// The file, where the store does not know it.
    var assets = AssetFindings()
  }

  /// Takes a push that brings a file of its own.
  ///
  /// - Parameters:
  ///   - push: the push.
  ///   - feed: its feed, whose `push.url` is set.
  /// - Returns: what came of it.
  /// - Throws: what the store throws.
  func take(_ push: StoredPush, bringingFileOf feed: FeedSpec) async throws -> FeedReport {
    let now = effects.machine.now()
    let brought = try await bring(push, feed, at: now)
    let state = try await effects.store.statesOf([feed.name])[feed.name] ?? FeedState()
    var found = Classification()
    found.newItems = [brought.new].compactMap(\.self)
    let outcome = FetchOutcome(result: brought.result, reason: brought.reason, classification: found)
    var fetch = FinishedFetch(
      feed, outcome, state: state, started: now, ended: now, origin: origin.ofPush(push))
    fetch.isCounted = brought.result != .failed
    fetch.assets = brought.assets
    fetch.pushedItem = brought.known
    fetch.pushes.settlement.settled = [push.number]
    fetch.pushes.settlement.causedAt = now
    // An alert about a file that cannot be downloaded is not shown.
    fetch.pushes.shown = brought.result == .failed ? [] : [push]
    return try await commit(fetch)
  }

  /// Finds the item that a push stands for.
  private func bring(_ push: StoredPush, _ feed: FeedSpec, at now: Instant) async throws -> Brought {
    let pushed: (item: ItemRecord, asset: Asset)?
    do throws(PushProblem) {
      pushed = try pushedItem(readPush(Array(push.payload.utf8)), feed: feed, at: now)
    } catch {
      // It was right when it was taken; the configuration is another one since.
      return Brought(result: .failed, reason: "a push that fits push.url no more")
    }
    guard let pushed else { return Brought(reason: "a push") }
    return try await bring(pushed.item, pushed.asset, feed, at: now)
  }

  /// Decides where the file belongs: to a new item, or to the one with the same guid, whatever files that one has.
  private func bring(
    _ item: ItemRecord, _ asset: Asset, _ feed: FeedSpec, at now: Instant
  ) async throws -> Brought {
    let title = item.title ?? "a file"
    let store = effects.store
    let known = try await store.knownItems(feed.name).first { $0.keys.guid == item.keys.guid }
    guard let known else {
      return Brought(
        result: .newData, reason: "a push: \(title)", new: item,
        assets: AssetFindings(ofPush: asset, of: .new(0), description: title))
    }
    let file = KnownAsset(item: known.number, key: asset.key)
    guard try await store.knownAssets(feed.name).contains(file) else {
      // As a file that a document adds to a known item: downloaded, and no news by itself.
      return Brought(
        reason: "a push: \(title), a file of a known item", known: known.number,
        assets: AssetFindings(ofPush: asset, of: .known(known.number), description: title))
    }
    let added = try await store.addTransfers(feed.name, file, now)
    return Brought(
      reason: "a push: \(title), " + (added > 0 ? "once more" : "which is known"), known: known.number)
  }
}

extension EventOrigin {
  /// The same origin, of the events that a push brings about.
  func ofPush(_ push: StoredPush) -> EventOrigin {
    var origin = self
    // Several pushes of one feed may be taken in one run, and each has an item of its own.
    origin.run += "-p\(push.number)"
    origin.cause = .push
    return origin
  }
}
