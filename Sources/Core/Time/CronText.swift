// Parses cron text.

extension CronExpression {
  /// Reads a cron expression: five fields as in crontab(5), or `@hourly`, `@daily`, `@midnight`, `@weekly`,
  /// `@monthly`, `@yearly`, `@annually`.
  ///
  /// A field is a comma-separated list of `*`, numbers, names (jan to dec, sun to sat) and ranges, each with an optional step
  /// after `/`. A step after a single number counts from it to the end of the field: `5/15` is `5-59/15`. A range may run
  /// past the end of its field: `fri-mon`, `22-3`. Weekday 7 is Sunday.
  ///
  /// The day of the month also allows `L` (the last day). The day of the week allows `5L` (the last Friday of the month) and
  /// `5#3` (the third). A month without such a day is skipped. Unlike in Quartz, weekdays count from Sunday as 0.
  ///
  /// - Throws: the first problem. An expression that can never fire is a problem, too.
  public init(parsing text: String) throws(TextProblem) {
    let words = CronWord.words(of: text)
    guard let first = words.first else { throw TextProblem(.noFields("the schedule is empty"), at: 1) }
    if first.text.hasPrefix("@") {
      guard let fields = Self.shorthands[first.text.lowercased()] else {
        let isReboot = first.text.lowercased() == "@reboot"
        throw TextProblem(
          .init(
            isReboot ? "@reboot is not a time" : "\"\(first.text)\" is not known",
            "use @hourly, @daily, @weekly, @monthly, @yearly or five fields such as */10 * * * *"),
          at: first.column)
      }
      guard words.count == 1 else {
        throw TextProblem(
          .init(
            "\(first.text) stands for all five fields, but more follows", "write \(first.text) alone"),
          at: words[1].column)
      }
      self.init(text: text, fields: try Self.fields(of: CronWord.words(of: fields)))
      return
    }
    guard words.count >= 5 else {
      let fields = words.count == 1 ? "is 1 field" : "are \(words.count) fields"
      throw TextProblem(.noFields("there \(fields) of 5"), at: text.unicodeScalars.count + 1)
    }
    guard words.count == 5 else {
      let what = "there are \(words.count) fields; seconds, years and commands are not supported"
      throw TextProblem(.noFields(what), at: words[5].column)
    }
    self.init(text: text, fields: try Self.fields(of: words))
  }

  private static let shorthands = [
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
  ]

  private static func fields(of words: [CronWord]) throws(TextProblem) -> CronFields {
    let minute = try CronFieldReader(.minute, reading: words[0])
    let hour = try CronFieldReader(.hour, reading: words[1])
    let dayOfMonth = try CronFieldReader(.dayOfMonth, reading: words[2])
    let month = try CronFieldReader(.month, reading: words[3])
    let dayOfWeek = try CronFieldReader(.dayOfWeek, reading: words[4])

    var monthDays = dayOfMonth.monthDays
    monthDays.dates = UInt32(truncatingIfNeeded: dayOfMonth.values)
    var weekdays = dayOfWeek.weekdays
    weekdays.every = UInt8(truncatingIfNeeded: dayOfWeek.values)
    let days = CronDays(
      months: UInt16(truncatingIfNeeded: month.values), monthDays: monthDays, weekdays: weekdays,
      oneDayFieldIsEnough: !words[2].beginsWithWildcard && !words[4].beginsWithWildcard)
    guard days.exist() else {
      let weekday = words[4].text
      throw TextProblem(
        .init(
          "day of month \(words[2].text) never comes in month \(words[3].text)"
            + (weekday == "*" ? "" : " on day of week \(weekday)"),
          "write days that exist, such as L for the last day of the month"), at: words[2].column)
    }
    return CronFields(
      minutes: minute.values, hours: UInt32(truncatingIfNeeded: hour.values), days: days,
      followsElapsedTime: words[1].beginsWithWildcard)
  }
}

