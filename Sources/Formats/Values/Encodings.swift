// Conversions to UTF-8: repairing it, UTF-16 and UTF-32, and all other encodings through iconv(3).

import Core
import Glibc

/// Whether bytes are UTF-8 throughout.
func isValidUTF8(_ bytes: [UInt8]) -> Bool {
  // The place of the fault does not matter: `repairedUTF8` repairs everything.
  (try? UTF8Span(validating: bytes.span)) != nil
}

/// The text of bytes that are mostly UTF-8, or windows-1252.
///
/// A byte outside any UTF-8 sequence is read as windows-1252, which it nearly always is: in all of an old document, or in
/// one item of an aggregated one. A sequence of two or three bytes that is cut off becomes U+FFFD.
func repairedUTF8(_ bytes: [UInt8]) -> [UInt8] {
  bytes.withUnsafeBufferPointer { source in
    var output: [UInt8] = []
    output.reserveCapacity(source.count + source.count / 8)
    // Valid bytes are copied in whole runs.
    var start = 0
    var index = 0
    while index < source.count {
      let byte = source[index]
      let (isValid, length) = byte < 0x80 ? (true, 1) : sequence(in: source, at: index)
      if !isValid {
        output.append(contentsOf: UnsafeBufferPointer(rebasing: source[start..<index]))
        start = index + length
        let code =
          length > 1
          ? 0xFFFD : byte < 0xA0 ? HTMLEntities.windows1252[Int(byte - 0x80)] ?? 0xFFFD : UInt16(byte)
        output.append(contentsOf: UTF8.encode(Unicode.Scalar(code) ?? "\u{FFFD}") ?? .init())
      }
      index += length
    }
    output.append(contentsOf: UnsafeBufferPointer(rebasing: source[start...]))
    return output
  }
}

/// Whether the UTF-8 sequence at a place is complete, and the number of its bytes that are present.
private func sequence(in bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> (isValid: Bool, length: Int) {
  let lead = bytes[index]
  let needed: Int
  var second: ClosedRange<UInt8> = 0x80...0xBF
  switch lead {
  case ..<0x80: return (true, 1)
  case 0xC2...0xDF: needed = 2
  case 0xE0...0xEF:
    needed = 3
    if lead == 0xE0 { second = 0xA0...0xBF }
    if lead == 0xED { second = 0x80...0x9F }
  case 0xF0...0xF4:
    needed = 4
    if lead == 0xF0 { second = 0x90...0xBF }
    if lead == 0xF4 { second = 0x80...0x8F }
  default: return (false, 1)
  }
  var length = 1
  while length < needed, index + length < bytes.count,
    (length == 1 ? second : 0x80...0xBF).contains(bytes[index + length])
  {
    length += 1
  }
  return (length == needed, length)
}

/// The bytes without terminal escape sequences and the control characters that XML forbids; CR LF and CR become LF.
func withoutControls(_ bytes: [UInt8]) -> [UInt8] {
  guard let first = firstControl(in: bytes) else { return bytes }
  var output = Array(bytes[..<first])
  output.reserveCapacity(bytes.count)
  var index = first
  while index < bytes.count {
    let byte = bytes[index]
    defer { index += 1 }
    switch byte {
    case 0x20..., 0x09, 0x0A: output.append(byte)
    case 0x1B: index += escapeSequenceLength(bytes, at: index) - 1
    case 0x0D where index + 1 == bytes.count || bytes[index + 1] != 0x0A: output.append(0x0A)
    default: break
    }
  }
  return output
}

/// Whether a byte is ESC, or BEL, which ends some sequences that ESC begins.
func isEscape(_ byte: UInt8) -> Bool { byte == 0x1B || byte == 0x07 }

/// The length of the terminal escape sequence (ECMA-48: CSI, or OSC with its text) at an ESC; 1 for an incomplete one.
///
/// No sequence may contain `<`, `>`, `"` or `\`, which could be the document's syntax. The search for the end of an OSC
/// ends at the next control character, so that no text is searched twice.
private func escapeSequenceLength(_ bytes: [UInt8], at start: Int) -> Int {
  func byte(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }
  func isMark(_ byte: UInt8) -> Bool {
    [UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "\\")].contains(byte)
  }
  var index = start + 2
  switch byte(start + 1) {
  case UInt8(ascii: "["):
    while (0x20...0x3F).contains(byte(index)), !isMark(byte(index)) { index += 1 }
    return (0x40...0x7E).contains(byte(index)) && !isMark(byte(index)) ? index + 1 - start : 1
  case UInt8(ascii: "]"):
    while byte(index) >= 0x20, !isMark(byte(index)) { index += 1 }
    if byte(index) == 0x07 { return index + 1 - start }
    return byte(index) == 0x1B && byte(index + 1) == UInt8(ascii: "\\") ? index + 2 - start : 1
  default:
    return 1
  }
}

/// The index of the first byte below 0x20 other than tab and line feed, found eight bytes at a time.
private func firstControl(in bytes: [UInt8]) -> Int? {
  bytes.withUnsafeBytes { raw in
    func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 && byte != 0x0A }
    let ones: UInt64 = 0x0101_0101_0101_0101
    var index = 0
    while index + 8 <= raw.count {
      let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      // A byte below 0x20 borrows into its high bit when 0x20 is taken from it.
      if (word &- ones &* 0x20) & ~word & (ones &* 0x80) != 0,
        let found = (index..<(index + 8)).first(where: { isControl(raw[$0]) })
      {
        return found
      }
      index += 8
    }
    return (index..<raw.count).first { isControl(raw[$0]) }
  }
}

