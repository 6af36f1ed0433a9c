// Bounds: sizes, numbers, and stopping.

import Core
import Formats
import Synchronization
import TestKit
import Testing

@Suite struct BoundedReadingTests {
  private static let longBase = "https://a.example/" + String(repeating: "b/", count: 1900)

  /// A base, the text after it, and a piece that refers to it.
  static let references: [(start: String, piece: String, end: String, address: String)] = [
    ("<rss xml:base='\(longBase)'><channel><item>", "<enclosure url='#'/>", "</item></channel></rss>", ""),
    ("<rss><channel>", "<item><link>#</link></item>", "</channel></rss>", longBase),
    ("<rss><channel>", "<item><link>../../#</link></item>", "</channel></rss>", longBase),
    ("<feed xml:base='\(longBase)'>", "<entry><link href='?#'/></entry>", "</feed>", ""),
    ("<feed>", "<entry><link href='#'/></entry>", "</feed>", longBase + "?" + longBase),
    ("<rss><channel>", "<a xml:base='c/'><item><link>#</link></item></a>", "</channel></rss>", longBase),
    ("{\"version\":\"https://jsonfeed.org/\",\"items\":[", "{\"url\":\"#\"},", "]}", longBase),
    ("[", "{\"a\":\"#\"},", "{}]", longBase),
  ]

  @Test(arguments: references)
  func `resolved addresses together are not much longer than the document`(
    start: String, piece: String, end: String, address: String
  ) throws {
    let pieces = (0..<5000).map { piece.replacing("#", with: "x\($0)") }.joined()
    let document = Array((start + pieces + end).utf8)

    let mapping = try JSONMapping(
      items: [JSONPointer(parsing: "")],
      parts: [.link: [JSONSource(parsing: "/a")], .assets: [JSONSource(parsing: "/a")]])
    let feed = try readFeed(
      document, as: start == "[" ? .json(mapping) : .feed, contentType: nil, address: address)

    let links = feed.items.compactMap(\.link) + feed.items.flatMap(\.enclosures).map(\.url)
    #expect(!links.isEmpty)
    #expect(links.reduce(0) { $0 + $1.utf8.count } <= document.count + 1 << 16 + 8192)
  }

  @Test func `a base has no query of a long address or too long path, nor a link what servers would refuse`()
    throws
  {
    let query = String(repeating: "q", count: 5000)
    let (path, long) = (String(repeating: "p/", count: 2500), String(repeating: "x", count: 9000))
    func link(_ address: String) throws -> String? {
      let document = Array("<rss><channel><item><link>x</link></item></channel></rss>".utf8)
      return try readFeed(document, contentType: nil, address: address).items.first?.link
    }

    #expect(try link("https://a.example/b/c?\(query)") == "https://a.example/b/x")
    #expect(try link("https://a.example/\(path)c") == "x")
    #expect(try rssItem("<title>a</title><link>\(long)</link>").link == nil)
    // An absolute one stays.
    #expect(try rssItem("<link>https://a.example/\(long)</link>").link?.utf8.count == 9018)
  }

  @Test func `files and categories that begin alike or are composed otherwise stay distinct`() throws {
    let names = (0..<150).map { "\($0 % 2 == 0 ? "é" : "e\u{301}")/\($0 / 2)" }
    let item = try rssItem(
      (names + names).map { "<enclosure url='https://a.example/\($0)'/><category>\($0)</category>" }.joined()
        + "<enclosure url='https://a.example/\(names[140])' type='audio/mpeg'/>")

    #expect(item.enclosures[140].type == "audio/mpeg")
    #expect(item.enclosures.map { Array($0.url.utf8) } == names.map { Array("https://a.example/\($0)".utf8) })
    #expect(item.categories.map { Array($0.utf8) } == names.map { Array($0.utf8) })
  }

  @Test func `titles, names, categories and ids are short, and long ids stay distinct`() throws {
    let long = String(repeating: "i", count: 10_000)
    let feed = try read(
      rss(
        "<item><guid>\(long)1</guid><title>\(long)</title><author>\(long)</author><category>\(long)</category></item>"
          + "<item><guid>\(long)2</guid><category term='\(long)'/><title>\(String(repeating: "<b/>", count: 10_000))x</title></item>"
      ))

    let texts = feed.items.flatMap { [$0.id, $0.title, $0.author].compactMap(\.self) + $0.categories }
    #expect(texts.count == 7)
    #expect(texts.allSatisfy { $0.utf8.count <= 4096 })
    #expect(feed.items[0].id != feed.items[1].id)
    #expect(feed.items[1].title == "x")
  }

  /// Documents of more than a mebibyte, by the kind of reader.
  static let large: [(String, String, FeedKind)] = [
    ("<rss><channel>", "<item><title>a</title></item>", .feed),
    ("<feed><entry>", "<content type='xhtml'><b>x</b>", .feed),
    ("<rss><channel><item><title>", "<b>x</b>", .feed), ("{\"items\":[", "{\"id\":1},", .feed),
    ("{\"a\":[", "[1],", .feed), ("<p>", "x", .html(HTMLMapping())),
    ("<?xml version='1.0' encoding='koi8-r'?><rss><channel><title>\u{E9}", "x", .feed),
    (
      "[", "{\"id\":1},",
      .json(JSONMapping(items: (try? JSONPointer(parsing: "")).map { [$0] } ?? [], parts: [:]))
    ),
  ]

