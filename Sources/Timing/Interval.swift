// A length of time. The text people write for it is in IntervalText.swift.

/// A length of time in whole seconds, never negative.
///
/// Sums and multiples that no longer fit are the longest interval there is, some 292 billion years.
public struct Interval: Hashable, Comparable, Sendable {
  /// The length in seconds.
  public let seconds: Int64

  /// An interval of so many seconds; a negative number gives none.
  public init(seconds: Int64) {
    self.seconds = max(0, seconds)
  }

  /// No time at all.
  public static let zero = Interval(seconds: 0)

  /// So many seconds.
  public static func seconds(_ count: Int64) -> Interval { Interval(seconds: count) }

  /// So many minutes.
  public static func minutes(_ count: Int64) -> Interval { multiple(count, of: 60) }

  /// So many hours.
  public static func hours(_ count: Int64) -> Interval { multiple(count, of: 3600) }

  /// So many days of 24 hours.
  public static func days(_ count: Int64) -> Interval { multiple(count, of: 86_400) }

  /// Orders intervals, shorter ones first.
  public static func < (left: Interval, right: Interval) -> Bool { left.seconds < right.seconds }

  /// Both lengths one after the other.
  public static func + (left: Interval, right: Interval) -> Interval {
    let (sum, overflow) = left.seconds.addingReportingOverflow(right.seconds)
    return Interval(seconds: overflow ? .max : sum)
  }

  /// What is left of one length after the other, nothing if the other is longer.
  public static func - (left: Interval, right: Interval) -> Interval {
    Interval(seconds: left.seconds - right.seconds)
  }

  private static func multiple(_ count: Int64, of unit: Int64) -> Interval {
    let (product, overflow) = max(0, count).multipliedReportingOverflow(by: unit)
    return Interval(seconds: overflow ? .max : product)
  }
}
