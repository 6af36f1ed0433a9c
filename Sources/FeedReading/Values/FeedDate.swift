// Dates as feeds write them, to moments. ISO 8601 is ISODate's business, everything else WrittenDate's.

import Core

/// The moment that a date in a feed means; nil if nobody could tell.
///
/// RFC 3339 and ISO 8601 with week and ordinal dates, RFC 822 and its successors, asctime(3), and what people make
/// of them: two-digit years, names of zones, months in several languages, missing parts. A missing zone is UTC.
func feedDate(_ bytes: UnsafeBufferPointer<UInt8>) -> Instant? {
  let bytes = trimmed(bytes)
  guard (4...100).contains(bytes.count) else { return nil }
  return isoDate(bytes) ?? writtenDate(bytes)
}

/// A date and time as written, with its distance from UTC.
struct DateFields {
  var year = 0
  var month = 1
  var day = 1
  var hour = 0
  var minute = 0
  var second = 0
  /// Seconds east of UTC.
  var offset = 0

  /// The moment; nil if a field is out of its range.
  ///
  /// 24:00 is the end of the day, a leap second the first of the next minute.
  var instant: Instant? {
    guard (1...9999).contains(year), (1...12).contains(month),
      (1...CivilTime.daysInMonth(month, year: year)).contains(day), (0...24).contains(hour),
      (0...59).contains(minute),
      (0...60).contains(second), hour < 24 || minute == 0 && second == 0, abs(offset) < 86_400
    else { return nil }
    let days = CivilTime(year: year, month: month, day: day).daysSince1970
    return Instant(secondsSince1970: days * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset))
  }

  /// The year that a number of so many digits means: two digits are 1950 to 2049 (RFC 5322 section 4.3).
  static func year(_ value: Int, digits: Int) -> Int {
    switch digits {
    case ...2: value + (value < 50 ? 2000 : 1900)
    case 3: value + 1900
    default: value
    }
  }
}

/// A walk over the text of a date.
struct DateCursor {
  let bytes: UnsafeBufferPointer<UInt8>
  var index = 0

  /// The byte at the walk's place; 0 at the end.
  var byte: UInt8 { index < bytes.count ? bytes[index] : 0 }

  /// Whether the byte here is a digit.
  var isAtDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// Whether the byte here is part of a word, of any script.
  var isAtLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte >= 0x80 }

  /// Passes over a byte if it is here.
  mutating func skip(_ byte: UInt8) -> Bool {
    guard self.byte == byte, index < bytes.count else { return false }
    index += 1
    return true
  }

  /// The number of at most so many digits here.
  mutating func number(atMost digits: Int) -> (value: Int, digits: Int) {
    var value = 0
    let start = index
    while index - start < digits, isAtDigit {
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
      index += 1
    }
    return (value, index - start)
  }

  /// Reads `hh:mm`, `hh:mm:ss` or `hh:mm:ss.fff` behind the hour; false if no minute follows.
  mutating func takeTime(hour: Int, into fields: inout DateFields) -> Bool {
    guard skip(UInt8(ascii: ":")) || skip(UInt8(ascii: ".")), isAtDigit else { return false }
    fields.hour = hour
    fields.minute = number(atMost: 2).value
    fields.second = 0
    if byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") {
      index += 1
      fields.second = number(atMost: 2).value
    }
    takeFraction()
    return true
  }

  /// Passes over a fraction of a second.
  mutating func takeFraction() {
    guard byte == UInt8(ascii: ".") || byte == UInt8(ascii: ",") else { return }
    index += 1
    while isAtDigit { index += 1 }
  }

  /// Reads `+hh:mm`, `+hhmm`, `+hmm`, `+hh` or `+h` in seconds; nil if there is none here.
  mutating func takeOffset() -> Int? {
    let sign: Int
    switch byte {
    case UInt8(ascii: "+"): sign = 1
    case UInt8(ascii: "-"): sign = -1
    default: return nil
    }
    let start = index
    index += 1
    let (value, digits) = number(atMost: 4)
    switch digits {
    case 1, 2:
      var minutes = 0
      if byte == UInt8(ascii: ":") {
        index += 1
        minutes = number(atMost: 2).value
      }
      return sign * (value * 3600 + minutes * 60)
    case 3, 4:
      return sign * (value / 100 * 3600 + value % 100 * 60)
    default:
      index = start
      return nil
    }
  }
}
