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

/// Whether a byte is ESC, or BEL, which ends some sequences that ESC begins.
func isEscape(_ byte: UInt8) -> Bool { byte == 0x1B || byte == 0x07 }

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
    (self.width, self.isBigEndian, self.markLength) = (width, isBigEndian, mark)
  }

  /// The text as UTF-8.
  ///
  /// Invalid units become U+FFFD, and an incomplete unit at the end is dropped.
  func utf8(of bytes: [UInt8]) -> [UInt8] {
    width == 2 ? utf8(of: bytes, in: UTF16.self) : utf8(of: bytes, in: UTF32.self)
  }

  private func utf8<Form: Unicode.Encoding>(of bytes: [UInt8], in form: Form.Type) -> [UInt8]
  where Form.CodeUnit: FixedWidthInteger {
    bytes.withUnsafeBytes { raw in
      let units = stride(from: markLength, through: raw.count - width, by: width).lazy.map {
        let unit = raw.loadUnaligned(fromByteOffset: $0, as: Form.CodeUnit.self)
        return isBigEndian ? unit.bigEndian : unit.littleEndian
      }
      var output: [UInt8] = []
      output.reserveCapacity(raw.count / width)
      _ = transcode(units.makeIterator(), from: form, to: UTF8.self, stoppingOnError: false) {
        output.append($0)
      }
      return output
    }
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

/// The document as valid UTF-8 without a byte order mark, without control characters, with LF line ends.
///
/// The encoding is found by, in this order: a byte order mark or the zero bytes of UTF-16 and UTF-32; the `charset` of
/// the HTTP field; the XML declaration; the bytes. Labels that contradict the bytes are ignored: many servers call
/// every document latin-1, and many generators declare `utf-8` whatever the bytes are. Without a usable label the text
/// is UTF-8 in which single bytes may be windows-1252. A document that is clean UTF-8 is returned without a copy.
func decodedText(
  _ bytes: [UInt8], contentType: String?, shouldStop: @escaping ShouldStop = { false }
) -> [UInt8] {
  if let form = WideForm(of: bytes) { return withoutControls(form.utf8(of: bytes)) }
  if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
    let body = Array(bytes[3...])
    return withoutControls(isValidUTF8(body) ? body : repairedUTF8(body))
  }
  let isUTF8 = isValidUTF8(bytes)
  for label in [contentType.flatMap(charset(ofContentType:)), declaredEncoding(bytes)] {
    switch label.flatMap(EncodingLabel.init) {
    case nil, .wide: continue
    case .utf8OrLatin1:
      if isUTF8 { return withoutControls(bytes) }
    case .other(let name, let isSevenBit):
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

/// The meaning of an encoding's label in an HTTP field or XML declaration.
enum EncodingLabel: Equatable {
  /// UTF-8, ASCII, latin-1 or windows-1252. The bytes distinguish them better than the labels do.
  case utf8OrLatin1
  /// UTF-16 or UTF-32. Their zero bytes have been looked for before, so this label is wrong.
  case wide
  /// Another encoding, with its name for iconv(3). A seven-bit encoding looks like ASCII by its bytes.
  case other(name: String, isSevenBit: Bool)

  init?(_ label: String) {
    let label = label.lowercased()
    // iconv gives '/' and ',' a special meaning, so only the characters of names may reach it.
    guard (1...40).contains(label.utf8.count), label != "utf-7",
      label.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "-_.:+".utf8.contains($0) })
    else { return nil }
    if Self.names.contains(label) {
      self = .utf8OrLatin1
    } else if ["utf-16", "utf-32", "utf16", "utf32", "ucs-2", "ucs-4", "iso-10646"].contains(
      where: label.hasPrefix)
      || label == "unicode"
    {
      self = .wide
    } else {
      let isSevenBit = label.hasPrefix("iso-2022") || label.hasPrefix("csiso2022") || label.hasPrefix("hz")
      self = .other(name: Self.known[label] ?? label.uppercased(), isSevenBit: isSevenBit)
    }
  }

  /// The labels of UTF-8, ASCII, latin-1 and windows-1252.
  private static let names: Set<String> = [
    "utf-8", "utf8", "utf_8", "unicode-1-1-utf-8", "x-unicode20utf8", "us-ascii", "ascii", "ansi_x3.4-1968",
    "iso-8859-1",
    "iso8859-1", "iso88591", "iso_8859-1", "iso_8859-1:1987", "latin1", "latin-1", "l1", "windows-1252",
    "cp1252",
    "x-cp1252", "win-1252", "none", "unknown", "default",
  ]

  /// Labels that iconv does not know, or that mean a larger set on the web (WHATWG Encoding Standard).
  private static let known: [String: String] = [
    "shift_jis": "CP932", "shift-jis": "CP932", "x-sjis": "CP932", "sjis": "CP932", "ms_kanji": "CP932",
    "windows-31j": "CP932", "csshiftjis": "CP932", "x-euc-jp": "EUC-JP", "eucjp": "EUC-JP",
    "gb2312": "GB18030", "gb_2312-80": "GB18030", "gbk": "GB18030", "x-gbk": "GB18030", "csgb2312": "GB18030",
    "cp936": "GB18030", "big5": "BIG5-HKSCS", "big5-hkscs": "BIG5-HKSCS", "cn-big5": "BIG5-HKSCS",
    "x-x-big5": "BIG5-HKSCS", "euc-kr": "CP949", "ks_c_5601-1987": "CP949", "ksc5601": "CP949",
    "windows-949": "CP949", "korean": "CP949", "koi": "KOI8-R", "koi8": "KOI8-R", "koi8_r": "KOI8-R",
    "dos-866": "CP866", "windows-874": "CP874", "tis-620": "CP874", "iso-8859-11": "CP874",
    "iso-8859-9": "CP1254", "latin5": "CP1254", "x-mac-roman": "MACINTOSH", "mac": "MACINTOSH",
    "windows-1250": "CP1250", "windows-1251": "CP1251", "win-1251": "CP1251", "windows-1253": "CP1253",
    "windows-1254": "CP1254", "windows-1255": "CP1255", "windows-1256": "CP1256", "windows-1257": "CP1257",
    "windows-1258": "CP1258", "x-cp1250": "CP1250", "x-cp1251": "CP1251", "iso-8859-8-i": "ISO-8859-8",
  ]
}

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
