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
  public func next(atOrAfter moment: Instant, in zone: Zone) -> Instant? {
    let second = OffsetPeriod.clamped(moment.secondsSince1970)
    guard !fields.followsElapsedTime else { return fields.firstElapsed(atOrAfter: second, in: zone) }
    let shown = zone.furthestLocalTime(through: second - 1)
    return fields.firstMatch(atOrAfter: minute(atOrAfter: shown + 1)).map { match in
      Instant(secondsSince1970: zone.firstSecond(reaching: match * 60))
    }
  }

  /// The first firing strictly after a moment; see `next(atOrAfter:in:)`.
  public func next(after moment: Instant, in zone: Zone) -> Instant? {
    next(atOrAfter: moment + .seconds(1), in: zone)
  }

  /// The last firing at or before a moment, or nil if there is none back to the year -9999.
  public func previous(atOrBefore moment: Instant, in zone: Zone) -> Instant? {
    let second = OffsetPeriod.clamped(moment.secondsSince1970)
    guard !fields.followsElapsedTime else { return fields.lastElapsed(atOrBefore: second, in: zone) }
    let shown = zone.furthestLocalTime(through: second)
    return fields.lastMatch(atOrBefore: minute(atOrBefore: shown)).map { match in
      Instant(secondsSince1970: zone.firstSecond(reaching: match * 60))
    }
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

  fileprivate func lastElapsed(atOrBefore second: Int64, in zone: Zone) -> Instant? {
    var until = second
    while let match = lastMatch(atOrBefore: minute(atOrBefore: until + OffsetPeriod.widestOffset)) {
      until = min(until, match * 60 + OffsetPeriod.widestOffset)
      let period = zone.period(containing: until)
      if let found = lastElapsed(atOrBefore: until, in: period) { return Instant(secondsSince1970: found) }
      guard period.start > OffsetPeriod.beginning else { return nil }
      until = period.start - 1
    }
    return nil
  }

  private func lastElapsed(atOrBefore second: Int64, in period: OffsetPeriod) -> Int64? {
    func last(_ offset: Int64, atOrBefore end: Int64) -> Int64? {
      let found = lastMatch(atOrBefore: minute(atOrBefore: end + offset)).map { $0 * 60 - offset }
      return found.flatMap { $0 >= period.start ? $0 : nil }
    }
    let found = last(period.offset, atOrBefore: second)
    guard period.gapBefore > 0,
      let missed = last(period.previousOffset, atOrBefore: min(second, period.start + period.gapBefore - 1))
    else { return found }
    return max(missed, found ?? missed)
  }
}

/// The whole minute at or after a local time in seconds.
private func minute(atOrAfter second: Int64) -> Int64 {
  (second + 59).flooredDivision(by: 60).quotient
}

/// The whole minute at or before a local time in seconds.
private func minute(atOrBefore second: Int64) -> Int64 {
  second.flooredDivision(by: 60).quotient
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
      (year, month) = month == 12 ? (year + 1, 1) : (year, month + 1)
      guard year <= Self.lastYear else { return nil }
      days = self.days.days(ofMonth: month, year: year)
    }
    let day = CivilTime(year: year, month: month, day: days.trailingZeroBitCount).daysSince1970
    return day * 1440 + Int64(hours.trailingZeroBitCount * 60 + minutes.trailingZeroBitCount)
  }

  /// The last matching minute at or before a minute, likewise; nil before the year -9999.
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
  /// The index of the highest set bit; there must be one.
  fileprivate var highestBit: Int { bitWidth - 1 - leadingZeroBitCount }
}

extension CronExpression {
  /// The first firing at or after a moment that is inside hours of the week.
  public func next(atOrAfter moment: Instant, inside hours: WeeklyHours, in zone: Zone) -> Instant? {
    var from = moment
    // Each step skips a day of the expression or a window. A firing that exists needs some hundred steps at most, such as
    // a 29 February that is a Monday.
    for step in 0..<5000 {
      // If it never fires inside, only a clock change can move a firing inside; both changes come within a year.
      if step == Self.fewSteps, !canFire(inside: hours) {
        return nextAtClockChange(from, inside: hours, in: zone)
      }
      guard let firing = next(atOrAfter: from, in: zone) else { return nil }
      from = hours.firstMoment(atOrAfter: firing, in: zone)
      if from == firing { return firing }
    }
    return nil
  }

  /// Steps after which to check whether it can fire inside at all, which takes longer than a step.
  private static let fewSteps = 16

  /// The first firing inside hours of the week around the next two clock changes.
  private func nextAtClockChange(_ moment: Instant, inside hours: WeeklyHours, in zone: Zone) -> Instant? {
    var change = moment
    for _ in 0..<2 {
      guard let next = zone.nextChange(after: change), next.since(moment) < .days(400) else { return nil }
      change = next
      var from = max(moment, change - .days(1))
      while from < change + .days(1), let firing = self.next(atOrAfter: from, in: zone) {
        from = hours.firstMoment(atOrAfter: firing, in: zone)
        if from == firing { return firing }
      }
    }
    return nil
  }

  /// Whether it ever fires inside hours of the week, apart from clock changes.
  public func canFire(inside hours: WeeklyHours) -> Bool {
    var weekdays: UInt8 = 0
    for day in 0..<7 where fields.hasTime(inside: hours, on: day) { weekdays |= 1 << UInt8(day) }
    return weekdays != 0 && fields.days.exist(on: weekdays)
  }
}

extension CronFields {
  fileprivate func hasTime(inside hours: WeeklyHours, on weekday: Int) -> Bool {
    (0..<24).contains { hour in
      self.hours & 1 << UInt32(hour) != 0
        && (0..<60).contains { minute in
          minutes & 1 << UInt64(minute) != 0
            && hours.contains(minute: weekday * WeeklyHours.minutesOfDay + hour * 60 + minute)
        }
    }
  }
}
