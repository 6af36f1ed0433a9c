// Tables on pages that are too narrow for them.

import Testing

@testable import bgfetch

@Suite struct TableTests {
  private let rows = [
    ["FEED", "RESULT", "WHY"], ["news", "failed", "the server answered 500"], ["weather", "no-data", ""],
  ]

  @Test(
    arguments: [
      (
        nil,
        [
          "FEED     RESULT   WHY", "news     failed   the server answered 500", "weather  no-data",
        ]
      ),
      (
        41,
        [
          "FEED     RESULT   WHY", "news     failed   the server answered 500", "weather  no-data",
        ]
      ),
      // A third of the page is left for the last column: it goes on below itself.
      (
        40,
        [
          "FEED     RESULT   WHY", "news     failed   the server answered\n                  500",
          "weather  no-data",
        ]
      ),
      (
        27,
        [
          "FEED     RESULT   WHY",
          "news     failed   the\n                  server\n                  answered\n                  500",
          "weather  no-data",
        ]
      ),
      // Less is left: it stands below its row, and nothing where there is nothing to say.
      (
        25, ["FEED     RESULT", "news     failed\n    WHY the server\n    answered 500", "weather  no-data"]
      ),
      (
        15,
        [
          "FEED",
          "news\n    RESULT\n    failed\n    WHY the\n    server\n    answered\n    500",
          "weather\n    RESULT\n    no-data",
        ]
      ),
    ] as [(Int?, [String])])
  func `what does not fit beside its row stands below it`(columns: Int?, lines: [String]) {
    #expect(table(rows, hasHead: true, on: Page(columns: columns, showsUnicode: true)) == lines)
  }

  // `bgfetch history` on 80 columns lost FILES, TOOK and EXIT STATUS.
  @Test func `columns of figures are never left out, and share a line with their names`() {
    let rows = [
      ["BEGAN", "DUE", "FILES", "TOOK", "EXIT STATUS"], ["2026-11-21 09:30:00", "3", "12", "9s", "75"],
    ]

    #expect(
      table(rows, hasHead: true, on: Page(columns: 36, showsUnicode: true)) == [
        "BEGAN                DUE  FILES", "2026-11-21 09:30:00  3    12\n    TOOK 9s  EXIT STATUS 75",
      ])
  }

  @Test func `a word that is wider than the page is not broken`() {
    let rows = [["address", "https://planet.example/feed.xml is where it is"]]

    #expect(
      table(rows, hasHead: false, on: Page(columns: 20, showsUnicode: true)) == [
        "address  https://planet.example/feed.xml\n         is where it\n         is"
      ])
  }

  @Test func `an explanation goes on behind its own margin`() {
    let page = Page(columns: 20, showsUnicode: true)

    #expect(indented("held until then by hours", by: 2, on: page) == "  held until then by\n  hours")
    #expect(indented("held until then by hours", by: 2, on: .unlimited) == "  held until then by hours")
  }
}
