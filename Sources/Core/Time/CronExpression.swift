// Cron expressions as sets of minutes, hours and days. CronText.swift reads them, CronNext.swift finds their firings.

/// A cron expression: five fields as in crontab(5), each a set of allowed numbers.
///
/// The fields are minute, hour, day of the month, month and day of the week. If a day field begins with `*`, a
/// day must satisfy both day fields; otherwise one of them is enough. So `0 0 13 * fri` is every 13th and every Friday,
/// and `0 0 */2 * mon` is every Monday with an odd date.
///
/// Two expressions are equal if their fields mean the same, even if they are written differently.
public struct CronExpression: Equatable, Sendable {
  /// The text as written.
  public let text: String
  let fields: CronFields

  public static func == (left: CronExpression, right: CronExpression) -> Bool {
    left.fields == right.fields
  }
}

/// The fields of a cron expression as sets of bits.
struct CronFields: Equatable, Sendable {
  /// Bits 0 to 59; never empty.
  let minutes: UInt64
  /// Bits 0 to 23; never empty.
  let hours: UInt32
  /// The days; at least one exists.
  let days: CronDays
  /// Whether the hour field begins with `*`; clock changes are then handled by elapsed time.
  let followsElapsedTime: Bool
}

/// A field of a cron expression.
enum CronField: String, CaseIterable, Sendable {
  /// 0 to 59.
  case minute
  /// 0 to 23.
  case hour
  /// 1 to 31.
  case dayOfMonth = "day of month"
  /// 1 to 12, or jan to dec.
  case month
  /// 0 to 7, where 0 and 7 are Sunday, or sun to sat.
  case dayOfWeek = "day of week"

  /// The numbers allowed in this field.
  var numbers: ClosedRange<Int> {
    switch self {
    case .minute: 0...59
    case .hour: 0...23
    case .dayOfMonth: 1...31
    case .month: 1...12
    case .dayOfWeek: 0...7
    }
  }

  /// The number of different values; weekday 7 is 0 again.
  var count: Int { self == .dayOfWeek ? 7 : numbers.count }

  /// The number of the last value; of weekdays that is Saturday.
  var lastNumber: Int { numbers.lowerBound + count - 1 }

  /// The names of the values, beginning with the first number; most fields have none.
  var names: [String] {
    switch self {
    case .month: CivilTime.shortMonths
    case .dayOfWeek: CivilTime.weekdays.map { String($0.prefix(3)) }
    default: []
    }
  }

  /// A number wrapped to the beginning of the field if it is past its end, as in `fri-mon`.
  func wrapped(_ number: Int) -> Int {
    (number - numbers.lowerBound) % count + numbers.lowerBound
  }
}

/// The three day fields of a cron expression.
struct CronDays: Equatable, Sendable {
  /// Bits 1 to 12.
  let months: UInt16
  /// Bits 1 to 31.
  let dates: UInt32
  /// Bits 0 to 6; bit 0 is Sunday.
  let weekdays: UInt8
  /// Whether a day needs to satisfy only one of both day fields, because neither begins with `*`.
  let oneDayFieldIsEnough: Bool

  /// The matching days of a month, as bits 1 to 31.
  func days(ofMonth month: Int, year: Int) -> UInt32 {
    guard months & 1 << UInt16(month) != 0 else { return 0 }
    let firstWeekday = CivilTime(year: year, month: month, day: 1).weekday
    return (1...CivilTime.daysInMonth(month, year: year)).reduce(0) { days, day in
      let isDate = dates & 1 << UInt32(day) != 0
      let isWeekday = weekdays & 1 << UInt8((firstWeekday + day - 1) % 7) != 0
      let matches = oneDayFieldIsEnough ? isDate || isWeekday : isDate && isWeekday
      return matches ? days | 1 << UInt32(day) : days
    }
  }
}
