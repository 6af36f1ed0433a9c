// The nearest matching minute of a calendar that knows no clock changes; those are CronNext's business.

extension CronFields {
  /// The last year in which anything fires.
  static let lastYear = 9999
  /// The first year in which anything fires.
  static let firstYear = -9999

  /// The first matching minute at or after one, both in minutes since 1970 of the local calendar.
  ///
  /// It goes from month to month and from set bit to set bit, so that a leap day is found in a hundred steps. Nil if
  /// there is none through the year 9999.
  func firstMatch(atOrAfter minute: Int64) -> Int64? {
    let start = Swift.max(minute, Self.firstMinute)
    let (startDay, startMinute) = start.flooredDivision(by: 1440)
    let date = CivilTime(secondsSince1970: startDay * 86_400)
    var (year, month) = (date.year, date.month)
    guard year <= Self.lastYear else { return nil }

    var days = self.days.days(ofMonth: month, year: year) & ~((UInt32(1) << UInt32(date.day)) - 1)
    if days & 1 << UInt32(date.day) != 0 {
      if let found = firstTime(atOrAfter: Int(startMinute)) { return startDay * 1440 + Int64(found) }
      days &= ~(1 << UInt32(date.day))
    }
    while days == 0 {
      (year, month) = month == 12 ? (year + 1, 1) : (year, month + 1)
      guard year <= Self.lastYear else { return nil }
      days = self.days.days(ofMonth: month, year: year)
    }
    let day = CivilTime(year: year, month: month, day: days.trailingZeroBitCount).daysSince1970
    return day * 1440 + Int64(hours.trailingZeroBitCount * 60 + minutes.trailingZeroBitCount)
  }

  /// The last matching minute at or before one, both in minutes since 1970 of the local calendar.
  ///
  /// Nil if there is none back to the year -9999.
  func lastMatch(atOrBefore minute: Int64) -> Int64? {
    let start = Swift.min(minute, Self.lastMinute)
    let (startDay, startMinute) = start.flooredDivision(by: 1440)
    let date = CivilTime(secondsSince1970: startDay * 86_400)
    var (year, month) = (date.year, date.month)
    guard year >= Self.firstYear else { return nil }

    var days = self.days.days(ofMonth: month, year: year) & UInt32((UInt64(2) << UInt64(date.day)) - 1)
    if days & 1 << UInt32(date.day) != 0 {
      if let found = lastTime(atOrBefore: Int(startMinute)) { return startDay * 1440 + Int64(found) }
      days &= ~(1 << UInt32(date.day))
    }
    while days == 0 {
      (year, month) = month == 1 ? (year - 1, 12) : (year, month - 1)
      guard year >= Self.firstYear else { return nil }
      days = self.days.days(ofMonth: month, year: year)
    }
    let day = CivilTime(year: year, month: month, day: days.highestBit).daysSince1970
    return day * 1440 + Int64(hours.highestBit * 60 + minutes.highestBit)
  }

  private static let firstMinute =
    CivilTime(year: firstYear, month: 1, day: 1).secondsSince1970 / 60
  private static let lastMinute =
    CivilTime(year: lastYear, month: 12, day: 31, hour: 23, minute: 59).secondsSince1970 / 60

  /// The first matching minute of the day at or after one.
  private func firstTime(atOrAfter minuteOfDay: Int) -> Int? {
    let (hour, minute) = minuteOfDay.quotientAndRemainder(dividingBy: 60)
    let laterMinutes = minutes & (~0 << UInt64(minute))
    if hours & 1 << UInt32(hour) != 0, laterMinutes != 0 {
      return hour * 60 + laterMinutes.trailingZeroBitCount
    }
    let laterHours = hours & (~1 << UInt32(hour))
    guard laterHours != 0 else { return nil }
    return laterHours.trailingZeroBitCount * 60 + minutes.trailingZeroBitCount
  }

  /// The last matching minute of the day at or before one.
  private func lastTime(atOrBefore minuteOfDay: Int) -> Int? {
    let (hour, minute) = minuteOfDay.quotientAndRemainder(dividingBy: 60)
    let earlierMinutes = minutes & ((UInt64(2) << UInt64(minute)) - 1)
    if hours & 1 << UInt32(hour) != 0, earlierMinutes != 0 {
      return hour * 60 + earlierMinutes.highestBit
    }
    let earlierHours = hours & ((UInt32(1) << UInt32(hour)) - 1)
    guard earlierHours != 0 else { return nil }
    return earlierHours.highestBit * 60 + minutes.highestBit
  }
}

extension FixedWidthInteger {
  /// The place of the highest set bit, from 0; there must be one.
  fileprivate var highestBit: Int { bitWidth - 1 - leadingZeroBitCount }
}
