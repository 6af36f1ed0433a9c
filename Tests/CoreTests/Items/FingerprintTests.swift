// The fingerprint of a text and of its visible part, made in one pass; stored values must never change.

import Testing

@testable import Core

@Suite struct FingerprintTests {
  /// The same in the simplest form.
  private func expected(_ text: String) -> (whole: UInt64, visible: UInt64) {
    var (whole, visible) = (Fingerprint(), Fingerprint())
    whole.add(text)
    var isInTag = false
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "<"): isInTag = true
      case UInt8(ascii: ">"): isInTag = false
      case 0x09, 0x0A, 0x0D, 0x20: break
      default: if !isInTag { visible.add(byte: byte) }
      }
    }
    visible.add(byte: 0xFF)
    return (whole.value, visible.value)
  }

  private func found(_ text: String) -> (whole: UInt64, visible: UInt64) {
    var (whole, visible) = (Fingerprint(), Fingerprint())
    whole.add(text, visiblyTo: &visible)
    return (whole.value, visible.value)
  }

  @Test func `one pass gives the same as two`() {
    var texts = [
      "", "a", " ", "<p>a b</p>", "<<a>>b", "a>b", "<unclosed", "a\tb\nc\rd\u{B}e\u{C}f\0g",
      "é<i>ü</i>\u{2028}", "1 < 2 > 0", "\u{1F}\u{20}\u{21}", "<a title='>'>x</a>",
    ]
    var random = SystemRandomNumberGenerator()
    let letters = Array("ab<> \t\n\r\u{0}é/=\"'&;".unicodeScalars)
    for _ in 0..<2000 {
      let scalars = (0..<Int.random(in: 0..<60, using: &random)).compactMap { _ in
        letters.randomElement(using: &random)
      }
      texts.append(String(String.UnicodeScalarView(scalars)))
    }
    for text in texts { #expect(found(text) == expected(text), "\(text.debugDescription)") }
  }

  @Test func `the stored fingerprints of an item are these`() {
    var item = ParsedItem()
    item.id = "id"
    item.title = "Title"
    item.link = "https://site.example/1"
    item.content = "<p>Some <b>text</b></p>"
    item.enclosures = [Enclosure(url: "https://site.example/1.mp3?n=1")]
    let (keys, editHash) = item.fingerprints()

    #expect(keys.guid == 0x2B7D76192BB6F90D)
    #expect(keys.link == 0x2E9B0C0C7111DAC5)
    #expect(keys.title == 0xC5520BAC6CBF3E82)
    #expect(keys.content == 0x239B73B7DD0F8F66)
    #expect(editHash == 0x65531A80F3564A40)
  }
}
