// The bookkeeping of a fetch phase: its clock, its numbers, and when the person is told.

import Core

/// When a phase warns and ends, in the machine's milliseconds.
struct PhaseClock: Sendable {
  /// When nothing new is begun any more; nil is never.
  let warning: Int64?
  /// When what is under way is suspended; nil is never.
  let end: Int64?

  init(_ options: RunOptions, started: Int64) {
    guard let budget = options.budget else {
      warning = nil
      end = nil
      return
    }
    let length = budget.seconds * 1000
    // A warning counts for at most a fifth of its phase.
    warning = started + length - min(options.warning.seconds * 1000, length / 5)
    end = started + length
  }

  /// The clock of a transfer phase that begins now.
  ///
  /// - Parameters:
  ///   - options: the phase's own budget, and the warning.
  ///   - deadline: when the whole run ends; nil is never.
  ///   - now: the present moment.
  init(transfersOf options: RunOptions, deadline: Int64?, now: Int64) {
    let ends = [deadline, options.transferBudget.map { now + $0.seconds * 1000 }].compactMap { $0 }
    end = ends.min()
    warning = end.map { $0 - min(options.warning.seconds * 1000, max(0, $0 - now) / 5) }
  }

  /// Whether nothing new is begun any more.
  func shouldStop(at now: Int64) -> Bool { warning.map { now >= $0 } ?? false }

  /// Whether what is under way is suspended.
  func isOver(at now: Int64) -> Bool { end.map { now >= $0 } ?? false }

  /// The next of the two moments; nil if both are past or there are none.
  func next(after now: Int64) -> Int64? { [warning, end].compactMap { $0 }.filter { $0 > now }.min() }
}

/// What a fetch phase has come to so far, and what is to be done at which moment; a plain value without
/// effects.
struct PhaseProgress: Sendable {
  /// The numbers so far.
  var report = RunReport()
  /// What could not be reached, until it is clear whether the machine is offline.
  var unreached: [(failure: FetchFailure, trace: FetchTrace)] = []
  /// Whether a host answered, or at least refused.
  private(set) var hasReachedAnything = false
  /// Feeds whose first successful fetch this was, with nothing of it announced.
  private(set) var added: [FeedSpec] = []

  private let clock: PhaseClock
  private var lastEnding: Int64?
  private var firstUntold: Int64?
  private var badgeDue: Int64?
  private var badgeWritten: Int64?

  /// The badge file is written at most this often.
  private static let badgeTime: Int64 = 200
  /// The person is told when no feed has ended for this long.
  private static let quietTime: Int64 = 2000
  /// The person is told at the latest this long after the first feed that may be told of.
  private static let longestWait: Int64 = 10_000

  init(due: Int, clock: PhaseClock) {
    report.due = due
    self.clock = clock
  }

  /// Takes out what could not be reached.
  mutating func takeUnreached() -> [(failure: FetchFailure, trace: FetchTrace)] {
    defer { unreached = [] }
    return unreached
  }

  /// Takes out the feeds whose first successful fetch is to be announced.
  mutating func takeAdded() -> [FeedSpec] {
    defer { added = [] }
    return added
  }

  /// Counts feeds that wait for a later run.
  mutating func leave(_ count: Int) { report.left += count }

  /// Counts a committed fetch.
  mutating func take(_ fetched: FeedReport, _ trace: FetchTrace, at now: Int64) {
    report.add(fetched)
    if trace.address != nil { hasReachedAnything = true }
    if fetched.result == .noData, !trace.state.hasBaseline { added.append(trace.feed) }
    if fetched.count > 0, badgeDue == nil {
      badgeDue = badgeWritten.map { max(now, $0 + Self.badgeTime) } ?? now
    }
    lastEnding = now
    if firstUntold == nil { firstUntold = now }
  }

  /// Whether nothing new may begin any more.
  func shouldStop(at now: Int64) -> Bool { clock.shouldStop(at: now) }

  /// Whether what is under way is to be suspended.
  func isOver(at now: Int64) -> Bool { clock.isOver(at: now) }

  /// The event that says that the budget ended before the work; once.
  mutating func expire(at now: Int64, left: Int) -> RunEvent? {
    guard shouldStop(at: now), !report.isExpired, left > 0 else { return nil }
    report.isExpired = true
    return .expired(left: left)
  }

  /// Whether the badge file is to be brought up to date now.
  mutating func shouldUpdateBadge(at now: Int64) -> Bool {
    guard let due = badgeDue, now >= due else { return false }
    badgeDue = nil
    badgeWritten = now
    return true
  }

  /// Whether the person is to be told now.
  mutating func shouldPoke(at now: Int64) -> Bool {
    guard let due = tellAt, now >= due else { return false }
    firstUntold = nil
    return true
  }

  /// The next moment at which something is to be done without any feed having ended.
  func nextWake(after now: Int64, queue: Int64?) -> Int64? {
    [queue, tellAt, badgeDue, shouldStop(at: now) ? nil : clock.warning, isOver(at: now) ? nil : clock.end]
      .compactMap { $0 }.min().map { max($0, now + 1) }
  }

  private var tellAt: Int64? {
    guard let firstUntold, let lastEnding else { return nil }
    return min(firstUntold + Self.longestWait, lastEnding + Self.quietTime)
  }
}
