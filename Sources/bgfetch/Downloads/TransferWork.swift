// The schedule of downloads: waiting and running transfers, and the totals. A value without effects.

import Core

/// The schedule of downloads, which says what starts next.
struct TransferWork: Sendable {
  private var ended = TransferTotals()
  /// The transfers that are not settled.
  private var unsettled: [Int64: Transfer] = [:]
  private(set) var running: Set<Int64> = []
  /// The transfers that these downloads postponed, as they were then; a transfer without a moment waits for a later run, or
  /// until another process changes it.
  private var resting: [Int64: Transfer] = [:]
  /// The order of the transfers that may start.
  private var queue: TransferQueue
  private let configured: FeedList
  /// The feeds of the transfers; most feeds have none.
  private var feeds: [FeedName: FeedSpec] = [:]
  /// Whether no further transfer starts.
  private(set) var isClosed = false
  /// Whether to start transfers that were running when two processes in a row died.
  var takesCrashed = false

  init(_ feeds: FeedList, network: NetworkSettings) {
    queue = TransferQueue([], network: network)
    configured = feeds
  }

  /// Replaces the transfers with those in the store; returns the running ones that another process took over.
  mutating func update(_ stored: [Transfer]) -> [Int64] {
    let wanted = Set(stored.map(\.feed)).subtracting(feeds.keys)
    for feed in configured.named(wanted) {
      feeds[feed.name] = feed
      queue.add(feed)
    }
    var now = Dictionary(uniqueKeysWithValues: stored.map { ($0.number, $0) })
    for (number, transfer) in now {
      if let left = resting[number], !left.hasSameWait(as: transfer) { resting[number] = nil }
      if resting[number] == nil { now[number] = transfer.asForNextRun }
    }
    // A running transfer stays in the schedule until its attempt ends, even if the store has settled it.
    let ended = running.filter { now[$0].map { $0.status != .running || $0.isSuspendedByUser } ?? true }
    for number in running where now[number] == nil { now[number] = unsettled[number] }
    unsettled = now
    fillQueue()
    return ended.sorted()
  }

  private mutating func fillQueue() {
    queue.replace(with: unsettled.values.filter { resting[$0.number] == nil || $0.notBefore != nil })
  }

  /// The commands of the conditions of all these transfers.
  var commands: Set<[String]> {
    let waiting = unsettled.values.filter { !$0.isSuspendedByUser }
    return Set(Set(waiting.map(\.feed)).compactMap { feeds[$0]?.transferDownload?.conditions?.command })
      .subtracting([[]])
  }

  /// Lets transfers start whose conditions hold now.
  mutating func endWaits(where isReady: (Transfer, FeedSpec) -> Bool) {
    let ready = resting.values.filter { transfer in
      transfer.isWaiting && feeds[transfer.feed].map { isReady(transfer, $0) } ?? false
    }
    guard !ready.isEmpty else { return }
    for transfer in ready {
      resting[transfer.number] = nil
      unsettled[transfer.number] = transfer.asForNextRun
    }
    fillQueue()
  }

  /// Starts the next transfer, and returns it with its feed.
  mutating func next(at now: Instant) -> (Transfer, FeedSpec)? {
    guard !isClosed, let number = queue.next(at: now, takesCrashed: takesCrashed),
      let transfer = unsettled[number], let feed = feeds[transfer.feed]
    else { return nil }
    resting[transfer.number] = nil
    running.insert(transfer.number)
    return (transfer, feed)
  }

  /// Whether a transfer may start.
  func hasNext(at now: Instant) -> Bool {
    var copy = self
    return copy.next(at: now) != nil
  }

  /// Frees the connection of a transfer whose bytes are complete.
  mutating func recordReceived(_ number: Int64) { queue.recordReceived(number) }

  mutating func close() { isClosed = true }

  /// Whether a running transfer continues after the end of the budget.
  func ignoresBudget(_ number: Int64) -> Bool { unsettled[number].map(needsAttemptWithoutBudget) ?? false }

  mutating func end(_ number: Int64, _ outcome: TransferOutcome, at now: Instant) {
    running.remove(number)
    guard let transfer = unsettled.removeValue(forKey: number) else { return }
    var waiting: Transfer?
    switch outcome {
    case .placed(_, let isResumed):
      ended.finished += 1
      if isResumed { ended.resumed += 1 }
    case .unchanged: ended.finished += transfer.isFeedBody ? 0 : 1
    case .failed: ended.failed += transfer.isFeedBody ? 0 : 1
    case .postponed(let next, let limit):
      if let limit { queue.recordLimit(until: limit, of: number, at: now) }
      unsettled[number] = next
      resting[number] = next
      if next.notBefore != nil { waiting = next }
    case .cancelled, .omitted, .lost: break
    }
    queue.recordEnd(of: number, waitsAs: waiting)
  }

  /// Ends a transfer that did not start after all.
  mutating func leave(_ number: Int64, _ outcome: TransferOutcome, at now: Instant) {
    queue.recordUnstarted(number)
    end(number, outcome, at: now)
  }

  /// The totals, with the transfers that still wait.
  var totals: TransferTotals {
    var totals = ended
    totals.left = unsettled.values.count { !$0.isSuspendedByUser && feeds[$0.feed] != nil }
    return totals
  }
}

extension Transfer {
  /// The transfer for a run that has not tried it yet.
  ///
  /// A suspended transfer may start at once: a directory that was gone or full may have been repaired. Only the body of
  /// a feed whose fetch failed waits for the feed's rules.
  fileprivate var asForNextRun: Transfer {
    guard status == .suspended, !isFeedBody || failures == 0 else { return self }
    var copy = self
    copy.notBefore = nil
    return copy
  }

  /// Whether the transfer still waits for the same thing.
  fileprivate func hasSameWait(as other: Transfer) -> Bool {
    status == other.status && isSuspendedByUser == other.isSuspendedByUser && notBefore == other.notBefore
  }
}
