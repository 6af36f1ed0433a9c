// Text in mail: header fields in ASCII (RFC 2047) and bodies in short lines (RFC 2045).

/// A header field on lines of at most 76 bytes.
///
/// Short printable ASCII stays as it is. Anything else becomes encoded words (RFC 2047), so that no text can end the field or
/// begin another one.
func headerField(_ name: String, _ text: String) -> String {
  let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && !text.contains("=?")
  if isPlain, name.utf8.count + 2 + text.utf8.count <= 76 { return "\(name): \(text)" }
  return "\(name): " + encodedWords(text).joined(separator: "\n ")
}

/// The text in encoded words of at most 64 bytes, each with whole scalars (RFC 2047 section 5).
private func encodedWords(_ text: String) -> [String] {
  var words: [String] = []
  var bytes: [UInt8] = []
  func close() {
    let padding = String(repeating: "=", count: (3 - bytes.count % 3) % 3)
    if !bytes.isEmpty { words.append("=?UTF-8?B?\(base64(bytes) + padding)?=") }
    bytes = []
  }
  for scalar in text.unicodeScalars {
    let next = Array(UTF8.encode(scalar) ?? .init())
    // 39 bytes are 52 letters of base64, and 12 more belong to the word.
    if bytes.count + next.count > 39 { close() }
    bytes += next
  }
  close()
  return words
}

/// A body in quoted-printable (RFC 2045 section 6.7): ASCII on lines of at most 76 bytes.
///
/// A `.` or `From ` at the beginning of a line is encoded too: sendmail(8) may take the first for the end of the mail, and
/// programs that store mail change the second.
func quotedPrintable(_ text: String) -> String {
  let digits = Array("0123456789ABCDEF".utf8)
  var output: [UInt8] = []
  var length = 0
  let bytes = Array(text.utf8)
  for (index, byte) in bytes.enumerated() {
    if byte == UInt8(ascii: "\n") {
      output.append(byte)
      length = 0
      continue
    }
    let isLast = index + 1 == bytes.count || bytes[index + 1] == UInt8(ascii: "\n")
    let isPlain =
      byte == UInt8(ascii: " ") ? !isLast : (0x21..<0x7F).contains(byte) && byte != UInt8(ascii: "=")
    // One byte stays free for the `=` of a soft line break.
    if length + (isPlain ? 1 : 3) > 75 {
      output += "=\n".utf8
      length = 0
    }
    let isMark = length == 0 && (byte == UInt8(ascii: ".") || bytes[index...].starts(with: "From ".utf8))
    let piece =
      isPlain && !isMark ? [byte] : [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    output += piece
    length += piece.count
  }
  return String(decoding: output, as: UTF8.self)
}
