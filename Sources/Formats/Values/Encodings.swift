// Conversions to UTF-8: repairing it, and all other encodings through iconv(3).

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
  var output: [UInt8] = []
  output.reserveCapacity(bytes.count + bytes.count / 8)
  // Valid bytes are copied in whole runs.
  var rest = bytes[...]
  while true {
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: rest.span)
      return output + rest
    } catch {
      let fault = rest.dropFirst(error.byteOffsets.lowerBound).prefix(error.byteOffsets.count)
      output += rest[..<fault.startIndex]
      rest = rest[fault.endIndex...]
      let byte = fault[fault.startIndex]
      let code =
        fault.count > 1
        ? 0xFFFD : byte < 0xA0 ? CharacterReference.windows1252[Int(byte - 0x80)] ?? 0xFFFD : UInt16(byte)
      output += UTF8.encode(Unicode.Scalar(code) ?? "\u{FFFD}") ?? .init()
    }
  }
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

/// The length of the terminal escape sequence (ECMA-48: CSI, or OSC with its text) at an ESC; 1 for an incomplete one.
///
/// No sequence may contain `<`, `>`, `"` or `\`, which could be the document's syntax. The search for the end of an OSC
/// ends at the next control character, so that no text is searched twice.
private func escapeSequenceLength(_ bytes: [UInt8], at start: Int) -> Int {
  func byte(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }
  func isMark(_ byte: UInt8) -> Bool {
    ["<", ">", "\"", "\\"].contains(byte)
  }
  var index = start + 2
  switch byte(start + 1) {
  case "[":
    while (0x20...0x3F).contains(byte(index)), !isMark(byte(index)) { index += 1 }
    return (0x40...0x7E).contains(byte(index)) && !isMark(byte(index)) ? index + 1 - start : 1
  case "]":
    while byte(index) >= 0x20, !isMark(byte(index)) { index += 1 }
    if byte(index) == 0x07 { return index + 1 - start }
    return byte(index) == 0x1B && byte(index + 1) == "\\" ? index + 2 - start : 1
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

/// The encoding, if it is UTF-16 or UTF-32, and the length of its units: by a byte order mark, or by the zero bytes of two ASCII
/// characters at the beginning.
private func wideEncoding(of bytes: [UInt8]) -> (name: String, unit: Int)? {
  guard bytes.count >= 4 else { return nil }
  switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
  case (0xFF, 0xFE, 0, 0), (1..., 0, 0, 0): return ("UTF-32LE", 4)
  case (0, 0, 0xFE, 0xFF), (0, 0, 0, 1...): return ("UTF-32BE", 4)
  case (0xFF, 0xFE, _, _), (1..., 0, 1..., 0): return ("UTF-16LE", 2)
  case (0xFE, 0xFF, _, _), (0, 1..., 0, 1...): return ("UTF-16BE", 2)
  default: return nil
  }
}

/// The bytes converted to UTF-8 by iconv(3); nil if the C library does not know the encoding or the bytes are not in it.
///
/// A few invalid units become U+FFFD. More of them mean that the label is wrong. A stopped conversion returns nil.
///
/// - Parameter unit: the number of bytes to skip at an invalid unit.
private func converted(
  _ bytes: [UInt8], from encoding: String, unit: Int = 1, shouldStop: ShouldStop
) -> [UInt8]? {
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
        var position = chunk.baseAddress
        var room = chunk.count
        // Without input, iconv writes the characters that it holds back for a combining character.
        let result =
          isFlushing
          ? iconv(handle, nil, nil, &position, &room) : iconv(handle, &input, &inputLeft, &position, &room)
        let problem = result == -1 ? errno : 0
        output.append(contentsOf: UnsafeRawBufferPointer(chunk).prefix(chunk.count - room))
        switch problem {
        case E2BIG:
          if shouldStop() { return false }
        case EILSEQ where !isFlushing:
          faults += 1
          guard faults <= allowedFaults else { return false }
          output.append(contentsOf: [0xEF, 0xBF, 0xBD])
          input = input?.advanced(by: unit)
          inputLeft -= unit
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

/// The document as valid UTF-8 without a byte order mark, without control characters, with LF line ends.
///
/// The encoding is found by, in this order: a byte order mark or the zero bytes of UTF-16 and UTF-32; the `charset` of
/// the HTTP field; the XML declaration; the bytes. Labels that contradict the bytes are ignored: many servers call
/// every document latin-1, and many generators declare `utf-8` whatever the bytes are. Without a usable label the text
/// is UTF-8 in which single bytes may be windows-1252. A document that is clean UTF-8 is returned without a copy.
func decodedText(
  _ bytes: [UInt8], contentType: String?, shouldStop: @escaping ShouldStop = { false }
) -> [UInt8] {
  let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
  if let (name, unit) = wideEncoding(of: bytes),
    let text = converted(bytes, from: name, unit: unit, shouldStop: shouldStop)
  {
    return withoutControls(text.starts(with: mark) ? Array(text[3...]) : text)
  }
  if bytes.starts(with: mark) {
    let body = Array(bytes[3...])
    return withoutControls(isValidUTF8(body) ? body : repairedUTF8(body))
  }
  let isUTF8 = isValidUTF8(bytes)
  for label in [contentType.flatMap(charset(ofContentType:)), declaredEncoding(bytes)] {
    switch label.flatMap(encodingName) {
    case nil: continue
    case "UTF-8":
      if isUTF8 { return withoutControls(bytes) }
    case let name?:
      // A seven-bit encoding looks like ASCII by its bytes.
      let isSevenBit = name.hasPrefix("ISO-2022")
      if isUTF8, !isSevenBit, isUnmistakablyUTF8(bytes) { return withoutControls(bytes) }
      if let text = converted(bytes, from: name, shouldStop: shouldStop) { return withoutControls(text) }
    }
  }
  return withoutControls(isUTF8 ? bytes : repairedUTF8(bytes))
}

/// Whether valid UTF-8 is certainly meant as UTF-8: it is ASCII, or has more multi-byte characters than another
/// encoding would produce by accident.
private func isUnmistakablyUTF8(_ bytes: [UInt8]) -> Bool {
  var long = 0
  for byte in bytes where byte >= 0xC2 {
    long += 1
    if long == 8 { return true }
  }
  return long == 0
}

/// The name for iconv(3) of the encoding that a label in an HTTP field or XML declaration means; nil if there is none.
///
/// ASCII, latin-1 and windows-1252 are UTF-8 here: the bytes distinguish them better than the labels do. Nil also for UTF-16 and
/// UTF-32: their zero bytes have been looked for before, so the label is wrong.
private func encodingName(_ label: String) -> String? {
  let label = label.lowercased()
  // iconv gives '/' and ',' a special meaning, so only the characters of names may reach it.
  guard (1...40).contains(label.utf8.count),
    label.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "-_.:+".utf8.contains($0) }),
    !["utf-1", "utf1", "utf-3", "utf3", "utf-7", "ucs", "iso-10646", "unicode"].contains(
      where: label.hasPrefix)
  else { return nil }
  return namesOfUTF8.contains(label) ? "UTF-8" : largerEncodings[label] ?? label.uppercased()
}

private let namesOfUTF8: Set = [
  "utf-8", "utf8", "us-ascii", "ascii", "iso-8859-1", "iso8859-1", "latin1", "latin-1", "windows-1252",
  "cp1252",
]

/// Labels that mean a larger set on the web (WHATWG Encoding Standard), or that iconv does not know.
private let largerEncodings = [
  "shift_jis": "CP932", "shift-jis": "CP932", "x-sjis": "CP932", "sjis": "CP932", "x-euc-jp": "EUC-JP",
  "gb2312": "GB18030", "gbk": "GB18030", "big5": "BIG5-HKSCS", "euc-kr": "CP949", "ks_c_5601-1987": "CP949",
  "tis-620": "CP874", "iso-8859-9": "CP1254", "iso-8859-8-i": "ISO-8859-8",
]

/// The `charset` parameter of a Content-Type field, without quotes.
func charset(ofContentType field: String) -> String? {
  // Some servers quote it by halves, or with apostrophes.
  let value = fieldParameters(field)["charset"]?.filter { !"\"' \t".contains($0) }
  return value?.isEmpty == false ? value : nil
}

/// The encoding named by an XML declaration in the first bytes, possibly after white space.
func declaredEncoding(_ bytes: [UInt8]) -> String? {
  let head = String(decoding: bytes.prefix(512), as: UTF8.self)
  let trimmed = head.drop { $0.isWhitespace }
  guard trimmed.hasPrefix("<?xml"), let end = trimmed.firstIndex(of: ">"),
    let key = trimmed[..<end].firstRange(of: "encoding")
  else { return nil }
  let value = trimmed[key.upperBound..<end].drop { $0 == "=" || $0.isWhitespace }
  guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
  return String(value.dropFirst().prefix { $0 != quote })
}

/// The `Content-Type` of a page: the HTTP field, or with the `charset` of the page's `meta` if the field has none
/// (HTML standard, section 13.2.3.2).
func pageType(_ contentType: String?, of page: [UInt8]) -> String? {
  if let contentType, charset(ofContentType: contentType) != nil { return contentType }
  let start = page.prefix(2048).map(asciiLowercased)
  guard let mark = start.firstRange(of: "charset=".utf8) else { return contentType }
  let label = start[mark.upperBound...].drop { $0 == 0x22 || $0 == 0x27 }.prefix {
    $0 > 0x20 && $0 != 0x22 && $0 != 0x27 && $0 != ">" && $0 != ";"
  }
  return "text/html; charset=" + String(decoding: label, as: UTF8.self)
}
