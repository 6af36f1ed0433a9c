// Listing, changing and adding transfers for commands.

import Core
import Machine
import Running
import Store

extension OpenedState {
  /// The transfers that words select, or all if there are no words; the next to run first.
  ///
  /// A transfer named by its number is included whatever its status is.
  func transfers(
    _ words: TransferWords, statuses: Set<TransferStatus>, limit: Int? = nil
  ) async throws -> [Transfer] {
    guard !words.isEmpty else {
      return try await store.transfers(TransferFilter(statuses: statuses, limit: limit))
    }
    var found: [Transfer] = []
    for range in words.numbers {
      let named = try await store.transfers(in: range)
      guard !named.isEmpty else { throw TransferWords.noTransfer(range) }
      found += named
    }
    guard !words.feeds.isEmpty else { return found }
    let feeds = try await selectedNames(words.feeds)
    return found
      + (try await store.transfers(TransferFilter(feeds: feeds, statuses: statuses, limit: limit)))
      .filter { !words.contains($0.number) }
  }

  /// Changes transfers and runs the hooks for it; returns the changed transfers.
  ///
  /// A transfer is left alone if a run has changed its status in the meantime, or is placing its file.
  func change(_ transfers: [Transfer], by change: TransferChange) async throws -> [Transfer] {
    let feeds = change == .cancel ? settings.feeds.named(transfers.map(\.feed)) : []
    let labels = try await store.labels(of: feeds)
    var changed: [Transfer] = []
    for transfer in transfers {
      guard try await self.change(transfer, by: change, labels) else { continue }
      changed += try await store.transfer(transfer.number).map { [$0] } ?? []
    }
    if !changed.isEmpty {
      try await withEffects { try await deliverNow(settings, $0) }
    }
    return changed
  }

  private func change(
    _ transfer: Transfer, by change: TransferChange, _ labels: [FeedName: FeedLabel]
  ) async throws -> Bool {
    let now = clock.now()
    switch change {
    case .retry: return try await store.retryTransfer(transfer.number, at: now)
    case .pause: return try await store.suspendTransfer(transfer.number)
    case .resume: return try await store.resumeTransfer(transfer.number)
    case .cancel:
      let feed = settings.feeds[transfer.feed]
      let origin = EventOrigin(time: now, cause: .manual)
      return try await store.cancelTransfer(transfer.number, at: now) { totals in
        guard let feed, let label = labels[feed.name] else { return [] }
        return sessionFinishedEvent(
          totals, feed: feed, label: label, hooks: settings.hooks, origin: origin)
      }
    }
  }

  /// Queues assets of the stored items with these numbers.
  func addTransfers(of feed: FeedSpec, items: [Int64]) async throws -> [Transfer] {
    try await recordMissingFiles(of: feed)
    let added = try await store.addTransfers(feed.name, items, isAskedFor: true, at: clock.now()) {
      isWanted($0, of: $1, in: feed)
    }
    var transfers: [Transfer] = []
    for number in added {
      if let transfer = try await store.transfer(number) { transfers.append(transfer) }
    }
    return transfers
  }

  /// Records which placed files the person has removed, so that they can be queued again.
  ///
  /// A missing directory does not count: it may be unmounted.
  private func recordMissingFiles(of feed: FeedSpec) async throws {
    let isOfAnySize = settings.mayChangeFiles(of: feed)
    let placed = Dictionary(grouping: try await store.placedFiles(feed.name), by: \.file.directory)
    try await withEffects { effects in
      for (directory, files) in placed {
        let documents = effects.documents(directory)
        guard (try? await documents.prepare(wasUsed: true)) != nil else { continue }
        var missing: [Int64] = []
        for placed in files where await !documents.exists(placed.file, ofAnySize: isOfAnySize) {
          missing.append(placed.transfer)
        }
        if !missing.isEmpty { try await store.markRemoved(missing, at: clock.now()) }
      }
    }
  }
}
