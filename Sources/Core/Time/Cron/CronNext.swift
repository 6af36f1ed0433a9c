// When a cron expression fires in a zone, and what clock changes do to it. The calendar is CronSearch's business.
//
// There are two rules, by the hour field:
//
// - A field that names hours is about what clocks show. It fires when clocks reach one of its times for the first
//   time, or pass it: a time that is left out fires at the end of the gap, one that comes twice the first time only.
// - A field that begins with `*` is about elapsed time. It fires whenever clocks show one of its times, also the
//   second time; and where clocks skip ahead, the old clock counts on for as long as the gap was, so that
//   `0 */2 * * *` still comes two hours later.

extension CronExpression {
  /// The first firing at a moment or after it.
  ///
  /// Nil if there is none through the year 9999: every expression fires at least once in 400 years.
  public func next(atOrAfter moment: Instant, in zone: Zone) -> Instant? {
    let second = OffsetPeriod.clamped(moment.secondsSince1970)
    guard !fields.followsElapsedTime else { return fields.firstElapsed(atOrAfter: second, in: zone) }
    let shown = zone.furthestLocalTime(through: second - 1)
    return fields.firstMatch(atOrAfter: minute(atOrAfter: shown + 1)).map { match in
      Instant(secondsSince1970: zone.firstSecond(reaching: match * 60))
    }
  }

  /// The first firing after a moment, not at it; see `next(atOrAfter:in:)`.
  public func next(after moment: Instant, in zone: Zone) -> Instant? {
    next(atOrAfter: moment + .seconds(1), in: zone)
  }

  /// The last firing at a moment or before it.
  ///
  /// Nil if there is none back to the year -9999.
  public func previous(atOrBefore moment: Instant, in zone: Zone) -> Instant? {
    let second = OffsetPeriod.clamped(moment.secondsSince1970)
    guard !fields.followsElapsedTime else { return fields.lastElapsed(atOrBefore: second, in: zone) }
    let shown = zone.furthestLocalTime(through: second)
    return fields.lastMatch(atOrBefore: minute(atOrBefore: shown)).map { match in
      Instant(secondsSince1970: zone.firstSecond(reaching: match * 60))
    }
  }
}

/// Firings that follow elapsed time: in each period of one offset those of its clock and, for as long as the gap
/// before it was, those of the clock before.
extension CronFields {
  fileprivate func firstElapsed(atOrAfter second: Int64, in zone: Zone) -> Instant? {
    var from = second
    // No clock shows the next match sooner than the widest offset before it, so that much can be passed over.
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
