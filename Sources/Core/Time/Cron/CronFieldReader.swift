// Reads one field of cron text. Putting the fields together is CronText's business.

/// What a field holds: bits for its numbers, and what the day fields have besides.
struct CronFieldReader {
  /// The bits of the numbers; bit 0 of the weekdays is Sunday.
  private(set) var values: UInt64 = 0
  /// What only a day-of-month field holds; its `dates` are left empty.
  private(set) var monthDays = CronDays.MonthDays()
  /// What only a day-of-week field holds; its `every` is left empty.
  private(set) var weekdays = CronDays.Weekdays()

  private let field: CronField

  /// Reads a field: a list, with commas, or `?`.
  init(_ field: CronField, reading word: CronWord) throws(CronProblem) {
    self.field = field
    guard word.text != "?" else {
      guard field == .dayOfMonth || field == .dayOfWeek else {
        throw CronProblem(cause: .misplacedQuestionMark(field), column: word.column)
      }
      insert(field.numbers, step: 1)
      return
    }
    for item in word.split(at: ",") { try insert(item) }
  }

  /// Adds one item of the list: a value, a range or `*`, with or without a step, or one of the days' specials.
  private mutating func insert(_ item: CronWord) throws(CronProblem) {
    let pieces = item.split(at: "/")
    let base = pieces[0]
    guard !base.text.isEmpty else { throw problem(.missingValue(field), base) }
    guard !base.text.hasPrefix("?") else { throw problem(.misplacedQuestionMark(field), base) }
    if try insertSpecial(base) {
      guard pieces.count == 1 else { throw problem(.misplacedSpecial(item.text, field), item) }
      return
    }
    let step = pieces.count > 1 ? try self.step(pieces) : nil
    insert(try range(base, isOpen: step != nil), step: step ?? 1)
  }

  /// The numbers that `*`, a value or a range stands for; an open value goes on to the end of the field.
  private func range(_ word: CronWord, isOpen: Bool) throws(CronProblem) -> ClosedRange<Int> {
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
    // A range that ends before it begins goes on from the beginning of the field.
    return first...(last < first ? last + field.count : last)
  }

  private mutating func insert(_ numbers: ClosedRange<Int>, step: Int) {
    for number in stride(from: numbers.lowerBound, through: numbers.upperBound, by: step) {
      values |= 1 << UInt64(field.wrapped(number))
    }
  }

  private func step(_ pieces: [CronWord]) throws(CronProblem) -> Int {
    guard pieces.count == 2, let step = Self.number(pieces[1].text), (1...field.count).contains(step) else {
      let text = pieces.dropFirst().map(\.text).joined(separator: "/")
      throw problem(.badStep(text, field), pieces[1])
    }
    return step
  }

  private func number(_ word: CronWord) throws(CronProblem) -> Int {
    guard !word.text.isEmpty else { throw problem(.missingValue(field), word) }
    if let named = field.number(named: word.text) { return named }
    guard word.text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      throw problem(.notAValue(word.text, field), word)
    }
    guard let number = Self.number(word.text), field.numbers.contains(number) else {
      throw problem(.outOfRange(word.text, field), word)
    }
    return number
  }

  /// Digits as a number; nil for anything else, a sign too, and for more digits than any field has use for.
  private static func number(_ text: String) -> Int? {
    guard (1...9).contains(text.utf8.count),
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int(text)
  }

  private func problem(_ cause: CronProblem.Cause, _ word: CronWord) -> CronProblem {
    CronProblem(cause: cause, column: word.column)
  }
}

/// `L`, `W` and `#`, as Quartz has them.
extension CronFieldReader {
  /// Adds a special day; false if the text is none, so that it may be a value or a range.
  private mutating func insertSpecial(_ word: CronWord) throws(CronProblem) -> Bool {
    switch field {
    case .dayOfMonth: try insertMonthDay(word)
    case .dayOfWeek: try insertWeekday(word)
    case .minute, .hour, .month: try refuseSpecial(word)
    }
  }

  private mutating func insertMonthDay(_ word: CronWord) throws(CronProblem) -> Bool {
    let letters = word.text.uppercased()
    if letters == "L" {
      monthDays.beforeLast |= 1
    } else if letters == "LW" {
      monthDays.lastWorkingDay = true
    } else if letters.hasPrefix("L-") {
      let count = CronWord(text: String(word.text.dropFirst(2)), column: word.column + 2)
      guard let days = Self.number(count.text), days <= 30 else {
        throw problem(.badDaysBeforeLast(count.text), count)
      }
      monthDays.beforeLast |= 1 << UInt32(days)
    } else if letters.hasSuffix("W") {
      let day = CronWord(text: String(word.text.dropLast()), column: word.column)
      guard Self.number(day.text) != nil else { throw problem(.misplacedSpecial(word.text, field), word) }
      monthDays.nearestWorkingDay |= 1 << UInt32(try number(day))
    } else {
      return try refuseSpecial(word)
    }
    return true
  }

  private mutating func insertWeekday(_ word: CronWord) throws(CronProblem) -> Bool {
    let parts = word.split(at: "#")
    if parts.count == 2 {
      let weekday = field.wrapped(try number(parts[0]))
      guard let week = Self.number(parts[1].text), (1...5).contains(week) else {
        throw problem(.noSuchWeek(parts[1].text), parts[1])
      }
      weekdays.numbered |= 1 << UInt64(7 * (week - 1) + weekday)
    } else if word.text.count > 1, word.text.uppercased().hasSuffix("L"), !word.text.contains("-") {
      let day = CronWord(text: String(word.text.dropLast()), column: word.column)
      weekdays.last |= 1 << UInt8(field.wrapped(try number(day)))
    } else {
      return try refuseSpecial(word)
    }
    return true
  }

  /// Refuses what would be special elsewhere; false for what is no special at all.
  private func refuseSpecial(_ word: CronWord) throws(CronProblem) -> Bool {
    let isSpecial = word.text.uppercased().unicodeScalars.allSatisfy { scalar in
      scalar == "L" || scalar == "W" || scalar == "#" || scalar == "-" || ("0"..."9").contains(scalar)
    }
    let hasMark = word.text.uppercased().unicodeScalars.contains { "LW#".unicodeScalars.contains($0) }
    guard isSpecial, hasMark else { return false }
    throw problem(.misplacedSpecial(word.text, field), word)
  }
}
