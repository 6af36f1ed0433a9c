// Parses cron text.

extension CronExpression {
  /// Reads a cron expression: five fields as in crontab(5), or `@hourly`, `@daily`, `@midnight`, `@weekly`,
  /// `@monthly`, `@yearly`, `@annually`.
  ///
  /// A field is a comma-separated list of `*`, numbers, names (jan to dec, sun to sat) and ranges, each with an optional step
  /// after `/`. A step after a single number counts from it to the end of the field: `5/15` is `5-59/15`. A range may run
  /// past the end of its field: `fri-mon`, `22-3`. Weekday 7 is Sunday.
  ///
  /// - Throws: the first problem. An expression that can never fire is a problem, too.
  public init(parsing text: String) throws(TextProblem) {
    let words = CronWord.words(of: text)
    guard let first = words.first else { throw Self.noFields("the schedule is empty", at: 1) }
    if first.text.hasPrefix("@") {
      guard let fields = Self.shorthands[first.text.lowercased()] else {
        throw TextProblem(
          what: "\"\(first.text)\" is not known",
          cure: "use @hourly, @daily, @weekly, @monthly, @yearly or five fields such as */10 * * * *",
          column: first.column)
      }
      guard words.count == 1 else {
        throw TextProblem(
          what: "\(first.text) stands for all five fields, but more follows",
          cure: "write \(first.text) alone", column: words[1].column)
      }
      self.init(text: text, fields: try Self.fields(of: CronWord.words(of: fields)))
      return
    }
    guard words.count >= 5 else {
      let fields = words.count == 1 ? "is 1 field" : "are \(words.count) fields"
      throw Self.noFields("there \(fields) of 5", at: text.unicodeScalars.count + 1)
    }
    guard words.count == 5 else {
      throw Self.noFields(
        "there are \(words.count) fields; seconds, years and commands are not supported", at: words[5].column)
    }
    self.init(text: text, fields: try Self.fields(of: words))
  }

  private static func noFields(_ what: String, at column: Int) -> TextProblem {
    let cure = "write five fields: minute, hour, day of month, month, day of week"
    return TextProblem(what: what, cure: cure, column: column)
  }

  private static let shorthands = [
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
  ]

  private static func fields(of words: [CronWord]) throws(TextProblem) -> CronFields {
    let minutes = try CronField.minute.bits(words[0])
    let hours = try CronField.hour.bits(words[1])
    let dates = try CronField.dayOfMonth.bits(words[2])
    let months = try CronField.month.bits(words[3])
    let weekdays = try CronField.dayOfWeek.bits(words[4])
    let fields = CronFields(
      minutes: minutes, hours: UInt32(truncatingIfNeeded: hours),
      days: CronDays(
        months: UInt16(truncatingIfNeeded: months), dates: UInt32(truncatingIfNeeded: dates),
        weekdays: UInt8(truncatingIfNeeded: weekdays),
        oneDayFieldIsEnough: !words[2].beginsWithWildcard && !words[4].beginsWithWildcard),
      followsElapsedTime: words[1].beginsWithWildcard)
    guard fields.firstMatch(atOrAfter: 0) != nil else {
      let weekday = words[4].text
      throw TextProblem(
        what: "day of month \(words[2].text) never comes in month \(words[3].text)"
          + (weekday == "*" ? "" : " on day of week \(weekday)"),
        cure: "write days that exist", column: words[2].column)
    }
    return fields
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

extension CronField {
  /// Parses a comma-separated list as bits for its numbers; bit 0 of the weekdays is Sunday.
  fileprivate func bits(_ word: CronWord) throws(TextProblem) -> UInt64 {
    var bits: UInt64 = 0
    for item in word.split(at: ",") {
      let pieces = item.split(at: "/")
      let step = pieces.count > 1 ? try self.step(pieces) : nil
      let range = try range(pieces[0], isOpen: step != nil)
      for number in stride(from: range.lowerBound, through: range.upperBound, by: step ?? 1) {
        bits |= 1 << UInt64(wrapped(number))
      }
    }
    return bits
  }

  /// The numbers of `*`, a value or a range; an open value extends to the end of the field.
  private func range(_ word: CronWord, isOpen: Bool) throws(TextProblem) -> ClosedRange<Int> {
    guard word.text != "*" else { return numbers }
    let ends = word.split(at: "-")
    guard ends.count <= 2, ends.count == 1 || !ends[0].text.isEmpty else { throw notAValue(word) }
    let first = try number(ends[0])
    if ends.count == 1 {
      return first...(isOpen ? max(first, lastNumber) : first)
    }
    let last = try number(ends[1])
    // A range that ends before it begins wraps around.
    return first...(last < first ? last + count : last)
  }

  private func step(_ pieces: [CronWord]) throws(TextProblem) -> Int {
    guard pieces.count == 2, let step = Self.number(pieces[1].text), (1...count).contains(step) else {
      let text = pieces.dropFirst().map(\.text).joined(separator: "/")
      throw problem("\"\(text)\" is not a step from 1 to \(count)", pieces[1])
    }
    return step
  }

  private func number(_ word: CronWord) throws(TextProblem) -> Int {
    guard !word.text.isEmpty else { throw problem("the \(rawValue) has no value", word) }
    if let index = names.firstIndex(of: word.text.lowercased()) { return index + numbers.lowerBound }
    guard isDigits(word.text) else { throw notAValue(word) }
    guard let number = Self.number(word.text), numbers.contains(number) else {
      let reach = "\(numbers.lowerBound) to \(numbers.upperBound)"
      throw problem("\(rawValue) \(word.text) is not from \(reach)", word)
    }
    return number
  }

  /// One to nine digits as a number; nil for anything else, including a sign.
  private static func number(_ text: String) -> Int? {
    text.utf8.count <= 9 && isDigits(text) ? Int(text) : nil
  }

  private func notAValue(_ word: CronWord) -> TextProblem {
    problem("\"\(word.text)\" is not \(self == .hour ? "an" : "a") \(rawValue)", word)
  }

  /// A problem in this field, with examples of the field as its cure.
  private func problem(_ what: String, _ word: CronWord) -> TextProblem {
    let examples =
      switch self {
      case .minute: "write 30, 0,30, 10-20 or */15, or * for any"
      case .hour: "write 7, 7,19, 8-18 or */2, or * for any"
      case .dayOfMonth: "write 1, 1,15 or 10-20, or * for any"
      case .month: "write jan, jan,jul, 6-8 or */3, or * for any"
      case .dayOfWeek: "write mon, sat,sun or mon-fri, or * for any"
      }
    return TextProblem(what: what, cure: examples, column: word.column)
  }
}
