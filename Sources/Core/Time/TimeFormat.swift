// Times in templates, written as strftime(3) does.

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
  public init(_ text: String) throws(TimeFormatProblem) {
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
        throw TimeFormatProblem(directive: "%\(character)", column: index)
      }
    }
    guard !awaitsLetter else {
      throw TimeFormatProblem(directive: "%", column: text.unicodeScalars.count)
    }
    if !literal.isEmpty { parts.append(.literal(literal)) }
    self.parts = parts
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

/// An unknown directive in a time format, or a `%` at its end.
public struct TimeFormatProblem: Error, Hashable, Sendable {
  /// The directive as written, such as `%Q`, or `%` if the text ends there.
  public let directive: String
  /// The place of its `%` in Unicode scalars, from 1.
  public let column: Int
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

  private static let monthNames = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
  ]
  private static let weekdayNames = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]

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
    case .shortMonthName: String(Self.monthNames[civil.month - 1].prefix(3))
    case .monthName: Self.monthNames[civil.month - 1]
    case .shortWeekdayName: String(Self.weekdayNames[civil.weekday].prefix(3))
    case .weekdayName: Self.weekdayNames[civil.weekday]
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
