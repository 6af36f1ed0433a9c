// Text of intervals (`1h30m`) and moments (RFC 3339), read and written, and by strftime(3).

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
  /// The time in a zone as a person writes it, such as `2026-11-21 09:30:00`; on a terminal `21 Nov 09:30`, or `09:30` if that is
  /// today.
  public func local(in zone: Zone) -> String {
    if let now = zone.readAt {
      let day = shortDate(self, now: now, in: zone).drop { $0 == " " }
      return day.contains(":") ? String(day) : day + " " + time(self, "%H:%M", in: zone)
    }
    let shifted = Instant(secondsSince1970: secondsSince1970 + Int64(zone.offset(at: self)))
    return String(shifted.rfc3339.dropLast().replacing("T", with: " "))
  }
}

/// The shortest clear form of a date: the time if it is today, the day if it is this year, else the whole date.
public func shortDate(_ moment: Instant, now: Instant, in zone: Zone) -> String {
  let (then, today) = (zone.civil(at: moment), zone.civil(at: now))
  if then.daysSince1970 == today.daysSince1970 { return time(moment, "%H:%M", in: zone) }
  return time(moment, then.year == today.year ? "%e %b" : "%Y-%m-%d", in: zone)
}

extension Instant {
  /// Reads RFC 3339 text, a local date, a local date and time, or an interval from now.
  ///
  /// Examples: `2026-12-24T08:00:00Z`, `2026-12-24 08:00`, `tomorrow 08:00`, `2026-12-24` and `today` (their beginning), `2d`.
  /// A local time that a clock change skips means the first moment after the gap; one that comes twice means the first of both.
  public init?(text: String, from now: Instant, in zone: Zone) {
    guard let moment = Interval(text: text).map({ now + $0 }) ?? Instant(written: text, now, in: zone) else {
      return nil
    }
    self = moment
  }

  /// Reads the same for a moment in the past: an interval counts back from now.
  public init?(text: String, before now: Instant, in zone: Zone) {
    guard let moment = Interval(text: text).map({ now - $0 }) ?? Instant(written: text, now, in: zone) else {
      return nil
    }
    self = moment
  }

  private init?(written text: String, _ now: Instant, in zone: Zone) {
    if let moment = Instant(rfc3339: text) {
      self = moment
      return
    }
    var text = text
    for (word, days) in [("yesterday", -1), ("today", 0), ("tomorrow", 1)] where text.hasPrefix(word) {
      let day = Instant(secondsSince1970: (zone.civil(at: now).daysSince1970 + Int64(days)) * 86_400)
      text = String(day.rfc3339.prefix(10) + text.dropFirst(word.count))
    }
    let shown = ["Z", ":00Z", "T00:00:00Z"].lazy.compactMap { Instant(rfc3339: text + $0) }.first
    guard let shown else { return nil }
    self = zone.firstMoment(of: CivilTime(secondsSince1970: shown.secondsSince1970))
  }
}

/// A parsed format of strftime(3).
///
/// It knows `%Y %m %d %H %M %S %y %j %e %b %B %a %A %u %w %V %G %F %T %R %s %z %p %I` and `%%`. Names are English in every
/// locale, so that an item has the same file name on every machine.
public struct TimeFormat: Hashable, Sendable {
  private let parts: [Part]

  private enum Part: Hashable {
    case literal(String)
    case directive(Directive)
  }

  /// Parses a format; throws at the first unknown directive.
  public init(_ text: String) throws(TextProblem) {
    var parts: [Part] = []
    var literal = ""
    var awaitsLetter = false
    for (index, character) in text.unicodeScalars.enumerated() {
      if !awaitsLetter {
        if character == "%" { awaitsLetter = true } else { literal.unicodeScalars.append(character) }
        continue
      }
      awaitsLetter = false
      if character == "%" {
        literal += "%"
      } else if let directive = Directive(rawValue: Character(character)) {
        if !literal.isEmpty { parts.append(.literal(literal)) }
        literal = ""
        parts.append(.directive(directive))
      } else {
        throw Self.unknown("%\(character)", at: index)
      }
    }
    guard !awaitsLetter else { throw Self.unknown("%", at: text.unicodeScalars.count) }
    if !literal.isEmpty { parts.append(.literal(literal)) }
    self.parts = parts
  }

