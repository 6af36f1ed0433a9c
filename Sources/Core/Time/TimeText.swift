// Text of intervals (`1h30m`) and moments (RFC 3339), read and written, and by strftime(3).

extension Interval {
  /// The units in the order in which they are written.
  private static let units: [(letter: UInt8, seconds: Int64)] = [
    ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1),
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
        let sum = (number ?? 0) * 10 + Int64(byte - "0")
        guard sum <= Self.longest.seconds else { return nil }
        number = sum
      } else {
        guard let count = number, let unit = allowed.firstIndex(where: { $0.letter == byte }),
          count <= (Self.longest.seconds - total) / Self.units[unit].seconds
        else { return nil }
        total += count * Self.units[unit].seconds
        number = nil
        allowed = Self.units[(unit + 1)...]
      }
    }
    // Digits left over have no unit. If no unit was used, the text was empty.
    guard number == nil, allowed.count < Self.units.count else { return nil }
    self.init(seconds: total)
  }

  /// The interval as configurations write it: longest units first, none that is zero, such as `1h30m`.
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

  /// The interval for people, rounded down to its largest unit: `45 s`, `52 min`, `3 h`, `2 d`.
  public var rounded: String {
    switch seconds {
    case 0..<60: "\(seconds) s"
    case 60..<3600: "\(seconds / 60) min"
    case 3600..<172_800: "\(seconds / 3600) h"
    default: "\(seconds / 86_400) d"
    }
  }

  /// The interval as a player shows it: `52:10` or `1:02:03`.
  public var playingTime: String {
    let minutes = seconds / 60 % 60
    let clock = (seconds % 60).padded(to: 2)
    return seconds < 3600 ? "\(minutes):\(clock)" : "\(seconds / 3600):\(minutes.padded(to: 2)):\(clock)"
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
    var text = text
    let shape = String(decoding: text.utf8.map { $0.isASCIIDigit ? "0" : $0 }, as: UTF8.self)
      .uppercased()
    guard ["0000-00-00T00:00:00", "0000-00-00 00:00:00"].contains(shape.prefix(19)) else { return nil }
    var end = shape.dropFirst(19)
    if end.hasPrefix(".0") { end = end.dropFirst().drop { $0 == "0" } }
    // A day of this format has no hour 24.
    guard ["Z", "+00:00", "-00:00"].contains(end), !text.utf8.dropFirst(11).starts(with: "24".utf8),
      let moment = text.withUTF8({ writtenDate($0, sinceYear: 0) })
    else { return nil }
    self = moment
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
  /// Reads RFC 3339 text, a local date, a time of day, both, or an interval from now; for the past, an interval back from now.
  ///
  /// Examples: `2026-12-24T08:00:00Z`, `2026-12-24 08:00`, `tomorrow 8:00`, `8:00 monday`, `2026-12-24` and `today` (their
  /// beginning), `18:00`, `2d`. A time of day and a day of the week mean the next one, or for the past the last one. A local
  /// time that a clock change skips means the first moment after the gap; one that comes twice means the first of both.
  public init?(text: String, from now: Instant, isPast: Bool = false, in zone: Zone) {
    let interval = Interval(text: text).map { isPast ? now - $0 : now + $0 }
    if let moment = interval ?? Instant(rfc3339: text) {
      self = moment
      return
    }
    let today = zone.civil(at: now).daysSince1970
    var (day, time): (WrittenDay?, Instant?)
    if let moment = Instant(localText: text) {
      (day, time) = (WrittenDay(number: 0), moment)
    } else {
      for word in text.lowercased().split(separator: " ") {
        let padded = (word.dropFirst().first == ":" ? "0" : "") + word
        if time == nil, let read = Instant(localText: "1970-01-01T" + padded) {
          time = read
        } else if day == nil, let read = WrittenDay(String(word), today: today) {
          day = read
        } else {
          return nil
        }
      }
      guard day != nil || time != nil else { return nil }
    }
    let named = day ?? WrittenDay(number: today, period: 1)
    func moment(after days: Int64) -> Instant {
      let second = (named.number + days) * 86_400 + (time?.secondsSince1970 ?? 0)
      return zone.firstMoment(of: CivilTime(secondsSince1970: second))
    }
    let nearest = moment(after: 0)
    let isOnOtherSide = isPast ? nearest > now : nearest <= now
    self = isOnOtherSide ? moment(after: isPast ? -named.period : named.period) : nearest
  }

  /// Reads a date with a time of day, as if it were in UTC.
  private init?(localText text: String) {
    guard let read = ["Z", ":00Z"].lazy.compactMap({ Instant(rfc3339: text + $0) }).first else { return nil }
    self = read
  }
}

/// A day as a person names it.
private struct WrittenDay {
  /// The day, or the first such day from today on, in days since 1970.
  var number: Int64
  /// The days until the next one of this name; 0 if there is only one.
  var period: Int64 = 0

  init(number: Int64, period: Int64 = 0) { (self.number, self.period) = (number, period) }

