// Tables and cut texts on narrow terminals.

import Testing

@testable import bgfetch

@Suite struct TableTests {
  private func shown(_ rows: [[String]], on columns: Int?, hasHead: Bool = true) -> [String] {
    table(rows, hasHead: hasHead, on: Page(columns: columns))
  }

  private let rows = [
    ["FEED", "RESULT", "WHY"], ["news", "failed", "the server answered 500"], ["weather", "no-data", ""],
  ]

  private static let wide = [
    "FEED     RESULT   WHY", "news     failed   the server answered 500", "weather  no-data",
  ]

  // The last column has at least a third of the page, where it is wrapped; else it moves below its row, unless it is empty.
  @Test(
    arguments: [
      (nil, wide), (41, wide),
      (40, [wide[0], "news     failed   the server answered\n                  500", wide[2]]),
      (
        27,
        [
          wide[0],
          "news     failed   the\n                  server\n                  answered\n                  500",
          wide[2],
        ]
      ), (25, ["FEED     RESULT", "news     failed\n    WHY the server\n    answered 500", wide[2]]),
      (
        15,
        [
          "FEED", "news\n    RESULT\n    failed\n    WHY the\n    server\n    answered\n    500",
          "weather\n    RESULT\n    no-data",
        ]
      ),
    ] as [(Int?, [String])])
  func `columns that do not fit move below their row`(columns: Int?, lines: [String]) {
    #expect(shown(rows, on: columns) == lines)
  }

  // `bgfetch history` on 80 columns lost FILES, TOOK and EXIT STATUS.
  @Test func `numbers that do not fit share a line below their row, with their column names`() {
    let rows = [
      ["BEGAN", "DUE", "FILES", "TOOK", "EXIT STATUS"], ["2026-11-21 09:30:00", "3", "12", "9s", "75"],
    ]

    let row = "2026-11-21 09:30:00  3    12\n    TOOK 9s  EXIT STATUS 75"
    #expect(shown(rows, on: 36) == ["BEGAN                DUE  FILES", row])
  }

  @Test func `on a page, columns that are empty are left out and names of feeds are cut`() {
    let rows = [["FEED", "RESULT", "FAILURES", "WHY"], ["a-long-name-of-a-feed", "new-data", "", "1 new"]]

    #expect(shown(rows, on: 40) == ["FEED          RESULT    WHY", "a-long-name…  new-data  1 new"])
    #expect(
      table(rows, hasHead: true) == [
        "FEED                   RESULT    FAILURES  WHY", "a-long-name-of-a-feed  new-data            1 new",
      ])
  }

  @Test(
    arguments: [
      ("planet  failed, the server answered 500", 24, "planet  failed, the\n  server answered 500"),
      ("one\n  a title of some words", 12, "one\n  a title\n    of some\n    words"), ("short", 12, "short"),
      ("\u{1B}[1mbold words of a title\u{1B}[0m", 12, "\u{1B}[1mbold words of a title\u{1B}[0m"),
      ("a\tb and further words", 12, "a\tb and further words"),
      ("1 of https://planet.example/feed", 12, "1 of\n  https://planet.example/feed"),
      ("a line of some words", nil, "a line of some words"),
    ] as [(String, Int?, String)])
  func `a message is wrapped at words`(message: String, columns: Int?, shown: String) {
    #expect(wrappedMessage(message, columns) == shown)
  }

  @Test func `a word that is wider than the page is not broken`() {
    let rows = [["address", "https://planet.example/feed.xml is where it is"]]

    let row = "address  https://planet.example/feed.xml\n         is where it\n         is"
    #expect(shown(rows, on: 20, hasHead: false) == [row])
  }

  @Test func `an explanation is wrapped with its indentation`() {
    let page = Page(columns: 20)

    #expect(indented("held until then by hours", by: 2, on: page) == "  held until then by\n  hours")
    #expect(indented("held until then by hours", by: 2, on: .unlimited) == "  held until then by hours")
  }

  @Test func `a text is cut between characters, however wide they are`() {
    #expect(fitted("日本語", 6) == "日本語")
    #expect(fitted("日本語", 5) == "日本…")
    #expect(fitted("日本語", 4) == "日…")
    #expect(fitted("E\u{301}pisode", 3) == "E\u{301}p…")
    #expect(fitted("some long title of words", 18) == "some long title…")
    #expect(fitted("some long title of words", 16) == "some long title…")
    #expect(fitted("some long title of words", 13) == "some long…")
    #expect(fitted("episode", 3) == "ep…")
  }
}
