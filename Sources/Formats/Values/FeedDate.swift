// Dates in feeds: dates as Core reads them, and times since 1970.

import Core

/// The moment of a date in a feed; nil if it cannot be understood.
///
/// Understands the dates of `writtenDate`, and a time since 1970 in seconds or finer units.
func feedDate(_ bytes: UnsafeBufferPointer<UInt8>) -> Instant? {
  let bytes = trimmed(bytes)
  guard (4...100).contains(bytes.count) else { return nil }
  if isUnixTime(bytes), let moment = unixTime(bytes) { return moment }
  return writtenDate(bytes)
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
