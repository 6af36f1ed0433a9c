// Parses the text of hours of the week, with messages and cures for its problems.

extension WeeklyHours {
  /// Reads `always`, or windows such as `mon-fri 08:00-12:00, 13:00-18:00, sat`.
  ///
  /// A window has days, times or both. Days are English names, in full or three letters, in any case: single, in
  /// comma-separated lists or in ranges, which may run past the end of the week (`fri-mon`). Times are a beginning and an
  /// end from 0:00 to 24:00; an end that is not after its beginning is on the next day. Several comma-separated times share
  /// the days before them; a day after a time begins the next window. Days without times are whole days. Times without
  /// days are every day.
  ///
  /// - Throws: the first problem.
  public init(parsing text: String) throws(TextProblem) {
    var reader = WeeklyHoursReader(text)
    self.init(text: text, minutes: try reader.minutes())
  }
}

private struct WeeklyHoursReader {
  /// A word, or two words with a dash between them.
  private struct Item {
    var first: CronWord
    var last: CronWord?
    var followsComma: Bool

    var text: String { first.text + (last.map { "-" + $0.text } ?? "") }
    var isTime: Bool { first.text.first.map { $0.isASCII && $0.isNumber } ?? false }
  }

  private let scalars: [Unicode.Scalar]
  private var position = 0
  /// The weekdays of the current window.
  private var days: [Int] = []
  private var hasTimes = false
  private var found: [Range<Int>] = []

  init(_ text: String) {
    scalars = Array(text.unicodeScalars)
  }

  mutating func minutes() throws(TextProblem) -> [Range<Int>] {
    skipBlanks()
    guard position < scalars.count else {
      throw problem("there is no window", "write \(example), or always", at: 1)
    }
    var item = try nextItem(followsComma: false)
    if item.text.lowercased() == "always", position == scalars.count { return WeeklyHours.always.windows }
    while true {
      try parse(item)
      guard position < scalars.count else { break }
      item = try nextItem(followsComma: parseMark(","))
    }
    endWindow()
    return found
  }

  private mutating func parse(_ item: Item) throws(TextProblem) {
    if !item.followsComma, hasTimes || !days.isEmpty && !item.isTime {
      throw problem(
        "there is no comma before \"\(item.text)\"",
        "write commas between days, between times and between windows, as in \(example), sat",
        at: item.first.column)
    }
    if item.isTime {
      if item.followsComma, !days.isEmpty, !hasTimes {
        throw problem(
          "there is a comma between the days and their times",
          "write a blank, as in mon-fri \(item.text), or a list for windows that are apart",
          at: item.first.column)
      }
      let window = try times(item)
      for day in days.isEmpty ? Array(0..<7) : days { add(window, on: day) }
      hasTimes = true
    } else {
      if hasTimes { endWindow() }
      days += try weekdays(item)
    }
  }

  private mutating func endWindow() {
    if !hasTimes { for day in days { add(0..<WeeklyHours.minutesOfDay, on: day) } }
    days = []
    hasTimes = false
  }

  private mutating func add(_ minutes: Range<Int>, on day: Int) {
    let start = day * WeeklyHours.minutesOfDay
    found.append(start + minutes.lowerBound..<start + minutes.upperBound)
  }
}

/// Days and times.
extension WeeklyHoursReader {
  private func weekdays(_ item: Item) throws(TextProblem) -> [Int] {
    let first = try weekday(item.first)
    guard let word = item.last else { return [first] }
    let last = try weekday(word)
    return (first...(last < first ? last + 7 : last)).map { $0 % 7 }
  }

  private func weekday(_ word: CronWord) throws(TextProblem) -> Int {
    let name = word.text.lowercased()
    guard let day = CivilTime.weekdays.firstIndex(where: { $0 == name || $0.prefix(3) == name }) else {
      throw problem(
        "\"\(word.text)\" is not a day of the week",
        "write mon, tue, wed, thu, fri, sat, sun or ranges such as mon-fri", at: word.column)
    }
    return day
  }

  /// The minutes of a day, up to 24 hours past its end.
  private func times(_ item: Item) throws(TextProblem) -> Range<Int> {
    let column = item.first.column
    guard let word = item.last else {
      throw problem("\"\(item.text)\" has no end", "write both times, as in \(example)", at: column)
    }
    let start = try minute(item.first)
    let end = try minute(word)
    guard start != end, start < WeeklyHours.minutesOfDay else {
      throw problem("\(item.text) is empty", "write 00:00-24:00 for the whole day", at: column)
    }
    return start..<(end < start ? end + WeeklyHours.minutesOfDay : end)
  }

  private func minute(_ word: CronWord) throws(TextProblem) -> Int {
    let parts = word.text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
      parts.allSatisfy({ $0.utf8.allSatisfy { $0.isASCIIDigit } }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60,
      hour * 60 + minute <= WeeklyHours.minutesOfDay
    else {
      throw problem(
        "\"\(word.text)\" is not a time of day", "write times as in \(example), from 00:00 to 24:00",
        at: word.column)
    }
    return hour * 60 + minute
  }

  private func problem(_ what: String, _ cure: String, at column: Int) -> TextProblem {
    TextProblem(what: what, cure: cure, column: column)
  }
}

/// Words, dashes and commas, with blanks around any of them.
extension WeeklyHoursReader {
  private mutating func nextItem(followsComma: Bool) throws(TextProblem) -> Item {
    let first = try nextWord()
    var item = Item(first: first, last: nil, followsComma: followsComma)
    // Text processors turn a dash into an en dash.
    if parseMark("-") || parseMark("\u{2013}") { item.last = try nextWord() }
    return item
  }

  private mutating func nextWord() throws(TextProblem) -> CronWord {
    skipBlanks()
    let start = position
    while position < scalars.count, !",-\u{2013}".unicodeScalars.contains(scalars[position]),
      !scalars[position].properties.isWhitespace
    {
      position += 1
    }
    guard position > start else {
      throw problem("a day or a time is missing", "write \(example), or always", at: start + 1)
    }
    let word = CronWord(
      text: String(String.UnicodeScalarView(scalars[start..<position])), column: start + 1)
    skipBlanks()
    return word
  }

  private mutating func parseMark(_ mark: Unicode.Scalar) -> Bool {
    guard position < scalars.count, scalars[position] == mark else { return false }
    position += 1
    return true
  }

  private mutating func skipBlanks() {
    while position < scalars.count, scalars[position].properties.isWhitespace { position += 1 }
  }
}

private let example = "mon-fri 08:00-18:00"
