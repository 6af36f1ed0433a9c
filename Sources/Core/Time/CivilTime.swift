// Calendar fields without a zone, and their distance from 1970. Zone says which moment they name.

/// A date and time of day in the proleptic Gregorian calendar, in no particular zone.
public struct CivilTime: Hashable, Comparable, Sendable {
  /// The year; 0 is 1 BC.
  public let year: Int
  /// The month, 1 to 12.
  public let month: Int
  /// The day of the month, 1 to 31.
  public let day: Int
  /// The hour, 0 to 23.
  public let hour: Int
  /// The minute, 0 to 59.
  public let minute: Int
  /// The second, 0 to 59.
  public let second: Int

  /// The fields as given; they must be in range.
  public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// The fields that lie so many seconds after 1970-01-01 00:00:00 of the same calendar.
  public init(secondsSince1970: Int64) {
    let (day, rest) = secondsSince1970.flooredDivision(by: 86_400)
    // Days to year, month, day by counting from 0000-03-01, so that leap days end a year.
    let shifted = day + 719_468
    let (era, dayOfEra) = shifted.flooredDivision(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    self.day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    self.month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
    self.year = Int(yearOfEra + era * 400) + (shiftedMonth < 10 ? 0 : 1)
    self.hour = Int(rest / 3600)
    self.minute = Int(rest / 60 % 60)
    self.second = Int(rest % 60)
  }

  /// Days from 1970-01-01 to this date, negative before.
  public var daysSince1970: Int64 {
    let shiftedYear = Int64(month <= 2 ? year - 1 : year)
    let (era, yearOfEra) = shiftedYear.flooredDivision(by: 400)
    let shiftedMonth = Int64(month > 2 ? month - 3 : month + 9)
    let dayOfYear = (153 * shiftedMonth + 2) / 5 + Int64(day) - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Seconds from 1970-01-01 00:00:00 of the same calendar, negative before.
  public var secondsSince1970: Int64 {
    daysSince1970 * 86_400 + Int64(hour * 3600 + minute * 60 + second)
  }

  /// The day of the week, 0 is Sunday and 6 is Saturday.
  public var weekday: Int {
    Int((daysSince1970 + 4).flooredDivision(by: 7).remainder)
  }

  /// The day of the year, 1 to 366.
  public var dayOfYear: Int {
    Int(daysSince1970 - CivilTime(year: year, month: 1, day: 1).daysSince1970) + 1
  }

  /// Orders times, earlier ones first.
  public static func < (left: CivilTime, right: CivilTime) -> Bool {
    left.secondsSince1970 < right.secondsSince1970
  }

  /// The number of days in a month of a year.
  public static func daysInMonth(_ month: Int, year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }
}

extension Int64 {
  /// Quotient rounded down and the remainder, which is never negative.
  func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
