// When hours of the week begin and end in a zone. Clock changes need no rule of their own: hours are what clocks
// show, so a window that would begin in a gap begins at the first instant after it, one that lies in a gap does
// not come on that day, and an hour that clocks show twice lies inside both times.

extension WeeklyHours {
  /// Whether a moment lies inside.
  public func contains(_ moment: Instant, in zone: Zone) -> Bool {
    guard !isAlways else { return true }
    let second = OffsetPeriod.clamped(moment.secondsSince1970)
    return contains(local: second + zone.period(containing: second).offset)
  }

  /// The first moment inside that is not before a moment: that moment itself, if it lies inside.
  public func firstMoment(atOrAfter moment: Instant, in zone: Zone) -> Instant {
    guard !contains(moment, in: zone) else { return moment }
    var second = OffsetPeriod.clamped(moment.secondsSince1970)
    while true {
      let period = zone.period(containing: second)
      let opening = opening(atOrAfter: second + period.offset) - period.offset
      guard opening >= period.end, period.end < OffsetPeriod.forever else {
        return Instant(secondsSince1970: opening)
      }
      second = period.end
    }
  }

  /// The end of the window that a moment lies in: the first moment after it that lies outside.
  ///
  /// Nil where the moment lies outside, and where every hour lies inside.
  public func end(ofWindowAt moment: Instant, in zone: Zone) -> Instant? {
    guard !isAlways, contains(moment, in: zone) else { return nil }
    var second = OffsetPeriod.clamped(moment.secondsSince1970)
    while true {
      let period = zone.period(containing: second)
      let closing = closing(after: second + period.offset) - period.offset
      guard closing >= period.end, period.end < OffsetPeriod.forever else {
        return Instant(secondsSince1970: closing)
      }
      let next = zone.period(containing: period.end)
      guard contains(local: next.start + next.offset) else { return Instant(secondsSince1970: period.end) }
      second = period.end
    }
  }
}

/// The same by what clocks show, in seconds since 1970-01-01 00:00:00 of the same calendar.
extension WeeklyHours {
  private func contains(local second: Int64) -> Bool {
    contains(minute: Self.minute(of: second))
  }

  /// The first local time inside, at or after one outside.
  private func opening(atOrAfter local: Int64) -> Int64 {
    guard !contains(local: local) else { return local }
    let minute = Self.minute(of: local)
    let first = windows.first { $0.lowerBound > minute }?.lowerBound
    return Self.weekStart(before: local)
      + Int64(first ?? (windows[0].lowerBound + Self.minutesOfWeek)) * 60
  }

  /// The end of the window that a local time lies in; one at the end of the week may go on in the next one.
  private func closing(after local: Int64) -> Int64 {
    let minute = Self.minute(of: local)
    var end = windows.first { $0.contains(minute) }?.upperBound ?? minute
    if end == Self.minutesOfWeek, windows[0].lowerBound == 0 { end += windows[0].upperBound }
    return Self.weekStart(before: local) + Int64(end) * 60
  }

  private static let secondsOfWeek = Int64(minutesOfWeek * 60)
  /// 1970 began on a Thursday.
  private static let firstWeek = Int64(-4 * minutesOfDay * 60)

  private static func minute(of local: Int64) -> Int {
    Int((local - firstWeek).flooredDivision(by: secondsOfWeek).remainder / 60)
  }

  private static func weekStart(before local: Int64) -> Int64 {
    (local - firstWeek).flooredDivision(by: secondsOfWeek).quotient * secondsOfWeek + firstWeek
  }
}
