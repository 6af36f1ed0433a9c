// When something fires, as crontab(5) has it. Reading the text is CronText's, the next firing CronNext's business.

/// When a cron expression fires: five fields as in crontab(5), each a set of allowed numbers.
///
/// The fields are minute, hour, day of the month, month and day of the week. Where a day field begins with `*` (or is
/// `?`), the day must satisfy both day fields; where neither does, it is enough to satisfy one of them. So
/// `0 0 13 * fri` is every 13th and every Friday, and `0 0 */2 * mon` is the Mondays with an odd date.
///
/// Two expressions are equal if their fields mean the same, however they are written.
public struct CronExpression: Hashable, Sendable {
  /// The text it was read from, for messages.
  public let text: String
  /// What the text means.
  let fields: CronFields

  /// Whether the fields mean the same.
  public static func == (left: CronExpression, right: CronExpression) -> Bool {
    left.fields == right.fields
  }

  /// Hashes what the fields mean.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(fields)
  }
}

/// The fields of a cron expression as sets of bits.
struct CronFields: Hashable, Sendable {
  /// Bits 0 to 59; never empty.
  let minutes: UInt64
  /// Bits 0 to 23; never empty.
  let hours: UInt32
  /// The days; there is at least one in 400 years.
  let days: CronDays
  /// Whether the hour field begins with `*`, which makes clock changes a matter of elapsed time.
  let followsElapsedTime: Bool

  /// Whether clocks that show this time show one of the fields' times; seconds do not count.
  func match(_ civil: CivilTime) -> Bool {
    minutes & 1 << UInt64(civil.minute) != 0 && hours & 1 << UInt32(civil.hour) != 0
      && days.days(ofMonth: civil.month, year: civil.year) & 1 << UInt32(civil.day) != 0
  }
}
