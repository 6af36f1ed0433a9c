// Character references of HTML: which are decoded, and which text stays.

import Testing

@testable import Core

@Suite struct CharacterReferenceTests {
  @Test(arguments: [
    ("AT&amp;T", "AT&T"), ("&lt;b&gt;", "<b>"), ("caf&eacute;", "café"), ("&Eacute;", "É"),
    ("a&nbsp;b", "a\u{A0}b"), ("&#8364;", "€"), ("&#x20ac;", "€"), ("&#X20AC;", "€"), ("&hellip;", "…"),
    ("&thetasym;", "ϑ"), ("&apos;", "'"), ("&starf;", "★"), ("&amp;amp;", "&amp;"),
    ("&CounterClockwiseContourIntegral;", "∳"), ("&NotEqualTilde;", "≂\u{338}"), ("&nvlt;", "<\u{20D2}"),
    ("&ThickSpace;", "\u{205F}\u{200A}"), ("&zwnj;", "\u{200C}"),
    // The numbers 128 to 159 mean windows-1252; those without a character are U+FFFD.
    ("&#146;", "’"), ("&#150;", "–"), ("&#x80;", "€"), ("a&#0;b", "a\u{FFFD}b"), ("a&#xD800;b", "a\u{FFFD}b"),
    ("a&#x110000;b", "a\u{FFFD}b"), ("a&#99999999999999999999;b", "a\u{FFFD}b"), ("&#x9D;", "\u{9D}"),
    // Introducers and terminators of escape sequences stay for cleanText.
    ("&#27;]0;x&#x7;", "\u{1B}]0;x\u{7}"),
  ])
  func `a known reference is decoded once, everywhere`(text: String, expected: String) {
    for place in [CharacterReference.Place.text, .attribute, .xml] {
      #expect(decoded(text, place) == expected)
    }
  }

  @Test(arguments: ["a & b", "?a=1&b=2", "&unknown;", "&;", "&#;", "&#x;", "&#xg;", "&", "&a", "&ampamp"])
  func `an ampersand without a reference is literal`(text: String) {
    #expect(decoded(text, .xml) == text)
    if text != "&ampamp" { #expect(decoded(text, .text) == text) }
  }

  @Test(arguments: [
    // Text, as in HTML; as in an attribute; as in XML.
    ("&copy 2027", "© 2027", "© 2027", "&copy 2027"), ("&copy=1", "©=1", "&copy=1", "&copy=1"),
    ("?a&notit;", "?a¬it;", "?a&notit;", "?a&notit;"), ("&amp", "&", "&", "&amp"),
    ("&notin;", "∉", "∉", "∉"), ("&notinva;", "∉", "∉", "∉"), ("&AMPx", "&x", "&AMPx", "&AMPx"),
    ("&#65a", "Aa", "Aa", "&#65a"), ("&#x41", "A", "A", "&#x41"),
    ("&hellip ", "&hellip ", "&hellip ", "&hellip "),
  ])
  func `a reference without a semicolon depends on its place`(
    source: String, text: String, attribute: String, xml: String
  ) {
    #expect(decoded(source, .text) == text)
    #expect(decoded(source, .attribute) == attribute)
    #expect(decoded(source, .xml) == xml)
  }

  @Test func `all names of the standard are known`() {
    let text = String(decoding: PackageResources.CharacterReferences_txt, as: UTF8.self)
    let words = text.split(whereSeparator: \.isWhitespace)
    let names = words.flatMap { ($0.split(separator: ":").last ?? "").split(separator: ",") }
    let old = names.filter { $0.hasSuffix("!") }

    #expect(names.count == 2125)
    #expect(old.count == 106)
    for name in names.map({ $0.filter { $0 != "!" } }) {
      #expect(decoded("&\(name);", .xml) != "&\(name);", "\(name)")
    }
  }
}

/// A text with its character references decoded once.
private func decoded(_ text: String, _ place: CharacterReference.Place) -> String {
  Array(text.utf8).withUnsafeBufferPointer { String(decoding: withoutReferences($0, place), as: UTF8.self) }
}
