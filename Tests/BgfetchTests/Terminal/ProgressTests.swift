// Progress bars: the text of each line, and the bytes on the terminal.

import Core
import Testing

@testable import bgfetch

private func screen(
  _ columns: Int, rows: Int = 24, unicode: Bool = true, color: Bool = false
) -> ProgressScreen {
  ProgressScreen(columns: columns, rows: rows, showsUnicode: unicode, showsColor: color)
}

private func progress(
  _ number: Int64 = 1, _ description: String = "Episode 12", received: Int64 = 12_300_000,
  total: Int64? = 45_100_000, rate: Int64 = 1_200_000
) throws -> TransferProgress {
  let feed = try #require(FeedName("daily"))
  return TransferProgress(
    line: TransferLine(number: number, feed: feed, description: description), received: received,
    total: total, bytesPerSecond: rate)
}

@Suite struct ProgressNumberTests {
  @Test(
    arguments: [
      (12_300_000, 45_100_000, "12.3 of 45.1 MB"), (0, 45_100_000, "0.0 of 45.1 MB"), (7, 512, "7 of 512 B"),
      (999, 1000, "0.9 of 1.0 kB"), (3_000_000_000, 4_700_000_000, "3.0 of 4.7 GB"),
      (12_300_000, nil, "12.3 MB"),
      (10, 0, "10 B"), (-1, 512, "0 of 512 B"),
    ] as [(Int64, Int64?, String)])
  func `a size has the unit of the total`(received: Int64, total: Int64?, text: String) {
    #expect(sizeText(received, of: total) == text)
  }

  @Test(
    arguments: [
      (0, 100, 0), (27, 100, 27), (999, 1000, 99), (1000, 1000, 100), (2000, 1000, 100), (5, nil, nil),
      (Int64.max - 1, Int64.max, 99),
    ] as [(Int64, Int64?, Int?)])
  func `only a complete file is 100 percent`(received: Int64, total: Int64?, expected: Int?) {
    #expect(percent(received, of: total) == expected)
  }

  @Test(
    arguments: [
      (0, 100, 100, "0:01"), (0, 101, 100, "0:02"), (0, 725, 1, "12:05"), (0, 7500, 1, "2h05m"),
      (0, 359_999, 1, "99h59m"), (0, 360_000, 1, "4d"), (100, 100, 1, "0:00"), (0, 100, 0, nil),
      (0, nil, 1, nil),
    ] as [(Int64, Int64?, Int64, String?)])
  func `the time left follows from the present rate`(
    received: Int64, total: Int64?, rate: Int64, text: String?
  ) throws {
    #expect(timeLeft(try progress(received: received, total: total, rate: rate)) == text)
  }
}

@Suite struct ProgressLineTests {
  @Test(
    arguments: [
      (
        100,
        "daily: Episode 12  ━━━━━━━━━─────────────────────────    12.3 of 45.1 MB   27 %    1.2 MB/s    0:28"
      ),
      (80, "daily: Episode 12  ━━━╸──────────    12.3 of 45.1 MB   27 %    1.2 MB/s    0:28"),
      (70, "daily: Episode 12  ━━━━━━─────────────────   27 %    1.2 MB/s    0:28"),
      (50, "daily: Episode 12   27 %    1.2 MB/s    0:28"),
      (40, "daily: Episode 12   27 %    0:28"), (26, "daily: Episode 12   27 %"), (20, "daily: Epis…   27 %"),
      (12, "daily: Epi…"), (1, "…"),
    ])
  func `a narrow terminal drops whole columns`(columns: Int, line: String) throws {
    #expect(progressLines([try progress()], on: screen(columns)) == [line])
  }

