// How wide text is on a terminal.

import Testing

@testable import bgfetch

@Suite struct DisplayWidthTests {
  @Test(
    arguments: [
      ("", 0), ("plain", 5), ("Épisode", 7), ("E\u{301}pisode", 7), ("日本語", 6), ("ｆｕｌｌ", 8),
      ("한국", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("か\u{3099}", 2), ("🎧", 2), ("👩\u{200D}👩\u{200D}👧", 2),
      ("👍\u{1F3FD}", 2), ("🇩🇪", 2), ("❤\u{FE0F}", 2), ("a\u{200B}b", 2), ("\u{301}", 0), ("…", 1), ("━", 1),
      ("ไทย", 3), ("ที่", 1), ("नमस्ते", 4),
    ])
  func `a text is as wide as a terminal shows it, or wider`(text: String, width: Int) {
    #expect(displayWidth(text) == width)
  }

  @Test func `a text is cut between characters, however wide they are`() {
    #expect(fitted("日本語", 6, showsUnicode: true) == "日本語")
    #expect(fitted("日本語", 5, showsUnicode: true) == "日本…")
    #expect(fitted("日本語", 4, showsUnicode: true) == "日…")
    #expect(fitted("E\u{301}pisode", 3, showsUnicode: true) == "E\u{301}p…")
    #expect(fitted("episode", 6, showsUnicode: false) == "epi...")
    #expect(fitted("episode", 3, showsUnicode: false) == "epi")
  }
}
