// The fingerprint of the visible part of a text; stored values must never change.

import Testing

@testable import Core

@Suite struct FingerprintTests {
  /// The bytes that count, found in the simplest way.
  private func visible(_ text: String) -> String {
    var isInTag = false
    let bytes = text.utf8.filter { byte in
      if byte == UInt8(ascii: "<") { isInTag = true }
      defer { if byte == UInt8(ascii: ">") { isInTag = false } }
      return !isInTag && byte > 0x20
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func fingerprint(_ text: String) -> UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.add(visible: text)
    return fingerprint.value
  }

  @Test func `tags and white space change nothing, and everything else does`() {
    var texts = [
      "", "a", " ", "<p>a b</p>", "<<a>>b", "a>b", "<unclosed", "a\tb\nc\rd\u{B}e\u{C}f\0g",
      "é<i>ü</i>\u{2028}", "1 < 2 > 0", "\u{1F}\u{20}\u{21}", "<a title='>'>x</a>", "12345678", "123456789",
    ]
    var random = SystemRandomNumberGenerator()
    let letters = Array("ab<> \t\n\r\u{0}é/=\"'&;".unicodeScalars)
    for _ in 0..<2000 {
      let scalars = (0..<Int.random(in: 0..<60, using: &random)).compactMap { _ in
        letters.randomElement(using: &random)
      }
      texts.append(String(String.UnicodeScalarView(scalars)))
    }
    var known: [UInt64: String] = [:]
    for text in texts {
      let plain = visible(text)
      #expect(fingerprint(text) == fingerprint(plain), "\(text.debugDescription)")
      #expect(
        known.updateValue(plain, forKey: fingerprint(text)) ?? plain == plain, "\(text.debugDescription)")
    }
  }

  @Test func `items of nothing but images differ, new markup is no edit, and absent text is as empty text`() {
    func fingerprints(_ content: String?) -> (keys: IdentityKeys, editHash: UInt64) {
      var item = ParsedItem()
      item.content = content
      return item.fingerprints()
    }
    let (one, two) = (fingerprints("<img src=1>"), fingerprints("<img src=2>"))

    #expect(one.keys.content != two.keys.content)
    #expect(one.editHash == two.editHash)
    #expect(fingerprints(nil).editHash == fingerprints("").editHash)
  }

  @Test func `the stored fingerprints of an item are these`() {
    var item = ParsedItem()
    (item.id, item.title) = ("id", "Title")
    item.link = "https://site.example/1"
    item.content = "<p>Some <b>text</b></p>"
    item.enclosures = [Enclosure(url: "https://site.example/1.mp3?n=1")]
    let (keys, editHash) = item.fingerprints()

    #expect(keys.guid == 0x2B7D76192BB6F90D)
    #expect(keys.link == 0x2E9B0C0C7111DAC5)
    #expect(keys.title == 0xC5520BAC6CBF3E82)
    #expect(keys.content == 0xF9BF2F1BBAF75A01)
    #expect(editHash == 0x131BA7AB9CC0805F)
  }
}
