// ISO 8601 as feeds use it: calendar, week and ordinal dates, in the extended and the basic form, whole or in part.

import Core

/// The moment of an ISO 8601 text; nil if it is not that throughout.
func isoDate(_ bytes: UnsafeBufferPointer<UInt8>) -> Instant? {
  var cursor = DateCursor(bytes: bytes)
  var fields = DateFields()
  let (year, digits) = cursor.number(atMost: 4)
  guard digits == 4 else { return nil }
  fields.year = year
  guard cursor.takeRestOfDate(&fields) else { return nil }
  if cursor.index < bytes.count {
    guard cursor.skip(UInt8(ascii: "T")) || cursor.skip(UInt8(ascii: "t")) || cursor.skip(UInt8(ascii: " "))
    else {
      return nil
    }
    guard cursor.takeISOTime(&fields) else { return nil }
  }
  return fields.instant
}

extension DateCursor {
  /// Reads what follows the year of a date; false if that is no ISO date.
  fileprivate mutating func takeRestOfDate(_ fields: inout DateFields) -> Bool {
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
      // 200312 is a month; 031231 is left to the tolerant reader.
      fields.month = first.value
      return true
    case (4, false):
      fields.month = first.value / 100
      fields.day = first.value % 100
      return true
    default: return false
    }
  }

  /// Reads a time of day and its zone up to the end; false if anything else is there.
  fileprivate mutating func takeISOTime(_ fields: inout DateFields) -> Bool {
    while skip(UInt8(ascii: " ")) {}
    let hour = number(atMost: 2)
    guard hour.digits > 0 else { return false }
    fields.hour = hour.value
    if skip(UInt8(ascii: ":")) || isAtDigit {
      fields.minute = number(atMost: 2).value
      if skip(UInt8(ascii: ":")) || isAtDigit { fields.second = number(atMost: 2).value }
      takeFraction()
    }
    while skip(UInt8(ascii: " ")) {}
    if let offset = takeOffset() {
      fields.offset = offset
    } else if !skip(UInt8(ascii: "Z")) {
      _ = skip(UInt8(ascii: "z"))
    }
    return index == bytes.count
  }

  /// Week 1 is the one with 4 January in it; weeks begin on Monday.
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
