// Dates as servers, feeds, people and old programs write them: RFC 3339, RFC 822 and their variations, asctime, numbers with
// slashes.

/// The moment of a date made of words, numbers and a time in any sensible order; nil without a year or day, and for more than
/// 100 bytes.
///
/// Understands RFC 3339, RFC 822 and its successors, and asctime(3), also with two-digit years, abbreviations of zones, months in many
/// languages, and missing parts. A missing zone is UTC. The year 1 is no date: Go and .NET write 0001-01-01 for a missing one.
public func writtenDate(_ bytes: UnsafeBufferPointer<UInt8>) -> Instant? {
  writtenDate(bytes, sinceYear: 2)
}

/// The same for the years from one on.
func writtenDate(_ bytes: UnsafeBufferPointer<UInt8>, sinceYear first: Int) -> Instant? {
  guard bytes.count <= 100 else { return nil }
  var reading = WrittenDate(bytes: bytes)
  let moment = reading.instant()
  return reading.year < first ? nil : moment
}

/// A date and time as written, with its offset from UTC, while it is read.
private struct WrittenDate {
  let bytes: UnsafeBufferPointer<UInt8>
  var index = 0
  var year = 0
  /// The month of a number or a word, 1 to 12.
  var month = 1
  var day = 1
  var hour = 0
  var minute = 0
  var second = 0
  /// Seconds east of UTC.
  var offset = 0
  /// Whether a word has named the month.
  var hasMonthName = false
  /// The first three numbers that are neither a time nor a zone; further ones do not belong to the date.
  var numbers: [3 of Number] = [3 of Number](repeating: Number())
  var count = 0
  var hasTime = false
  var hasOffset = false
  var isAfternoon: Bool?
  /// Whether a time or the name of a zone was read last, so that a sign begins an offset.
  var mayBeOffset = false

  struct Number {
    var value = 0
    var digits = 0
    /// The byte after it.
    var separator: UInt8 = 0

    /// The year that it means; two digits mean 1950 to 2049 (RFC 5322 section 4.3).
    var year: Int {
      switch digits {
      case ...2: value + (value < 50 ? 2000 : 1900)
      case 3: value + 1900
      default: value
      }
    }
  }

  mutating func instant() -> Instant? {
    while index < bytes.count {
      if byte.isASCIIDigit {
        guard parseNumber() else { return nil }
      } else if isAtLetter {
        parseWord()
      } else {
        parseMark()
      }
    }
    guard setDate() else { return nil }
    if let isAfternoon {
      if isAfternoon, hour < 12 { hour += 12 }
      if !isAfternoon, hour == 12 { hour = 0 }
    }
    // 24:00 is the end of the day. A leap second is the first second of the next minute.
    guard (0...9999).contains(year), (1...12).contains(month),
      (1...CivilTime.daysInMonth(month, year: year)).contains(day), (0...24).contains(hour),
      (0...59).contains(minute),
      (0...60).contains(second), hour < 24 || minute == 0 && second == 0, abs(offset) < 86_400
    else { return nil }
    let civil = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    return Instant(secondsSince1970: civil.secondsSince1970 - Int64(offset))
  }

  // MARK: Bytes

  /// The byte here; 0 at the end.
  private var byte: UInt8 { index < bytes.count ? bytes[index] : 0 }

  /// Whether the byte here belongs to a word of any script.
  private var isAtLetter: Bool { byte.isASCIILetter || byte >= 0x80 }

  /// Skips a mark if it comes next, and returns whether it does.
  private mutating func skip(_ mark: UInt8) -> Bool {
    guard byte == mark else { return false }
    index += 1
    return true
  }

  /// Reads a number with at most the given digits.
  private mutating func number(atMost digits: Int) -> (value: Int, digits: Int) {
    var value = 0
    let start = index
    while index - start < digits, byte.isASCIIDigit {
      value = value * 10 + Int(byte - "0")
      index += 1
    }
    return (value, index - start)
  }

  // MARK: Parts

  private mutating func parseNumber() -> Bool {
    let (value, digits) = number(atMost: 14)
    guard !byte.isASCIIDigit else { return false }
    mayBeOffset = false
    if digits <= 2, !hasTime, skip(":") {
      mayBeOffset = true
      guard byte.isASCIIDigit else { return true }
      hasTime = true
      hour = value
      minute = number(atMost: 2).value
      if skip(":") || skip(".") { second = number(atMost: 2).value }
      if skip(".") || skip(",") { while byte.isASCIIDigit { index += 1 } }
      return true
    }
    switch digits {
    case 14, 12:
      // 20031231101455, or 200312311014 without seconds.
      setTime(digits == 14 ? value % 1_000_000 : value % 10_000 * 100)
      return setBasicDate(value / (digits == 14 ? 1_000_000 : 10_000))
    case 8: return setBasicDate(value)
    case 6 where hasDate && !hasTime:
      setTime(value)
      mayBeOffset = true
      return true
    case ...4:
      guard count < 3 else { return true }
      numbers[count] = Number(value: value, digits: digits, separator: byte)
      count += 1
      return true
    default: return false
    }
  }