/// UTF-16 or UTF-32.
struct WideForm: Equatable {
  /// The bytes of a unit, 2 or 4.
  let width: Int
  let isBigEndian: Bool
  /// The length of the byte order mark.
  let markLength: Int

  /// Recognises the encoding by a byte order mark, or by the zero bytes of two ASCII characters at the beginning.
  init?(of bytes: [UInt8]) {
    guard bytes.count >= 4 else { return nil }
    switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
    case (0xFF, 0xFE, 0, 0): self.init(4, isBigEndian: false, mark: 4)
    case (0, 0, 0xFE, 0xFF): self.init(4, isBigEndian: true, mark: 4)
    case (0xFF, 0xFE, _, _): self.init(2, isBigEndian: false, mark: 2)
    case (0xFE, 0xFF, _, _): self.init(2, isBigEndian: true, mark: 2)
    case (1..., 0, 0, 0): self.init(4, isBigEndian: false, mark: 0)
    case (0, 0, 0, 1...): self.init(4, isBigEndian: true, mark: 0)
    case (1..., 0, 1..., 0): self.init(2, isBigEndian: false, mark: 0)
    case (0, 1..., 0, 1...): self.init(2, isBigEndian: true, mark: 0)
    default: return nil
    }
  }

  private init(_ width: Int, isBigEndian: Bool, mark: Int) {
    self.width = width
    self.isBigEndian = isBigEndian
    self.markLength = mark
  }

  /// The text as UTF-8.
  ///
  /// Invalid units become U+FFFD, and an incomplete unit at the end is dropped.
  func utf8(of bytes: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBytes { raw in
      let end = markLength + (raw.count - markLength) / width * width
      var output: [UInt8] = []
      output.reserveCapacity(raw.count / width)
      var index = markLength
      while index < end {
        var code = unit(raw, index)
        index += width
        if width == 2, code & 0xFC00 == 0xD800, index < end, unit(raw, index) & 0xFC00 == 0xDC00 {
          code = 0x10000 + (code & 0x3FF) << 10 + unit(raw, index) & 0x3FF
          index += width
        }
        if code < 0x80 {
          output.append(UInt8(truncatingIfNeeded: code))
        } else {
          output.append(contentsOf: UTF8.encode(Unicode.Scalar(code) ?? "\u{FFFD}") ?? .init())
        }
      }
      return output
    }
  }

  private func unit(_ raw: UnsafeRawBufferPointer, _ index: Int) -> UInt32 {
    if width == 2 {
      let unit = raw.loadUnaligned(fromByteOffset: index, as: UInt16.self)
      return UInt32(isBigEndian ? unit.bigEndian : unit.littleEndian)
    }
    let unit = raw.loadUnaligned(fromByteOffset: index, as: UInt32.self)
    return isBigEndian ? unit.bigEndian : unit.littleEndian
  }
}

/// The bytes converted to UTF-8 by iconv(3); nil if the C library does not know the encoding or the bytes are not in it.
///
/// A few invalid bytes become U+FFFD. More of them mean that the label is wrong. A stopped conversion returns nil.
func converted(_ bytes: [UInt8], from encoding: String, shouldStop: @escaping ShouldStop) -> [UInt8]? {
  guard let handle = iconv_open("UTF-8", encoding), handle != UnsafeMutableRawPointer(bitPattern: -1) else {
    return nil
  }
  defer { iconv_close(handle) }
  let allowedFaults = 8 + bytes.count / 256
  var faults = 0
  var output: [UInt8] = []
  output.reserveCapacity(bytes.count + bytes.count / 2)
  let isInEncoding = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 14) { chunk in
    bytes.withUnsafeBytes { raw in
      // iconv's signature has a mutable pointer, but iconv only reads.
      var input = UnsafeMutableRawPointer(mutating: raw.baseAddress)?.assumingMemoryBound(to: CChar.self)
      var inputLeft = raw.count
      var isFlushing = false
      while true {
        var place = chunk.baseAddress
        var room = chunk.count
        // Without input, iconv writes the characters that it holds back for a combining character.
        let result =
          isFlushing
          ? iconv(handle, nil, nil, &place, &room) : iconv(handle, &input, &inputLeft, &place, &room)
        let problem = result == -1 ? errno : 0
        output.append(contentsOf: UnsafeRawBufferPointer(chunk).prefix(chunk.count - room))
        switch problem {
        case E2BIG:
          if shouldStop() { return false }
        case EILSEQ where !isFlushing:
          faults += 1
          guard faults <= allowedFaults else { return false }
          output.append(contentsOf: [0xEF, 0xBF, 0xBD])
          input = input?.advanced(by: 1)
          inputLeft -= 1
        case _ where isFlushing:
          return true
        default:
          // Only the beginning of a cut-off character may be left.
          isFlushing = true
        }
      }
    }
  }
  return isInEncoding && isValidUTF8(output) ? output : nil
}
