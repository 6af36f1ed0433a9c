// The records of fetches and runs in the history, and how long the store keeps them.

/// One fetch in the history; every fetch has exactly one.
public struct FetchRecord: Hashable, Sendable {
  public var started: Instant
  public var ended: Instant
  /// The result.
  public var result: FetchResult
  /// The reason in words.
  public var reason: String
  /// The requests in the order they were sent; none if it failed before the first one.
  public var requests: [RequestRecord]
  /// The number of new and updated items.
  public var count: Int
  /// Whether it counts for the feed; some failures are about this machine or the run.
  public var isCounted = true

  public init(
    started: Instant, ended: Instant, result: FetchResult, reason: String, requests: [RequestRecord] = [],
    count: Int = 0
  ) {
    (self.started, self.ended, self.result, self.reason) = (started, ended, result, reason)
    (self.requests, self.count) = (requests, count)
  }

  /// The reason of a fetch that the budget or a signal ended.
  public static let suspended = "suspended"
  /// The reason of a fetch whose process died.
  public static let interrupted = "interrupted"

  /// Whether it was cut short, so that `failed` says nothing about feed or run.
  public var wasCut: Bool { !isCounted && [Self.suspended, Self.interrupted].contains(reason) }

  /// The status code of the last response, if there was one.
  public var status: Int? { requests.last?.status }

  /// The bytes received by all requests, at most an exbibyte.
  public var bytes: Int64 {
    let most: Int64 = 1 << 60
    return requests.reduce(0) { sum, request in min(sum + min(max(request.bytes ?? 0, 0), most), most) }
  }
}

/// How long the store keeps things that are no longer needed.
public enum Retention {
  /// Past runs, fetches and requests, events, and states of hosts; lost deliveries at least.
  public static let history = Interval.days(90)
  /// The defaults of `history` and `events` for machines that share a state, of which the events are more than anyone looks at.
  public static let shared = (history: Interval.days(7), events: Interval.days(30))
  /// The state and items of a feed that was removed from the configuration.
  public static let dormantFeeds = Interval.days(90)
  /// Deliveries to a hook that was removed from the configuration: the default of hooks.
  public static let deliveriesOfNoHook = Interval.hours(12)
  /// The links that messages have named, so that one link in several feeds is one message.
  public static let announcedLinks = Interval.days(7)
  /// A row from this long after the others that go was written before the clock was set back, and goes too.
  public static let future = Interval.days(180)
  /// The most events, apart from those with pending deliveries; also the most settled transfers without a file.
  public static let mostEvents = 100_000
  /// The most fetches: about 75 MB with their requests (measured).
  ///
  /// 1,000 feeds requested every hour fill that in three weeks, at 3.5 MB a day.
  public static let mostFetches = 500_000

  /// How many rows a run checks for old ones, after this number of its own fetches.
  ///
  /// It is more than a run can add, or the history would grow without end, and bounded, because a person may wait for the
  /// run.
  public static func pruned(after fetches: Int) -> Int { 1000 + 2 * fetches }
}

/// How far the clock is believed when it says that something is old.
///
/// A clock without a battery begins in 1970 at each boot, and a wrong one may be years ahead. What is deleted for its age
/// would be lost, so a jump by more than a week is believed only when runs have agreed with it for a day.
public struct ClockTrust: Hashable, Sendable {
  private let now: Instant
  /// When the latest run began that is older than a day by this clock; nil if there is none.
  private let earlier: Instant?

  /// The age of the runs that confirm the clock.
  public static let delay = Interval.days(1)
  private static let longestGap = Interval.days(7)

  public init(now: Instant, earlier: Instant?) {
    (self.now, self.earlier) = (now, earlier)
  }

  /// Whether runs of the last days agree with the clock, so that what is old or in the future by it may be deleted.
  public var isConfirmed: Bool { earlier.map { now.since($0) <= Self.longestGap } ?? false }

  /// The beginning of 2025: an earlier moment was recorded by a wrong clock.
  public static let oldest = Instant(secondsSince1970: 1_735_689_600)

  /// Whether the clock may be right: it is not from before this program.
  public var isPossible: Bool { now >= Self.oldest }

  /// The moment at which ages are judged: `moment`, or after a jump ahead the moment of the last run before it.
  public func ageMoment(_ moment: Instant) -> Instant {
    earlier.map { now.since($0) > Self.longestGap ? min($0, moment) : moment } ?? moment
  }
}

/// The numbers of a run, as its report and the history have them.
public struct RunTotals: Hashable, Sendable {
  /// Feeds that were due.
  public var due = 0
  /// Fetches with the result `new-data`.
  public var newData = 0
  /// Fetches with the result `no-data`.
  public var noData = 0
  /// Fetches with the result `failed`.
  public var failed = 0
  /// New and updated items.
  public var items = 0
  /// Feeds that were due and are left for a later run: the budget ended, a signal came, or a host limits requests.
  public var left = 0
  public var transfers = TransferTotals()
  /// The exit status, unless a signal ended the run.
  public var exitStatus: Int32 = 0
  public var ending = RunEnding.complete

  public init() {}

  /// Adds a fetch.
  public mutating func add(_ result: FetchResult, items count: Int) {
    switch result {
    case .newData: newData += 1
    case .noData: noData += 1
    case .failed: failed += 1
    }
    items += count
  }

  /// Adds the fetches of another round.
  public mutating func add(_ round: RunTotals) {
    due += round.due
    newData += round.newData
    noData += round.noData
    failed += round.failed
    items += round.items
    left += round.left
  }
}

/// The numbers of a transfer phase.
public struct TransferTotals: Hashable, Sendable {
  /// Placed files, and files that are still current.
  public var finished = 0
  /// Placed files that continued the bytes of an earlier attempt.
  public var resumed = 0
  /// Permanently failed transfers.
  public var failed = 0
  /// Transfers that wait for a later run.
  public var left = 0

  public init() {}

  /// Adds the numbers of a later phase.
  public mutating func add(_ later: TransferTotals) {
    finished += later.finished
    resumed += later.resumed
    failed += later.failed
    left = later.left
  }
}

/// How a run ended.
public enum RunEnding: String, Hashable, Sendable {
  /// Nothing was left to do.
  case complete
  /// The budget ended first.
  case budget
  /// A signal came first.
  case signal
}
