// Reads the text of hours of the week, or says what is wrong and where. When they begin and end is
// WeeklyHoursMoments' business.

extension WeeklyHours {
  /// Reads `always`, or windows such as `mon-fri 08:00-12:00, 13:00-18:00, sat`.
  ///
  /// A window has days, times or both. Days are names in English, whole or three letters, in any case, single, in
  /// lists with commas or in ranges, which may run past the end of the week (`fri-mon`). Times are a beginning and an
  /// end from 0:00 to 24:00; an end that is not after its beginning lies on the next day. Several times with commas
  /// share the days before them; a day after a time begins the next window. Days without times are whole days, times
  /// without days every day.
  ///
  /// - Throws: the first problem.
  public init(parsing text: String) throws(WeeklyHoursProblem) {
    var reader = WeeklyHoursReader(text)
    let minutes = try reader.minutes()
    self.init(text: text, minutes: minutes)
  }
}

/// Reads the windows of a text, one after the other.
private struct WeeklyHoursReader {
  /// A word and what may follow it after a dash, with what stands before it.
  private struct Item {
    var first: Word
    var last: Word?
    var followsComma: Bool

    /// Its text, for messages.
    var text: String { first.text + (last.map { "-" + $0.text } ?? "") }
    var isTime: Bool { first.text.first.map { $0.isASCII && $0.isNumber } ?? false }
  }

  /// A piece of the text and where it begins, in Unicode scalars counted from 1.
  struct Word {
    var text: String
    var column: Int
  }

  private let scalars: [Unicode.Scalar]
  private var position = 0
  /// The weekdays of the window that is being read.
  private var days: [Int] = []
  private var hasTimes = false
  private var found: [Range<Int>] = []

  init(_ text: String) {
    scalars = Array(text.unicodeScalars)
  }

  /// The minutes of the week of all windows.
  mutating func minutes() throws(WeeklyHoursProblem) -> [Range<Int>] {
    skipBlanks()
    guard position < scalars.count else { throw problem(.empty, at: 1) }
    var item = try nextItem(followsComma: false)
    if item.text.lowercased() == "always", position == scalars.count { return WeeklyHours.always.windows }
    while true {
      try take(item)
      guard position < scalars.count else { break }
      item = try nextItem(followsComma: takeMark(","))
    }
    endWindow()
    return found
  }

  private mutating func take(_ item: Item) throws(WeeklyHoursProblem) {
    if !item.followsComma, hasTimes || !days.isEmpty && !item.isTime {
      throw problem(.missingComma(before: item.text), at: item.first.column)
    }
    if item.isTime {
      if item.followsComma, !days.isEmpty, !hasTimes {
        throw problem(.commaBeforeTimes(item.text), at: item.first.column)
      }
      let window = try times(item)
      for day in days.isEmpty ? Array(0..<7) : days { add(window, on: day) }
      hasTimes = true
    } else {
      if hasTimes { endWindow() }
      days += try weekdays(item)
    }
  }

  /// Ends a window: days without times are whole days.
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
  private func weekdays(_ item: Item) throws(WeeklyHoursProblem) -> [Int] {
    let first = try weekday(item.first)
    guard let word = item.last else { return [first] }
    let last = try weekday(word)
    return (first...(last < first ? last + 7 : last)).map { $0 % 7 }
  }

  private func weekday(_ word: Word) throws(WeeklyHoursProblem) -> Int {
    let name = word.text.lowercased()
    guard let day = WeeklyHoursProblem.days.firstIndex(where: { $0 == name || $0.prefix(3) == name }) else {
      throw problem(.notADay(word.text), at: word.column)
    }
    return day
  }

  /// The minutes of a day and perhaps the next one.
  private func times(_ item: Item) throws(WeeklyHoursProblem) -> Range<Int> {
    guard let word = item.last else { throw problem(.missingEnd(item.text), at: item.first.column) }
    let start = try minute(item.first, of: item)
    let end = try minute(word, of: item)
    guard start < WeeklyHours.minutesOfDay else {
      throw problem(.beginsAtTheEnd(end: word.text), at: item.first.column)
    }
    guard start != end else { throw problem(.emptyWindow(item.text), at: item.first.column) }
    return start..<(end < start ? end + WeeklyHours.minutesOfDay : end)
  }

  /// A time of day as minutes, 24:00 included.
  private func minute(_ word: Word, of item: Item) throws(WeeklyHoursProblem) -> Int {
    let parts = word.text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
      parts.allSatisfy({ $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }),
      let hour = Int(parts[0]), let minute = Int(parts[1])
    else {
      throw problem(.notATime(word.text, in: item.text), at: word.column)
    }
    guard minute < 60 else { throw problem(.noSuchMinute(hour: hour, minute), at: word.column) }
    guard hour * 60 + minute <= WeeklyHours.minutesOfDay else {
      throw problem(.noSuchHour(hour, minute), at: word.column)
    }
    return hour * 60 + minute
  }

  private func problem(_ cause: WeeklyHoursProblem.Cause, at column: Int) -> WeeklyHoursProblem {
    WeeklyHoursProblem(cause: cause, column: column)
  }
}

/// Words, dashes and commas; blanks may stand around any of them.
extension WeeklyHoursReader {
  private mutating func nextItem(followsComma: Bool) throws(WeeklyHoursProblem) -> Item {
    let first = try nextWord()
    var item = Item(first: first, last: nil, followsComma: followsComma)
    // An en dash is what a text processor makes of it.
    if takeMark("-") || takeMark("\u{2013}") { item.last = try nextWord() }
    return item
  }

  private mutating func nextWord() throws(WeeklyHoursProblem) -> Word {
    skipBlanks()
    let start = position
    while position < scalars.count, !isMark(scalars[position]), !scalars[position].properties.isWhitespace {
      position += 1
    }
    guard position > start else { throw problem(.missingValue, at: start + 1) }
    let word = Word(
      text: String(String.UnicodeScalarView(scalars[start..<position])), column: start + 1)
    skipBlanks()
    return word
  }

  private func isMark(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "," || scalar == "-" || scalar == "\u{2013}"
  }

  private mutating func takeMark(_ mark: Unicode.Scalar) -> Bool {
    guard position < scalars.count, scalars[position] == mark else { return false }
    position += 1
    return true
  }

  private mutating func skipBlanks() {
    while position < scalars.count, scalars[position].properties.isWhitespace { position += 1 }
  }
}
