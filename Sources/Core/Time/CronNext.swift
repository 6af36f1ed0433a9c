// Finds the firings of a cron expression in a zone, with or without hours of the week.
//
// The hour field decides between two rules for clock changes:
//
// - A field that names hours follows the clock. It fires once when the clock first shows or passes a time: a skipped time
//   fires at the end of the gap, a repeated time fires the first time only.
// - A field that begins with `*` follows elapsed time. It fires whenever the clock shows a time, also the second time.
//   After a gap the old clock continues for the length of the gap, so that `0 */2 * * *` still fires two hours later.

extension CronExpression {
  /// The first firing at or after a moment.
  ///
  /// Nil if there is none up to the year 9999. Every expression fires at least once in 400 years.
  func next(atOrAfter moment: Instant, in zone: Zone) -> Instant? {
    let second = OffsetPeriod.clamped(moment.secondsSince1970)
    guard !fields.followsElapsedTime else { return fields.firstElapsed(atOrAfter: second, in: zone) }
    let shown = zone.furthestLocalTime(through: second - 1)
    return fields.firstMatch(atOrAfter: minute(atOrAfter: shown + 1)).map { match in
      Instant(secondsSince1970: zone.firstSecond(reaching: match * 60))
    }
  }

  /// The first firing strictly after a moment; see `next(atOrAfter:in:)`.
  func next(after moment: Instant, in zone: Zone) -> Instant? {
    next(atOrAfter: moment + .seconds(1), in: zone)
  }
}

/// Firings by elapsed time: each period of one offset has those of its own clock and, for the length of the gap before it,
/// those of the previous clock.
extension CronFields {
  fileprivate func firstElapsed(atOrAfter second: Int64, in zone: Zone) -> Instant? {
    var from = second
    // No clock shows the next match earlier than by the widest offset, so everything before that can be skipped.
    while let match = firstMatch(atOrAfter: minute(atOrAfter: from - OffsetPeriod.widestOffset)) {
      from = max(from, match * 60 - OffsetPeriod.widestOffset)
      let period = zone.period(containing: from)
      if let found = firstElapsed(atOrAfter: from, in: period) { return Instant(secondsSince1970: found) }
      guard period.end < OffsetPeriod.forever else { return nil }
      from = period.end
    }
    return nil
  }

  private func firstElapsed(atOrAfter second: Int64, in period: OffsetPeriod) -> Int64? {
    func first(_ offset: Int64, before end: Int64) -> Int64? {
      let found = firstMatch(atOrAfter: minute(atOrAfter: second + offset)).map { $0 * 60 - offset }
      return found.flatMap { $0 < end ? $0 : nil }
    }
    let found = first(period.offset, before: period.end)
    let gapEnd = min(period.start + period.gapBefore, period.end)
    guard second < gapEnd, let missed = first(period.previousOffset, before: gapEnd) else { return found }
    return min(missed, found ?? missed)
  }
}

/// The whole minute at or after a local time in seconds.
private func minute(atOrAfter second: Int64) -> Int64 {
  (second + 59).flooredDivision(by: 60).quotient
}

extension CronFields {
  static let lastYear = 9999
  static let firstYear = -9999

  /// The first matching minute at or after a minute, both since 1970 in the local calendar, without clock changes.
  ///
  /// It steps by months and set bits, so that it finds a leap day in about a hundred steps. Nil after the year 9999.
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
      month = month % 12 + 1
      if month == 1 { year += 1 }
      guard year <= Self.lastYear else { return nil }
      days = self.days.days(ofMonth: month, year: year)
    }
    let day = CivilTime(year: year, month: month, day: days.trailingZeroBitCount).daysSince1970
    return day * 1440 + Int64(hours.trailingZeroBitCount * 60 + minutes.trailingZeroBitCount)
  }

  private static let firstMinute =
    CivilTime(year: firstYear, month: 1, day: 1).secondsSince1970 / 60

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
}

extension CronExpression {
  /// The first firing at or after a moment that is inside hours of the week.
  func next(atOrAfter moment: Instant, inside hours: WeeklyHours, in zone: Zone) -> Instant? {
    var from = moment
    // A firing that exists needs some dozen steps, such as a 29 February that is a Monday.
    for _ in 0..<200 {
      guard let firing = next(atOrAfter: from, in: zone) else { return nil }
      from = hours.firstMoment(atOrAfter: firing, in: zone)
      if from == firing { return firing }
    }
    return nil
  }

  /// Whether it ever fires inside hours of the week, apart from clock changes.
  public func canFire(inside hours: WeeklyHours) -> Bool {
    next(atOrAfter: Instant(secondsSince1970: 0), inside: hours, in: .utc) != nil
  }
}
