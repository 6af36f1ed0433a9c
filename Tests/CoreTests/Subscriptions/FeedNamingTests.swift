// Names for new feeds.

import Core
import Testing

@Suite struct FeedNamingTests {
  @Test(arguments: [
    ("Planet Debian", "planet-debian"), ("LWN.net", "lwn"), ("heise.de", "heise"), ("Node.js", "node"),
    ("Ars Technica - All content", "ars-technica-all-content"), ("LWN.net headlines", "lwn-headlines"),
    ("LWN.net | RSS Feed", "lwn"),
    ("BBC News - World", "bbc-news-world"), ("The Verge -  All Posts", "the-verge-all-posts"),
    ("RSS | Debian News", "debian-news"), ("Debian Security RSS Feed", "debian-security"),
    ("Latest news", "latest-news"), ("Blog", "blog"), ("Blog - Feed", "blog"),
    ("News » heise.de", "news-heise"),
    ("Mr. Money: the blog!", "mr-money-the-blog"), ("  Ken's café — déjà vu ", "kens-cafe-deja-vu"),
    ("Cafe\u{301}", "cafe"), ("Ærø & Straße", "aero-strasse"), ("Łódź/Ørsted", "lodz-orsted"),
    ("Tiếng Việt", "tieng-viet"), ("C++ 101", "c-101"), ("under_score", "under_score"),
    ("-- dashes --", "dashes"), ("...dots...", "dots"), ("a - b", "a-b"), ("a.-b", "a-b"), ("1.10", "1.10"),
    ("😀 smile", "smile"), ("x-files", "x-files"),
    (String(repeating: "wo", count: 80), String(repeating: "wo", count: 12)),
    ("A title that is rather long and never seems to end", "a-title-that-is-rather"),
  ])
  func `a name is made from the title`(title: String, name: String) {
    #expect(names([Subscription(url: "https://a.example/", title: title)]) == [name])
  }

  @Test(arguments: [
    ("https://www.news.example/rss/tech.xml", nil as String?, "news.example-tech"),
    ("https://news.example/", "Новости", "news.example"),
    ("https://news.example/feed", "日本 Linux", "news.example"),
    ("https://code.example/Owner/Project/releases.atom", "", "code.example-owner"),
    ("https://video.example/feeds/videos.xml?channel_id=SECRET", "!!!", "video.example-videos"),
    ("https://a.example/caf%C3%A9/x", nil, "a.example-x"), ("http://[2001:db8::1]/feed", nil, "2001-db8-1"),
    ("file:///home/me/feeds/daily.xml", nil, "daily"), ("https://пример.example/лента", "Лента", "feed"),
    ("https://user.example:8080/x.php", nil, "user.example-x"),
  ])
  func `without a usable title a name is made from host and path, never from the query`(
    url: String, title: String?, name: String
  ) {
    #expect(names([Subscription(url: url, title: title)]) == [name])
  }

  @Test func `names differ in more than case, and later feeds do not change earlier names`() throws {
    let some = ["Planet", "PLANET", "planet", "Plänet"].enumerated().map {
      Subscription(url: "https://a.example/\($0.offset)", title: $0.element)
    }

    let before = names(some)
    let after = names(some + [Subscription(url: "https://b.example/", title: "Planet")])

    #expect(before == ["planet", "planet-2", "planet-3", "planet-4"])
    #expect(Array(after.prefix(4)) == before)
    #expect(names(some) == before)
  }

  @Test func `a name avoids those in use in any case, and a site's own name is better than the title`() {
    var naming = FeedNaming(taken: ["Planet", "planet-2"].compactMap(FeedName.init))

    #expect(naming.name(title: "Planet", address: "https://a.example/")?.text == "planet-3")
    #expect(
      naming.name(title: "Release notes from curl", preferred: "curl", address: "https://a.example/")?.text
        == "curl")
    #expect(naming.name(title: nil, address: "https://www.debian.org/News/news")?.text == "debian-news-news")
  }

  @Test func `thousands of feeds with one title have distinct names`() {
    let feeds = (0..<5000).map { Subscription(url: "https://a.example/\($0)", title: "The same") }

    #expect(Set(names(feeds)).count == 5000)
  }
}

/// The names that feeds get.
private func names(_ subscriptions: [Subscription]) -> [String] {
  importPlan(subscriptions.map { .feed($0, line: 1) }, takingFiles: true).feeds.map(\.name.text)
}
