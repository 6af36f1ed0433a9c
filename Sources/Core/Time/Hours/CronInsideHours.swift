// The firings of a cron expression that lie inside hours of the week.

extension CronExpression {
  /// The first firing at a moment or after it that lies inside hours of the week.
  ///
  /// Nil if there is none; `canFire(inside:)` knows that sooner.
  public func next(atOrAfter moment: Instant, inside hours: WeeklyHours, in zone: Zone) -> Instant? {
    var from = moment
    // Each step passes a day of the expression or a window: what fires inside at all takes some hundred, as a
    // 29 February that is a Monday does.
    for step in 0..<5000 {
      // Only a change of clocks could bring one inside that never is otherwise, and both come within a year.
      if step == Self.fewSteps, !canFire(inside: hours) {
        return nextAtClockChange(from, inside: hours, in: zone)
      }
      guard let firing = next(atOrAfter: from, in: zone) else { return nil }
      from = hours.firstMoment(atOrAfter: firing, in: zone)
      if from == firing { return firing }
    }
    return nil
  }

  /// After so many days in vain it is worth asking whether there is any firing.
  private static let fewSteps = 16

  /// The first firing inside hours of the week on the days of the next two changes of clocks, at a moment or after it.
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

  /// Whether it fires inside hours of the week at all, changes of clocks left aside.
  public func canFire(inside hours: WeeklyHours) -> Bool {
    var weekdays: UInt8 = 0
    for day in 0..<7 where fields.hasTime(inside: hours, on: day) { weekdays |= 1 << UInt8(day) }
    return weekdays != 0 && fields.days.exist(on: weekdays)
  }
}

extension CronFields {
  /// Whether one of the times of day lies inside on a day of the week.
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
