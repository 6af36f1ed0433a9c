// Text of intervals (`1h30m`) and moments (RFC 3339), read and written.

extension Interval {
  /// The units in the order in which they are written.
  private static let units: [(letter: UInt8, seconds: Int64)] = [
    (UInt8(ascii: "d"), 86_400), (UInt8(ascii: "h"), 3600), (UInt8(ascii: "m"), 60), (UInt8(ascii: "s"), 1),
  ]

  /// Reads text such as `90s`, `15m`, `1h30m`, `2d` or `0s`.
  ///
  /// Each of the units d, h, m and s appears at most once, longer ones first, after its digits. Nil for everything else: a
  /// number without a unit (`60` may be seconds or minutes), signs, fractions, blanks and overflow.
  public init?(text: String) {
    var total: Int64 = 0
    var number: Int64?
    var allowed = Self.units[...]
    for byte in text.utf8 {
      if byte.isASCIIDigit {
        let (tens, tooBig) = (number ?? 0).multipliedReportingOverflow(by: 10)
        let (sum, overflow) = tens.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
        guard !tooBig, !overflow else { return nil }
        number = sum
      } else {
        guard let count = number, let unit = allowed.firstIndex(where: { $0.letter == byte }) else {
          return nil
        }
        let (part, tooBig) = count.multipliedReportingOverflow(by: Self.units[unit].seconds)
        let (sum, overflow) = total.addingReportingOverflow(part)
        guard !tooBig, !overflow else { return nil }
        total = sum
        number = nil
        allowed = Self.units[(unit + 1)...]
      }
    }
    // Digits left over have no unit. If no unit was used, the text was empty.
    guard number == nil, allowed.count < Self.units.count, total <= Self.longest.seconds else { return nil }
    self.init(seconds: total)
  }

  /// The interval as this program always writes it: longest units first, none that is zero, such as `1h30m`.
  ///
  /// Zero is `0s`. `Interval(text:)` reads the same interval back.
  public var text: String {
    guard seconds > 0 else { return "0s" }
    var text = ""
    var rest = seconds
    for unit in Self.units where rest >= unit.seconds {
      text += "\(rest / unit.seconds)\(Character(Unicode.Scalar(unit.letter)))"
      rest %= unit.seconds
    }
    return text
  }
}

extension Instant {
  /// RFC 3339 text in UTC, such as `2026-11-21T08:30:00Z`.
  public var rfc3339: String {
    let civil = CivilTime(secondsSince1970: secondsSince1970)
    return "\(civil.year.padded(to: 4))-\(civil.month.padded(to: 2))-\(civil.day.padded(to: 2))"
      + "T\(civil.hour.padded(to: 2)):\(civil.minute.padded(to: 2)):\(civil.second.padded(to: 2))Z"
  }

  /// Reads RFC 3339 text with `Z` or a numeric offset; drops fractions of a second.
  public init?(rfc3339 text: String) {
    let bytes = Array(text.utf8)
    func number(_ range: Range<Int>) -> Int? {
      guard range.upperBound <= bytes.count else { return nil }
      var value = 0
      for byte in bytes[range] {
        guard byte.isASCIIDigit else { return nil }
        value = value * 10 + Int(byte - 0x30)
      }
      return value
    }
    func byte(_ index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }
    guard let year = number(0..<4), byte(4) == UInt8(ascii: "-"), let month = number(5..<7),
      byte(7) == UInt8(ascii: "-"), let day = number(8..<10),
      [UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " ")].contains(byte(10)),
      let hour = number(11..<13), byte(13) == UInt8(ascii: ":"), let minute = number(14..<16),
      byte(16) == UInt8(ascii: ":"), let second = number(17..<19),
      (1...12).contains(month), (1...CivilTime.daysInMonth(month, year: year)).contains(day),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    var index = 19
    if byte(index) == UInt8(ascii: ".") {
      index += 1
      let start = index
      while let digit = byte(index), digit.isASCIIDigit { index += 1 }
      guard index > start else { return nil }
    }
    let offset: Int
    switch byte(index) {
    case UInt8(ascii: "Z"), UInt8(ascii: "z"):
      guard index + 1 == bytes.count else { return nil }
      offset = 0
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      guard let hours = number(index + 1..<index + 3), byte(index + 3) == UInt8(ascii: ":"),
        let minutes = number(index + 4..<index + 6), index + 6 == bytes.count, hours < 24, minutes < 60
      else { return nil }
      offset = (hours * 3600 + minutes * 60) * (byte(index) == UInt8(ascii: "-") ? -1 : 1)
    default:
      return nil
    }
    let civil = CivilTime(
      year: year, month: month, day: day, hour: hour, minute: minute, second: min(second, 59))
    self.init(secondsSince1970: civil.secondsSince1970 + Int64(second == 60 ? 1 : 0) - Int64(offset))
  }
}

extension Instant {
  /// The time in a zone as a person writes it, such as `2026-11-21 09:30:00`.
  public func local(in zone: Zone) -> String {
    let shifted = Instant(secondsSince1970: secondsSince1970 + Int64(zone.offset(at: self)))
    return String(shifted.rfc3339.dropLast().replacing("T", with: " "))
  }
}

extension Instant {
  /// Reads RFC 3339 text, a local date, a local date and time, or an interval from now.
  ///
  /// Examples: `2026-12-24T08:00:00Z`, `2026-12-24 08:00`, `2026-12-24` (its beginning), `2d`. A local time that a clock
  /// change skips means the first moment after the gap; one that comes twice means the first of both.
  public init?(text: String, from now: Instant, in zone: Zone) {
    guard let moment = Interval(text: text).map({ now + $0 }) ?? Instant(written: text, in: zone) else {
      return nil
    }
    self = moment
  }

  /// Reads the same for a moment in the past: an interval counts back from now.
  public init?(text: String, before now: Instant, in zone: Zone) {
    guard let moment = Interval(text: text).map({ now - $0 }) ?? Instant(written: text, in: zone) else {
      return nil
    }
    self = moment
  }

  private init?(written text: String, in zone: Zone) {
    if let moment = Instant(rfc3339: text) {
      self = moment
      return
    }
    let shown = ["Z", ":00Z", "T00:00:00Z"].lazy.compactMap { Instant(rfc3339: text + $0) }.first
    guard let shown else { return nil }
    switch zone.moments(of: CivilTime(secondsSince1970: shown.secondsSince1970)) {
    case .once(let moment), .skipped(firstAfter: let moment), .twice(first: let moment, second: _):
      self = moment
    }
  }
}