  /// Reads `2026-12-24`, `today`, `tomorrow`, `yesterday`, or a day of the week, of which three letters are enough.
  init?(_ word: String, today: Int64) {
    if let days = ["yesterday": -1, "today": 0, "tomorrow": 1][word] {
      number = today + Int64(days)
    } else if let date = Instant(rfc3339: word + "T00:00:00Z") {
      number = date.dayNumber
    } else if word.utf8.count >= 3, let weekday = CivilTime.weekdays.firstIndex(where: { $0.hasPrefix(word) })
    {
      let now = CivilTime(secondsSince1970: today * 86_400).weekday
      (number, period) = (today + Int64((weekday - now + 7) % 7), 7)
    } else {
      return nil
    }
  }
}

/// A parsed format of strftime(3).
///
/// It knows `%Y %m %d %H %M %S %y %j %e %b %B %a %A %u %w %V %G %F %T %R %s %z %p %I` and `%%`. Names are English in every
/// locale, so that an item has the same file name on every machine.
public struct TimeFormat: Sendable {
  private let format: String

  /// Parses a format; throws at the first unknown directive.
  public init(_ format: String) throws(TextProblem) {
    self.format = format
    _ = try filled(with: LocalTime(Instant(secondsSince1970: 0), in: .utc))
  }

  /// A moment in this format, in the local time of a zone.
  public func text(of moment: Instant, in zone: Zone) -> String {
    // The directives were known at the beginning.
    (try? filled(with: LocalTime(moment, in: zone))) ?? ""
  }

  private func filled(with time: LocalTime) throws(TextProblem) -> String {
    var text = ""
    var awaitsLetter = false
    for (index, scalar) in format.unicodeScalars.enumerated() {
      if awaitsLetter {
        guard let part = time.part(Character(scalar)) else { throw Self.unknown("%\(scalar)", at: index) }
        text += part
        awaitsLetter = false
      } else if scalar == "%" {
        awaitsLetter = true
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    guard !awaitsLetter else { throw Self.unknown("%", at: format.unicodeScalars.count) }
    return text
  }

  /// The problem of an unknown directive, or of a `%` at the end.
  private static func unknown(_ directive: String, at column: Int) -> TextProblem {
    TextProblem(
      what: "has an unknown \(directive)",
      cure: "there are %Y %m %d %H %M %S and more, see bgfetch.yaml(5)", column: column)
  }
}

/// A moment in a zone, for the directives of a format.
private struct LocalTime {
  private let moment: Instant
  private let offset: Int
  private let civil: CivilTime

  init(_ moment: Instant, in zone: Zone) {
    (self.moment, offset, civil) = (moment, zone.offset(at: moment), zone.civil(at: moment))
  }

  /// The text for a directive, by the letter after `%`; nil if there is none.
  func part(_ letter: Character) -> String? {
    switch letter {
    case "%": "%"
    case "Y": civil.year.padded(to: 4)
    case "m": civil.month.padded(to: 2)
    case "d": civil.day.padded(to: 2)
    case "H": civil.hour.padded(to: 2)
    case "M": civil.minute.padded(to: 2)
    case "S": civil.second.padded(to: 2)
    case "y": Int(Int64(civil.year).flooredDivision(by: 100).remainder).padded(to: 2)
    case "j": civil.dayOfYear.padded(to: 3)
    case "e": civil.day.padded(to: 2, with: " ")
    case "b": String(CivilTime.monthNames[civil.month - 1].prefix(3))
    case "B": CivilTime.monthNames[civil.month - 1]
    case "a": String(CivilTime.weekdayNames[civil.weekday].prefix(3))
    case "A": CivilTime.weekdayNames[civil.weekday]
    case "u": String(weekdayFromMonday)
    case "w": String(civil.weekday)
    case "V": ((thursday.dayOfYear - 1) / 7 + 1).padded(to: 2)
    case "G": thursday.year.padded(to: 4)
    case "F": parts("Ymd", "-")
    case "T": parts("HMS", ":")
    case "R": parts("HM", ":")
    case "s": String(moment.secondsSince1970)
    // The seconds that offsets had before standard time are dropped, as strftime(3) does.
    case "z": (offset < 0 ? "-" : "+") + (abs(offset) / 3600 * 100 + abs(offset) / 60 % 60).padded(to: 4)
    case "p": civil.hour < 12 ? "AM" : "PM"
    case "I": ((civil.hour + 11) % 12 + 1).padded(to: 2)
    default: nil
    }
  }

  private func parts(_ letters: String, _ separator: String) -> String {
    letters.compactMap(part).joined(separator: separator)
  }

  private var weekdayFromMonday: Int { civil.weekday == 0 ? 7 : civil.weekday }

  /// The Thursday of the week, which decides the week's year (ISO 8601).
  private var thursday: CivilTime {
    CivilTime(secondsSince1970: (civil.daysSince1970 + Int64(4 - weekdayFromMonday)) * 86_400)
  }
}
