// Bytes that are put together again and again in the same memory.

/// A growing run of bytes that keeps its memory when it is emptied.
///
/// An array would do, were its uniqueness and bounds not checked at each of the many short appends that decoding makes.
struct ByteBuffer: ~Copyable {
  private var storage: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// How many bytes it holds.
  private(set) var count = 0

  /// An empty buffer.
  init() {
    capacity = 4096
    storage = .allocate(capacity: capacity)
  }

  deinit {
    storage.deallocate()
  }

  /// The bytes; valid until the next change.
  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: storage, count: count) }

  /// Empties it and keeps the memory.
  mutating func removeAll() {
    count = 0
  }

  /// Drops what comes after so many bytes.
  mutating func truncate(to count: Int) {
    self.count = min(count, self.count)
  }

  /// Adds bytes, which must not be its own.
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = bytes.baseAddress else { return }
    reserve(bytes.count)
    (storage + count).update(from: start, count: bytes.count)
    count += bytes.count
  }

  /// Adds one byte.
  mutating func append(_ byte: UInt8) {
    reserve(1)
    storage[count] = byte
    count += 1
  }

  /// Adds a character.
  mutating func append(_ scalar: Unicode.Scalar) {
    if scalar.isASCII {
      append(UInt8(truncatingIfNeeded: scalar.value))
    } else {
      for byte in UTF8.encode(scalar) ?? .init() { append(byte) }
    }
  }

  /// Adds a text that is known when the program is built.
  mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
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