  /// The problem of an unknown directive, or of a `%` at the end.
  private static func unknown(_ directive: String, at column: Int) -> TextProblem {
    TextProblem(
      what: "has an unknown \(directive)",
      cure: "there are %Y %m %d %H %M %S and more, see bgfetch.yaml(5)", column: column)
  }

  /// A moment in this format, in the local time of a zone.
  public func text(of moment: Instant, in zone: Zone) -> String {
    let civil = zone.civil(at: moment)
    var text = ""
    for part in parts {
      switch part {
      case .literal(let literal): text += literal
      case .directive(.secondsSince1970): text += String(moment.secondsSince1970)
      case .directive(.offset): text += Self.offsetText(zone.offset(at: moment))
      case .directive(let directive): text += directive.text(of: civil)
      }
    }
    return text
  }

  /// An offset such as `+0130`.
  ///
  /// The seconds that offsets had before standard time are dropped, as strftime(3) does.
  private static func offsetText(_ offset: Int) -> String {
    let minutes = abs(offset) / 60
    return (offset < 0 ? "-" : "+") + (minutes / 60 * 100 + minutes % 60).padded(to: 4)
  }
}

/// The directives, by the letter after `%`.
private enum Directive: Character, Hashable {
  case year = "Y"
  case month = "m"
  case day = "d"
  case hour = "H"
  case minute = "M"
  case second = "S"
  case yearOfCentury = "y"
  case dayOfYear = "j"
  case dayPaddedWithBlank = "e"
  case shortMonthName = "b"
  case monthName = "B"
  case shortWeekdayName = "a"
  case weekdayName = "A"
  case weekdayFromMonday = "u"
  case weekdayFromSunday = "w"
  case week = "V"
  case yearOfWeek = "G"
  case date = "F"
  case timeOfDay = "T"
  case hourAndMinute = "R"
  case secondsSince1970 = "s"
  case offset = "z"
  case halfOfDay = "p"
  case hourOfHalfDay = "I"

  func text(of civil: CivilTime) -> String {
    switch self {
    case .year: civil.year.padded(to: 4)
    case .month: civil.month.padded(to: 2)
    case .day: civil.day.padded(to: 2)
    case .hour: civil.hour.padded(to: 2)
    case .minute: civil.minute.padded(to: 2)
    case .second: civil.second.padded(to: 2)
    case .yearOfCentury: Int(Int64(civil.year).flooredDivision(by: 100).remainder).padded(to: 2)
    case .dayOfYear: civil.dayOfYear.padded(to: 3)
    case .dayPaddedWithBlank: civil.day.padded(to: 2, with: " ")
    case .shortMonthName: String(CivilTime.monthNames[civil.month - 1].prefix(3))
    case .monthName: CivilTime.monthNames[civil.month - 1]
    case .shortWeekdayName: String(CivilTime.weekdayNames[civil.weekday].prefix(3))
    case .weekdayName: CivilTime.weekdayNames[civil.weekday]
    case .weekdayFromMonday: String(Self.weekdayFromMonday(civil))
    case .weekdayFromSunday: String(civil.weekday)
    case .week: ((Self.thursday(ofWeekWith: civil).dayOfYear - 1) / 7 + 1).padded(to: 2)
    case .yearOfWeek: Self.thursday(ofWeekWith: civil).year.padded(to: 4)
    case .date: Self.joined([.year, .month, .day], by: "-", of: civil)
    case .timeOfDay: Self.joined([.hour, .minute, .second], by: ":", of: civil)
    case .hourAndMinute: Self.joined([.hour, .minute], by: ":", of: civil)
    case .halfOfDay: civil.hour < 12 ? "AM" : "PM"
    case .hourOfHalfDay: ((civil.hour + 11) % 12 + 1).padded(to: 2)
    // TimeFormat writes these two itself, because they need the moment and the zone.
    case .secondsSince1970, .offset: ""
    }
  }

  private static func joined(_ directives: [Directive], by separator: String, of civil: CivilTime) -> String {
    directives.map { $0.text(of: civil) }.joined(separator: separator)
  }

  private static func weekdayFromMonday(_ civil: CivilTime) -> Int {
    civil.weekday == 0 ? 7 : civil.weekday
  }

  /// The Thursday of a week, which decides the week's year (ISO 8601).
  private static func thursday(ofWeekWith civil: CivilTime) -> CivilTime {
    CivilTime(secondsSince1970: (civil.daysSince1970 + Int64(4 - weekdayFromMonday(civil))) * 86_400)
  }
}
