// Items as lines on a terminal: aligned, fitted to the width, with links that cannot steer it.

import Core
import Testing

@testable import bgfetch

@Suite struct ItemLinesTests {
  private let now = Instant(secondsSince1970: 1_795_442_700)  // 2026-11-23 14:05 UTC

  private func item(
    _ number: Int64, _ feed: String, _ title: String, link: String? = nil,
    at date: String = "2026-11-23T09:05:00Z", isSeen: Bool = false
  ) throws -> StoredItem {
    let record = ItemRecord(
      guid: nil, link: link, keys: IdentityKeys(guid: nil, link: nil, title: nil, content: 0), editHash: 0,
      title: title, summary: nil, author: nil, published: Instant(rfc3339: date), isSeen: isSeen,
      isFiltered: false)
    return StoredItem(
      number: number, feed: try #require(FeedName(feed)), record: record, firstSeen: now, updatedAt: nil)
  }

  private func lines(_ items: [StoredItem], _ columns: Int?, hasLinks: Bool = false) -> [String] {
    itemLines(items, now: now, in: .utc, on: Page(columns: columns), hasLinks: hasLinks)
  }

  @Test func `columns are aligned, today shows the time, another year the whole date`() throws {
    let items = [
      try item(1234, "lwn", "Kernel 6.18"),
      try item(7, "planet-debian", "Bits", at: "2026-11-02T09:05:00Z", isSeen: true),
      try item(12, "xkcd", "Old", at: "2025-01-02T00:00:00Z"),
    ]

    #expect(
      lines(items, 80) == [
        "1234 * 09:05       lwn            Kernel 6.18",
        "   7    2 Nov      planet-debian  Bits",
        "  12 * 2025-01-02  xkcd           Old",
      ])
  }

  @Test(arguments: [40, 60, 80, 200])
  func `no line is wider than the terminal`(columns: Int) throws {
    let long = "短い題名" + String(repeating: "長", count: 200)
    let items = [
      try item(1, "a-feed-with-a-rather-long-name-of-its-own", long),
      try item(2, "b", String(repeating: "word ", count: 100)),
    ]

    #expect(lines(items, columns).allSatisfy { displayWidth($0) <= columns })
  }

  @Test(
    arguments: [
      ("https://a.example/1?x=1;y", "https://a.example/1?x=1;y"),
      ("https://a.example/é", "https://a.example/%C3%A9"),
      ("javascript:alert(1)", nil), ("file:///etc/passwd", nil), ("https://a.example/\u{1B}\\x", nil),
      ("https://a.example/\u{9C}x", "https://a.example/%C2%9Cx"), (nil, nil),
    ] as [(String?, String?)])
  func `a title links to http and https only, in printable ASCII`(link: String?, target: String?) throws {
    let title = target.map { "\u{1B}]8;;\($0)\u{1B}\\Title\u{1B}]8;;\u{1B}\\" } ?? "Title"

    #expect(lines([try item(1, "a", "Title", link: link)], 80, hasLinks: true) == ["1 * 09:05  a  " + title])
  }

  @Test func `a title cannot steer the terminal`() throws {
    let evil = try item(1, "a", "a\u{1B}]8;;https://evil.example\u{1B}\\b\u{1B}[2J\u{202E}c\n")

    #expect(lines([evil], 80) == ["1 * 09:05  a  abc"])
  }

  @Test(
    arguments: [
      (nil, [["xdg-open", "L"]]), ("", [["xdg-open", "L"]]), ("firefox", [["firefox", "L"]]),
      ("firefox:w3m -N", [["firefox", "L"], ["w3m", "-N", "L"]]),
      ("a --url=%s -q: ", [["a", "--url=L", "-q"]]), ("$(evil) ;rm", [["$(evil)", ";rm", "L"]]),
    ] as [(String?, [[String]])])
  func `BROWSER is a list of commands, never a shell's`(variable: String?, commands: [[String]]) {
    #expect(browserCommands(variable, "L") == commands)
  }
}