  @Test(arguments: large)
  func `reading stops soon after shouldStop says so`(start: String, piece: String, kind: FeedKind) {
    var document = Array((start + String(repeating: piece, count: (1 << 20) / piece.utf8.count)).utf8)
    // Latin letters that are not UTF-8, so that the label counts.
    if start.contains("koi8") { document = document.map { $0 == 0xC3 ? 0xE9 : $0 } }
    let asked = Mutex(0)

    let failure = #expect(throws: FeedReadingFailure.self) {
      _ = try readFeed(document, as: kind, contentType: nil, address: nil) {
        asked.withLock { count in
          count += 1
          return count >= 3
        }
      }
    }

    #expect(failure == .stopped)
    #expect((3...8).contains(asked.withLock { $0 }))
  }

  @Test func `a list on one line is searched for line ends once`() throws {
    func time(_ count: Int) throws -> Int {
      let document = Array(
        ("<opml>" + String(repeating: "<outline text='a'/>", count: count)
          + String(repeating: " ", count: 16 << 20)).utf8)
      return try processorTime { _ = try readSubscriptions(document) }
    }

    let (one, many) = (try time(1), try time(3000))

    // Each outline would search 16 MiB: some seconds in all.
    #expect(many < one * 5 + 500_000)
  }

  @Test func `a feed has at most twenty tags, those of its folders first`() throws {
    let folders = (0..<40).map { "<outline text='folder \($0) \(String(repeating: "x", count: 300))'>" }
      .joined()
    let feeds = (0..<5000).map { "<outline xmlUrl='https://a.example/\($0)' category='c'/>" }.joined()
    let list = Array(("<opml>" + folders + feeds).utf8)

    let tags = try readSubscriptions(list).compactMap { entry -> [String]? in
      if case .feed(let subscription, _) = entry { subscription.tags } else { nil }
    }

    #expect(tags.count == 5000)
    #expect(tags.allSatisfy { $0.count == 20 })
    #expect(tags.first?.first?.hasPrefix("folder 0 ") == true)
  }
}

@Suite struct ExtremeNumbersTests {

  static let extremes = [
    "0", "-1", "2147483648", "9007199254740992", "4611686018427387904", "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "99999999999999999999999", "1e308", "-1e308", "1e18",
    "NaN", "",
  ]

  @Test(arguments: extremes)
  func `a feed may have any number`(text: String) throws {
    let rss = try read(
      rss(
        """
        <ttl>\(text)</ttl><skipHours><hour>\(text)</hour><hour>3</hour></skipHours>
        <skipDays><day>\(text)</day></skipDays>
        <sy:updatePeriod>yearly</sy:updatePeriod><sy:updateFrequency>\(text)</sy:updateFrequency>
        <item><title>T</title><pubDate>\(text)</pubDate><itunes:duration>\(text)</itunes:duration>
        <enclosure url="/a" length="\(text)"/>
        <media:content url="/b" fileSize="\(text)" duration="\(text)" height="\(text)" width="\(text)"/></item>
        """))
    let feed = try read(
      atom(
        """
        <updated>\(text)</updated><entry><id>\(text)</id><updated>\(text)</updated>
        <link rel="enclosure" href="/a" length="\(text)"/></entry>
        """))
    let json = try? read(
      """
      {"version": "https://jsonfeed.org/version/1.1", "items": [{"id": \(text.isEmpty ? "0" : text),
       "date_published": \(text.isEmpty ? "0" : text), "attachments": [
       {"url": "/a", "size_in_bytes": \(text.isEmpty ? "0" : text), "duration_in_seconds": 1}]}]}
      """)

    for feed in [rss, feed, json].compactMap({ $0 }) {
      #expect((feed.hints.updateInterval ?? .zero) <= .longest)
      #expect((feed.hints.timeToLive ?? .zero) <= .days(365))
      #expect(feed.hints.skipHours.allSatisfy { (0..<24).contains($0) })
      for enclosure in feed.items.flatMap(\.enclosures) { #expect((enclosure.length ?? 0) >= 0) }
    }
  }

  @Test(arguments: [
    "Fri, 31 Dec 99999 23:59:60 GMT", "0000-01-01T00:00:00Z", "9999-12-31T23:59:60-23:59", "-9999-01-01",
    "99999999999999", "9999W537T24:00", "0001001T00:00+2359", "31/12/0", "1/1/9999 23:59:60 +9999",
    "Sat, 00 Jan 0000 99:99:99 -9999", "1969-366", "4294967296", "9223372036854775807",
  ])
  func `a date of any year is a moment or nil`(text: String) throws {
    let item = try rssItem("<title>T</title><pubDate>\(text)</pubDate>")

    let year: (Instant) -> Int = { Zone.utc.civil(at: $0).year }
    #expect(item.published.map { (-1...10_000).contains(year($0)) } ?? true)
  }
}