  private var hasDate: Bool { count == 3 || count == 2 && hasMonthName }

  /// Sets the time from a number such as 101455.
  private mutating func setTime(_ number: Int) {
    hour = number / 10_000
    minute = number / 100 % 100
    second = number % 100
    hasTime = true
  }

  private mutating func setBasicDate(_ value: Int) -> Bool {
    guard count == 0, !hasMonthName else { return false }
    numbers[0] = Number(value: value / 10_000, digits: 4, separator: "-")
    numbers[1] = Number(value: value / 100 % 100, digits: 2, separator: "-")
    numbers[2] = Number(value: value % 100, digits: 2)
    count = 3
    mayBeOffset = hasTime
    return true
  }

  private mutating func parseWord() {
    let start = index
    while isAtLetter { index += 1 }
    let word = bytes.slice(start..<index)
    mayBeOffset = false
    switch DateWord(word) {
    case .month(let number):
      // French Tuesday and March begin alike. The weekday comes first, so the last match counts.
      month = number
      hasMonthName = true
    case .morning: isAfternoon = false
    case .afternoon: isAfternoon = true
    case .zone(let offset) where hasTime:
      if !hasOffset { self.offset = offset }
      mayBeOffset = true
    case .zone, nil: break
    }
  }

  /// Reads `+hh:mm`, `+hhmm`, `+hmm`, `+hh` or `+h` as seconds; nil if none of them comes next.
  private mutating func parseOffset() -> Int? {
    guard byte == "+" || byte == "-" else { return nil }
    let (start, sign) = (index, byte == "+" ? 1 : -1)
    index += 1
    let (value, digits) = number(atMost: 4)
    switch digits {
    case 1, 2: return sign * (value * 3600 + (skip(":") ? number(atMost: 2).value * 60 : 0))
    case 3, 4: return sign * (value / 100 * 3600 + value % 100 * 60)
    default:
      index = start
      return nil
    }
  }

  private mutating func parseMark() {
    if mayBeOffset, !hasOffset, let offset = parseOffset() {
      // GMT+2 is two hours east, unlike in POSIX.
      self.offset = offset
      hasOffset = true
      mayBeOffset = false
      return
    }
    if byte == "(" {
      while index < bytes.count, byte != ")" { index += 1 }
    } else if byte != " " {
      mayBeOffset = false
    }
    index += 1
  }

  /// Decides which number is the year, the month and the day; false if that is impossible.
  private mutating func setDate() -> Bool {
    guard count > 0 else { return false }
    let (first, second, third) = (numbers[0], numbers[1], numbers[2])
    if hasMonthName {
      guard count >= 2 else {
        year = first.value
        return first.digits == 4
      }
      let isYearFirst = first.digits > 2 || first.value > 31
      year = (isYearFirst ? first : second).year
      day = (isYearFirst ? second : first).value
      return true
    }
    if first.digits > 2 {
      year = first.value
      month = count > 1 ? second.value : 1
      day = count > 2 ? third.value : 1
      return true
    }
    guard count == 3 else { return false }
    year = third.year
    // 12/31/2003 is American, 31.12.2003 is not. A month beyond twelve decides.
    let isMonthFirst =
      first.separator == "/" ? second.value > 12 || first.value <= 12 : second.value > 12
    month = isMonthFirst ? first.value : second.value
    day = isMonthFirst ? second.value : first.value
    return true
  }
}

/// The meaning of a word in a date.
enum DateWord {
  /// 1 to 12.
  case month(Int)
  case morning
  case afternoon
  /// Seconds east of UTC.
  case zone(Int)

  /// Reads a word in any case; nil for weekdays and unknown words.
  init?(_ word: UnsafeBufferPointer<UInt8>) {
    guard word.count <= 48, let first = Self.months[Self.key(word)] ?? Self.others(word) else { return nil }
    self = first
  }

