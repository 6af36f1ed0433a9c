// Untrusted text made safe for a terminal, a notification or a log.

/// A text on one line that can neither control a terminal nor change the reading direction of the text next to it.
///
/// It removes control characters, terminal escape sequences (ECMA-48: CSI, and complete OSC, DCS, SOS, PM and APC with
/// their content), bidirectional marks, overrides and isolates, invisible spaces and soft hyphens. White space, including line and
/// paragraph separators, folds to single blanks. The joiners U+200C and U+200D stay, because Persian and emoji need them.
/// Takes linear time for any text.
///
/// - Parameters:
///   - text: any text.
///   - limit: the maximum length in bytes of UTF-8, including the `…` of a cut. The cut is between two grapheme clusters,
///     or within one that is longer than the limit.
/// - Returns: one line, without blanks at its ends.
public func cleanText(_ text: String, limit: Int) -> String {
  var text = text
  let clean = text.withUTF8 { bytes in
    var cleaning = Cleaning(bytes: bytes, limit: limit)
    return cleaning.text()
  }
  guard clean.utf8.count > limit else { return clean }
  let mark = "…"
  let room = limit - mark.utf8.count
  return room >= 0 ? graphemePrefix(of: clean, limit: room) + mark : graphemePrefix(of: clean, limit: limit)
}

private struct Cleaning {
  let bytes: UnsafeBufferPointer<UInt8>
  var output: FoldedText
  var index = 0

  init(bytes: UnsafeBufferPointer<UInt8>, limit: Int) {
    self.bytes = bytes
    output = FoldedText(limit: limit, inputLength: bytes.count)
  }

  /// The clean text; if it must be cut, it is slightly longer than the limit.
  mutating func text() -> String {
    while index < bytes.count, !output.isFull {
      let white = whiteSpaceLength(bytes, at: index)
      if white > 0 {
        output.owesBlank = true
        index += white
      } else if let introducer = controlCharacter(at: index) {
        parseControl(introducer)
      } else if Self.isOrdinary(bytes[index]) {
        output.appendRun(of: bytes, from: &index) { [bytes] in Self.isOrdinary(bytes[$0]) }
      } else {
        // The first byte of a character has as many leading ones as the character has bytes.
        let end = min(index + max(1, (~bytes[index]).leadingZeroBitCount), bytes.count)
        if !isInvisible(end - index) { output.append(bytes.slice(index..<end)) }
        index = end
      }
    }
    return output.text
  }

  /// Whether a byte cannot begin a white, invisible or control character.
  private static func isOrdinary(_ byte: UInt8) -> Bool {
    switch byte {
    case ...0x20, 0x7F, 0xC2, 0xD8, 0xE1...0xE3, 0xEF...0xF4: false
    default: true
    }
  }

  /// The C0, DEL or C1 control character at an index, with its length.
  private func controlCharacter(at index: Int) -> (code: UInt8, length: Int)? {
    let byte = bytes[index]
    if byte < 0x20 || byte == 0x7F { return (byte, 1) }
    if byte == 0xC2, index + 1 < bytes.count, bytes[index + 1] < 0xA0 { return (bytes[index + 1], 2) }
    return nil
  }

  private mutating func parseControl(_ control: (code: UInt8, length: Int)) {
    index += control.length
    var code = control.code
    if code == 0x1B, index < bytes.count {
      switch bytes[index] {
      case 0x40...0x5F:
        // ESC and one of @ to _ is the 7-bit form of a C1 control.
        code = bytes[index] + 0x40
        index += 1
      case 0x20...0x2F:
        skip(0x20...0x2F)
        if index < bytes.count, (0x30...0x7E).contains(bytes[index]) { index += 1 }
      case 0x30...0x3F, 0x60...0x7E:
        index += 1
      default:
        break
      }
    }
    switch code {
    case 0x9B:
      skip(0x30...0x3F)
      skip(0x20...0x2F)
      if index < bytes.count, (0x40...0x7E).contains(bytes[index]) { index += 1 }
    case 0x90, 0x98, 0x9D, 0x9E, 0x9F:
      skipControlString()
    default:
      break
    }
  }

  private mutating func skip(_ range: ClosedRange<UInt8>) {
    while index < bytes.count, range.contains(bytes[index]) { index += 1 }
  }

  /// Skips the content of an OSC, DCS, SOS, PM or APC up to BEL or ST; without either it is text and stays.
  ///
  /// The search ends at the next control character of another kind, so that no text is searched twice.
  private mutating func skipControlString() {
    var end = index
    while end < bytes.count {
      guard let control = controlCharacter(at: end), !(0x09...0x0D).contains(control.code) else {
        end += 1
        continue
      }
      if control.code == 0x07 || control.code == 0x9C { index = end + control.length }
      if control.code == 0x1B, end + 1 < bytes.count, bytes[end + 1] == "\\" { index = end + 2 }
      return
    }
  }

