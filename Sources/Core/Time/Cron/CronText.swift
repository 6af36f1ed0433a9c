// Reads cron text into a CronExpression, or says what is wrong and where. When it fires next is CronNext's business.

extension CronExpression {
  /// Reads a cron expression: five fields as in crontab(5), or `@hourly`, `@daily`, `@midnight`, `@weekly`,
  /// `@monthly`, `@yearly`, `@annually`.
  ///
  /// A field is a list, with commas, of `*`, numbers, names (jan to dec, sun to sat) and ranges, each with a step
  /// after `/` if wanted. A step after a single number counts from it to the end of the field: `5/15` is `5-59/15`. A
  /// range may run past the end of its field: `fri-mon`, `22-3`. Weekday 7 is Sunday. `?` in a day field is `*`.
  ///
  /// The day of the month also knows `L`, the last day, `L-3`, three days before it, `15W`, the working day nearest to
  /// the 15th without leaving the month, and `LW`, the last working day; the day of the week `5L`, the last Friday of
  /// the month, and `5#3`, the third one. A month that has no such day is passed over. Unlike in Quartz, weekdays
  /// are numbered from Sunday, 0.
  ///
  /// - Throws: the first problem; an expression that can never fire is one.
  public init(parsing text: String) throws(CronProblem) {
    let words = CronWord.words(of: text)
    guard let first = words.first else { throw CronProblem(cause: .empty, column: 1) }
    if first.text.hasPrefix("@") {
      let fields = try Self.fields(ofShorthand: first)
      if words.count > 1 {
        throw CronProblem(cause: .textAfterShorthand(first.text), column: words[1].column)
      }
      self.init(text: text, fields: try Self.fields(of: CronWord.words(of: fields)))
      return
    }
    guard words.count >= 5 else {
      throw CronProblem(cause: .tooFewFields(words.count), column: text.unicodeScalars.count + 1)
    }
    guard words.count == 5 else {
      throw CronProblem(cause: .tooManyFields(words.count), column: words[5].column)
    }
    self.init(text: text, fields: try Self.fields(of: words))
  }

  private static func fields(ofShorthand word: CronWord) throws(CronProblem) -> String {
    switch word.text.lowercased() {
    case "@hourly": return "0 * * * *"
    case "@daily", "@midnight": return "0 0 * * *"
    case "@weekly": return "0 0 * * 0"
    case "@monthly": return "0 0 1 * *"
    case "@yearly", "@annually": return "0 0 1 1 *"
    case "@reboot": throw CronProblem(cause: .reboot, column: word.column)
    default: throw CronProblem(cause: .unknownShorthand(word.text), column: word.column)
    }
  }

  /// The meaning of five words.
  private static func fields(of words: [CronWord]) throws(CronProblem) -> CronFields {
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
      eitherWillDo: !words[2].beginsWithWildcard && !words[4].beginsWithWildcard)
    guard days.existsAtAll else {
      throw CronProblem(
        cause: .neverFires(day: words[2].text, month: words[3].text, weekday: words[4].text),
        column: words[2].column)
    }
    return CronFields(
      minutes: minute.values, hours: UInt32(truncatingIfNeeded: hour.values), days: days,
      followsElapsedTime: words[1].beginsWithWildcard)
  }
}

/// A piece of cron text and where it begins.
struct CronWord {
  let text: String
  /// In Unicode scalars of the whole text, counted from 1.
  let column: Int

  /// Whether the field counts as unrestricted, as crontab(5) has it.
  var beginsWithWildcard: Bool { text.hasPrefix("*") || text == "?" }

  /// The words between blanks, tabs and line ends.
  static func words(of text: String) -> [CronWord] {
    CronWord(text: text, column: 1)
      .split { $0.properties.isWhitespace }
      .filter { !$0.text.isEmpty }
  }

  /// The pieces between separators, empty ones too; always at least one.
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

  /// The pieces between separators, empty ones too; always at least one.
  func split(at separator: Unicode.Scalar) -> [CronWord] {
    split { $0 == separator }
  }
}
