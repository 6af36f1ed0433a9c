// File contents of any size from a seed, their checksums, and gzip.

import Glibc

/// Pseudo-random bytes from a seed, so that every part of every file differs from any other.
///
/// A larger content of the same seed begins with the smaller one, like a file that grew.
public struct FileContent: Hashable, Sendable {
  /// The number of bytes.
  public var size: Int
  /// The seed of the bytes.
  public var seed: UInt64

  /// Content of this many bytes.
  public init(_ size: Int, seed: UInt64 = 1) {
    (self.size, self.seed) = (size, seed)
  }

  /// The bytes of a part of it.
  public func bytes(_ range: Range<Int>) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
      let whole = UnsafeMutableRawBufferPointer(buffer)
      var offset = range.lowerBound
      while offset < range.upperBound {
        let (block, start) = offset.quotientAndRemainder(dividingBy: Self.blockSize)
        let length = min(Self.blockSize - start, range.upperBound - offset)
        fill(UnsafeMutableRawBufferPointer(rebasing: whole[count..<(count + length)]), block, start)
        offset += length
        count += length
      }
    }
  }

  /// All of its bytes; for small files.
  public var all: [UInt8] { bytes(0..<size) }

  /// Its SHA-256 as 64 hexadecimal digits, by sha256sum, which is not the tested implementation.
  public func sha256() throws(FileProblem) -> String {
    try SHA256Sum.of { add in
      var offset = 0
      while offset < size {
        let end = min(offset + (1 << 20), size)
        add(bytes(offset..<end))
        offset = end
      }
    }
  }

  /// Whether the bytes are those of this content from their first to their last.
  public func isWhole(_ bytes: [UInt8]) -> Bool { bytes.count == size && bytes == all }

  // MARK: Blocks

  // A block is a piece of one table, at an offset of its own and with its own mark at the beginning. Making one is fast
  // even in a debug build, and no two blocks are equal.
  private static let blockSize = 1024
  private static let table: [UInt8] = (0..<(2 * blockSize / 8)).flatMap { word in
    bytes(of: mixed(UInt64(word) &+ 0xB6FE_7C40))
  }

  private func fill(_ target: UnsafeMutableRawBufferPointer, _ block: Int, _ start: Int) {
    let mark = Self.mixed(seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(block))
    let from = Int(mark % UInt64(Self.blockSize)) + start
    Self.table.withUnsafeBytes { table in
      target.copyMemory(from: .init(rebasing: table[from..<min(from + target.count, table.count)]))
    }
    // The beginning of an MP3 frame, so that it is not taken for text.
    let head: [UInt8] = [0xFF, 0xFB] + Self.bytes(of: mark)
    for place in start..<max(start, min(head.count, start + target.count)) {
      target[place - start] = head[place]
    }
  }

  private static func bytes(of word: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
  }

  /// splitmix64, a public-domain generator.
  private static func mixed(_ value: UInt64) -> UInt64 {
    var mixed = value &+ 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// SHA-256 by the program of coreutils.
public enum SHA256Sum {
  /// The checksum of the pieces that a closure adds.
  public static func of(_ pieces: ((_ piece: [UInt8]) -> Void) -> Void) throws(FileProblem) -> String {
    let directory = try TemporaryDirectory()
    let path = directory.file("sum")
    // `e`: a child that is started meanwhile must not keep the pipe open.
    guard let pipe = popen("sha256sum > '\(path)'", "we") else {
      throw FileProblem(path: "sha256sum", code: errno)
    }
    pieces { piece in _ = fwrite(piece, 1, piece.count, pipe) }
    guard pclose(pipe) == 0 else { throw FileProblem(path: "sha256sum", code: errno) }
    return String(decoding: try readFile(path).prefix(64), as: UTF8.self)
  }
}

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

  /// One block of a stream that unpacks to `258 * runs + 1` zero bytes; it may be repeated forever after the
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
    // An empty stored block aligns the stream to a byte, so that blocks can be concatenated.
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
    for position in (0..<count).reversed() { append((code >> UInt32(position)) & 1, count: 1) }
  }
}
