// UTF-8: whether it is valid, what invalid bytes may have meant, and which characters no document may hold.

import Core

/// Whether bytes are UTF-8 throughout.
func isValidUTF8(_ bytes: [UInt8]) -> Bool {
  // Where the fault lies does not matter; all of it is repaired in one walk.
  (try? UTF8Span(validating: bytes.span)) != nil
}

/// The text of bytes that are UTF-8 for the most part, or windows-1252.
///
/// A byte that is no part of a UTF-8 sequence is read as windows-1252, which is what it nearly always is: all
/// of an old document, or one item of an aggregated one. Two or three bytes that begin a longer sequence and are cut off
/// are one character that is lost, U+FFFD.
func repairedUTF8(_ bytes: [UInt8]) -> [UInt8] {
  bytes.withUnsafeBufferPointer { source in
    var output: [UInt8] = []
    output.reserveCapacity(source.count + source.count / 8)
    // What is valid is copied in whole runs.
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

/// The sequence at a place, and whether it is whole; one that is not has the length of what is there of it.
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

/// The bytes without terminal escape sequences and the control characters that XML forbids, CR LF and CR made LF.
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

/// Whether a byte is ESC, or BEL, which ends what ESC begins.
func isEscape(_ byte: UInt8) -> Bool { byte == 0x1B || byte == 0x07 }

/// The length of the terminal escape sequence (ECMA-48: CSI, or OSC with what it carries) that begins with the ESC at a
/// place; 1, which is ESC alone, where it is not whole.
///
/// No sequence takes what could be a mark of the document along. The search for the end of an OSC ends at the next control
/// character, so that no text is searched twice.
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

/// The place of the first byte below 0x20 that is no tab or line feed, eight bytes at a time.
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
