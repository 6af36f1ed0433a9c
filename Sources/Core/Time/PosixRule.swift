// The yearly rule of a zone, as in TZ and in the last line of a zone file: POSIX XBD 8.3 "TZ", with the wider times of
// RFC 9636 §3.3.1.

/// Standard time, and the yearly beginning and end of daylight saving time if there is any.
struct PosixRule: Equatable, Sendable {
  let standardOffset: Int
  let daylight: Daylight?

  /// Daylight saving time.
  ///
  /// Its offset may be less than the standard one, as in Europe/Dublin in winter.
  struct Daylight: Equatable, Sendable {
    let offset: Int
    /// The beginning, in standard time.
    let start: YearlyMoment
    /// The end, in daylight saving time.
    let end: YearlyMoment
  }

  /// `Mm.w.d/time`: a time of a weekday in the week 1 to 5 of a month, of which 5 is the last.
  struct YearlyMoment: Equatable, Sendable {
    let month: Int
    let week: Int
    /// 0 is Sunday.
    let weekday: Int
    /// Seconds after midnight, up to a week; negative before.
    let time: Int
  }

  /// The period that contains a second.
  func period(containing second: Int64) -> OffsetPeriod {
    guard let daylight else {
      return OffsetPeriod(
        start: OffsetPeriod.beginning, end: OffsetPeriod.forever, offset: Int64(standardOffset),
        previousOffset: Int64(standardOffset))
    }
    let year = CivilTime(secondsSince1970: second + Int64(standardOffset)).year
    var current = Change(
      start: OffsetPeriod.beginning, offset: changes(of: daylight, in: year - 1).second.offset)
    var previousOffset = current.offset
    for year in (year - 1)...(year + 1) {
      let changes = changes(of: daylight, in: year)
      for change in [changes.first, changes.second] {
        guard change.start <= second else {
          return OffsetPeriod(
            start: current.start, end: change.start, offset: current.offset, previousOffset: previousOffset)
        }
        previousOffset = current.offset
        current = change
      }
    }
    return OffsetPeriod(
      start: current.start, end: OffsetPeriod.forever, offset: current.offset, previousOffset: previousOffset)
  }

  private struct Change {
    let start: Int64
    let offset: Int64
  }

  /// The two changes of a year, in order.
  private func changes(of daylight: Daylight, in year: Int) -> (first: Change, second: Change) {
    let start = Change(
      start: daylight.start.localTime(in: year) - Int64(standardOffset), offset: Int64(daylight.offset))
    let end = Change(
      start: daylight.end.localTime(in: year) - Int64(daylight.offset), offset: Int64(standardOffset))
    return start.start <= end.start ? (start, end) : (end, start)
  }
}

extension PosixRule.YearlyMoment {
  fileprivate func localTime(in year: Int) -> Int64 {
    let first = CivilTime(year: year, month: month, day: 1)
    var days = (weekday - first.weekday + 7) % 7 + (week - 1) * 7
    if days >= CivilTime.daysInMonth(month, year: year) { days -= 7 }
    return (first.daysSince1970 + Int64(days)) * 86_400 + Int64(time)
  }
}

extension PosixRule {
  /// Parses a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`.
  init?(text: String) {
    var reader = PosixRuleReader(bytes: Array(text.utf8)[...])
    guard let rule = reader.rule(), reader.bytes.isEmpty else { return nil }
    self = rule
  }
}

/// Takes the parts of a rule from the front of a text; each function returns nil if its part is not there.
private struct PosixRuleReader {
  var bytes: ArraySlice<UInt8>

  mutating func rule() -> PosixRule? {
    guard parseName(), let standard = offset() else { return nil }
    guard !bytes.isEmpty else { return PosixRule(standardOffset: standard, daylight: nil) }
    guard parseName() else { return nil }
    var daylight = standard + 3600
    if let next = bytes.first, next != "," {
      guard let stated = offset() else { return nil }
      daylight = stated
    }
    // A rule with daylight saving time but without days uses those of the United States, as the C library does.
    if bytes.isEmpty { bytes = Array(",M3.2.0,M11.1.0".utf8)[...] }
    guard let start = yearlyMoment(), let end = yearlyMoment() else { return nil }
    return PosixRule(
      standardOffset: standard, daylight: PosixRule.Daylight(offset: daylight, start: start, end: end))
  }

  /// Takes a name, which is not used: at least three letters, or also digits and signs in angle brackets.
  private mutating func parseName() -> Bool {
    let isQuoted = parse("<")
    let name = bytes.prefix {
      $0.isASCIILetter || isQuoted && ($0.isASCIIDigit || $0 == "+" || $0 == "-")
    }
    bytes = bytes.dropFirst(name.count)
    return name.count >= 3 && (!isQuoted || parse(">"))
  }

  /// An offset from UTC, east positive; in the text it is west positive.
  private mutating func offset() -> Int? {
    duration(hours: 24).map { -$0 }
  }

  /// `,Mm.w.d[/time]`; the time is 2:00 by default.
  ///
  /// The days `Jn` and `n` are not supported: no zone has them.
  private mutating func yearlyMoment() -> PosixRule.YearlyMoment? {
    guard parse(","), parse("M"), let month = number(in: 1...12), parse("."), let week = number(in: 1...5),
      parse("."), let weekday = number(in: 0...6), let time = parse("/") ? duration(hours: 167) : 2 * 3600
    else { return nil }
    return PosixRule.YearlyMoment(month: month, week: week, weekday: weekday, time: time)
  }

  /// `[+-]hh[:mm[:ss]]` in seconds.
  private mutating func duration(hours limit: Int) -> Int? {
    let isNegative = parse("-")
    if !isNegative { _ = parse("+") }
    guard let hours = number(in: 0...limit) else { return nil }
    var seconds = hours * 3600
    for unit in [60, 1] {
      guard parse(":") else { break }
      guard let count = number(in: 0...59) else { return nil }
      seconds += count * unit
    }
    return isNegative ? -seconds : seconds
  }

  private mutating func number(in range: ClosedRange<Int>) -> Int? {
    let digits = bytes.prefix { $0.isASCIIDigit }
    guard (1...3).contains(digits.count) else { return nil }
    bytes = bytes.dropFirst(digits.count)
    let number = digits.reduce(0) { $0 * 10 + Int($1 - "0") }
    return range.contains(number) ? number : nil
  }

  private mutating func parse(_ character: UInt8) -> Bool {
    guard bytes.first == character else { return false }
    bytes = bytes.dropFirst()
    return true
  }
}
