// How long the store keeps what is no longer needed, and how far the clock is believed then.

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
public struct ClockTrust: Sendable {
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
