// The stretches of time in which a zone's offset stays the same. All that depends on clock changes is built on them.

/// A stretch of time, in seconds since 1970 in UTC, throughout which one offset holds.
struct OffsetPeriod: Hashable, Sendable {
  /// The first second.
  let start: Int64
  /// The second after the last one.
  let end: Int64
  /// Seconds to add to UTC for the local time.
  let offset: Int64
  /// The offset just before this period; the same as `offset` if there was none.
  let previousOffset: Int64

  /// The `start` of a period that nothing precedes: the first `Instant`.
  static let beginning: Int64 = -Interval.longest.seconds
  /// The `end` of a period that nothing follows: the second after the last `Instant`.
  static let forever: Int64 = Interval.longest.seconds + 1
  /// More than any offset, so that a local time lies less than this from UTC: 26 hours (RFC 9636 §3.2).
  static let widestOffset: Int64 = 26 * 3600

  /// The second itself, or the nearest one that lies between the beginning and for ever.
  ///
  /// Sums of clamped seconds and offsets cannot overflow.
  static func clamped(_ seconds: Int64) -> Int64 {
    min(max(seconds, beginning), forever - 1)
  }

  /// The seconds that clocks left out when this period began, nothing if they went back.
  var gapBefore: Int64 { max(0, offset - previousOffset) }
}

extension Zone {
  /// When clocks change next after a moment; nil if they never do.
  func nextChange(after moment: Instant) -> Instant? {
    let end = period(containing: moment.secondsSince1970).end
    return end < OffsetPeriod.forever ? Instant(secondsSince1970: end) : nil
  }

  /// The period that a second lies in; logarithmic in the number of transitions.
  func period(containing second: Int64) -> OffsetPeriod {
    let second = OffsetPeriod.clamped(second)
    let passed = transitionCount(through: second)
    let start = passed > 0 ? transitions[passed - 1].at.secondsSince1970 : OffsetPeriod.beginning
    let previousOffset = Int64(passed > 1 ? transitions[passed - 2].offset : initialOffset)
    if passed == transitions.count, let footer {
      let period = footer.period(containing: second)
      // The rule may have changes of its own before the table's last one; those never took place.
      guard period.start <= start else { return period }
      return OffsetPeriod(
        start: start, end: period.end, offset: period.offset,
        previousOffset: passed > 0 ? previousOffset : period.offset)
    }
    return OffsetPeriod(
      start: start,
      end: passed < transitions.count ? transitions[passed].at.secondsSince1970 : OffsetPeriod.forever,
      offset: Int64(passed > 0 ? transitions[passed - 1].offset : initialOffset),
      previousOffset: previousOffset)
  }

  /// How many transitions lie at or before a second, found by halving.
  private func transitionCount(through second: Int64) -> Int {
    var low = 0
    var high = transitions.count
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle].at.secondsSince1970 <= second { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