  @Test(arguments: 1...120)
  func `no line reaches the last column`(columns: Int) throws {
    let running = [
      try progress(), try progress(2, "日本語のとても長い番組のエピソードのタイトル", total: nil, rate: 0),
      try progress(3, "E\u{301}\u{302}tudes 👩\u{200D}👩\u{200D}👧", received: 999_900_000, total: 999_999_999),
    ]

    for unicode in [true, false] {
      for line in progressLines(running, on: screen(columns, unicode: unicode)) {
        #expect(displayWidth(line) <= max(1, columns - 1))
      }
    }
  }

  @Test func `names of different widths keep the bars in one column`() throws {
    let running = [try progress(), try progress(2, "日本語"), try progress(3, "E\u{301}t", total: nil, rate: 0)]

    #expect(
      progressLines(running, on: screen(80)) == [
        "daily: Episode 12  ━━━╸──────────    12.3 of 45.1 MB   27 %    1.2 MB/s    0:28",
        "daily: 日本語      ━━━╸──────────    12.3 of 45.1 MB   27 %    1.2 MB/s    0:28",
        "daily: E\u{301}t          ──━━━─────────            12.3 MB              0 B/s",
      ])
  }

  @Test func `without a UTF-8 locale bars are ASCII`() throws {
    let lines = progressLines([try progress(1, "Épisode 12")], on: screen(80, unicode: false))

    #expect(lines == ["daily: ?pisode 12  ###-----------    12.3 of 45.1 MB   27 %    1.2 MB/s    0:28"])
  }

  @Test(
    arguments: [
      (24, ["daily: 1", "daily: 2", "daily: 3"]), (4, ["daily: 1", "daily: 2", "daily: 3"]),
      (3, ["daily: 1", "and 2 more"]), (2, ["3 transfers"]), (1, ["3 transfers"]),
    ])
  func `bars that do not fit are counted in the last line`(rows: Int, names: [String]) throws {
    let running = try (1...3).map { try progress($0, "\($0)") }

    let lines = progressLines(running, on: screen(12, rows: rows))

    #expect(lines == names)
  }

  @Test func `without transfers there is no line`() { #expect(progressLines([], on: screen(80)) == []) }

  @Test func `control characters are removed from names`() throws {
    let lines = progressLines([try progress(1, "a\u{1B}[2Jb\nc\u{202E}d")], on: screen(80))

    #expect(!lines.joined().unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
  }
}

@Suite struct ProgressBarTests {
  @Test(
    arguments: [
      (0, "──────────"), (5, "╸─────────"), (10, "━─────────"), (99, "━━━━━━━━━╸"), (100, "━━━━━━━━━━"),
      (200, "━━━━━━━━━━"),
    ])
  func `only a complete file fills its bar`(received: Int64, bar: String) {
    #expect(progressBar(received, of: 100, width: 10, on: screen(80)) == bar)
  }

  @Test func `a bar of unknown length moves to and fro as bytes arrive`() {
    let bars = [0, 1, 2, 3, 4].map { steps in
      progressBar(steps * 256 << 10, of: nil, width: 5, on: screen(80, unicode: false))
    }

    #expect(bars == ["###--", "-###-", "--###", "-###-", "###--"])
  }

  @Test func `every colour is reset in its line`() {
    let bar = progressBar(50, of: 100, width: 4, on: screen(80, color: true))

    #expect(bar == "\u{1B}[32m━━\u{1B}[0m\u{1B}[2m──\u{1B}[0m")
  }
}

@Suite struct LocaleTests {
  @Test(
    arguments: [
      ([:], false), (["LANG": "C.UTF-8"], true), (["LANG": "de_DE.utf8@euro"], true), (["LANG": "C"], false),
      (["LC_ALL": "C", "LANG": "en_US.UTF-8"], false), (["LC_ALL": "", "LANG": "en_US.UTF-8"], true),
      (["LC_CTYPE": "en_US.UTF-8", "LANG": "C"], true), (["LANG": "de_DE.ISO-8859-1"], false),
    ])
  func `the first locale variable that is set decides about UTF-8`(
    environment: [String: String], isUTF8: Bool
  ) {
    #expect(writesUTF8(environment) == isUTF8)
  }
}

