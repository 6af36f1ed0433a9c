// Parses the text of hours of the week, with messages and cures for its problems.

extension WeeklyHours {
  /// Reads `always`, or windows such as `mon-fri 08:00-12:00, 13:00-18:00, sat`.
  ///
  /// A window has days, times or both, separated by commas or blanks. Days are English names, in full or three letters, in any
  /// case: single or in ranges, which may run past the end of the week (`fri-mon`). Times are a beginning and an end from 0:00
  /// to 24:00; an end that is not after its beginning is on the next day. Several times share the days before them; a day after
  /// a time begins the next window. Days without times are whole days. Times without days are every day.
  ///
  /// - Throws: the first problem.
  public init(parsing text: String) throws(TextProblem) {
    let items = try Item.items(of: text)
    if items.count == 1, items[0].first.text.lowercased() == "always", items[0].last == nil {
      self.init(text: text, minutes: WeeklyHours.always.windows)
      return
    }
    guard !items.isEmpty else { throw .missing("there is no window", at: 1) }
    var days: [Int] = []
    var hasTimes = false
    var minutes: [Range<Int>] = []
    func add(_ times: Range<Int>, on days: [Int]) {
      for day in days.map({ $0 * CivilTime.minutesOfDay }) {
        minutes.append(day + times.lowerBound..<day + times.upperBound)
      }
    }
    for item in items {
      if item.isTime {
        add(try item.times(), on: days.isEmpty ? Array(0..<7) : days)
        hasTimes = true
      } else {
        if hasTimes { days = [] }
        hasTimes = false
        days += try item.weekdays()
      }
    }
    if !hasTimes { add(0..<CivilTime.minutesOfDay, on: days) }
    self.init(text: text, minutes: minutes)
  }
}

/// A day or time, or two with a dash between them.
private struct Item {
  let first: CronWord
  var last: CronWord?

  var isTime: Bool { first.text.first.map { $0.isASCII && $0.isNumber } ?? false }

  static func items(of text: String) throws(TextProblem) -> [Item] {
    var items: [Item] = []
    // Text processors turn a dash into an en dash.
    let parts = CronWord(text: text, column: 1).split { $0 == "-" || $0 == "\u{2013}" }
    for (index, part) in parts.enumerated() {
      var words = part.split { $0 == "," || $0.properties.isWhitespace }.filter { !$0.text.isEmpty }[...]
      if index > 0 {
        guard let last = words.popFirst(), let open = items.indices.last, items[open].last == nil else {
          throw .missing("a day or a time is missing", at: part.column)
        }
        items[open].last = last
      }
      items += words.map { Item(first: $0) }
    }
    return items
  }

  func weekdays() throws(TextProblem) -> [Int] {
    let day = try weekday(first)
    guard let last else { return [day] }
    let end = try weekday(last)
    return (day...(end < day ? end + 7 : end)).map { $0 % 7 }
  }

  private func weekday(_ word: CronWord) throws(TextProblem) -> Int {
    let name = word.text.lowercased()
    guard let day = CivilTime.weekdays.firstIndex(where: { $0 == name || $0.prefix(3) == name }) else {
      throw TextProblem(
        what: "\"\(word.text)\" is not a day of the week",
        cure: "write mon, tue, wed, thu, fri, sat, sun or ranges such as mon-fri", column: word.column)
    }
    return day
  }

  /// The minutes of a day, up to 24 hours past its end.
  func times() throws(TextProblem) -> Range<Int> {
    guard let last else {
      throw TextProblem(
        what: "\"\(first.text)\" has no end", cure: "write both times, as in \(example)", column: first.column
      )
    }
    let start = try minute(first)
    let end = try minute(last)
    guard start != end, start < CivilTime.minutesOfDay else {
      throw TextProblem(
        what: "\(first.text)-\(last.text) is empty", cure: "write 00:00-24:00 for the whole day",
        column: first.column)
    }
    return start..<(end < start ? end + CivilTime.minutesOfDay : end)
  }

  private func minute(_ word: CronWord) throws(TextProblem) -> Int {
    let parts = word.text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
      parts.allSatisfy({ isDigits($0) }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60,
      hour * 60 + minute <= CivilTime.minutesOfDay
    else {
      throw TextProblem(
        what: "\"\(word.text)\" is not a time of day",
        cure: "write times as in \(example), from 00:00 to 24:00", column: word.column)
    }
    return hour * 60 + minute
  }
}

extension TextProblem {
  fileprivate static func missing(_ what: String, at column: Int) -> TextProblem {
    TextProblem(what: what, cure: "write \(example), or always", column: column)
  }
}

private let example = "mon-fri 08:00-18:00"
