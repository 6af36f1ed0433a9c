// Text for other formats: XML and Pango markup, percent-encoded addresses, base64, JSON that is safe on a terminal.
//
// These functions compare Unicode scalars or bytes, never a Character: U+0600 and a `<` after it are one Character, which
// does not equal "<".

/// The format that `escapedMarkup` escapes for.
public enum MarkupFormat: Sendable {
  /// Content of an HTML element: `&` and `<`.
  case html
  /// The body of a notification, whose server reads markup and backslashes: `&`, `<`, `>` and `\\`.
  case notification
  /// XML and Pango, in content and in attributes: `&`, `<`, `>` and both quotes.
  case xml
}

/// A text with the characters escaped that mean something in a markup format.
public func escapedMarkup(_ text: String, for format: MarkupFormat = .xml) -> String {
  var text = text
  return text.withUTF8 { escapedMarkup($0, for: format) }
}

/// Bytes of UTF-8 with the characters escaped that mean something in a markup format.
public func escapedMarkup(_ bytes: UnsafeBufferPointer<UInt8>, for format: MarkupFormat) -> String {
  var output: [UInt8] = []
  output.reserveCapacity(bytes.count + bytes.count / 8)
  for byte in bytes {
    switch byte {
    case UInt8(ascii: "&"): output += "&amp;".utf8
    case UInt8(ascii: "<"): output += "&lt;".utf8
    case UInt8(ascii: ">") where format != .html: output += "&gt;".utf8
    case UInt8(ascii: "'") where format == .xml: output += "&#39;".utf8
    case UInt8(ascii: "\"") where format == .xml: output += "&quot;".utf8
    case UInt8(ascii: "\\") where format == .notification: output += "\\\\".utf8
    default: output.append(byte)
    }
  }
  return String(decoding: output, as: UTF8.self)
}

/// A text with all scalars percent-encoded as UTF-8 (RFC 3986 section 2.1) except those to keep.
public func percentEncoded(_ text: String, keeping isKept: (Unicode.Scalar) -> Bool) -> String {
  let digits: StaticString = "0123456789ABCDEF"
  var output: [UInt8] = []
  output.reserveCapacity(text.utf8.count * 2)
  for scalar in text.unicodeScalars {
    guard !isKept(scalar) else {
      output.append(contentsOf: scalar.utf8)
      continue
    }
    for byte in scalar.utf8 {
      output.append(UInt8(ascii: "%"))
      output.append(digits.utf8Start[Int(byte >> 4)])
      output.append(digits.utf8Start[Int(byte & 15)])
    }
  }
  return String(decoding: output, as: UTF8.self)
}

/// A text with `%XX` decoded; bytes that are not UTF-8 become U+FFFD.
func percentDecoded(_ text: some StringProtocol) -> String {
  guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
  return String(decoding: percentDecodedBytes(text.utf8), as: UTF8.self)
}

/// Bytes with `%XX` decoded; a percent sign without two digits stays.
func percentDecodedBytes(_ text: some Collection<UInt8>) -> [UInt8] {
  let bytes = Array(text)
  var decoded: [UInt8] = []
  var index = 0
  while index < bytes.count {
    if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = bytes[index + 1].hexDigitValue,
      let low = bytes[index + 2].hexDigitValue
    {
      decoded.append(high << 4 | low)
      index += 3
    } else {
      decoded.append(bytes[index])
      index += 1
    }
  }
  return decoded
}

/// An address in which scalars that could control a terminal are percent-encoded, which does not change its meaning (RFC
/// 3987 section 3.1).
public func terminalSafeAddress(_ text: String) -> String {
  // Printable ASCII cannot control a terminal.
  if text.utf8.allSatisfy({ 0x20 <= $0 && $0 < 0x7F }) { return text }
  return percentEncoded(text) { !$0.controlsTerminal }
}

