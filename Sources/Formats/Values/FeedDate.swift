// Dates in feeds: ISO 8601, and the parts shared with WrittenDate.swift, which reads everything else.

import Core

/// The moment of a date in a feed; nil if it cannot be understood.
///
/// Understands RFC 3339, ISO 8601 with week and ordinal dates, RFC 822 and its successors, and asctime(3), also with
/// two-digit years, names of zones, months in many languages, and missing parts; and a time since 1970 in seconds or finer
/// units. A missing zone is UTC.
func feedDate(_ bytes: UnsafeBufferPointer<UInt8>) -> Instant? {
  let bytes = trimmed(bytes)
  guard (4...100).contains(bytes.count) else { return nil }
  if isUnixTime(bytes), let moment = unixTime(bytes) { return moment }
  return isoDate(bytes) ?? writtenDate(bytes)
}

/// Whether a text looks like a number of seconds, milliseconds, microseconds or nanoseconds since 1970.
///
/// Other numbers of digits may be 20261121 or 20261121083000.
private func isUnixTime(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
  let digits = text.prefix(while: \.isASCIIDigit).count
  let isNumber = text.allSatisfy { $0.isASCIIDigit || "+.eE".utf8.contains($0) }
  let hasExponent = text.contains { $0 | 0x20 == UInt8(ascii: "e") }
  return isNumber && ([9, 10, 13, 16, 19].contains(digits) || hasExponent)
}

/// The moment of a number of seconds, milliseconds, microseconds or nanoseconds since 1970, distinguished by its size.
func unixTime(_ text: UnsafeBufferPointer<UInt8>) -> Instant? {
  guard var value = wholePart(of: text), value > 0 else { return nil }
  // As seconds this would be the year 5138, as milliseconds it is 1973.
  while value >= 100_000_000_000 { value /= 1000 }
  return Instant(secondsSince1970: value)
}

/// The whole part of a number.
///
/// Some languages write large ones with an exponent, as `1.7952e9`.
private func wholePart(of text: UnsafeBufferPointer<UInt8>) -> Int64? {
  if text.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
    guard text.count <= 40, let value = Double(String(decoding: text, as: UTF8.self)) else { return nil }
    return Int64(exactly: value.rounded(.towardZero))
  }
  return number(UnsafeBufferPointer(rebasing: text.prefix { $0 != UInt8(ascii: ".") }))
}

/// A date and time as written, with its offset from UTC.
struct DateFields {
  var year = 0
  var month = 1
  var day = 1
  var hour = 0
  var minute = 0
  var second = 0
  /// Seconds east of UTC.
  var offset = 0
  /// The zone that the date names by a city, which decides instead of `offset`.
  var zone: Zone?

  /// The moment; nil if a field is out of its range.
  ///
  /// 24:00 is the end of the day. A leap second is the first second of the next minute.
  var instant: Instant? {
    guard (1...9999).contains(year), (1...12).contains(month),
      (1...CivilTime.daysInMonth(month, year: year)).contains(day), (0...24).contains(hour),
      (0...59).contains(minute),
      (0...60).contains(second), hour < 24 || minute == 0 && second == 0, abs(offset) < 86_400
    else { return nil }
    let days = CivilTime(year: year, month: month, day: day).daysSince1970
    let local = days * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    return zone?.firstMoment(of: CivilTime(secondsSince1970: local))
      ?? Instant(secondsSince1970: local - Int64(offset))
  }

  /// The year of a number with the given digits.
  ///
  /// Two digits mean 1950 to 2049 (RFC 5322 section 4.3).
  static func year(_ value: Int, digits: Int) -> Int {
    switch digits {
    case ...2: value + (value < 50 ? 2000 : 1900)
    case 3: value + 1900
    default: value
    }
  }
}

/// A cursor in the text of a date.
struct DateCursor {
  let bytes: UnsafeBufferPointer<UInt8>
  var index = 0

  /// The byte here; 0 at the end.
  var byte: UInt8 { index < bytes.count ? bytes[index] : 0 }

