// Which moments a local time names: one, none or two. Cron asks the same of every time that it fires at.

/// The moments at which clocks in a zone show a given time.
public enum LocalMoments: Hashable, Sendable {
  /// Clocks show it at this one moment.
  case once(Instant)
  /// Clocks jump over it; the first moment after the jump.
  case skipped(firstAfter: Instant)
  /// Clocks show it, are set back, and show it again; the first and the last time.
  case twice(first: Instant, second: Instant)
}

extension Zone {
  /// The moments at which clocks in this zone show a time.
  public func moments(of civil: CivilTime) -> LocalMoments {
    let local = civil.secondsSince1970
    var found: [Int64] = []
    var period = period(containing: local - OffsetPeriod.widestOffset)
    while period.start <= local + OffsetPeriod.widestOffset {
      let second = local - period.offset
      if period.start <= second, second < period.end { found.append(second) }
      guard period.end < OffsetPeriod.forever else { break }
      period = self.period(containing: period.end)
    }
    guard let first = found.first, let last = found.last else {
      return .skipped(firstAfter: Instant(secondsSince1970: firstSecond(reaching: local)))
    }
    return found.count == 1
      ? .once(Instant(secondsSince1970: first))
      : .twice(first: Instant(secondsSince1970: first), second: Instant(secondsSince1970: last))
  }

  /// The first second at which clocks show a local time or one past it.
  ///
  /// That is the time itself, the first time if it comes twice, and the end of the gap if it is left out.
  func firstSecond(reaching local: Int64) -> Int64 {
    var period = period(containing: local - OffsetPeriod.widestOffset)
    while period.end + period.offset <= local, period.end < OffsetPeriod.forever {
      period = self.period(containing: period.end)
    }
    return max(period.start, local - period.offset)
  }

  /// The furthest local time that clocks have shown up to a second, that second included.
  ///
  /// It is the present local time but for a while after clocks were set back.
  func furthestLocalTime(through second: Int64) -> Int64 {
    let second = OffsetPeriod.clamped(second)
    var period = period(containing: second)
    var furthest = second + period.offset
    while period.start > max(second - 2 * OffsetPeriod.widestOffset, OffsetPeriod.beginning) {
      period = self.period(containing: period.start - 1)
      furthest = max(furthest, period.end - 1 + period.offset)
    }
    return furthest
  }
}
