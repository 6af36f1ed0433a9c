// When the person looked, on their own clock.

/// Working days and weekends are apart: people live by another clock then.
public enum DayKind: Int, Hashable, Sendable, CaseIterable {
  /// Monday to Friday.
  case working = 0
  /// Saturday and Sunday.
  case weekend = 1
}

/// A moment as the person's clock and calendar showed it.
public struct OpeningMoment: Hashable, Sendable {
  /// The moment.
  public var at: Instant
  /// The kind of the day.
  public var kind: DayKind
  /// The minute of the day, 0 to 1439.
  public var minute: Int
  /// The day, counted from 1970-01-01 in local time.
  public var day: Int64

  /// A moment in a zone.
  public init(_ moment: Instant, in zone: Zone) {
    let civil = zone.civil(at: moment)
    at = moment
    kind = civil.weekday == 0 || civil.weekday == 6 ? .weekend : .working
    minute = civil.hour * 60 + civil.minute
    day = civil.daysSince1970
  }
}
