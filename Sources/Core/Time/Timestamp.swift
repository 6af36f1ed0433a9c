// A moment finer than an Instant, for what is measured and not decided by: when a request was sent.

/// A moment in UTC, in whole milliseconds since 1970-01-01T00:00:00Z; leap seconds are not counted.
///
/// Rules are about seconds and take an `Instant`; a log of requests a second apart needs more.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z; negative before.
  public let millisecondsSince1970: Int64

  /// The moment so many milliseconds after (or, negative, before) the beginning of 1970 in UTC; at most the first or
  /// the last `Instant`.
  public init(millisecondsSince1970: Int64) {
    let longest = Interval.longest.seconds * 1000
    self.millisecondsSince1970 = min(max(millisecondsSince1970, -longest), longest)
  }

  /// The beginning of a second.
  public init(_ instant: Instant) {
    millisecondsSince1970 = instant.secondsSince1970 * 1000
  }

  /// Orders moments, earlier ones first.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.millisecondsSince1970 < right.millisecondsSince1970
  }

  /// The second it lies in.
  public var instant: Instant {
    Instant(secondsSince1970: millisecondsSince1970.flooredDivision(by: 1000).quotient)
  }

  /// The moment as RFC 3339 text in UTC with its milliseconds, for example `2026-11-21T08:30:00.125Z`.
  public var rfc3339: String { "\(instant.rfc3339.dropLast()).\(fraction)Z" }

  /// Its milliseconds within the second, as three digits.
  public var fraction: String {
    Int(millisecondsSince1970.flooredDivision(by: 1000).remainder).padded(to: 3)
  }
}