/// A piece of cron text with its place.
struct CronWord {
  let text: String
  /// The place in Unicode scalars of the whole text, from 1.
  let column: Int

  /// Whether crontab(5) treats the field as unrestricted.
  var beginsWithWildcard: Bool { text.hasPrefix("*") }

  static func words(of text: String) -> [CronWord] {
    CronWord(text: text, column: 1)
      .split { $0.properties.isWhitespace }
      .filter { !$0.text.isEmpty }
  }

  /// The pieces between separators, at least one, including empty ones.
  func split(where isSeparator: (Unicode.Scalar) -> Bool) -> [CronWord] {
    var pieces: [CronWord] = []
    var piece = String.UnicodeScalarView()
    var start = column
    for (index, scalar) in text.unicodeScalars.enumerated() {
      if isSeparator(scalar) {
        pieces.append(CronWord(text: String(piece), column: start))
        piece.removeAll()
        start = column + index + 1
      } else {
        piece.append(scalar)
      }
    }
    return pieces + [CronWord(text: String(piece), column: start)]
  }

  func split(at separator: Unicode.Scalar) -> [CronWord] { split { $0 == separator } }
}

/// One parsed field: bits for its numbers, and the special days of the day fields.
struct CronFieldReader {
  /// Bits for the numbers; bit 0 of the weekdays is Sunday.
  private(set) var values: UInt64 = 0
  /// The special days of a day-of-month field; `dates` is left empty.
  private(set) var monthDays = CronDays.MonthDays()
  /// The special days of a day-of-week field; `every` is left empty.
  private(set) var weekdays = CronDays.Weekdays()

  private let field: CronField

  /// Parses a comma-separated list.
  init(_ field: CronField, reading word: CronWord) throws(TextProblem) {
    self.field = field
    for item in word.split(at: ",") { try insert(item) }
  }

  /// Adds one item of the list: a value, a range or `*`, with or without a step, or a special day.
  private mutating func insert(_ item: CronWord) throws(TextProblem) {
    let pieces = item.split(at: "/")
    let base = pieces[0]
    guard !base.text.isEmpty else { throw problem(.missingValue(field), base) }
    if try insertSpecial(base) {
      guard pieces.count == 1 else { throw problem(.misplacedSpecial(item.text, field), item) }
      return
    }
    let step = pieces.count > 1 ? try self.step(pieces) : nil
    insert(try range(base, isOpen: step != nil), step: step ?? 1)
  }

  /// The numbers of `*`, a value or a range; an open value extends to the end of the field.
  private func range(_ word: CronWord, isOpen: Bool) throws(TextProblem) -> ClosedRange<Int> {
    guard word.text != "*" else { return field.numbers }
    let ends = word.split(at: "-")
    guard ends.count <= 2, ends.count == 1 || !ends[0].text.isEmpty else {
      throw problem(.notAValue(word.text, field), word)
    }
    let first = try number(ends[0])
    if ends.count == 1 {
      return first...(isOpen ? max(first, field.lastNumber) : first)
    }
    let last = try number(ends[1])
    // A range that ends before it begins wraps around.
    return first...(last < first ? last + field.count : last)
  }

  private mutating func insert(_ numbers: ClosedRange<Int>, step: Int) {
    for number in stride(from: numbers.lowerBound, through: numbers.upperBound, by: step) {
      values |= 1 << UInt64(field.wrapped(number))
    }
  }

  private func step(_ pieces: [CronWord]) throws(TextProblem) -> Int {
    guard pieces.count == 2, let step = Self.number(pieces[1].text), (1...field.count).contains(step) else {
      let text = pieces.dropFirst().map(\.text).joined(separator: "/")
      throw problem(.notAStep(text, field), pieces[1])
    }
    return step
  }

