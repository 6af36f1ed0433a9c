// Which links of a page are tried, and which feeds are the same.

import Core
import Testing

@Suite struct FoundFeedsTests {
  private func link(_ address: String, _ title: String? = nil) throws -> FeedLink {
    FeedLink(address: try #require(WebAddress(address)), title: title)
  }

  private func tried(_ links: [FeedLink], of page: String = "https://a.example/", limit: Int = 5) throws
    -> [String]
  {
    linksToTry(links, of: try #require(WebAddress(page)), limit: limit).map(\.address.text)
  }

  @Test func `links are tried once, in their order, up to the limit`() throws {
    let links = try [
      link("https://a.example/1"), link("https://A.example:443/1"), link("https://a.example/2"),
      link("https://a.example/3"),
    ]

    #expect(try tried(links, limit: 2) == ["https://a.example/1", "https://a.example/2"])
  }

  @Test func `feeds of comments are tried only if there are no others, a link back to the page is not`()
    throws
  {
    let comments = try [
      link("https://a.example/comments/feed"), link("https://a.example/c", "Blog » Comments Feed"),
    ]

    #expect(
      try tried([comments[0], link("https://a.example/feed"), comments[1]]) == ["https://a.example/feed"])
    #expect(try tried(comments).count == 2)
    #expect(try tried([link("https://a.example/")]) == [])
  }

  @Test func `an encrypted page's link to its own host is tried encrypted`() throws {
    let links = try [
      link("http://a.example/feed"), link("http://b.example/feed"), link("http://a.example:81/x"),
    ]

    #expect(try tried(links) == ["https://a.example/feed", "http://b.example/feed", "http://a.example:81/x"])
    #expect(try tried(links, of: "http://a.example/").first == "http://a.example/feed")
  }

  @Test(arguments: [
    ("https://a.example", ["/feed", "/rss.xml", "/atom.xml", "/index.xml", "/feed.json"]),
    ("https://a.example/?p=1", ["/feed", "/rss.xml", "/atom.xml", "/index.xml", "/feed.json"]),
    ("https://a.example/index.html", ["/feed", "/rss.xml", "/atom.xml", "/index.xml", "/feed.json"]),
    ("https://a.example/blog/", ["/blog/feed", "/blog/index.xml", "/feed", "/rss.xml", "/atom.xml"]),
    ("https://a.example/~me/x.html", ["/~me/feed", "/~me/index.xml", "/feed", "/rss.xml", "/atom.xml"]),
  ])
  func `five places are well known, all at the page's host`(page: String, places: [String]) throws {
    let found = wellKnownAddresses(of: try #require(WebAddress(page))).map(\.text)

    #expect(found == places.map { "https://a.example" + $0 })
  }

  @Test func `the same items in another format are the same feed`() {
    func feed(_ address: String, _ format: FeedFormat, _ links: [String]) -> FoundFeed {
      var document = ParsedFeed(format: format)
      document.items = links.map { link in with(ParsedItem()) { $0.link = link } }
      return FoundFeed(address: address, document)
    }
    let feeds = [
      feed("https://a.example/rss", .rss, ["1", "2"]), feed("https://a.example/atom", .atom, ["1", "2"]),
      feed("https://a.example/other", .rss, ["3"]), feed("https://a.example/empty", .rss, []),
      feed("https://a.example/new", .rss, []),
    ]

    #expect(distinct(feeds).map(\.address).map { $0.suffix(5) } == ["e/rss", "other", "empty", "e/new"])
  }

  @Test func `a found feed has a clean title and the time of its newest item`() throws {
    var document = ParsedFeed(format: .rss)
    document.title = "a\u{1B}[31m\u{202E}b"
    document.items = [ParsedItem(), ParsedItem()]
    document.items[1].published = Instant(secondsSince1970: 1000)

    let found = FoundFeed(address: "https://a.example/", document)

    #expect(found.title == "ab")
    #expect(found.items == 2)
    #expect(found.newest == Instant(secondsSince1970: 1000))
  }
}
