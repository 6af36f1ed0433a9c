// Names without regard to case.

import Core
import Testing

@Suite struct CaselessTextTests {
  @Test(arguments: [
    ("Episode 1.MP3", "episode 1.mp3"), ("ÄÖÜ", "äöü"), ("Σίσυφος", "ΣΊΣΥΦΟΣ"), ("straße", "STRASSE"),
    ("ſame", "Same"), ("ﬁn", "FIN"), ("К", "к"), ("ßß", "ẞẞ"), ("STRAẞE", "strasse"), ("ŉ", "ʼN"),
    ("ǰ", "J\u{30C}"), ("ΐ", "Ι\u{308}\u{301}"), ("և", "ԵՒ"), ("\u{212A}", "k"), ("\u{212B}", "å"),
    ("ᾳ", "ΑΙ"), ("İ", "i\u{307}"), ("Ꭰ", "ꭰ"), ("\u{2126}", "ω"), ("µ", "μ"), ("Σ", "ς"),
  ])
  func `texts that differ only in case have one key`(one: String, other: String) {
    #expect(caseless(one) == caseless(other))
  }

  @Test(arguments: [("a", "b"), ("e", "é"), ("1", "2"), ("[", "{"), ("@", "`")])
  func `other spellings are different addresses`(one: String, other: String) {
    #expect(caseless(one) != caseless(other))
  }

  @Test func `every scalar gives its lower case of upper case of lower case`() {
    // Names are stored in this form, so it must not change. Later planes have no letters with cases.
    for value in (0...0x1FFFF) as ClosedRange<UInt32> {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = "a\(scalar)B"
      let expected = text.lowercased().uppercased().lowercased()
      if caseless(text) != expected { Issue.record("U+\(String(value, radix: 16))") }
    }
  }
}
