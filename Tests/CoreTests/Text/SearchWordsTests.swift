// The words of texts as a search compares them.

import TestKit
import Testing

@testable import Core

@Suite struct SearchWordsTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let words: String

    init(_ name: String, _ text: String, _ words: String) {
      self.testDescription = name
      self.text = text
      self.words = words
    }
  }

  @Test(arguments: [
    Row("blanks", "  two\u{A0}words\n", "two words"),
    Row("case", "Linux LINUX", "linux linux"),
    Row("punctuation", "it’s (almost) don't, e-mail; and/or", "it s almost don t e mail and or"),
    Row("nothing to find", "… -- *!? \" '", ""),
    // Symbols.
    Row("languages", "c++ C# F# C++20 .NET ASP.NET", "c + + c # f # c + + 20 . net asp . net"),
    Row("symbols before a word", "#hashtag @name ++i $100 €50", "#_ hashtag @_ name +_ +_ i $_ 100 €_ 50"),
    Row("symbols after a word", "50% 50€ AT&T user@host", "50 % 50 € at & t user @ host"),
    Row("a sign of a tag is not one of a language", "vitamin C #health", "vitamin c #_ health"),
    Row("symbols that touch nothing", "a + b & c # . %", "a b c"),
    Row("points", "node.js v6.12. End.", "node . js v6 . 12 end"),
    Row("points in a row", "wait...what ..x", "wait what x"),
    Row("no symbols of words", "a|b a=b ™ a_b", "a b a b a b"),
    // Numbers.
    Row("exponents and indices", "10⁶ m² m2 CO₂", "106 m2 m2 co2"),
    Row("digits of other scripts", "١٢ १२ ๑๒ １２ ①", "12 12 12 12 1"),
    Row("fractions", "½", "½"),
    // Letters.
    Row("accents", "café Ångström naïve Việt", "cafe angstrom naive viet"),
    Row("accents of their own", "cafe\u{301} Vie\u{323}\u{302}t", "cafe viet"),
    Row("letters with strokes", "Łódź Ørsted Đurić Ħ", "lodz orsted duric h"),
    Row(
      "letters of two letters", "æther Œuvre Þór ĳ Straße STRASSE ẞ",
      "aether oeuvre thor ij strasse strasse ss"),
    Row("Turkish", "İstanbul ıstanbul Istanbul", "istanbul istanbul istanbul"),
    Row("Greek", "Σίσυφος ΣΊΣΥΦΟΣ ᾳ", "σισυφοσ σισυφοσ α"),
    Row("Russian", "Ёлка елка мо\u{301}й", "елка елка мои"),
    Row("Arabic", "كِتَابٌ كـــتاب كتاب أإآ", "كتاب كتاب كتاب ااا"),
    Row("Persian", "می\u{200C}خواهم", "میخواهم"),
    Row("Hebrew", "שָׁלוֹם שלום", "שלום שלום"),
    Row("Hindi", "हिन्दी में", "हिन्दी में"),
    // Forms.
    Row("soft hyphens", "Do\u{AD}nau\u{AD}dampf so\u{200B}ft", "donaudampf soft"),
    Row("other hyphens", "Donau\u{2011}dampf", "donau dampf"),
    Row("full width", "ＡＢＣ＋＋　ｆｕｌｌ！", "abc + + full"),
    Row("ligatures", "ﬁne oﬀice ﬃ", "fine office ffi"),
    Row("letters of mathematics", "𝐇𝐞𝐥𝐥𝐨 𝟏𝟐", "hello 12"),
    Row("signs that are letters", "Å K µ", "a k μ"),
    // Scripts without blanks.
    Row("Chinese", "为什么不支持 Linux5内核", "为 什 么 不 支 持 linux5 内 核"),
    Row("Japanese", "今日の天気は、晴れ", "今 日 の 天 気 は 晴 れ"),
    Row("kana", "ガギ ｶﾞｷﾞ カ\u{3099}", "ガ ギ ガ ギ ガ"),
    Row("Korean", "중앙은행 \u{1112}\u{1161}\u{11AB}", "중 앙 은 행 한"),
    Row("Thai", "ข่าววันนี้", "ข่ า ว วั น นี้"),
    Row("Lao, Khmer, Burmese", "ລາວ ភាសា မြန်မာ", "ລ າ ວ ភា សា မြ န် မာ"),
    Row("emoji", "🎉party ❤️ 👍🏽", "🎉 party 👍 🏽"),
  ])
  func `a text is divided into words`(row: Row) {
    var words = SearchWords()

    #expect(words.line(of: row.text) == row.words)
  }

  @Test func `a word that is too long is cut, and no other word is lost`() {
    var words = SearchWords()

    let line = words.line(of: String(repeating: "x", count: 100_000) + " end")

    #expect(line == String(repeating: "x", count: 128) + " end")
  }

  @Test func `no word begins after the limit`() {
    var words = SearchWords()

    #expect(words.line(of: "one two three", limit: 4) == "one two")
    #expect(words.line(of: String(repeating: "日", count: 1000), limit: 16).utf8.count < 24)
  }

  @Test func `a text takes time in proportion to its length`() {
    let meter = GrowthMeter()

    let square = TokenShape.all(of: ["a", " ", ".", "+", "é", "日", "\u{301}", "²", "🇩"]).first {
      meter.isSquare(from: 1500, text: $0.text) {
        var words = SearchWords()
        _ = words.line(of: String(decoding: $0, as: UTF8.self))
      }
    }

    #expect(square == nil)
  }
}
