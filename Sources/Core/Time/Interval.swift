// A length of time. The text people write for it is in IntervalText.swift.

/// A length of time in whole seconds, never negative.
///
/// Longer sums and multiples are the longest interval there is, 35 million years: its milliseconds are far from overflow.
public struct Interval: Hashable, Comparable, Sendable {
  /// The length in seconds.
  public let seconds: Int64

  /// An interval of so many seconds; a negative number gives none.
  public init(seconds: Int64) {
    self.seconds = min(max(0, seconds), 1 << 50)
  }

  /// No time at all.
  public static let zero = Interval(seconds: 0)

  /// The longest interval there is.
  public static let longest = Interval(seconds: .max)

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
    Interval(seconds: left.seconds + right.seconds)
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
