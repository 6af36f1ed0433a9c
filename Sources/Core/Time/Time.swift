// Time as pure values: moments, durations, calendar fields.
//
// Doors of this folder: Instant and Interval for all rules, Timestamp for measurements, Zone for local time,
// CronExpression and WeeklyHours for schedules. Machine reads the clock, the system's zone and its files.

/// A moment in UTC, in whole seconds since 1970-01-01T00:00:00Z; leap seconds are not counted.
///
/// Moments are clamped to 35 million years before and after 1970, so that sums of moments and intervals never overflow,
/// not even in milliseconds. A damaged database can contain numbers beyond that.
public struct Instant: Hashable, Comparable, Sendable {
  public let secondsSince1970: Int64

  public init(secondsSince1970: Int64) {
    self.secondsSince1970 = min(max(secondsSince1970, -Interval.longest.seconds), Interval.longest.seconds)
  }

  public static func < (left: Instant, right: Instant) -> Bool {
    left.secondsSince1970 < right.secondsSince1970
  }

  public static func + (moment: Instant, interval: Interval) -> Instant {
    Instant(secondsSince1970: moment.secondsSince1970 + interval.seconds)
  }

  public static func - (moment: Instant, interval: Interval) -> Instant {
    Instant(secondsSince1970: moment.secondsSince1970 - interval.seconds)
  }

  /// The time from `earlier` to this moment, or zero if this moment comes first.
  public func since(_ earlier: Instant) -> Interval {
    Interval(seconds: secondsSince1970 - earlier.secondsSince1970)
  }

  /// The UTC day, counted from 1970-01-01.
  var dayNumber: Int64 { secondsSince1970.flooredDivision(by: 86_400).quotient }
}

/// A moment in UTC, in whole milliseconds since 1970-01-01T00:00:00Z; leap seconds are not counted.
///
/// Rules use `Instant`. This type is for measurements, such as the log of requests.
public struct Timestamp: Comparable, Sendable {
  public let millisecondsSince1970: Int64

  public init(millisecondsSince1970: Int64) {
    let longest = Interval.longest.seconds * 1000
    self.millisecondsSince1970 = min(max(millisecondsSince1970, -longest), longest)
  }

  public init(_ instant: Instant) {
    millisecondsSince1970 = instant.secondsSince1970 * 1000
  }

  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.millisecondsSince1970 < right.millisecondsSince1970
  }

  /// The second that contains this moment.
  public var instant: Instant {
    Instant(secondsSince1970: millisecondsSince1970.flooredDivision(by: 1000).quotient)
  }

  /// RFC 3339 text in UTC with milliseconds, such as `2026-11-21T08:30:00.125Z`.
  var rfc3339: String { "\(instant.rfc3339.dropLast()).\(fraction)Z" }

  /// The milliseconds within the second, as three digits.
  public var fraction: String {
    Int(millisecondsSince1970.flooredDivision(by: 1000).remainder).padded(to: 3)
  }
}

/// A duration in whole seconds, never negative.
///
/// Sums and multiples stop at 35 million years, so that their milliseconds never overflow.
public struct Interval: Hashable, Comparable, Sendable {
  public let seconds: Int64

  /// Creates an interval; a negative number gives zero.
  public init(seconds: Int64) {
    self.seconds = min(max(0, seconds), 1 << 50)
  }

  public static let zero = Interval(seconds: 0)

  public static let longest = Interval(seconds: .max)

  public static func seconds(_ count: Int64) -> Interval { Interval(seconds: count) }

  public static func minutes(_ count: Int64) -> Interval { multiple(count, of: 60) }

  public static func hours(_ count: Int64) -> Interval { multiple(count, of: 3600) }

  /// Days of 24 hours.
  public static func days(_ count: Int64) -> Interval { multiple(count, of: 86_400) }

  public static func < (left: Interval, right: Interval) -> Bool { left.seconds < right.seconds }

  public static func + (left: Interval, right: Interval) -> Interval {
    Interval(seconds: left.seconds + right.seconds)
  }

  /// The difference, or zero if the right interval is longer.
  public static func - (left: Interval, right: Interval) -> Interval {
    Interval(seconds: left.seconds - right.seconds)
  }

  private static func multiple(_ count: Int64, of unit: Int64) -> Interval {
    let (product, overflow) = max(0, count).multipliedReportingOverflow(by: unit)
    return Interval(seconds: overflow ? .max : product)
  }
}

/// A date and time of day in the proleptic Gregorian calendar, in no particular zone.
public struct CivilTime: Comparable, Sendable {
  /// The astronomical year: 0 is 1 BC.
  public let year: Int
  let month: Int
  let day: Int
  let hour: Int
  let minute: Int
  let second: Int

  static let monthNames = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
  ]
  public static let weekdayNames = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]
  /// The names as formats of dates write them, in lower case.
  static let shortMonths = monthNames.map { $0.prefix(3).lowercased() }
  static let weekdays = weekdayNames.map { $0.lowercased() }

  /// Takes the fields as they are; they must be in range.
  init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    (self.year, self.month, self.day, self.hour, self.minute) = (year, month, day, hour, minute)
    self.second = second
  }

  /// The date and time at a distance in seconds from 1970-01-01 00:00:00 of the same calendar.
  public init(secondsSince1970: Int64) {
    let (day, rest) = secondsSince1970.flooredDivision(by: 86_400)
    // Counts days from 0000-03-01, so that a leap day is the last day of a year.
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

  static let minutesOfDay = 24 * 60
  static let minutesOfWeek = 7 * minutesOfDay

  /// The minute of the day, 0 to 1439.
  var minuteOfDay: Int { hour * 60 + minute }

  /// The minute of the week, from Sunday 00:00.
  var minuteOfWeek: Int { weekday * Self.minutesOfDay + minuteOfDay }

  /// The day of the week: 0 is Sunday, 6 is Saturday.
  var weekday: Int {
    Int((daysSince1970 + 4).flooredDivision(by: 7).remainder)
  }

  /// The day of the year, 1 to 366.
  var dayOfYear: Int {
    Int(daysSince1970 - CivilTime(year: year, month: 1, day: 1).daysSince1970) + 1
  }

  public static func < (left: CivilTime, right: CivilTime) -> Bool {
    left.secondsSince1970 < right.secondsSince1970
  }

  static func daysInMonth(_ month: Int, year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }
}

extension Int64 {
  /// The quotient rounded down, and the remainder, which is never negative.
  func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

extension BinaryInteger {
  /// The number in decimal, padded on the left to a width; a minus sign stays in front.
  func padded(to width: Int, with filler: Character = "0") -> String {
    let digits = String(magnitude)
    let sign = self < 0 ? "-" : ""
    return sign + String(repeating: filler, count: max(0, width - digits.utf8.count - sign.utf8.count))
      + digits
  }
}