// Progress bars on a terminal: the bytes and the visible result.

@Suite struct ProgressFrameTests {
  private static let begin = "\u{1B}[?2026h"
  private static let end = "\u{1B}[?2026l"
  private static let noWrap = "\u{1B}[?7l"
  private static let wrap = "\u{1B}[?7h\r"

  @Test func `bars are redrawn in place, with the cursor at their beginning`() {
    var frame = ProgressFrame()
    let two = "a\u{1B}[K\nb\u{1B}[J"

    #expect(frame.drawing(["a", "b"]) == Self.begin + Self.noWrap + two + Self.wrap + "\u{1B}[1A" + Self.end)
    #expect(
      frame.drawing(["a", "b"]) == Self.begin + "\r" + Self.noWrap + two + Self.wrap + "\u{1B}[1A" + Self.end)
    #expect(frame.drawing(["e"]) == Self.begin + "\r" + Self.noWrap + "e\u{1B}[J" + Self.wrap + Self.end)
    #expect(frame.drawing([]) == Self.begin + "\r\u{1B}[J" + Self.end)
    #expect(frame.drawing([]) == "")
  }

  @Test func `other lines are written above the bars, in the same write`() {
    var frame = ProgressFrame()
    #expect(frame.drawing([], above: "first\n") == "first\n")

    _ = frame.drawing(["a"])

    #expect(
      frame.drawing(["a"], above: "second\n")
        == Self.begin + "\r\u{1B}[Jsecond\n" + Self.noWrap + "a\u{1B}[J" + Self.wrap + Self.end)
  }

  @Test func `output of other programs is not overwritten`() {
    var frame = ProgressFrame()
    var terminal = PretendTerminal(columns: 20, rewraps: true)
    terminal.write(frame.drawing(["a", "b"]))
    terminal.write("\n\n$ bg\n")

    frame.forget()
    terminal.write(frame.drawing(["c"]))

    #expect(terminal.lines == ["a", "b", "$ bg", "c"])
  }

  @Test(arguments: [(100, 60), (200, 80), (100, 12), (80, 3), (60, 100), (40, 39)], [true, false])
  func `shorter bars erase the rest of longer ones, and nothing else`(
    widths: (before: Int, after: Int), rewraps: Bool
  ) {
    var frame = ProgressFrame()
    var terminal = PretendTerminal(columns: widths.before, rewraps: rewraps)
    func bars(_ count: Int) -> [String] {
      (0..<count).map { String(repeating: "\($0)", count: terminal.columns - 1) }
    }
    terminal.write("$\n1\n2\n3\n4\n5\n6\n7\n8\n9\n")
    let above = ["$"] + (1...9).map(String.init)
    terminal.write(frame.drawing(bars(6)))
    terminal.write(frame.drawing(bars(6)))

    terminal.resize(to: widths.after)
    terminal.write(frame.drawing(bars(6)))
    #expect(terminal.lines == above + bars(6))

    terminal.resize(to: max(2, widths.after / 2))
    terminal.write(frame.drawing(bars(4), above: "a\n"))
    #expect(terminal.lines == above + ["a"] + bars(4))

    terminal.resize(to: 2)
    terminal.write(frame.drawing([], above: "b\n"))
    #expect(terminal.lines.suffix(2) == ["a", "b"])
  }

  @Test(arguments: [true, false])
  func `bars on a terminal that became narrower keep to a row each`(rewraps: Bool) {
    var frame = ProgressFrame()
    var terminal = PretendTerminal(columns: 60, rewraps: rewraps)
    terminal.write("$\n")
    terminal.write(frame.drawing([String(repeating: "a", count: 99), String(repeating: "b", count: 99)]))

    terminal.write(frame.drawing(["c"]))

    #expect(terminal.lines == ["$", "c"])
  }
}
