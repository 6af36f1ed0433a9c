// Reads the text of a yearly rule: POSIX XBD 8.3 "TZ", with the wider times of RFC 9636 §3.3.1.

extension PosixRule {
  /// The rule that a text such as `CET-1CEST,M3.5.0,M10.5.0/3` states; nil if it states none.
  init?(text: String) {
    var reader = PosixRuleReader(bytes: Array(text.utf8)[...])
    guard let rule = reader.rule(), reader.bytes.isEmpty else { return nil }
    self = rule
  }
}

/// Takes a rule's parts from the front of a text, each function one part, nil if it is not there.
private struct PosixRuleReader {
  var bytes: ArraySlice<UInt8>

  mutating func rule() -> PosixRule? {
    guard takeName(), let standard = offset() else { return nil }
    guard !bytes.isEmpty else { return PosixRule(standardOffset: standard, daylight: nil) }
    guard takeName() else { return nil }
    var daylight = standard + 3600
    if let next = bytes.first, next != UInt8(ascii: ",") {
      guard let stated = offset() else { return nil }
      daylight = stated
    }
    // A rule that names daylight saving time and no days follows the United States, as the C library has it.
    if bytes.isEmpty { bytes = Array(",M3.2.0,M11.1.0".utf8)[...] }
    guard let start = yearlyMoment(), let end = yearlyMoment() else { return nil }
    return PosixRule(
      standardOffset: standard, daylight: PosixRule.Daylight(offset: daylight, start: start, end: end))
  }

  /// Three letters or more, or between angle brackets also digits and signs.
  ///
  /// What the name is does not matter.
  private mutating func takeName() -> Bool {
    let isQuoted = take("<")
    let name = bytes.prefix { byte in
      let letter = byte | 0x20
      return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
        || isQuoted && (byte.isDigit || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-"))
    }
    bytes = bytes.dropFirst(name.count)
    return name.count >= 3 && (!isQuoted || take(">"))
  }

  /// An offset from UTC; the text has it west positive.
  private mutating func offset() -> Int? {
    duration(hours: 24).map { -$0 }
  }

  /// `,date[/time]`; two o'clock if it states no time.
  private mutating func yearlyMoment() -> PosixRule.YearlyMoment? {
    guard take(","), let day = yearlyDay() else { return nil }
    guard take("/") else { return PosixRule.YearlyMoment(day: day, time: 2 * 3600) }
    return duration(hours: 167).map { PosixRule.YearlyMoment(day: day, time: $0) }
  }

  private mutating func yearlyDay() -> PosixRule.YearlyDay? {
    if take("J") { return number(in: 1...365).map { .withoutLeapDay($0) } }
    guard take("M") else { return number(in: 0...365).map { .fromZero($0) } }
    guard let month = number(in: 1...12), take("."), let week = number(in: 1...5), take("."),
      let weekday = number(in: 0...6)
    else { return nil }
    return .weekday(month: month, week: week, weekday: weekday)
  }

  /// `[+-]hh[:mm[:ss]]` in seconds.
  private mutating func duration(hours limit: Int) -> Int? {
    let isNegative = take("-")
    if !isNegative { _ = take("+") }
    guard let hours = number(in: 0...limit) else { return nil }
    var seconds = hours * 3600
    for unit in [60, 1] {
      guard take(":") else { break }
      guard let count = number(in: 0...59) else { return nil }
      seconds += count * unit
    }
    return isNegative ? -seconds : seconds
  }

  private mutating func number(in range: ClosedRange<Int>) -> Int? {
    let digits = bytes.prefix { $0.isDigit }
    guard (1...3).contains(digits.count) else { return nil }
    bytes = bytes.dropFirst(digits.count)
    let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    return range.contains(number) ? number : nil
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard bytes.first == UInt8(ascii: character) else { return false }
    bytes = bytes.dropFirst()
    return true
  }
}

extension UInt8 {
  /// Whether this is an ASCII digit.
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
