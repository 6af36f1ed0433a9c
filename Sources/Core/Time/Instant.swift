// A moment in time. What a moment is called in some place is CivilTime's and Zone's business.

/// A moment in UTC, in whole seconds since 1970-01-01T00:00:00Z; leap seconds are not counted.
///
/// Moments reach 35 million years back and ahead. A moment beyond that, from a damaged database for example, is the first
/// or the last one: sums of moments and intervals, also in milliseconds, never overflow.
public struct Instant: Hashable, Comparable, Sendable {
  /// Seconds since 1970-01-01T00:00:00Z; negative before.
  public let secondsSince1970: Int64

  /// The moment so many seconds after (or, negative, before) the beginning of 1970 in UTC.
  public init(secondsSince1970: Int64) {
    self.secondsSince1970 = min(max(secondsSince1970, -Interval.longest.seconds), Interval.longest.seconds)
  }

  /// Orders moments, earlier ones first.
  public static func < (left: Instant, right: Instant) -> Bool {
    left.secondsSince1970 < right.secondsSince1970
  }

  /// The moment that comes so much later, at most the last one there is.
  public static func + (moment: Instant, interval: Interval) -> Instant {
    Instant(secondsSince1970: moment.secondsSince1970 + interval.seconds)
  }

  /// The moment that was so much earlier, at least the first one there is.
  public static func - (moment: Instant, interval: Interval) -> Instant {
    Instant(secondsSince1970: moment.secondsSince1970 - interval.seconds)
  }

  /// The time from `earlier` to this moment, nothing if this moment comes first.
  public func since(_ earlier: Instant) -> Interval {
    Interval(seconds: secondsSince1970 - earlier.secondsSince1970)
  }
}
