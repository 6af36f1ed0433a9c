// The books of a transfer phase: what waits, what is under way, what it came to. No effects.

import Model
import Planning
import Timing

/// The books of a transfer phase.
struct TransferWork: Sendable {
  /// What the phase came to so far.
  private(set) var totals = TransferTotals()
  /// The transfers that are not settled, in the order of the queue.
  private var unsettled: [Transfer] = []
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

  init(_ feeds: [FeedSpec], network: NetworkSettings) {
    queue = TransferQueue(feeds, network: network)
    self.feeds = Dictionary(feeds.map { ($0.name, $0) }) { first, _ in first }
  }

  /// Takes in what the store holds now; gives the numbers of those under way that are not this process's any more.
  mutating func take(_ stored: [Transfer]) -> [Int64] {
    let numbers = Set(stored.map(\.number))
    // What is under way stays in the books until its attempt ends, whatever the store says.
    let gone = unsettled.filter { running.contains($0.number) && !numbers.contains($0.number) }
    for transfer in stored where resting[transfer.number].map({ !$0.waits(like: transfer) }) ?? false {
      resting[transfer.number] = nil
    }
    unsettled = (stored + gone).map { resting[$0.number] == nil ? $0.asForNextPhase : $0 }
      .sorted { $0.number < $1.number }
    let stillOurs = Set(stored.filter { $0.status == .running && !$0.isHeld }.map(\.number))
    return running.filter { !stillOurs.contains($0) }.sorted()
  }

  /// The next transfer to begin, with its feed; it is under way from now on.
  mutating func next(at now: Instant) -> (Transfer, FeedSpec)? {
    guard !isClosed else { return nil }
    guard let transfer = queue.next(awake, running: running, at: now), let feed = feeds[transfer.feed]
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
    isClosed ? nil : queue.nextMoment(awake, running: running, after: now)
  }

  /// Begins nothing new from now on.
  mutating func close() { isClosed = true }

  /// Takes in how an attempt ended.
  mutating func end(_ number: Int64, _ ending: TransferEnding) {
    running.remove(number)
    guard let place = unsettled.firstIndex(where: { $0.number == number }) else { return }
    let transfer = unsettled[place]
    if case .left(let leave) = ending {
      unsettled[place] = transfer.left(leave)
      resting[number] = unsettled[place]
    } else {
      unsettled.remove(at: place)
    }
    queue.noteEnd(of: transfer)
    switch ending {
    case .placed(let isResumed):
      totals.finished += 1
      if isResumed { totals.resumed += 1 }
    case .unchanged: totals.finished += transfer.isFeedBody ? 0 : 1
    case .failed: totals.failed += transfer.isFeedBody ? 0 : 1
    case .left, .lost: break
    }
  }

  /// What it came to, with what still waits.
  var report: TransferTotals {
    var totals = totals
    totals.left = unsettled.count { !$0.isHeld && feeds[$0.feed] != nil }
    return totals
  }

  private var awake: [Transfer] {
    resting.isEmpty
      ? unsettled : unsettled.filter { resting[$0.number] == nil || $0.notBefore != nil }
  }
}

extension Transfer {
  /// The transfer as a phase finds it that has not tried it: what was the matter with the machine, a directory that was
  /// gone or full, may have been mended since; the feed's own rules say when a body is asked for.
  fileprivate var asForNextPhase: Transfer {
    guard status == .suspended, !isFeedBody else { return self }
    var copy = self
    copy.notBefore = nil
    return copy
  }

  /// Whether nobody changed what it waits for.
  fileprivate func waits(like other: Transfer) -> Bool {
    status == other.status && isHeld == other.isHeld && notBefore == other.notBefore
  }

  /// The transfer as it is after an attempt that left it.
  fileprivate func left(_ leave: TransferLeave) -> Transfer {
    var copy = self
    copy.status = leave.status
    copy.reason = leave.reason
    copy.notBefore = leave.notBefore
    copy.failures = leave.failures
    copy.failingSince = leave.failingSince
    copy.cuts = leave.cuts
    copy.partial = leave.partial
    return copy
  }
}
