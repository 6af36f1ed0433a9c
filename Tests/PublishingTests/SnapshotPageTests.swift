// The snapshot page as text; BgfetchTests shows it to a browser.

import Core
import Foundation
import Publishing
import Testing

@Suite struct SnapshotPageTests {
  @Test func `items are grouped by feed and day, the feed with the newest item first`() throws {
    let (lwn, debian) = (
      try label("lwn", "LWN.net", link: "https://lwn.example/"), try label("debian", "Debian")
    )
    let page = snapshotPage(
      publication([
        item(4, "Today", link: "https://lwn.example/4", at: "2026-11-23T12:00:00Z", feed: lwn),
        item(3, "Yesterday", at: "2026-11-22T23:30:00Z", feed: debian),
        item(2, "Earlier", at: "2026-11-20T10:00:00Z", feed: lwn),
        item(1, "Last year", at: "2025-01-02T10:00:00Z", feed: lwn),
      ]), in: .utc)

    let found = page.matches(
      of: /<h[123][^>]*>(?:<a [^>]*>)?([^<]*)|class="title"[^>]*>([^<]*)|>(\d\d:\d\d)</
    )
    .map { String($0.output.1 ?? $0.output.2 ?? $0.output.3 ?? "") }
    #expect(
      found == [
        "4 new items", "LWN.net", "Today", "12:00", "Today", "Friday 20 November", "10:00", "Earlier",
        "Thursday 2 January 2025", "10:00", "Last year", "Debian", "Yesterday", "23:30", "Yesterday",
      ])
    #expect(page.contains("<li><a href=\"#feed-1\"><bdi>LWN.net</bdi> <b>3</b></a></li>"))
  }

  @Test func `without items the page says so`() {
    let page = snapshotPage(publication([]), in: .utc)

    #expect(page.contains("<h1>Nothing new</h1>") && page.contains("You have seen everything."))
  }

  @Test(arguments: hostileTexts)
  func `text of a feed stays text`(text: String) throws {
    let feed = try label("evil", text, link: "javascript:alert(1)")
    let page = snapshotPage(
      publication([
        item(1, text, link: "javascript:alert(1)", summary: text + " more", feed: feed) {
          $0.enclosures = [
            Enclosure(url: "https://a.example/" + text), Enclosure(url: "javascript:alert(1)"),
          ]
          $0.image = "https://a.example/" + text
        }
      ]), in: .utc, showsImages: true)

    // The frame of the page has one of each.
    #expect(page.ranges(of: "<style").count == 1 && page.ranges(of: "</title>").count == 1)
    #expect(!page.contains("<script") && !page.contains("<evil") && !page.contains("javascript:"))
    // No quote of the text may end an attribute.
    #expect(
      page.matches(of: /\son[a-z]+=/).allSatisfy { _ in text.contains("on") } && !page.contains("\" on"))
    #expect(!page.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{0}" || $0 == "\u{1B}" })
  }

  @Test func `images are left out unless they are wanted`() throws {
    let items = [
      item(1, "A", feed: try label("a", "A")) { $0.image = "https://img.example/1.png" }
    ]

    #expect(!snapshotPage(publication(items), in: .utc).contains("img"))
    let page = snapshotPage(publication(items), in: .utc, showsImages: true)
    #expect(page.contains("<img src=\"https://img.example/1.png\" alt=\"\"") && page.contains("img-src"))
  }

  @Test func `long texts are cut, and the page has at most 500 items`() throws {
    let feed = try label("a", "A")
    let long = String(repeating: "word ", count: 200_000)
    let page = snapshotPage(
      publication((1...600).map { item(Int64(601 - $0), long, summary: "x " + long, feed: feed) }), in: .utc)

    #expect(page.utf8.count < 500 * 1200)
    #expect(page.ranges(of: "<li class=\"item\">").count == 500)
    #expect(page.contains("100 older items are not shown."))
  }

  @Test func `the policy allows exactly this style sheet`() throws {
    let page = snapshotPage(publication([]), in: .utc)
    let style = try #require(page.firstMatch(of: /<style>((?s).*?)<\/style>/)).output.1
    let allowed = try #require(page.firstMatch(of: /style-src 'sha256-([^']*)'/)).output.1

    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c", "printf %s \"$0\" | sha256sum | cut -c1-64 | xxd -r -p | base64", String(style),
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    process.waitUntilExit()
    let sum = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    #expect(sum == allowed + "\n")
  }
}
