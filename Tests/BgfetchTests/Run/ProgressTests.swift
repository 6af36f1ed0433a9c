// The live line of downloads: its text, and the result on the terminal.

import Core
import Testing

@testable import Running
@testable import bgfetch

private func progress(
  _ number: Int64 = 1, _ description: String = "Episode 12", received: Int64 = 12_300_000,
  total: Int64? = 45_100_000, rate: Int64 = 1_200_000
) throws -> TransferProgress {
  let feed = try #require(FeedName("daily"))
  let transfer = Transfer(
    number: number, feed: feed, session: 1, asset: Asset(url: ""), item: nil, description: description,
    queued: Instant(secondsSince1970: 0))
  return TransferProgress(transfer: transfer, received: received, total: total, bytesPerSecond: rate)
}

@Suite struct ProgressNumberTests {
  @Test(
    arguments: [
      (12_300_000, 45_100_000, "12.3 MB of 45.1 MB"), (7, 512, "7 B of 512 B"),
      (999, 1000, "999 B of 1.0 kB"), (12_300_000, nil, "12.3 MB"), (10, 0, "10 B"),
      (-1, 512, "0 B of 512 B"),
    ] as [(Int64, Int64?, String)])
  func `a size is followed by the total`(received: Int64, total: Int64?, text: String) {
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
      (0, 100, 100, "0:01"), (0, 101, 100, "0:02"), (0, 725, 1, "12:05"), (0, 7500, 1, "2:05:00"),
      (0, 172_799, 1, "47:59:59"), (0, 172_800, 1, "2 d"), (100, 100, 1, "0:00"), (0, 100, 0, nil),
      (0, nil, 1, nil),
    ] as [(Int64, Int64?, Int64, String?)])
  func `the time left follows from the present rate`(
    received: Int64, total: Int64?, rate: Int64, text: String?
  ) throws {
    #expect(timeLeft(try progress(received: received, total: total, rate: rate)) == text)
  }
}

private func line(_ running: [TransferProgress], _ columns: Int = 80) -> String? {
  progressLine(running, columns: columns)
}

@Suite struct ProgressLineTests {
  @Test(arguments: [
    (80, "daily: Episode 12  27 %  0:28  1.2 MB/s  12.3 MB of 45.1 MB"),
    (50, "daily: Episode 12  27 %  0:28  1.2 MB/s"), (34, "daily: Episode 12  27 %  0:28"),
    (26, "daily: Episode 12  27 %"), (12, "daily: Epi…"), (1, "…"),
  ])
  func `a narrow terminal drops figures`(columns: Int, expected: String) throws {
    #expect(line([try progress()], columns) == expected)
  }

  @Test(arguments: 1...120)
  func `the line never reaches the last column`(columns: Int) throws {
    let running = [
      try progress(), try progress(2, "日本語のとても長い番組のエピソードのタイトル", total: nil, rate: 0),
      try progress(3, "E\u{301}\u{302}tudes 👩\u{200D}👩\u{200D}👧", received: 999_900_000, total: 999_999_999),
    ]

    for some in running.map({ [$0] }) + [running] {
      #expect(displayWidth(try #require(line(some, columns))) <= max(1, columns - 1))
    }
  }

  @Test func `several transfers have one line with their sums`() throws {
    let known = [try progress(), try progress(2, total: 4_900_000, rate: 0)]

    #expect(line(known) == "2 transfers  49 %  0:22  1.2 MB/s  24.6 MB of 50.0 MB")
    #expect(line(known + [try progress(3, total: nil)]) == "3 transfers  2.4 MB/s  36.9 MB")
    #expect(line([]) == nil)
  }

  @Test func `control characters are removed from names`() throws {
    let text = try #require(line([try progress(1, "a\u{1B}[2Jb\nc\u{202E}d")]))

    #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
  }
}

// The live line on a terminal: the visible result.

@Suite struct ProgressDrawingTests {
  @Test func `text without a line is written as it is`() {
    #expect(drawing(nil, above: "first\n", replacing: false) == "first\n")
    #expect(drawing(nil, replacing: false) == "")
  }

  @Test func `the line is redrawn in place, below other text, and removed`() {
    var terminal = PretendTerminal(columns: 20, rewraps: true)
    terminal.write("$\n" + drawing("longer", replacing: false))
    terminal.write(drawing("short", replacing: true))
    #expect(terminal.lines == ["$", "short"])

    terminal.write(drawing("a", above: "text\n", replacing: true))
    #expect(terminal.lines == ["$", "text", "a"])
    terminal.write(drawing(nil, replacing: true))
    #expect(terminal.lines.filter { !$0.isEmpty } == ["$", "text"])
  }

  @Test func `output of other programs is not overwritten`() {
    var terminal = PretendTerminal(columns: 20, rewraps: true)
    terminal.write(drawing("a", replacing: false))
    terminal.write("\n$ bg\n")

    terminal.write(drawing("c", replacing: false))

    #expect(terminal.lines == ["a", "$ bg", "c"])
  }

  @Test(arguments: [(100, 60), (200, 80), (100, 12), (80, 3), (60, 100), (40, 39)], [true, false])
  func `on a terminal of another width the line replaces the old one, and nothing else`(
    widths: (before: Int, after: Int), rewraps: Bool
  ) {
    var terminal = PretendTerminal(columns: widths.before, rewraps: rewraps)
    func wide() -> String { String(repeating: "x", count: terminal.columns - 1) }
    terminal.write("$\n1\n2\n" + drawing(wide(), replacing: false))

    terminal.resize(to: widths.after)
    terminal.write(drawing(wide(), replacing: true))
    #expect(terminal.lines == ["$", "1", "2", wide()])

    terminal.resize(to: max(2, widths.after / 2))
    terminal.write(drawing(wide(), above: "a\n", replacing: true))
    #expect(terminal.lines == ["$", "1", "2", "a", wide()])
  }
}
