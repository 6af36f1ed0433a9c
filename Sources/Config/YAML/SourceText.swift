// The lines of the file, for messages about invalid YAML.

/// The bytes of the file and the positions of its lines.
struct SourceText {
  private let bytes: [UInt8]
  /// The offset of the text, after a byte order mark if there is one.
  let contentStart: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    contentStart = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// The characters of a line, without its end; empty if there is no such line.
  func line(_ number: Int32) -> [Unicode.Scalar] {
    var rest = bytes[contentStart...]
    for _ in 1..<max(1, number) {
      guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return [] }
      rest = rest[(end + 1)...]
    }
    let line = rest.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    return Array(String(decoding: line, as: UTF8.self).unicodeScalars)
  }

  /// The place of the byte at an offset from the beginning of the text.
  func place(ofByte offset: Int) -> Place {
    let before = bytes[contentStart...].prefix(max(0, offset))
    let line = before.reduce(1) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? contentStart
    let column = String(decoding: before[lineStart...], as: UTF8.self).unicodeScalars.count + 1
    return Place(line: Int32(clamping: line), column: Int32(clamping: column))
  }

  /// The character that begins with the byte at an offset.
  func character(atByte offset: Int) -> Unicode.Scalar? {
    String(decoding: bytes.dropFirst(contentStart + offset).prefix(4), as: UTF8.self).unicodeScalars.first
  }

  /// The offset of the first byte of an invalid character.
  ///
  /// libyaml points at the invalid byte, which may come up to three bytes later.
  func characterStart(ofByte offset: Int) -> Int {
    let before = bytes.dropFirst(contentStart).prefix(max(0, offset)).suffix(3)
    // From the invalid byte back over continuation bytes to a first byte.
    for (distance, byte) in before.reversed().enumerated() {
      if byte >= 0xC0 { return offset - distance - 1 }
      if byte < 0x80 { break }
    }
    return offset
  }

  /// Whether the file is UTF-16, by its byte order mark.
  var isUTF16: Bool { bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) }
}
