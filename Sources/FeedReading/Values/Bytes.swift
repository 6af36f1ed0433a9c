// Runs of bytes as readers get them: trimmed, and made strings of where something is left.

import Glibc

/// How many bytes are read before it is asked again whether to stop: some milliseconds' work, whatever they are.
let askingDistance = 1 << 16

/// The bytes without white space and control characters at both ends.
func trimmed(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
  var (start, end) = (0, bytes.count)
  while start < end, bytes[start] <= 0x20 { start += 1 }
  while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
  return start == 0 && end == bytes.count ? bytes : UnsafeBufferPointer(rebasing: bytes[start..<end])
}

/// The place of a byte at or after another place; nil if it does not come any more.
func place(of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
  guard start < bytes.count, let base = bytes.baseAddress,
    let found = memchr(base + start, Int32(byte), bytes.count - start)
  else { return nil }
  return UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) - base
}

/// The bytes as a string; nil if there are none.
func nonEmpty(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
  bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
}

/// The number that ASCII digits write; nil for anything else, or beyond 64 bits.
func number(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
  guard (1...19).contains(bytes.count) else { return nil }
  var value: Int64 = 0
  for byte in bytes {
    guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
    let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
    let (sum, isTooMuch) = product.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
    guard !isTooLarge, !isTooMuch else { return nil }
    value = sum
  }
  return value
}

/// Whether bytes are an ASCII word, without regard to case; the word is in lower case.
func equals(_ bytes: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
  guard bytes.count == word.utf8CodeUnitCount else { return false }
  for index in 0..<bytes.count where bytes[index] | 0x20 != word.utf8Start[index] | 0x20 { return false }
  return true
}

/// Whether bytes begin with an ASCII word, without regard to case; the word is in lower case.
func hasPrefix(_ bytes: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
  bytes.count >= word.utf8CodeUnitCount
    && equals(UnsafeBufferPointer(rebasing: bytes[..<word.utf8CodeUnitCount]), word)
}

/// Whether two texts are the same byte by byte; `==` also compares how letters are composed, which may take long.
func isSame(_ text: String, _ other: String) -> Bool {
  guard text.utf8.count == other.utf8.count else { return false }
  return text.utf8.withContiguousStorageIfAvailable { left in
    other.utf8.withContiguousStorageIfAvailable { right in
      guard let start = left.baseAddress, let otherStart = right.baseAddress else { return true }
      return memcmp(start, otherStart, left.count) == 0
    }
  }.flatMap { $0 } ?? (text == other)
}
