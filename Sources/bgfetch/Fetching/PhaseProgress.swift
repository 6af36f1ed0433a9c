// The clock of a phase, and the progress of a round: its numbers, and when the badge is written and hooks are run.

import Core

/// When a phase warns and ends, in the machine's milliseconds.
struct PhaseClock: Sendable {
  /// The moment after which nothing new is started; nil means never.
  let warning: Int64?
  /// The moment at which running work is suspended; nil means never.
  let end: Int64?

  /// - Parameter deadline: the end of the whole run, in the machine's milliseconds; nil is never.
  init(_ options: RunOptions, from start: Int64, lasting budget: Interval?, until deadline: Int64? = nil) {
    end = [deadline, budget.map { start + $0.seconds * 1000 }].compactMap(\.self).min()
    // The warning takes at most a fifth of the phase.
    warning = end.map { $0 - min(options.warning.seconds * 1000, max(0, $0 - start) / 5) }
  }

  /// Whether nothing new is started.
  func shouldStop(at now: Int64) -> Bool { warning.map { now >= $0 } ?? false }

  /// Whether running work is suspended.
  func isOver(at now: Int64) -> Bool { end.map { now >= $0 } ?? false }

  /// The next of the two moments; nil if both are past or there are none.
  func next(after now: Int64) -> Int64? { [warning, end].compactMap { $0 }.filter { $0 > now }.min() }
}

/// The progress of a round: a plain value that says what to do and when.
struct PhaseProgress: Sendable {
  var report = RunReport()
  /// Fetches that reached no host, until it is known whether the machine is offline.
  var unreached: [(failure: FetchFailure, trace: FetchTrace)] = []
  /// So many failures without any success say enough about the network.
  static let mostUnreached = 1000
  /// Whether any host answered, even by refusing.
  private(set) var hasReachedAnything = false
  /// Feeds that were fetched successfully for the first time, if there are messages about them.
  var added: [FeedName] = []
  /// The results of the fetches from each host, where machines share the store.
  private(set) var resultsByHost: [String: [FetchResult: Int]] = [:]

  let clock: PhaseClock
  private var lastEnding: Int64?
  private var firstUndelivered: Int64?
  private var badgeDue: Int64?
  private var badgeWritten: Int64?

  /// The least time between two writes of the badge file, in milliseconds.
  private static let badgeTime: Int64 = 200
  /// Hooks run when no feed has ended for this long, in milliseconds.
  private static let quietTime: Int64 = 2000
  /// Hooks run at the latest this long after a feed has ended, in milliseconds.
  private static let longestWait: Int64 = 10_000

  private let isShared: Bool

  init(due: Int, clock: PhaseClock, isShared: Bool = false) {
    report.totals.due = due
    (self.clock, self.isShared) = (clock, isShared)
  }

  mutating func removeUnreached() -> [(failure: FetchFailure, trace: FetchTrace)] {
    defer { unreached = [] }
    return unreached
  }

  /// Counts feeds that are left for a later run.
  mutating func leave(_ count: Int) { report.totals.left += count }

  /// Counts a committed fetch.
  mutating func count(_ fetched: FeedReport, _ trace: FetchTrace, at now: Int64) {
    report.add(fetched)
    if trace.address != nil { hasReachedAnything = true }
    if isShared, let host = (trace.address ?? trace.route?.start)?.host {
      resultsByHost[host, default: [:]][fetched.result, default: 0] += 1
    }
    if fetched.result == .noData, !trace.state.hasBaseline, trace.feed.notify != nil {
      added.append(trace.feed.name)
    }
    if fetched.count > 0, badgeDue == nil {
      badgeDue = badgeWritten.map { max(now, $0 + Self.badgeTime) } ?? now
    }
    lastEnding = now
    if firstUndelivered == nil { firstUndelivered = now }
  }

  /// The event that reports that the budget ended before the work was done, returned once.
  mutating func expire(at now: Int64, left: Int) -> RunEvent? {
    guard clock.shouldStop(at: now), !report.isExpired, left > 0 else { return nil }
    report.isExpired = true
    return .expired(left: left)
  }

  /// Whether to write the badge file now.
  mutating func shouldUpdateBadge(at now: Int64) -> Bool {
    guard let due = badgeDue, now >= due else { return false }
    badgeDue = nil
    badgeWritten = now
    return true
  }

  /// Whether to run hooks now.
  mutating func shouldDeliver(at now: Int64) -> Bool {
    guard let due = deliverAt, now >= due else { return false }
    firstUndelivered = nil
    return true
  }

  /// The next moment at which to act although no feed has ended.
  func nextWake(after now: Int64, queue: Int64?) -> Int64? {
    [queue, deliverAt, badgeDue, clock.next(after: now)].compactMap { $0 }.min().map { max($0, now + 1) }
  }

  private var deliverAt: Int64? {
    guard let firstUndelivered, let lastEnding else { return nil }
    return min(firstUndelivered + Self.longestWait, lastEnding + Self.quietTime)
  }
}
