// The width of text on a terminal, and wrapped lines.

import Testing

@testable import Core

@Suite struct DisplayWidthTests {
  @Test(arguments: [
    ("", 0), ("plain", 5), ("Épisode", 7), ("E\u{301}pisode", 7), ("日本語", 6), ("ｆｕｌｌ", 8),
    ("한국", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("か\u{3099}", 2), ("🎧", 2), ("👩\u{200D}👩\u{200D}👧", 2),
    ("👍\u{1F3FD}", 2), ("🇩🇪", 2), ("❤\u{FE0F}", 2), ("a\u{200B}b", 2), ("\u{301}", 0), ("…", 1), ("━", 1),
    ("ไทย", 3), ("ที่", 1), ("नमस्ते", 4),
  ])
  func `the computed width of a text is never less than on a terminal`(text: String, width: Int) {
    #expect(displayWidth(text) == width)
  }

  @Test(
    arguments: [
      ("one two three", 7, ["one two", "three"]), ("one", 2, ["one"]),
      ("a longword b", 5, ["a", "longword", "b"]),
      ("日本語の長い文章", 8, ["日本語の", "長い文章"]), ("日本語、「長い」文", 7, ["日本", "語、", "「長", "い」文"]),
      ("使用 Swift 语言编写的程序", 12, ["使用 Swift", "语言编写的程", "序"]), ("한국어 문장은 길다", 8, ["한국어", "문장은", "길다"]),
      ("한국어문장", 4, ["한국", "어문", "장"]), ("カーテン", 4, ["カー", "テン"]),
    ])
  func `lines are wrapped at blanks and between East Asian characters`(
    text: String, columns: Int, lines: [String]
  ) {
    #expect(wrapped(text, columns) == lines)
  }
}