  var isAtDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// Whether the byte here belongs to a word of any script.
  var isAtLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte >= 0x80 }

  /// Skips a byte if it comes next, and returns whether it does.
  mutating func skip(_ byte: UInt8) -> Bool {
    guard self.byte == byte, index < bytes.count else { return false }
    index += 1
    return true
  }

  /// Reads a number with at most the given digits.
  mutating func number(atMost digits: Int) -> (value: Int, digits: Int) {
    var value = 0
    let start = index
    while index - start < digits, isAtDigit {
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
      index += 1
    }
    return (value, index - start)
  }

  /// Reads `:mm`, `:mm:ss` or `:mm:ss.fff` after an hour; false if no minute follows.
  mutating func parseTime(hour: Int, into fields: inout DateFields) -> Bool {
    guard skip(UInt8(ascii: ":")) || skip(UInt8(ascii: ".")), isAtDigit else { return false }
    fields.hour = hour
    fields.minute = number(atMost: 2).value
    fields.second = 0
    if byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") {
      index += 1
      fields.second = number(atMost: 2).value
    }
    parseFraction()
    return true
  }

  mutating func parseFraction() {
    guard byte == UInt8(ascii: ".") || byte == UInt8(ascii: ",") else { return }
    index += 1
    while isAtDigit { index += 1 }
  }

  /// Reads `+hh:mm`, `+hhmm`, `+hmm`, `+hh` or `+h` as seconds; nil if none of them comes next.
  mutating func parseOffset() -> Int? {
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

/// The moment of an ISO 8601 date, complete or in part, in the extended or basic form; nil for any other text.
func isoDate(_ bytes: UnsafeBufferPointer<UInt8>) -> Instant? {
  var cursor = DateCursor(bytes: bytes)
  var fields = DateFields()
  let (year, digits) = cursor.number(atMost: 4)
  guard digits == 4 else { return nil }
  fields.year = year
  guard cursor.parseRestOfDate(&fields) else { return nil }
  if cursor.index < bytes.count {
    guard cursor.skip(UInt8(ascii: "T")) || cursor.skip(UInt8(ascii: "t")) || cursor.skip(UInt8(ascii: " "))
    else {
      return nil
    }
    guard cursor.parseISOTime(&fields) else { return nil }
  }
  return fields.instant
}

extension DateCursor {
  /// Reads the date after its year; false if it is not an ISO date.
  fileprivate mutating func parseRestOfDate(_ fields: inout DateFields) -> Bool {
    let isExtended = skip(UInt8(ascii: "-"))
    if skip(UInt8(ascii: "W")) {
      let week = number(atMost: 2)
      _ = skip(UInt8(ascii: "-"))
      let weekday = number(atMost: 1)
      guard week.digits == 2, (1...53).contains(week.value), weekday.value <= 7 else { return false }
      setDay(of: week.value, weekday: weekday.digits == 0 ? 1 : weekday.value, &fields)
      return true
    }
    let first = number(atMost: isExtended ? 3 : 4)
    switch (first.digits, isExtended) {
    case (0, false): return index == bytes.count
    case (3, _):
      guard (1...366).contains(first.value) else { return false }
      set(CivilTime(year: fields.year, month: 1, day: 1).daysSince1970 + Int64(first.value - 1), &fields)
      return true
    case (1...2, true):
      fields.month = first.value
      if skip(UInt8(ascii: "-")) {
        let day = number(atMost: 2)
        fields.day = day.value
        return day.digits > 0
      }
      return true
    case (2, false):
      // 200312 is a month. 031231 is left to `writtenDate`.
      fields.month = first.value
      return true
    case (4, false):
      fields.month = first.value / 100
      fields.day = first.value % 100
      return true
    default: return false
    }
  }

  /// Reads a time of day and its zone up to the end; false if anything else follows.
  fileprivate mutating func parseISOTime(_ fields: inout DateFields) -> Bool {
    while skip(UInt8(ascii: " ")) {}
    let hour = number(atMost: 2)
    guard hour.digits > 0 else { return false }
    fields.hour = hour.value
    if skip(UInt8(ascii: ":")) || isAtDigit {
      fields.minute = number(atMost: 2).value
      if skip(UInt8(ascii: ":")) || isAtDigit { fields.second = number(atMost: 2).value }
      parseFraction()
    }
    while skip(UInt8(ascii: " ")) {}
    if let offset = parseOffset() {
      fields.offset = offset
    } else if !skip(UInt8(ascii: "Z")) {
      _ = skip(UInt8(ascii: "z"))
    }
    return index == bytes.count
  }

  /// Sets the date.
  ///
  /// Week 1 contains 4 January, and weeks begin on Monday.
  private func setDay(of week: Int, weekday: Int, _ fields: inout DateFields) {
    let fourth = CivilTime(year: fields.year, month: 1, day: 4)
    let monday = fourth.daysSince1970 - Int64((fourth.weekday + 6) % 7)
    set(monday + Int64((week - 1) * 7 + weekday - 1), &fields)
  }

  private func set(_ days: Int64, _ fields: inout DateFields) {
    let date = CivilTime(secondsSince1970: days * 86_400)
    (fields.year, fields.month, fields.day) = (date.year, date.month, date.day)
  }
}

/// The zone of a name such as `America/Argentina/Buenos_Aires`, by its last part; nil if it is unknown.
func namedZone(_ name: UnsafeBufferPointer<UInt8>) -> Zone? {
  guard let slash = name.lastIndex(of: UInt8(ascii: "/")) else { return nil }
  let city = String(decoding: name[(slash + 1)...], as: UTF8.self)
  if ["UTC", "UCT", "GMT", "Universal", "Zulu"].contains(city) { return .utc }
  return rules[city.lowercased()].flatMap { Zone(name: city, posix: $0) }
}

private let rules: [String: String] = {
  var rules: [String: String] = [:]
  for zone in zones.split(separator: ";") {
    let words = zone.split(separator: " ")
    for city in words.dropFirst() { rules[city.lowercased()] = String(words[0]) }
  }
  return rules
}()

/// Rules (POSIX XBD 8.3) of the zones that dates of feeds name, with the last parts of their names.
private let zones = """
  CET-1CEST,M3.5.0,M10.5.0/3 Amsterdam Belgrade Berlin Bratislava Brussels Budapest Copenhagen Ljubljana Luxembourg \
  Madrid Oslo Paris Prague Rome Sarajevo Stockholm Vienna Warsaw Zagreb Zurich; \
  EET-2EEST,M3.5.0/3,M10.5.0/4 Athens Bucharest Helsinki Kiev Kyiv Riga Sofia Tallinn Vilnius; \
  WET0WEST,M3.5.0/1,M10.5.0 Lisbon; GMT0BST,M3.5.0/1,M10.5.0 Belfast London; IST-1GMT0,M10.5.0,M3.5.0/1 Dublin; \
  GMT0 Accra Reykjavik; MSK-3 Moscow; <+03>-3 Istanbul Minsk Riyadh; IST-2IDT,M3.4.4/26,M10.5.0 Jerusalem Tel_Aviv; \
  EET-2EEST,M4.5.5/0,M10.5.4/24 Cairo; WAT-1 Lagos; EAT-3 Nairobi; SAST-2 Johannesburg; \
  EST5EDT,M3.2.0,M11.1.0 Detroit Eastern Indianapolis Montreal New_York Toronto; \
  CST6CDT,M3.2.0,M11.1.0 Central Chicago Winnipeg; MST7MDT,M3.2.0,M11.1.0 Denver Edmonton Mountain; \
  PST8PDT,M3.2.0,M11.1.0 Los_Angeles Pacific Tijuana Vancouver; MST7 Arizona Phoenix; \
  AST4ADT,M3.2.0,M11.1.0 Atlantic Halifax; AKST9AKDT,M3.2.0,M11.1.0 Alaska Anchorage; HST10 Hawaii Honolulu; \
  CST6 Costa_Rica Guatemala Mexico_City; <-05>5 Bogota Lima; EST5 Jamaica Panama; <-04>4 Caracas La_Paz; \
  <-03>3 Bahia Buenos_Aires Fortaleza Montevideo Recife Sao_Paulo; \
  <+0330>-3:30 Tehran; <+04>-4 Baku Dubai Tbilisi Yerevan; PKT-5 Karachi; <+05>-5 Almaty Tashkent Yekaterinburg; \
  IST-5:30 Calcutta Kolkata; <+06>-6 Dhaka; <+07>-7 Bangkok Ho_Chi_Minh Novosibirsk Saigon; WIB-7 Jakarta; \
  <+08>-8 Kuala_Lumpur Singapore; CST-8 Macau Shanghai Taipei; HKT-8 Hong_Kong; PST-8 Manila; KST-9 Seoul; \
  JST-9 Tokyo; AWST-8 Perth; AEST-10 Brisbane; ACST-9:30ACDT,M10.1.0,M4.1.0/3 Adelaide; \
  AEST-10AEDT,M10.1.0,M4.1.0/3 Canberra Hobart Melbourne Sydney; NZST-12NZDT,M9.5.0,M4.1.0/3 Auckland
  """
