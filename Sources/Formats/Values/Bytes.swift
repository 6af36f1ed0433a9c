// Helpers for runs of bytes, and a buffer for putting them together.

import Core
import Glibc

/// The bytes without white space and control characters at both ends.
func trimmed(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
  var (start, end) = (0, bytes.count)
  while start < end, bytes[start] <= 0x20 { start += 1 }
  while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
  return start == 0 && end == bytes.count ? bytes : bytes.slice(start..<end)
}

/// The index of the first occurrence of a byte at or after a start; nil if there is none.
func firstIndex(of byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
  guard start < bytes.count, let base = bytes.baseAddress,
    let found = memchr(base + start, Int32(byte), bytes.count - start)
  else { return nil }
  return UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) - base
}

/// Whether a byte is among the bytes.
func has(_ byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
  firstIndex(of: byte, in: bytes, from: 0) != nil
}

extension String {
  /// The result of a function of the bytes.
  func withBytes<Result>(_ read: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    var text = self
    return text.withUTF8(read)
  }
}

/// The bytes as a string; nil if they are empty.
func nonEmpty(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
  bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
}

/// The value of ASCII digits; nil for anything else, and beyond 64 bits.
func number(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
  guard (1...19).contains(bytes.count), bytes.allSatisfy(\.isASCIIDigit) else { return nil }
  return Int64(String(decoding: bytes, as: UTF8.self))
}

/// Whether bytes are an ASCII word in any case; `word` is in lower case.
func equals(_ bytes: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
  guard bytes.count == word.utf8CodeUnitCount else { return false }
  for index in 0..<bytes.count where bytes[index] | 0x20 != word.utf8Start[index] | 0x20 { return false }
  return true
}

/// Whether bytes begin with an ASCII word in any case; `word` is in lower case.
func hasPrefix(_ bytes: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
  bytes.count >= word.utf8CodeUnitCount
    && equals(bytes.slice(..<word.utf8CodeUnitCount), word)
}

/// Whether two texts have the same bytes.
///
/// `==` also compares composed letters with decomposed ones, which is slow.
func isSame(_ text: String, _ other: String) -> Bool {
  text.utf8.count == other.utf8.count && text.utf8.elementsEqual(other.utf8)
}

/// A growing run of bytes that keeps its memory when it is emptied.
///
/// An array would check uniqueness and bounds at each of the many short appends of decoding.
struct ByteBuffer: ~Copyable {
  private var storage: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private(set) var count = 0

  init() {
    capacity = 4096
    storage = .allocate(capacity: capacity)
  }

  deinit {
    storage.deallocate()
  }

  /// Valid until the next change.
  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: storage, count: count) }

  mutating func removeAll() {
    count = 0
  }

  mutating func truncate(to count: Int) {
    self.count = min(count, self.count)
  }

  /// Adds bytes of other memory.
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress else { return }
    reserve(bytes.count)
    (storage + count).update(from: start, count: bytes.count)
    count += bytes.count
  }

  mutating func append(_ byte: UInt8) {
    reserve(1)
    storage[count] = byte
    count += 1
  }

  mutating func append(scalar: Unicode.Scalar) {
    if scalar.isASCII {
      append(UInt8(truncatingIfNeeded: scalar.value))
    } else {
      for byte in UTF8.encode(scalar) ?? .init() { append(byte) }
    }
  }

  private mutating func reserve(_ more: Int) {
    guard count + more > capacity else { return }
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: storage, count: count)
    storage.deallocate()
    storage = larger
  }
}
