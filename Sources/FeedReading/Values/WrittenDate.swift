// Dates as people and old programs write them: RFC 822 and all its mutilations, asctime, numbers with slashes.

import Core

/// The moment of a date made of words, numbers and a time in any sensible order; nil if no year or day can be
/// found.
func writtenDate(_ bytes: UnsafeBufferPointer<UInt8>) -> Instant? {
  var reading = WrittenDate(cursor: DateCursor(bytes: bytes))
  return reading.instant()
}

/// One walk over a written date.
private struct WrittenDate {
  var cursor: DateCursor
  var fields = DateFields()
  var month: Int?
  /// The numbers that are no time and no zone, in order; more than three are none of a date.
  var numbers: [3 of Number] = [3 of Number](repeating: Number())
  var count = 0
  var hasTime = false
  var hasOffset = false
  var isAfternoon: Bool?
  /// Whether the last thing read was a time or the name of a zone, so that a sign begins an offset.
  var mayBeOffset = false

  struct Number {
    var value = 0
    var digits = 0
    /// What stands right behind it.
    var separator: UInt8 = 0
  }

  mutating func instant() -> Instant? {
    while cursor.index < cursor.bytes.count {
      if cursor.isAtDigit {
        guard takeNumber() else { return nil }
      } else if cursor.isAtLetter {
        takeWord()
      } else {
        takeMark()
      }
    }
    guard setDate() else { return nil }
    if let isAfternoon {
      if isAfternoon, fields.hour < 12 { fields.hour += 12 }
      if !isAfternoon, fields.hour == 12 { fields.hour = 0 }
    }
    return fields.instant
  }

  private mutating func takeNumber() -> Bool {
    let start = cursor.index
    let (value, digits) = cursor.number(atMost: 14)
    guard !cursor.isAtDigit else { return false }
    mayBeOffset = false
    if digits <= 2, !hasTime, cursor.byte == UInt8(ascii: ":") {
      hasTime = cursor.takeTime(hour: value, into: &fields)
      mayBeOffset = true
      return true
    }
    switch digits {
    case 14, 12:
      // 20031231101455, without seconds where there are twelve digits.
      let time = digits == 14 ? value % 1_000_000 : value % 10_000 * 100
      (fields.hour, fields.minute, fields.second) = (time / 10_000, time / 100 % 100, time % 100)
      hasTime = true
      return setBasicDate(value / (digits == 14 ? 1_000_000 : 10_000))
    case 8: return setBasicDate(value)
    case 9...10 where start == 0 && cursor.index == cursor.bytes.count:
      // Seconds since 1970, as programs print them that never heard of dates.
      let civil = CivilTime(secondsSince1970: Int64(value))
      (fields.hour, fields.minute, fields.second) = (civil.hour, civil.minute, civil.second)
      return setBasicDate(civil.year * 10_000 + civil.month * 100 + civil.day)
    case 6 where hasDate && !hasTime:
      (fields.hour, fields.minute, fields.second) = (value / 10_000, value / 100 % 100, value % 100)
      hasTime = true
      mayBeOffset = true
      return true
    case ...4:
      guard count < 3 else { return true }
      numbers[count] = Number(value: value, digits: digits, separator: cursor.byte)
      count += 1
      return true
    default: return false
    }
  }

  private var hasDate: Bool { count == 3 || count == 2 && month != nil }

  private mutating func setBasicDate(_ value: Int) -> Bool {
    guard count == 0, month == nil else { return false }
    numbers[0] = Number(value: value / 10_000, digits: 4, separator: UInt8(ascii: "-"))
    numbers[1] = Number(value: value / 100 % 100, digits: 2, separator: UInt8(ascii: "-"))
    numbers[2] = Number(value: value % 100, digits: 2)
    count = 3
    mayBeOffset = hasTime
    return true
  }

  private mutating func takeWord() {
    let start = cursor.index
    while cursor.isAtLetter { cursor.index += 1 }
    let word = UnsafeBufferPointer(rebasing: cursor.bytes[start..<cursor.index])
    mayBeOffset = false
    switch DateWord(word) {
    case .month(let number):
      // French Tuesday and March begin alike; a weekday comes first.
      month = number
    case .morning: isAfternoon = false
    case .afternoon: isAfternoon = true
    case .zone(let offset) where hasTime:
      if !hasOffset { fields.offset = offset }
      mayBeOffset = true
    case .zone, nil: break
    }
  }

  private mutating func takeMark() {
    if mayBeOffset, !hasOffset, let offset = cursor.takeOffset() {
      // GMT+2 is two hours east, whatever POSIX says.
      fields.offset = offset
      hasOffset = true
      mayBeOffset = false
      return
    }
    if cursor.byte == UInt8(ascii: "(") {
      while cursor.index < cursor.bytes.count, cursor.byte != UInt8(ascii: ")") { cursor.index += 1 }
    } else if cursor.byte != UInt8(ascii: " ") {
      mayBeOffset = false
    }
    cursor.index += 1
  }

  /// Says which number is the year, the month, the day.
  private mutating func setDate() -> Bool {
    guard count > 0 else { return false }
    let (first, second, third) = (numbers[0], numbers[1], numbers[2])
    if let month {
      fields.month = month
      let isYearFirst = first.digits > 2 || first.value > 31
      guard count >= 2 else {
        fields.year = first.value
        return first.digits == 4
      }
      let (year, day) = isYearFirst ? (first, second) : (second, first)
      fields.year = DateFields.year(year.value, digits: year.digits)
      fields.day = day.value
      return true
    }
    if first.digits > 2 {
      (fields.year, fields.month, fields.day) = (
        first.value, count > 1 ? second.value : 1, count > 2 ? third.value : 1
      )
      return true
    }
    guard count == 3 else { return false }
    fields.year = DateFields.year(third.value, digits: third.digits)
    // 12/31/2003 is American, 31.12.2003 is not; a month beyond twelve decides.
    let isMonthFirst =
      first.separator == UInt8(ascii: "/") ? second.value > 12 || first.value <= 12 : second.value > 12
    (fields.month, fields.day) = isMonthFirst ? (first.value, second.value) : (second.value, first.value)
    return true
  }
}
