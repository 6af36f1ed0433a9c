// The page of items as text; ProgramTests shows it to a browser.

import Core
import Formats
import Foundation
import Testing

@Suite struct NewsPageTests {
  @Test func `items are grouped by feed, the newest first`() throws {
    let (lwn, debian) = (
      try label("lwn", "LWN.net", link: "https://lwn.example/"), try label("debian", "Debian")
    )
    let items = unseen([
      item(4, "Now", link: "https://lwn.example/4", at: "2026-11-23T12:00:00Z", feed: lwn),
      item(3, "Before", at: "2026-11-22T23:30:00Z", feed: debian),
      item(2, "Earlier", at: "2026-11-20T10:00:00Z", feed: lwn),
      item(1, "Last year", at: "2025-01-02T10:00:00Z", feed: lwn),
    ])
    func texts(_ page: String) -> [String] {
      page.matches(of: /<h[123][^>]*>(?:<a [^>]*>)?([^<]*)|class="title"[^>]*>([^<]*)|<time[^>]*>([^<]*)</)
        .map { String($0.output.1 ?? $0.output.2 ?? $0.output.3 ?? "") }
    }

    let byFeed = newsPage(items, in: .utc)

    #expect(
      texts(byFeed) == [
        "4 new items", "LWN.net", "12:00", "Now", "20 Nov", "Earlier", "2025-01-02", "Last year", "Debian",
        "22 Nov", "Before",
      ])
    #expect(byFeed.contains("<li><a href=\"#part-1\"><bdi lang=\"\">LWN.net</bdi> <b>3</b></a></li>"))
  }

  @Test func `articles are on the page without anything active, and changed lines are marked`() throws {
    let feed = try label("planet", "Planet")
    let words = String(repeating: "some words ", count: 60)
    var page = unseen([
      item(2, "Long", at: "2026-11-23T12:00:00Z", feed: feed) {
        $0.content = """
          <p onclick=x>\(words)<script>evil()</script><img src=https://a.example/i alt=cat></p><pre>a
            b</pre>
          """
        $0.duration = .minutes(61)
      },
      item(1, "Watched", at: "2026-11-22T12:00:00Z", feed: feed) {
        $0.content = "<pre>+ new &lt;b&gt;\n- old</pre><hr><pre>all</pre>"
      },
    ])
    page.items[0].file = "/home/me/Podcasts/a b.mp3"

    let text = newsPage(page, in: .utc)

    #expect(text.contains("<details>"))
    #expect(
      text.contains(
        "<p>\(words) <a href=\"https://a.example/i\" rel=\"noreferrer\">[image: cat]</a></p><pre>a\n  b</pre></div>"
      )
    )
    #expect(text.contains("<ins>+ new &lt;b&gt;</ins>\n<del>- old</del></pre>"))
    #expect(!text.contains("evil"))
    #expect(text.contains("<a href=\"file:///home/me/Podcasts/a%20b.mp3\""))
    #expect(text.contains("<bdi>1:01:00</bdi>"))
  }

  @Test func `an article that can be opened says so, and a short text does not`() throws {
    let feed = try label("planet", "Planet")
    let long = "<p>" + String(repeating: "some words ", count: 60) + "</p>"
    let page = newsPage(
      unseen([
        item(3, "Long", summary: "Beginning", feed: feed) { $0.content = long },
        item(2, nil, feed: feed) { $0.content = long },
        item(1, "Short", summary: "All of it", feed: feed),
      ]), in: .utc)

    let label = "<span class=\"more\">Read on</span><span class=\"less\">Close</span></summary>"
    let text = "<span class=\"text\" dir=\"auto\" lang=\"\">"
    #expect(page.contains("<summary>\(text)Beginning</span>\(label)"))
    #expect(page.contains("<summary>\(label)"))
    #expect(page.contains("Short</span>\(text)All of it</span></div>"))
    #expect(page.ranges(of: "<summary>").count == 2)
  }

  @Test(arguments: hostileTexts)
  func `text of a feed stays text`(text: String) throws {
    let feed = try label("evil", text, link: "javascript:alert(1)")
    let page = newsPage(
      unseen([
        item(1, text, link: "javascript:alert(1)", summary: text + " more", feed: feed) {
          $0.enclosures = [
            Enclosure(url: "https://a.example/" + text), Enclosure(url: "javascript:alert(1)"),
          ]
          $0.image = "https://a.example/" + text
        }
      ]), in: .utc)

    // The frame of the page has one of each.
    #expect(page.ranges(of: "<style").count == 1)
    #expect(page.ranges(of: "</title>").count == 1)
    #expect(!page.contains("<script"))
    #expect(!page.contains("<evil"))
    #expect(!page.contains("javascript:"))
    // No quote of the text may end an attribute.
    #expect(page.matches(of: /\son[a-z]+=/).allSatisfy { _ in text.contains("on") })
    #expect(!page.contains("\" on"))
    #expect(!page.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{0}" || $0 == "\u{1B}" })
  }

  @Test func `images are left out`() throws {
    let items = [item(1, "A", feed: try label("a", "A")) { $0.image = "https://img.example/1.png" }]

    let plain = newsPage(unseen(items), in: .utc)
    #expect(!plain.contains("<img"))
    #expect(!plain.contains("img-src"))
    #expect(!plain.contains("img.example"))
  }

  @Test func `short contents keep their lists, code, links and lines`() throws {
    let feed = try label("a", "A")
    let contents = [
      "<ul><li>one<li>two</ul>", "Use <code>ls</code>", "See <a href=https://b.example/>b</a>",
      "<p>Words</p>", "<p>One<br>two</p>", "<p>Three</p><p>four</p>",
    ]
    let page = newsPage(
      unseen(
        contents.enumerated().map { number, html in
          item(Int64(number + 1), "Title", feed: feed) { $0.content = html }
        }), in: .utc)

    #expect(
      page.contains("<div class=\"article\" dir=\"auto\" lang=\"\"><ul><li>one</li><li>two</li></ul></div>"))
    #expect(page.contains("Use <code>ls</code></div>"))
    #expect(page.contains("See <a href=\"https://b.example/\" rel=\"noreferrer\">b</a></div>"))
    #expect(page.contains(">Words</span>"))
    #expect(page.contains("<p>One<br>two</p></div>"))
    #expect(page.contains("<p>Three</p><p>four</p></div>"))
    #expect(!page.contains("<details>"))
  }

  @Test func `what is missing of an article is said with the command that shows it`() throws {
    let feed = try label("a", "A")
    let long = String(repeating: "<p>word</p>", count: 100)
    let cut = item(7, "Title", link: "https://a.example/7", feed: feed) {
      $0.content = long
      $0.rest = ByteCount(1_300_000)
    }
    let note = "1.3 MB more on the article&#39;s page: bgfetch open 7"

    #expect(newsPage(unseen([cut]), in: .utc).contains("<p>\(note)</p></div></details>"))
    #expect(atomFeed(unseen([cut])).contains("&lt;p&gt;1.3 MB more on the article"))
    #expect(jsonFeed(unseen([cut])).contains("bgfetch open 7</p>"))
  }

  @Test func `long texts are cut`() throws {
    let feed = try label("a", "A")
    let long = String(repeating: "word ", count: 200_000)
    let page = newsPage(
      unseen((1...100).map { item(Int64(101 - $0), long, summary: "x " + long, feed: feed) }), in: .utc)

    #expect(page.utf8.count < 100 * 1200)
    #expect(page.ranges(of: "<li class=\"item\">").count == 100)
  }

  @Test(
    arguments: [
      (title: nil, isUnseen: true, heading: "1 new item", line: "Monday 23 November 2026"),
      (title: nil, isUnseen: false, heading: "1 item", line: "Monday 23 November 2026"),
      (title: "A & B", isUnseen: true, heading: "A &amp; B", line: "1 new item, Monday 23 November 2026"),
      (title: "A & B", isUnseen: false, heading: "A &amp; B", line: "1 item, Monday 23 November 2026"),
    ] as [(title: String?, isUnseen: Bool, heading: String, line: String)])
  func `a page has its own title, or says how many items it has`(
    title: String?, isUnseen: Bool, heading: String, line: String
  ) throws {
    var selection = unseen([item(1, "A", feed: try label("a", "A"))])
    selection.isUnseen = isUnseen
    if let title { (selection.title, selection.hasStandardTitle) = (title, false) }
    let page = newsPage(selection, in: .utc)

    #expect(page.contains("<title>\(heading)</title>"))
    #expect(page.contains("<h1 dir=\"auto\">\(heading)</h1><p>\(line)</p>"))
  }

  @Test
  func `a page says that nothing is there, or is left out, and the text of a feed has no known language`()
    throws
  {
    let none = newsPage(unseen([]), in: .utc)
    var selection = unseen([
      item(1, "Titel", link: "https://a.example/1", summary: "Text", feed: try label("a", "A"))
    ])
    selection.total = 1201
    let page = newsPage(selection, in: .utc)

    #expect(none.contains("<h1 dir=\"auto\">Nothing new</h1>"))
    #expect(none.contains("You have seen everything."))
    #expect(page.contains("<h1 dir=\"auto\">1201 new items</h1>"))
    #expect(page.contains("1200 older items are not shown."))
    #expect(page.contains("<html lang=\"en\">"))
    #expect(page.contains("dir=\"auto\" lang=\"\">Titel</a>"))
    #expect(page.contains("<span class=\"text\" dir=\"auto\" lang=\"\">Text</span>"))
  }

  @Test func `the policy allows exactly this style sheet`() throws {
    let page = newsPage(unseen([]), in: .utc)
    let style = try #require(page.firstMatch(of: /<style>((?s).*?)<\/style>/)).output.1
    let allowed = try #require(page.firstMatch(of: /style-src 'sha256-([^']*)'/)).output.1

    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "printf %s \"$0\" | sha256sum", String(style)]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    process.waitUntilExit()
    let sum = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    let digits = try #require(Data(base64Encoded: String(allowed))).map { String(format: "%02x", $0) }
    #expect(sum.prefix(64) == digits.joined())
  }
}