  /// Whether the character here changes the reading direction, has no width and is not a joiner, or is a noncharacter, which D-Bus
  /// refuses.
  private func isInvisible(_ length: Int) -> Bool {
    guard length > 1, index + length <= bytes.count else { return false }
    var code = UInt32(bytes[index]) & (length == 2 ? 0x1F : length == 3 ? 0x0F : 0x07)
    for byte in bytes[(index + 1)..<(index + length)] { code = code << 6 | UInt32(byte & 0x3F) }
    switch code {
    case 0x00AD, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFDD0...0xFDEF: return true
    case 0x180E, 0x200B, 0x2060...0x2065, 0x206A...0x206F, 0xFEFF, 0xFFF9...0xFFFB: return true
    default: return code & 0xFFFE == 0xFFFE
    }
  }
}

/// Output of cleaning: white space folds to single blanks, none at the ends.
struct FoldedText {
  /// Whether a blank belongs before the next text.
  var owesBlank = false
  private var bytes: [UInt8] = []
  /// The number of bytes that is enough: the limit, and one more scalar to see where to cut.
  private let enough: Int

  init(limit: Int, inputLength: Int) {
    enough = min(limit, .max - 64) + 8
    bytes.reserveCapacity(min(max(0, limit), inputLength) + 8)
  }

  var isFull: Bool { bytes.count > enough }
  /// The number of bytes that the next text may have.
  var room: Int { enough - bytes.count + 8 }
  /// The text so far; if it must be cut, it is slightly longer than the limit.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The number of bytes so far.
  var count: Int { bytes.count }

  /// Replaces the text from a place on.
  ///
  /// - Parameter new: what belongs there, from that text and from the text before it.
  mutating func replaceEnd(from start: Int, _ new: (_ end: String, _ before: Substring) -> String) {
    guard start < bytes.count else { return }
    let before = String(decoding: bytes[..<start].suffix(4), as: UTF8.self)
    let end = new(String(decoding: bytes[start...], as: UTF8.self), before[...])
    bytes.removeSubrange(start...)
    bytes += end.utf8
  }

  /// Takes the byte at an index, and those after it up to one that needs a closer look; single blanks do not.
  @inline(__always)
  mutating func appendRun(
    of text: UnsafeBufferPointer<UInt8>, from index: inout Int, while isOrdinary: (_ index: Int) -> Bool
  ) {
    let most = index + min(text.count - index, room)
    var end = index + 1
    while end < most {
      if isOrdinary(end) {
        end += 1
      } else if text[end] == 0x20, end + 1 < most, isOrdinary(end + 1) {
        end += 2
      } else {
        break
      }
    }
    append(text.slice(index..<end))
    index = end
  }

  mutating func append(_ text: some Collection<UInt8>) {
    if owesBlank, !bytes.isEmpty { bytes.append(" ") }
    owesBlank = false
    bytes.append(contentsOf: text)
  }
}

/// The longest prefix of a text of at most `limit` bytes of UTF-8 that ends between two grapheme clusters; if the first
/// cluster is longer, it is cut between two scalars.
public func graphemePrefix(of text: String, limit: Int) -> String {
  guard text.utf8.count > limit else { return text }
  var end = text.utf8.index(text.startIndex, offsetBy: max(0, limit))
  while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
  var kept = text[..<end]
  // The last cluster of the prefix may be a part of one.
  if String.Index(end, within: text) == nil, case let start = kept.index(before: end), start > kept.startIndex
  {
    kept = kept[..<start]
  }
  while kept.utf8.last == 0x20 { kept = Substring(kept.utf8.dropLast()) }
  return String(kept)
}

/// The longest prefix of a text of at most `limit` bytes of UTF-8 that ends between two scalars.
func scalarPrefix(of text: String, limit: Int) -> String {
  guard text.utf8.count > limit else { return text }
  let end = text.utf8.index(text.startIndex, offsetBy: limit)
  return String(text.unicodeScalars[..<end])
}

/// The lines of a text, which LF ends; also the empty ones.
func splitLines(_ text: String) -> [Substring] {
  text.split(separator: "\n", omittingEmptySubsequences: false)
}

/// Text with each line cleaned; line ends (LF or CR LF) stay, as message bodies may have them.
///
/// - Parameters:
///   - text: any text.
///   - limit: the maximum length in bytes of UTF-8; the cut is between two grapheme clusters.
/// - Returns: lines that cannot control a terminal.
func cleanLines(_ text: String, limit: Int) -> String {
  let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map {
    cleanText(String($0), limit: limit)
  }
  return graphemePrefix(of: lines.joined(separator: "\n"), limit: limit)
}

/// The last line of a text that is not blank, cleaned and cut; empty if there is none.
///
/// It usually says why a program has failed. A mere carriage return ends a line as well.
public func lastLine(of text: String, limit: Int) -> String {
  text.split(whereSeparator: \.isNewline).reversed().lazy.map { cleanText(String($0), limit: limit) }
    .first { !$0.isEmpty } ?? ""
}

/// The last lines of an error output as one, as many as fit.
///
/// msmtp(1) says the reason before its last line. Lines above an indented one are of a trace, whose last line says it.
func lastLines(of text: String, limit: Int) -> String {
  var output = ""
  for part in text.split(whereSeparator: { $0 == "\n" || $0 == "\r\n" }).reversed() {
    let line = lastLine(of: String(part), limit: limit)
    if line.isEmpty { continue }
    if output.isEmpty {
      output = line
    } else if part.first != " ", part.first != "\t", line.utf8.count + 2 + output.utf8.count <= limit {
      output = line + "; " + output
    } else {
      break
    }
  }
  return output
}
