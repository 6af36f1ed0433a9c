// Character references of HTML: which are decoded, and which text stays.

import Core
import Testing

@Suite struct HTMLEntitiesTests {
  @Test(arguments: [
    ("AT&amp;T", "AT&T"), ("&lt;b&gt;", "<b>"), ("caf&eacute;", "café"), ("&Eacute;", "É"),
    ("a&nbsp;b", "a\u{A0}b"), ("&#8364;", "€"), ("&#x20ac;", "€"), ("&#X20AC;", "€"), ("&hellip;", "…"),
    ("&thetasym;", "ϑ"), ("&apos;", "'"), ("&starf;", "★"), ("&amp;amp;", "&amp;"),
    // The numbers 128 to 159 mean windows-1252; those without a character are removed.
    ("&#146;", "’"), ("&#150;", "–"), ("&#x80;", "€"), ("a&#0;b", "ab"), ("a&#xD800;b", "ab"),
    ("a&#x110000;b", "ab"), ("a&#99999999;b", "ab"), ("a&#8;b", "ab"), ("a&#x9D;b", "ab"), ("a&#x7F;b", "ab"),
    // Introducers and terminators of escape sequences stay for cleanText.
    ("&#27;]0;x&#x7;", "\u{1B}]0;x\u{7}"),
  ])
  func `a known reference is decoded once`(text: String, expected: String) {
    #expect(decodedEntities(text) == expected)
  }

  @Test(arguments: ["a & b", "?a=1&b=2", "&unknown;", "&;", "&#;", "&#x;", "&#12a;", "&amp", "&", "&copy=2;"])
  func `an ampersand without a reference is literal`(text: String) {
    #expect(decodedEntities(text) == text)
  }

  @Test(arguments: [("thinsp", "\u{2009}"), ("rsquo", "’"), ("bdquo", "„"), ("Dagger", "‡"), ("rdquo", "”")])
  func `names of marks are known`(name: String, expected: String) {
    #expect(decodedEntities("&\(name);") == expected)
  }
}

/// A text with its character references decoded once.
private func decodedEntities(_ text: String) -> String {
  let bytes = Array(text.utf8)
  return bytes.withUnsafeBufferPointer { bytes in
    var output = ""
    var index = 0
    while index < bytes.count {
      guard bytes[index] == UInt8(ascii: "&"), let found = HTMLEntities.reference(in: bytes, at: index)
      else {
        output.unicodeScalars.append(Unicode.Scalar(bytes[index]))
        index += 1
        continue
      }
      if let scalar = found.scalar { output.unicodeScalars.append(scalar) }
      index += found.length
    }
    return output
  }
}
