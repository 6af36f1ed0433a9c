// Decoding a document of any encoding to clean UTF-8. Encodings.swift has the conversions.

import Core

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
    guard (1...40).contains(label.utf8.count), label.utf8.allSatisfy(Self.isNameByte), label != "utf-7" else {
      return nil
    }
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

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "+"):
      true
    default:
      false
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
  for parameter in field.split(separator: ";").dropFirst() {
    let parts = parameter.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, parts[0].filter({ $0 != " " && $0 != "\t" }).lowercased() == "charset" else {
      continue
    }
    let value = parts[1].filter { !"\"' \t".contains($0) }
    return value.isEmpty ? nil : String(value)
  }
  return nil
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

/// The `Content-Type` of a page: that of the HTTP field, or with the `charset` of the page's `meta` if the field has none
/// (HTML standard, section 13.2.3.2).
func pageType(_ contentType: String?, of page: [UInt8]) -> String? {
  if let contentType, charset(ofContentType: contentType) != nil { return contentType }
  let start = page.prefix(2048).map(asciiLowercased)
  let mark = Array("charset=".utf8)
  guard start.count > mark.count,
    let place = (0...(start.count - mark.count)).first(where: {
      start[$0..<($0 + mark.count)].elementsEqual(mark)
    })
  else { return contentType }
  let label = start[(place + mark.count)...].drop { $0 == 0x22 || $0 == 0x27 }.prefix {
    $0 > 0x20 && $0 != 0x22 && $0 != 0x27 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: ";")
  }
  return "text/html; charset=" + String(decoding: label, as: UTF8.self)
}
