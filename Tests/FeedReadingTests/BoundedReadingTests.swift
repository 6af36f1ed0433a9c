// What reading a document may come to: bytes of resolved addresses, tags of lists, and work after it should stop.

import Core
import FeedReading
import Synchronization
import Testing

@Suite struct BoundedReadingTests {
  private static let longBase = "https://a.example/" + String(repeating: "b/", count: 1900)

  /// A base, what follows it in the document, and a piece that refers to it.
  static let references: [(start: String, piece: String, end: String, address: String)] = [
    ("<rss xml:base='\(longBase)'><channel><item>", "<enclosure url='#'/>", "</item></channel></rss>", ""),
    ("<rss><channel>", "<item><link>#</link></item>", "</channel></rss>", longBase),
    ("<rss><channel>", "<item><link>../../#</link></item>", "</channel></rss>", longBase),
    ("<feed xml:base='\(longBase)'>", "<entry><link href='?#'/></entry>", "</feed>", ""),
    ("<feed>", "<entry><link href='#'/></entry>", "</feed>", longBase + "?" + longBase),
    ("<rss><channel>", "<a xml:base='c/'><item><link>#</link></item></a>", "</channel></rss>", longBase),
    ("{\"version\":\"https://jsonfeed.org/\",\"items\":[", "{\"url\":\"#\"},", "]}", longBase),
  ]

  @Test(arguments: references)
  func `resolved addresses together are not much longer than the document`(
    start: String, piece: String, end: String, address: String
  ) throws {
    let pieces = (0..<5000).map { piece.replacing("#", with: "x\($0)") }.joined()
    let document = Array((start + pieces + end).utf8)

    let feed = try readFeed(document, contentType: nil, address: address)

    let links = feed.items.compactMap(\.link) + feed.items.flatMap(\.enclosures).map(\.url)
    #expect(!links.isEmpty)
    #expect(links.reduce(0) { $0 + $1.utf8.count } <= document.count + 1 << 16 + 8192)
  }

  @Test func `mapped addresses together are not much longer than the document`() throws {
    let document = "[" + (0..<5000).map { "{\"a\":\"\($0)\"}," }.joined() + "{}]"

    let feed = try mapped(document, items: [""], [.link: ["/a"], .assets: ["/a"]], address: Self.longBase)

    let links = feed.items.compactMap(\.link) + feed.items.flatMap(\.enclosures).map(\.url)
    #expect(!links.isEmpty)
    #expect(links.reduce(0) { $0 + $1.utf8.count } <= document.utf8.count + 1 << 16 + 8192)
  }

  @Test
  func `the query of a document's long address is no part of the base, and a longer path is none at all`()
    throws
  {
    let query = String(repeating: "q", count: 5000)
    let path = String(repeating: "p/", count: 2500)

    func link(_ address: String) throws -> String? {
      let document = Array("<rss><channel><item><link>x</link></item></channel></rss>".utf8)
      return try readFeed(document, contentType: nil, address: address).items.first?.link
    }

    #expect(try link("https://a.example/b/c?\(query)") == "https://a.example/b/x")
    #expect(try link("https://a.example/\(path)c") == "x")
  }

  @Test func `a relative address that servers would refuse is left out, a whole one stays`() throws {
    let long = String(repeating: "x", count: 9000)

    #expect(try rssItem("<title>a</title><link>\(long)</link>").link == nil)
    #expect(try rssItem("<link>https://a.example/\(long)</link>").link?.utf8.count == 9018)
  }

  @Test func `files and categories that begin alike or are composed otherwise are told apart`() throws {
    let names = (0..<150).map { "\($0 % 2 == 0 ? "é" : "e\u{301}")/\($0 / 2)" }
    let item = try rssItem(
      (names + names).map { "<enclosure url='https://a.example/\($0)'/><category>\($0)</category>" }.joined())

    #expect(item.enclosures.map { Array($0.url.utf8) } == names.map { Array("https://a.example/\($0)".utf8) })
    #expect(item.categories.map { Array($0.utf8) } == names.map { Array($0.utf8) })
  }

  /// Documents of more than a mebibyte, by what is read of them.
  static let large: [(String, String, FeedKind)] = [
    ("<rss><channel>", "<item><title>a</title></item>", .feed),
    ("<feed><entry>", "<content type='xhtml'><b>x</b>", .feed),
    ("<rss><channel><item><title>", "<b>x</b>", .feed),
    ("{\"items\":[", "{\"id\":1},", .feed), ("{\"a\":[", "[1],", .feed),
    ("<?xml version='1.0' encoding='koi8-r'?><rss><channel><title>\u{E9}", "x", .feed),
    (
      "[", "{\"id\":1},",
      .json(JSONMapping(items: (try? JSONPointer(parsing: "")).map { [$0] } ?? [], parts: [:]))
    ),
  ]

  @Test(arguments: large)
  func `reading stops soon after it should`(start: String, piece: String, kind: FeedKind) {
    var document = Array((start + String(repeating: piece, count: (1 << 20) / piece.utf8.count)).utf8)
    // Latin letters that are no UTF-8, so that the label counts.
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

  @Test func `a list on one line is not searched for line ends again and again`() throws {
    func time(_ count: Int) throws -> Int {
      let document = Array(
        ("<opml>" + String(repeating: "<outline text='a'/>", count: count)
          + String(repeating: " ", count: 16 << 20)).utf8)
      let begun = threadTime()
      _ = try readSubscriptions(document)
      return threadTime() - begun
    }

    let (one, many) = (try time(1), try time(3000))

    // Each outline would search 16 MiB: some seconds in all.
    #expect(many < one * 5 + 500_000)
  }

  @Test func `tags of a list are bounded by its size, and folders by their number`() throws {
    let folders = (0..<40).map { "<outline text='folder \($0) \(String(repeating: "x", count: 300))'>" }
      .joined()
    let feeds = (0..<5000).map { "<outline xmlUrl='https://a.example/\($0)' category='c'/>" }.joined()
    let list = Array(("<opml>" + folders + feeds).utf8)

    let tags = try readSubscriptions(list).compactMap { entry -> [String]? in
      if case .feed(let subscription, _) = entry { subscription.tags } else { nil }
    }

    #expect(tags.count == 5000)
    #expect(tags.first?.count == 21)
    #expect(tags.joined().reduce(0) { $0 + $1.utf8.count } <= list.count * 2 + 1 << 16)
  }
}
