// The yearly rule of a zone, as TZ and the last line of a zone file state it. Reading it is PosixRuleText's business.

/// Standard time and, where there is any, when daylight saving time begins and ends each year.
struct PosixRule: Hashable, Sendable {
  /// Seconds to add to UTC for standard time.
  let standardOffset: Int
  /// The other half of the year; nil where clocks never change.
  let daylight: Daylight?

  /// Daylight saving time; its offset may be less than the standard one (Europe/Dublin's winter).
  struct Daylight: Hashable, Sendable {
    let offset: Int
    /// When it begins, in standard time.
    let start: YearlyMoment
    /// When it ends, in daylight saving time.
    let end: YearlyMoment
  }

  /// A local time that comes once a year.
  struct YearlyMoment: Hashable, Sendable {
    let day: YearlyDay
    /// Seconds after (or, negative, before) midnight, up to a week.
    let time: Int
  }

  /// A day that comes once a year.
  enum YearlyDay: Hashable, Sendable {
    /// `Jn`: 1 to 365, 29 February is never counted.
    case withoutLeapDay(Int)
    /// `n`: 0 to 365, 29 February is counted.
    case fromZero(Int)
    /// `Mm.w.d`: the week 1 to 5 of a month with a weekday; 5 is the last one.
    case weekday(month: Int, week: Int, weekday: Int)
  }

  /// The period of this rule that a second lies in.
  func period(containing second: Int64) -> OffsetPeriod {
    guard let daylight else {
      return OffsetPeriod(
        start: OffsetPeriod.beginning, end: OffsetPeriod.forever, offset: Int64(standardOffset),
        previousOffset: Int64(standardOffset))
    }
    let year = CivilTime(secondsSince1970: second + Int64(standardOffset)).year
    var current = Change(
      start: OffsetPeriod.beginning, offset: changes(of: daylight, in: year - 1).second.offset)
    var previousOffset = current.offset
    for year in (year - 1)...(year + 1) {
      let changes = changes(of: daylight, in: year)
      for change in [changes.first, changes.second] {
        guard change.start <= second else {
          return OffsetPeriod(
            start: current.start, end: change.start, offset: current.offset, previousOffset: previousOffset)
        }
        // Where daylight saving time ends and begins at one moment, it lasts all year (RFC 9636 §3.3.1).
        if change.start > current.start { previousOffset = current.offset }
        current = change
      }
    }
    return OffsetPeriod(
      start: current.start, end: OffsetPeriod.forever, offset: current.offset, previousOffset: previousOffset)
  }

  private struct Change {
    let start: Int64
    let offset: Int64
  }

  /// The two changes of a year in the order they come in.
  private func changes(of daylight: Daylight, in year: Int) -> (first: Change, second: Change) {
    let start = Change(
      start: daylight.start.localTime(in: year) - Int64(standardOffset), offset: Int64(daylight.offset))
    let end = Change(
      start: daylight.end.localTime(in: year) - Int64(daylight.offset), offset: Int64(standardOffset))
    return start.start <= end.start ? (start, end) : (end, start)
  }
}

extension PosixRule.YearlyMoment {
  /// The time in a year, in seconds since 1970 of the local calendar.
  fileprivate func localTime(in year: Int) -> Int64 {
    day.daysSince1970(in: year) * 86_400 + Int64(time)
  }
}

extension PosixRule.YearlyDay {
  fileprivate func daysSince1970(in year: Int) -> Int64 {
    switch self {
    case .withoutLeapDay(let day):
      let isAfterLeapDay = day > 59 && CivilTime.daysInMonth(2, year: year) == 29
      return CivilTime(year: year, month: 1, day: 1).daysSince1970 + Int64(day - (isAfterLeapDay ? 0 : 1))
    case .fromZero(let day):
      return CivilTime(year: year, month: 1, day: 1).daysSince1970 + Int64(day)
    case .weekday(let month, let week, let weekday):
      let first = CivilTime(year: year, month: month, day: 1)
      let day = 1 + (weekday - first.weekday + 7) % 7 + (week - 1) * 7
      let isTooLate = day > CivilTime.daysInMonth(month, year: year)
      return first.daysSince1970 + Int64(day - 1 - (isTooLate ? 7 : 0))
    }
  }
}