/// JSON on one line in which scalars that could control a terminal are escaped.
///
/// Its meaning stays the same, because they can only be in strings.
func terminalSafeJSON(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: \.controlsTerminal) else { return text }
  var output = ""
  for scalar in text.unicodeScalars {
    if scalar.controlsTerminal { output += scalar.jsonEscape } else { output.unicodeScalars.append(scalar) }
  }
  return output
}

/// A text for a message, with invisible scalars written as `\u{200b}`, cut after `limit` scalars.
///
/// Two names that differ only in invisible scalars then look different.
public func visible(_ text: String, limit: Int) -> String {
  var output = ""
  for (index, scalar) in text.unicodeScalars.enumerated() {
    if index == limit { return output + "…" }
    switch scalar.properties.generalCategory {
    case _ where scalar == " ": output += " "
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .unassigned:
      output += "\\u{" + String(scalar.value, radix: 16) + "}"
    default: output.unicodeScalars.append(scalar)
    }
  }
  return output
}

/// The name or path of a file on one line, without terminal escape sequences.
public func shownFileName(_ name: String) -> String { visible(name, limit: 4096) }

/// The bytes of a base64 text (RFC 4648 section 4), in which white space is ignored; nil if it is not base64.
public func decodedBase64(_ text: some Collection<UInt8>) -> [UInt8]? {
  var output: [UInt8] = []
  output.reserveCapacity(text.count * 3 / 4)
  var bits: UInt32 = 0
  var count: UInt32 = 0
  for byte in text where byte > 0x20 && byte != UInt8(ascii: "=") {
    guard let value = base64Letters.firstIndex(of: byte) else { return nil }
    bits = bits << 6 | UInt32(value)
    count += 6
    if count >= 8 {
      count -= 8
      output.append(UInt8(truncatingIfNeeded: bits >> count))
    }
  }
  return output
}

/// Bytes in base64 without padding (RFC 4648 section 4).
func base64(_ bytes: [UInt8]) -> String {
  var text: [UInt8] = []
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let group = bytes[start..<min(start + 3, bytes.count)]
    let number = (0..<3).reduce(0) { $0 << 8 | (start + $1 < bytes.count ? Int(bytes[start + $1]) : 0) }
    for index in 0...group.count { text.append(base64Letters[number >> (18 - 6 * index) & 63]) }
  }
  return String(decoding: text, as: UTF8.self)
}

private let base64Letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

extension Unicode.Scalar {
  /// Whether a URI may contain the scalar anywhere without encoding (RFC 3986 section 2.3).
  var isUnreserved: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": true
    default: false
    }
  }

  /// Whether the scalar could control a terminal or a display of lines: C0 and C1 control characters, line and paragraph
  /// separators, bidirectional marks, overrides and isolates (UAX #9).
  public var controlsTerminal: Bool {
    switch value {
    case ..<0x20, 0x7F...0x9F: true
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// The scalar as JSON escapes it (RFC 8259 section 7); no scalar that controls a terminal is above U+FFFF.
  var jsonEscape: String {
    let hex = String(value, radix: 16)
    return "\\u" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
  }
}

/// A word for a command line, quoted for a shell if needed.
public func shellWord(_ word: String) -> String {
  isPlainWord(word) ? word : "'" + replacing(["'": "'\\''"], in: word) + "'"
}

/// A text with other texts in place of some scalars.
///
/// Unlike `String.replacing`, it also finds a quote that is one Character with the combining mark after it.
public func replacing(_ pieces: [Unicode.Scalar: String], in text: String) -> String {
  text.unicodeScalars.reduce(into: "") { $0 += pieces[$1] ?? String($1) }
}

/// Whether a word needs no quotes for a shell, cron or systemd.
func isPlainWord(_ word: String) -> Bool {
  !word.isEmpty
    && word.utf8.allSatisfy { $0.isASCIIDigit || $0.isASCIILetter || "/._-+,:@".utf8.contains($0) }
}
