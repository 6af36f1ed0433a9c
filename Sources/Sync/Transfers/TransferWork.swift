// The books of a transfer phase: what waits, what is under way, what it came to. No effects.

import Core

/// The books of a transfer phase.
struct TransferWork: Sendable {
  /// What the phase came to so far.
  private(set) var totals = TransferTotals()
  /// The transfers that are not settled, by their numbers.
  private var unsettled: [Int64: Transfer] = [:]
  /// Those under way.
  private(set) var running: Set<Int64> = []
  /// Those that this phase tried and left, as they were left: without a moment at which they go on, they wait for a later
  /// phase, or for the person to change something.
  private var resting: [Int64: Transfer] = [:]
  /// Whose turn it is.
  private var queue: TransferQueue
  private let feeds: [FeedName: FeedSpec]
  /// Whether nothing new is begun any more.
  private(set) var isClosed = false
  /// Whether downloads are begun that ran when two processes in a row died.
  var takesCrashed = false

  init(_ feeds: [FeedSpec], network: NetworkSettings) {
    queue = TransferQueue(feeds, network: network)
    self.feeds = Dictionary(feeds.map { ($0.name, $0) }) { first, _ in first }
  }

  /// Takes in what the store holds now; gives the numbers of those under way that are not this process's any more.
  mutating func take(_ stored: [Transfer]) -> [Int64] {
    var now = Dictionary(uniqueKeysWithValues: stored.map { ($0.number, $0) })
    for (number, transfer) in now {
      if let left = resting[number], !left.waits(like: transfer) { resting[number] = nil }
      if resting[number] == nil { now[number] = transfer.asForNextPhase }
    }
    // What is under way stays in the books until its attempt ends, whatever the store says.
    let ended = running.filter { now[$0].map { $0.status != .running || $0.isHeld } ?? true }
    for number in running where now[number] == nil { now[number] = unsettled[number] }
    unsettled = now
    queue.replace(with: unsettled.values.filter { resting[$0.number] == nil || $0.notBefore != nil })
    return ended.sorted()
  }

  /// The next transfer to begin, with its feed; it is under way from now on.
  mutating func next(at now: Instant) -> (Transfer, FeedSpec)? {
    guard !isClosed, let number = queue.next(at: now, takesCrashed: takesCrashed),
      let transfer = unsettled[number], let feed = feeds[transfer.feed]
    else { return nil }
    resting[transfer.number] = nil
    running.insert(transfer.number)
    return (transfer, feed)
  }

  /// Whether any may begin.
  func hasNext(at now: Instant) -> Bool {
    var copy = self
    return copy.next(at: now) != nil
  }

  /// When the next one may begin, though nothing under way ends; nil if none waits for a moment.
  func nextMoment(after now: Instant) -> Instant? {
    isClosed ? nil : queue.nextMoment(after: now)
  }

  /// Notes that all of a transfer under way is there: its host has room for another one.
  mutating func noteReceived(_ number: Int64) { queue.noteReceived(number) }

  /// Begins nothing new from now on.
  mutating func close() { isClosed = true }

  /// Whether the budget does not suspend a transfer under way.
  func ignoresBudget(_ number: Int64) -> Bool { unsettled[number].map(needsAttemptWithoutBudget) ?? false }

  /// Takes in how an attempt ended.
  mutating func end(_ number: Int64, _ outcome: TransferOutcome, at now: Instant) {
    running.remove(number)
    guard let transfer = unsettled.removeValue(forKey: number) else { return }
    var waiting: Transfer?
    switch outcome {
    case .placed(_, let isResumed):
      totals.finished += 1
      if isResumed { totals.resumed += 1 }
    case .unchanged: totals.finished += transfer.isFeedBody ? 0 : 1
    case .failed: totals.failed += transfer.isFeedBody ? 0 : 1
    case .postponed(let next, let limit):
      if let limit { queue.note(limit, of: number, at: now) }
      (unsettled[number], resting[number]) = (next, next)
      if next.notBefore != nil { waiting = next }
    case .cancelled, .lost: break
    }
    queue.noteEnd(of: number, waitsAs: waiting)
  }

  /// What it came to, with what still waits.
  var report: TransferTotals {
    var totals = totals
    totals.left = unsettled.values.count { !$0.isHeld && feeds[$0.feed] != nil }
    return totals
  }
}

extension Transfer {
  /// The transfer as a phase finds it that has not tried it: what was the matter with the machine, a directory that was
  /// gone or full, may have been mended since; after a failed fetch the feed's own rules say when its body is asked for.
  fileprivate var asForNextPhase: Transfer {
    guard status == .suspended, !isFeedBody || failures == 0 else { return self }
    var copy = self
    copy.notBefore = nil
    return copy
  }

  /// Whether nobody changed what it waits for.
  fileprivate func waits(like other: Transfer) -> Bool {
    status == other.status && isHeld == other.isHeld && notBefore == other.notBefore
  }
}
