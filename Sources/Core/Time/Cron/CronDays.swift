// The days on which a cron expression fires, a month at a time. The hours and minutes are CronSearch's business.

/// The three day fields of a cron expression, and what they mean together.
struct CronDays: Hashable, Sendable {
  /// Bits 1 to 12.
  let months: UInt16
  /// The day-of-month field.
  let monthDays: MonthDays
  /// The day-of-week field.
  let weekdays: Weekdays
  /// Whether a day that satisfies one of both fields will do, as neither begins with `*`.
  let eitherWillDo: Bool

  /// Days by their place in the month.
  struct MonthDays: Hashable, Sendable {
    /// Bits 1 to 31: those dates.
    var dates: UInt32 = 0
    /// Bits 0 to 30: so many days before the last one, `L` and `L-3`.
    var beforeLast: UInt32 = 0
    /// Bits 1 to 31: the working day nearest to that date in the same month, `15W`.
    var nearestWorkingDay: UInt32 = 0
    /// The last working day, `LW`.
    var lastWorkingDay = false
  }

  /// Days by their place in the week; bit 0 is Sunday.
  struct Weekdays: Hashable, Sendable {
    /// Bits 0 to 6: every such weekday.
    var every: UInt8 = 0
    /// Bits 0 to 6: the last such weekday of the month, `5L`.
    var last: UInt8 = 0
    /// Bit 7 × (n − 1) + weekday: the nth such weekday of the month, `5#3`.
    var numbered: UInt64 = 0
  }

  /// The days of a month that satisfy the fields, as bits 1 to 31.
  func days(ofMonth month: Int, year: Int) -> UInt32 {
    guard months & 1 << UInt16(month) != 0 else { return 0 }
    let month = MonthShape(month: month, year: year)
    let byDate = monthDays.days(of: month)
    let byWeekday = weekdays.days(of: month)
    return eitherWillDo ? byDate | byWeekday : byDate & byWeekday
  }

  /// Whether there is a day that satisfies the fields.
  ///
  /// The calendar repeats after 400 years, weekdays too, so these decide for ever.
  var existsAtAll: Bool {
    (2000..<2400).contains { year in (1...12).contains { days(ofMonth: $0, year: year) != 0 } }
  }

  /// Whether a day that satisfies the fields falls on one of some weekdays; bit 0 is Sunday.
  func exist(on weekdays: UInt8) -> Bool {
    (2000..<2400).contains { year in
      (1...12).contains { month in
        days(ofMonth: month, year: year) & MonthShape(month: month, year: year).days(weekdays) != 0
      }
    }
  }
}

/// What days of a month depend on: how many there are, and the weekday of the first one.
private struct MonthShape {
  let length: Int
  let firstWeekday: Int

  init(month: Int, year: Int) {
    length = CivilTime.daysInMonth(month, year: year)
    firstWeekday = CivilTime(year: year, month: month, day: 1).weekday
  }

  /// All days, as bits 1 to 31.
  var all: UInt32 { UInt32((UInt64(1) << (length + 1)) - 2) }

  /// The last so many days.
  func last(_ count: Int) -> UInt32 { all & ~((UInt32(1) << (length - count + 1)) - 1) }

  func weekday(of day: Int) -> Int { (firstWeekday + day - 1) % 7 }

  /// The days of the nth week of seven days, from 1, whose weekday is in the set.
  func days(_ weekdays: UInt8, inWeek week: Int) -> UInt32 {
    let turned = (UInt32(weekdays) >> firstWeekday | UInt32(weekdays) << (7 - firstWeekday)) & 0x7F
    return turned << (7 * week - 6) & all
  }

  /// All days whose weekday is in the set.
  func days(_ weekdays: UInt8) -> UInt32 {
    (1...5).reduce(0) { $0 | days(weekdays, inWeek: $1) }
  }

  /// The working day, Monday to Friday, nearest to a date without leaving the month.
  func workingDay(nearestTo day: Int) -> Int {
    switch weekday(of: day) {
    case 6: day > 1 ? day - 1 : day + 2
    case 0: day < length ? day + 1 : day - 2
    default: day
    }
  }
}

extension CronDays.MonthDays {
  fileprivate func days(of month: MonthShape) -> UInt32 {
    var days = dates
    if beforeLast != 0 {
      for count in 0..<month.length where beforeLast & 1 << UInt32(count) != 0 {
        days |= 1 << UInt32(month.length - count)
      }
    }
    if nearestWorkingDay != 0 {
      for day in 1...month.length where nearestWorkingDay & 1 << UInt32(day) != 0 {
        days |= 1 << UInt32(month.workingDay(nearestTo: day))
      }
    }
    if lastWorkingDay { days |= 1 << UInt32(month.workingDay(nearestTo: month.length)) }
    return days & month.all
  }
}

extension CronDays.Weekdays {
  fileprivate func days(of month: MonthShape) -> UInt32 {
    var days = month.days(every)
    if last != 0 { days |= month.days(last) & month.last(7) }
    if numbered != 0 {
      for week in 1...5 {
        days |= month.days(UInt8(numbered >> (7 * (week - 1)) & 0x7F), inWeek: week)
      }
    }
    return days
  }
}
