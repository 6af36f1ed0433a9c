// Names of character encodings, as HTTP fields and XML declarations write them.

/// What a label asks for.
enum EncodingLabel: Equatable {
  /// UTF-8, ASCII, latin-1 or windows-1252, which are told apart by the bytes better than by their labels.
  case utf8OrLatin1
  /// UTF-16 or UTF-32, which show by their zero bytes; without those the label is wrong.
  case wide
  /// Another one, under the name that iconv(3) knows; a seven-bit one cannot be told from ASCII by its bytes.
  case other(name: String, isSevenBit: Bool)

  /// Reads a label; nil if it is none.
  init?(_ label: String) {
    let label = label.lowercased()
    // iconv gives '/' and ',' a meaning of their own, so only what a name may have reaches it.
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

  /// Labels that iconv does not know, or that stand on the web for a larger set (WHATWG Encoding Standard).
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

/// The `charset` parameter of a Content-Type field, without quotes; nil if there is none.
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

/// The encoding that the XML declaration names, which stands in the first bytes, if need be after blanks.
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
