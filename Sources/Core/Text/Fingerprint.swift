// Fingerprints of texts, by which they are recognised.

/// A 64-bit FNV-1a fingerprint of bytes (draft-eastlake-fnv), the same on every machine; not a cryptographic hash.
///
/// Two different texts of one feed have the same fingerprint with a probability of 2^-64. A feed that builds such texts on
/// purpose can hide only its own items.
public struct Fingerprint: Equatable, Sendable {
  public private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  public init() {}

  /// The fingerprint of one text.
  public init(of text: String) { add(text) }

  @inlinable
  public mutating func add(byte: UInt8) {
    add(bits: byte)
  }

  /// Adds the eight bytes of a number, the lowest first.
  public mutating func add(number: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) {
      add(bits: UInt8(truncatingIfNeeded: number >> UInt64(shift)))
    }
  }

  /// Adds a text and an end mark, so that `ab`, `c` differs from `a`, `bc`.
  ///
  /// Nil differs from empty text.
  public mutating func add(_ text: String?) {
    guard var text else {
      add(bits: 0xFE)
      return
    }
    text.withUTF8 { bytes in
      for byte in bytes { add(bits: byte) }
    }
    add(bits: 0xFF)
  }

  /// Adds a text to this fingerprint, and adds it without tags and white space to another one, so that new markup around the
  /// same words does not change the second fingerprint.
  ///
  /// The two chains of multiplications run side by side in the processor, and no branch depends on the text: mispredicted
  /// ones at every blank took longer than all the rest.
  mutating func add(_ text: String, visiblyTo other: inout Fingerprint) {
    var text = text
    text.withUTF8 { bytes in
      var (whole, visible) = (value, other.value)
      var index = 0
      while index < bytes.count {
        while index < bytes.count, case let byte = bytes[index], byte != "<" {
          let bits = UInt64(byte)
          // One for a tab, line feed, carriage return, blank or stray ">", from a set of bits: the compiler would make a branch
          // of a comparison.
          let isInvisible = 0x4000_0001_0000_2600 &>> bits & (bits &- 64) >> 63
          let mask = isInvisible &- 1
          whole = (whole ^ bits) &* Self.prime
          // An invisible byte multiplies by one.
          visible = (visible ^ bits & mask) &* (1 | (Self.prime - 1) & mask)
          index += 1
        }
        while index < bytes.count {
          whole = (whole ^ UInt64(bytes[index])) &* Self.prime
          index += 1
          if bytes[index - 1] == ">" { break }
        }
      }
      value = whole
      other.value = visible
    }
    add(bits: 0xFF)
    other.add(bits: 0xFF)
  }

  @usableFromInline static let prime: UInt64 = 0x0000_0100_0000_01B3

  @usableFromInline
  mutating func add(bits: UInt8) {
    value = (value ^ UInt64(bits)) &* Self.prime
  }
}
