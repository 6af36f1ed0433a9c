// Text of strangers made fit for a terminal, a notification or a log line: what could steer one is taken out.

/// A text on one line that cannot steer a terminal or turn the reading direction of what stands beside it.
///
/// Removed are control characters, terminal escape sequences (ECMA-48: CSI, and OSC, DCS, SOS, PM, APC with what they
/// carry, where they are complete), bidirectional marks, overrides and isolates, and invisible spaces. White space, line
/// and paragraph separators included, folds to single blanks, none at the ends. The joiners U+200C and U+200D stay:
/// Persian and emoji need them. Takes time in proportion to the text, whatever is in it.
///
/// - Parameters:
///   - text: anything.
///   - limit: the most bytes of UTF-8 to give, the `…` of a cut included; cut is between two characters as people
///     see them, or within one that is longer than the limit.
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

/// One walk over a text.
private struct Cleaning {
  let bytes: UnsafeBufferPointer<UInt8>
  /// Bytes after which the rest cannot matter: the limit and the scalar that says whether a cut there divides
  /// something.
  let enough: Int
  var output: [UInt8] = []
  var owesBlank = false
  var index = 0

  init(bytes: UnsafeBufferPointer<UInt8>, limit: Int) {
    self.bytes = bytes
    enough = min(limit, .max - 64) + 8
    output.reserveCapacity(min(max(0, limit), bytes.count) + 8)
  }

  /// The clean text, somewhat longer than the limit where it has to be cut.
  mutating func text() -> String {
    while index < bytes.count, output.count <= enough {
      let white = whiteSpaceLength(bytes, at: index)
      if white > 0 {
        owesBlank = true
        index += white
      } else if let introducer = controlCharacter(at: index) {
        takeControl(introducer)
      } else if Self.isOrdinary(bytes[index]) {
        takeRun()
      } else {
        let end = min(index + scalarLength(bytes[index]), bytes.count)
        if !isInvisible(end - index) { append(index..<end) }
        index = end
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Takes text up to the next byte that has to be looked at.
  private mutating func takeRun() {
    let most = index + min(bytes.count - index, enough - output.count + 8)
    var end = index
    while end < most {
      if Self.isOrdinary(bytes[end]) {
        end += 1
      } else if bytes[end] == 0x20, end + 1 < most, Self.isOrdinary(bytes[end + 1]) {
        end += 2
      } else {
        break
      }
    }
    append(index..<end)
    index = end
  }

  /// Whether a byte is part of no character that is white, invisible or a control character.
  private static func isOrdinary(_ byte: UInt8) -> Bool {
    switch byte {
    case ...0x20, 0x7F, 0xC2, 0xD8, 0xE1...0xE3, 0xEF: false
    default: true
    }
  }

  private mutating func append(_ range: Range<Int>) {
    if owesBlank {
      if !output.isEmpty { output.append(UInt8(ascii: " ")) }
      owesBlank = false
    }
    output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[range]))
  }

  /// The C0, DEL or C1 control character at a place, and its length.
  private func controlCharacter(at index: Int) -> (code: UInt8, length: Int)? {
    let byte = bytes[index]
    if byte < 0x20 || byte == 0x7F { return (byte, 1) }
    if byte == 0xC2, index + 1 < bytes.count, bytes[index + 1] < 0xA0 { return (bytes[index + 1], 2) }
    return nil
  }

  private mutating func takeControl(_ control: (code: UInt8, length: Int)) {
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

  /// Skips what an OSC, DCS, SOS, PM or APC carries, up to BEL or ST; without either it is text and stays.
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
      if control.code == 0x1B, end + 1 < bytes.count, bytes[end + 1] == UInt8(ascii: "\\") { index = end + 2 }
      return
    }
  }

  private func scalarLength(_ lead: UInt8) -> Int {
    switch lead {
    case ..<0x80: 1
    case ..<0xE0: 2
    case ..<0xF0: 3
    default: 4
    }
  }

  /// Whether the character here turns the reading direction or takes no room without joining anything.
  private func isInvisible(_ length: Int) -> Bool {
    guard length > 1, index + length <= bytes.count else { return false }
    var code = UInt32(bytes[index]) & (length == 2 ? 0x1F : length == 3 ? 0x0F : 0x07)
    for byte in bytes[(index + 1)..<(index + length)] { code = code << 6 | UInt32(byte & 0x3F) }
    switch code {
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: return true
    case 0x180E, 0x200B, 0x2060...0x2065, 0x206A...0x206F, 0xFEFF, 0xFFF9...0xFFFB: return true
    default: return false
    }
  }
}

/// The longest beginning of a text that is at most `limit` bytes of UTF-8 and ends between two characters as
/// people see them; where the very first one is longer, it is cut between two scalars.
public func graphemePrefix(of text: String, limit: Int) -> String {
  guard text.utf8.count > limit else { return text }
  // A printable ASCII character begins a new one, so it is enough to look from the last of those on.
  let utf8 = text.utf8
  let place = utf8.index(utf8.startIndex, offsetBy: max(0, limit))
  var end = place
  var steps = 0
  while end > text.startIndex, steps < 512, !(0x20..<0x7F).contains(utf8[end]) {
    end = utf8.index(before: end)
    steps += 1
  }
  if !(0x20..<0x7F).contains(utf8[end]) { end = text.startIndex }
  while end < place {
    let next = text.index(after: end)
    guard next <= place else { break }
    end = next
  }
  if end == text.startIndex, limit > 0 {
    end = place
    while end > text.startIndex, end.samePosition(in: text.unicodeScalars) == nil {
      end = text.utf8.index(before: end)
    }
  }
  while end > text.startIndex, text.utf8[text.utf8.index(before: end)] == UInt8(ascii: " ") {
    end = text.utf8.index(before: end)
  }
  return String(text[..<end])
}
