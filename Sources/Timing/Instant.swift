// A moment in time. What a moment is called in some place is CivilTime's and Zone's business.

/// A moment in UTC, in whole seconds since 1970-01-01T00:00:00Z; leap seconds are not counted.
public struct Instant: Hashable, Comparable, Sendable {
  /// Seconds since 1970-01-01T00:00:00Z; negative before.
  public let secondsSince1970: Int64

  /// The moment so many seconds after (or, negative, before) the beginning of 1970 in UTC.
  public init(secondsSince1970: Int64) {
    self.secondsSince1970 = secondsSince1970
  }

  /// Orders moments, earlier ones first.
  public static func < (left: Instant, right: Instant) -> Bool {
    left.secondsSince1970 < right.secondsSince1970
  }

  /// The moment that comes so much later, at most the last one that can be told.
  public static func + (moment: Instant, interval: Interval) -> Instant {
    let (sum, overflow) = moment.secondsSince1970.addingReportingOverflow(interval.seconds)
    return Instant(secondsSince1970: overflow ? .max : sum)
  }

  /// The moment that was so much earlier, at least the first one that can be told.
  public static func - (moment: Instant, interval: Interval) -> Instant {
    let (difference, overflow) = moment.secondsSince1970.subtractingReportingOverflow(interval.seconds)
    return Instant(secondsSince1970: overflow ? .min : difference)
  }

  /// The time from `earlier` to this moment, nothing if this moment comes first.
  public func since(_ earlier: Instant) -> Interval {
    let (difference, overflow) = secondsSince1970.subtractingReportingOverflow(earlier.secondsSince1970)
    return Interval(seconds: overflow ? (self < earlier ? 0 : .max) : difference)
  }
}
