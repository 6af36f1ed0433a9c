// gzip without a library: bytes stored as they are, and runs of zeros that grow a thousandfold when unpacked.

/// Makes gzip streams (RFC 1951, RFC 1952).
public enum Gzip {
  /// The bytes in gzip, stored and not made smaller.
  public static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var stream = header
    var rest = bytes[...]
    repeat {
      let block = rest.prefix(0xFFFF)
      rest = rest.dropFirst(block.count)
      let length = UInt16(block.count)
      stream.append(rest.isEmpty ? 1 : 0)
      stream += [UInt8(length & 0xFF), UInt8(length >> 8), UInt8(~length & 0xFF), UInt8(~length >> 8)]
      stream += block
    } while !rest.isEmpty
    return stream + littleEndian(checksum(of: bytes)) + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
  }

  /// The ten bytes every stream begins with.
  public static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

  /// One block of a stream that unpacks to `258 * runs + 1` zero bytes; it may be repeated for ever after the
  /// header, which makes a bomb.
  public static func zeros(runs: Int) -> [UInt8] {
    var bits = Bits()
    bits.append(0b010, count: 3)  // not the last block, fixed codes
    bits.appendCode(0b0011_0000, count: 8)  // the literal 0
    for _ in 0..<runs {
      bits.appendCode(0b1100_0101, count: 8)  // a match of 258 bytes …
      bits.appendCode(0, count: 5)  // … from one byte back
    }
    bits.appendCode(0, count: 7)  // the end of the block
    // An empty stored block brings the stream back to a whole byte, so that blocks can be put in a row.
    bits.append(0b000, count: 3)
    return bits.bytes + [0, 0, 0xFF, 0xFF]
  }

  private static func checksum(of bytes: [UInt8]) -> UInt32 {
    var sum = ~UInt32(0)
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = (sum >> 1) ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return ~sum
  }

  private static func littleEndian(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
  }
}

/// Bits packed into bytes from the lowest one up.
private struct Bits {
  var bytes: [UInt8] = []
  private var used = 8

  mutating func append(_ value: UInt32, count: Int) {
    for position in 0..<count {
      if used == 8 {
        bytes.append(0)
        used = 0
      }
      bytes[bytes.count - 1] |= UInt8((value >> UInt32(position)) & 1) << UInt8(used)
      used += 1
    }
  }

  /// A Huffman code, which is packed from its highest bit.
  mutating func appendCode(_ code: UInt32, count: Int) {
    for position in (0..<count).reversed() {
      append((code >> UInt32(position)) & 1, count: 1)
    }
  }
}
