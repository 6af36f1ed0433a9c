// The content of a file of any size, made where it is needed instead of held: only its seed and size are kept.

internal import Glibc

/// Bytes that look random and are the same for the same seed, so that every part of every file can be told from any other.
///
/// A larger content of the same seed begins with the smaller one: a file that grew.
public struct FileContent: Hashable, Sendable {
  /// How many bytes.
  public var size: Int
  /// Which bytes.
  public var seed: UInt64

  /// Content of so many bytes.
  public init(_ size: Int, seed: UInt64 = 1) {
    self.size = size
    self.seed = seed
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

  /// Its SHA-256, 64 hexadecimal digits, by the sha256sum program: another implementation than the one that is tested.
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

  // A block is a piece of one table from a place of its own, with its own mark at the beginning: fast to make also in a
  // debug build, and never equal to another block.
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
    // As an MP3 frame begins, so that nobody takes it for text.
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
  /// The checksum of what a closure adds piece by piece.
  public static func of(_ pieces: ((_ piece: [UInt8]) -> Void) -> Void) throws(FileProblem) -> String {
    let directory = try TemporaryDirectory()
    let path = directory.file("sum")
    // `e`: another child that is begun meanwhile must not hold the pipe open.
    guard let pipe = popen("sha256sum > '\(path)'", "we") else {
      throw FileProblem(path: "sha256sum", code: errno)
    }
    pieces { piece in _ = fwrite(piece, 1, piece.count, pipe) }
    guard pclose(pipe) == 0 else { throw FileProblem(path: "sha256sum", code: errno) }
    return String(decoding: try readFile(path).prefix(64), as: UTF8.self)
  }

  /// The checksum of a file.
  public static func ofFile(_ path: String) throws(FileProblem) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw FileProblem(path: path, code: errno) }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    return try of { add in
      while true {
        let count = read(file, &buffer, buffer.count)
        guard count > 0 else { return }
        add(Array(buffer[..<count]))
      }
    }
  }
}