  private static func others(_ word: UnsafeBufferPointer<UInt8>) -> DateWord? {
    // Zones have two to five letters. A single letter is a military zone, which means UTC because its sign cannot be
    // trusted (RFC 5322 section 4.3). Longer words are months, known by how they begin.
    if word.count <= 5, let found = zones[key(word)] { return found }
    for length in [5, 4, 3] where word.count > length {
      if let month = months[key(word.slice(..<length))] { return month }
    }
    guard word.contains(where: { $0 >= 0x80 }) else { return nil }
    let text = String(decoding: word, as: UTF8.self).lowercased()
    return stride(from: 7, through: 2, by: -1).lazy.compactMap { length in
      text.count < length ? nil : otherWords[String(text.prefix(length))]
    }.first
  }

  /// Up to eight bytes in lower case; 0 for longer words.
  private static func key(_ word: UnsafeBufferPointer<UInt8>) -> UInt64 {
    guard word.count <= 8 else { return 0 }
    var key: UInt64 = 0
    for byte in word { key = key << 8 | UInt64(byte < 0x80 ? byte | 0x20 : byte) }
    return key
  }

  private static func table(_ entries: [(words: String, meaning: DateWord)]) -> [UInt64: DateWord] {
    var table: [UInt64: DateWord] = [:]
    for (words, meaning) in entries {
      for word in words.split(separator: " ") {
        let bytes = Array(word.utf8)
        table[bytes.withUnsafeBufferPointer(key)] = meaning
      }
    }
    return table
  }

  /// How months begin in the languages of Europe that are written in ASCII, and in Turkish and Indonesian.
  private static let months = table([
    ("jan ene gen stycz sty ian led oca tam", .month(1)), ("feb fev lut hel", .month(2)),
    ("mar mrz mrt maa mars", .month(3)), ("apr avr abr kwi dub nis huh", .month(4)),
    ("may mai mag mei maj tou", .month(5)), ("jun juin giu cze iun haz kes", .month(6)),
    ("jul juil lug lip iul tem hei", .month(7)), ("aug aou ago sie srp agu avg elo", .month(8)),
    ("sep set wrz szept eyl syy", .month(9)), ("oct okt ott out eki lok", .month(10)),
    ("nov lis noi kas marra", .month(11)), ("dec dez dic gru des pro ara jou", .month(12)),
  ])

  /// How months begin with other letters, the halves of the day, and the zone of Moscow.
  ///
  /// The languages are Romance and Germanic ones, Polish, Czech, Slovak, Hungarian and Turkish, then Russian, Bulgarian,
  /// Macedonian and Serbian, Ukrainian, Belarusian, and Greek.
  private static let otherWords: [String: DateWord] = {
    var words: [String: DateWord] = [
      "мск": .zone(10_800), "오전": .morning, "오후": .afternoon, "上午": .morning, "下午": .afternoon,
    ]
    for (month, text) in [
      "jän янв яну јан січ сту ιαν", "fév úno şub фев феб лют φεβ", "mär már bře мар бер сак μαρ μάρ",
      "ápr апр кві кра απρ", "máj kvě май мая мај тра μαΐ μαϊ μάι",
      "jún červen červn čvn июн юни јун чер чэр ιουν ιούν",
      "júl červene červenc čvc июл юли јул лип ліп ιουλ ιούλ", "aoû ağu авг сер жні αυγ αύγ",
      "zář сен сеп вер σεπ", "paź říj októ окт жов кас οκτ", "ноя ное нов лис ліс νοε νοέ",
      "déc дек дец гру сне δεκ",
    ].enumerated() {
      for word in text.split(separator: " ") { words[String(word)] = .month(month + 1) }
    }
    return words
  }()

  private static let zones = table(
    [("am a.m.", .morning), ("pm p.m.", .afternoon)]
      + zoneMinutes.map { (words: $0.words, meaning: DateWord.zone($0.minutes * 60)) })

  private static let zoneMinutes: [(words: String, minutes: Int)] = [
    ("z ut utc gmt wet", 0), ("bst cet met west wat", 60), ("cest mest eet cat sast", 120),
    ("eest msk idt eat trt", 180), ("msd gst", 240), ("pkt", 300), ("ist", 330), ("npt", 345),
    ("ict wib", 420), ("hkt sgt awst pht wita", 480), ("jst kst", 540), ("acst", 570), ("aest", 600),
    ("acdt", 630), ("aedt", 660), ("nzst", 720), ("nzdt", 780), ("ndt", -150), ("adt art brt", -180),
    ("nst", -210), ("ast edt clt", -240), ("est cdt", -300), ("cst mdt", -360), ("mst pdt", -420),
    ("pst akdt", -480), ("akst", -540), ("hst", -600), ("pet cot", -300),
  ]
}