  private func number(_ word: CronWord) throws(TextProblem) -> Int {
    guard !word.text.isEmpty else { throw problem(.missingValue(field), word) }
    if let named = field.number(named: word.text) { return named }
    guard word.text.utf8.allSatisfy(\.isASCIIDigit) else {
      throw problem(.notAValue(word.text, field), word)
    }
    guard let number = Self.number(word.text), field.numbers.contains(number) else {
      throw problem(.outOfRange(word.text, field), word)
    }
    return number
  }

  /// One to nine digits as a number; nil for anything else, including a sign.
  private static func number(_ text: String) -> Int? {
    (1...9).contains(text.utf8.count) && text.utf8.allSatisfy(\.isASCIIDigit) ? Int(text) : nil
  }

  private func problem(_ words: TextProblem.Words, _ word: CronWord) -> TextProblem {
    TextProblem(words, at: word.column)
  }
}

/// `L` and `#`, as in Quartz.
extension CronFieldReader {
  /// Adds a special day; false if the text is not one and may be a value or a range.
  ///
  /// - Throws: if the text would be a special day in another field, or is a working day, which has no notation here.
  private mutating func insertSpecial(_ word: CronWord) throws(TextProblem) -> Bool {
    let letters = word.text.uppercased()
    let weekday = word.split(at: "#")
    if field == .dayOfMonth, letters == "L" {
      monthDays.last = true
    } else if field == .dayOfWeek, weekday.count == 2, let week = Self.number(weekday[1].text),
      (1...5).contains(week)
    {
      weekdays.numbered |= 1 << UInt64(7 * (week - 1) + field.wrapped(try number(weekday[0])))
    } else if field == .dayOfWeek, letters.count > 1, letters.hasSuffix("L"), !letters.contains("-") {
      let day = CronWord(text: String(word.text.dropLast()), column: word.column)
      weekdays.last |= 1 << UInt8(field.wrapped(try number(day)))
    } else {
      let scalars = Set(letters.unicodeScalars)
      guard scalars.isSubset(of: "LW#-0123456789".unicodeScalars),
        !scalars.isDisjoint(with: "LW#".unicodeScalars)
      else { return false }
      throw problem(.misplacedSpecial(word.text, field), word)
    }
    return true
  }
}

/// The messages, such as `minute 60 is not from 0 to 59`, with examples of the field.
extension TextProblem.Words {
  fileprivate static func noFields(_ what: String) -> Self {
    Self(what, "write five fields: minute, hour, day of month, month, day of week")
  }
  /// Nothing between two commas, before a slash, or at an end of a range.
  fileprivate static func missingValue(_ field: CronField) -> Self {
    Self("the \(field.rawValue) has no value", examples(of: field))
  }
  fileprivate static func notAValue(_ text: String, _ field: CronField) -> Self {
    Self("\"\(text)\" is not \(field == .hour ? "an" : "a") \(field.rawValue)", examples(of: field))
  }
  fileprivate static func outOfRange(_ text: String, _ field: CronField) -> Self {
    Self(
      "\(field.rawValue) \(text) is not from \(field.numbers.lowerBound) to \(field.numbers.upperBound)",
      examples(of: field))
  }
  fileprivate static func notAStep(_ text: String, _ field: CronField) -> Self {
    Self("\"\(text)\" is not a step from 1 to \(field.count)", examples(of: field))
  }
  fileprivate static func misplacedSpecial(_ text: String, _ field: CronField) -> Self {
    Self("\"\(text)\" is not allowed in the \(field.rawValue)", examples(of: field))
  }

  private static func examples(of field: CronField) -> String {
    switch field {
    case .minute: "write 30, 0,30, 10-20 or */15, or * for any"
    case .hour: "write 7, 7,19, 8-18 or */2, or * for any"
    case .dayOfMonth: "write 1, 1,15, 10-20 or L, or * for any"
    case .month: "write jan, jan,jul, 6-8 or */3, or * for any"
    case .dayOfWeek: "write mon, sat,sun, mon-fri, friL or fri#1, or * for any"
    }
  }
}
