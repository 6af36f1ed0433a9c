// A number that stands for a text, the same in every process. Not a cryptographic hash.

/// A 64-bit fingerprint of bytes by FNV-1a (the Fowler/Noll/Vo function, draft-eastlake-fnv), the same on
/// every machine.
///
/// Two texts of one feed that differ have the same fingerprint only by a chance of one in 2^64; a feed that builds such
/// texts on purpose hides items of its own and nothing else.
public struct Fingerprint: Hashable, Sendable {
  /// The fingerprint so far.
  public private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// The fingerprint of nothing.
  public init() {}

  /// Adds one byte.
  @inlinable
  public mutating func add(byte: UInt8) {
    add(bits: byte)
  }

  /// Adds a text and a mark of its end, so that `ab`, `c` differs from `a`, `bc`; nil differs from empty
  /// text.
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

  @usableFromInline
  mutating func add(bits: UInt8) {
    value = (value ^ UInt64(bits)) &* 0x0000_0100_0000_01B3
  }
}
