import Core
import FeedReading
import Glibc
import Testing

@Suite struct HostileDocumentTests {
  /// What stands before, what is repeated, what stands behind.
  static let shapes: [(String, String, String)] = [
    ("<rss>", "<a", ""), ("<rss>", "<a ", ""), ("", "<a>", ""), ("<rss><channel>", "<a>", ""),
    ("<rss>", "</a>", ""), ("<rss>", "<a></b>", ""), ("<rss>", "<", ""),
    ("<rss><channel><title>", "&", ""), ("<rss><channel><title>", "&amp;", "</title>"),
    ("<rss>", "<![CDATA[", ""), ("<rss><channel><title>", "]]", ""),
    ("<rss><channel><title><![CDATA[", "]", ""), ("<rss>", "<!--", ""), ("<rss>", "<!-- -- ", ""),
    ("", "<!DOCTYPE [", ""), ("", "<!DOCTYPE [>", "<rss>"), ("<!DOCTYPE x [", "<!--", ""),
    ("<!DOCTYPE x [", "'\"", ""), ("", "<?", ""), ("", "<?a>", ""), ("", "<?a?", ""),
    ("<rss ", "a='1' ", ">"), ("<rss ", "a=\"", ""), ("<rss ", "a='", ">"), ("<rss ", "xmlns:a='b' ", ">"),
    ("<rss>", "<a b='>", ""), ("<rss><channel>", "<item>", ""), ("<rss><channel>", "<item><title>x", ""),
    ("<rss><channel><item>", "<media:group>", ""),
    ("<rss><channel><item>", "<category>a</category>", ""),
    ("<rss><channel><item><enclosure url='", "a", "'/>"),
    ("<rss><channel><item>", "<enclosure url='a'/>", ""),
    ("<rss><channel><item><title>", "<b>", ""), ("<rss><channel><item><title>", "<b>x</b>", "</title>"),
    ("<rss><channel><item><title>", "e\u{301}", "</title>"),
    ("<rss><channel><item><title>", "&lt;a", "</title></item>"),
    ("<rss><channel><item><link>", " ", "</link>"), ("<rss>", "<a xml:base='b/'>", ""),
    ("<rss><channel><pubDate>", "1 ", "</pubDate>"),
    ("<feed>", "<entry><content type='xhtml'>", ""), ("<feed><entry>", "<author>", ""),
    ("{\"items\": ", "[", ""), ("{\"items\": [", "{\"id\": 1},", ""), ("{\"a\": \"", "\\\\", ""),
    ("{\"a\": \"", "\\\"", ""),
    ("{", "\"a\": 1,", ""), ("{\"a\":", "{\"a\":", ""), ("{\"items\": [{\"id\": \"", "\\ud83d", "\"}]}"),
    ("", "\u{0}", ""), ("<rss>", "\u{1}", ""), ("", "<br>", ""), ("", "é", ""),
    ("<rss><", "a:", ">"), ("<rss><channel><skipHours>", "<hour>1</hour>", ""),
    ("<rss><channel>", "<item><item/>", ""), ("<?xml encoding='", "x", "'?>"),
  ]

  @Test(arguments: shapes)
  func `hostile documents take time in proportion to their size`(start: String, piece: String, end: String) {
    func time(_ size: Int) -> Int {
      let document = Array((start + String(repeating: piece, count: size / piece.utf8.count) + end).utf8)
      return (0..<3).map { _ in
        let begun = threadTime()
        _ = try? readFeed(document, contentType: nil, address: "https://a.example/")
        return threadTime() - begun
      }.min() ?? 0
    }
    _ = time(1000)
    let small = time(16_000)
    let large = time(128_000)

    // Eight times the size: linear work takes eight times as long, quadratic work 64 times.
    #expect(large < small * 30 + 30_000)
  }

  @Test func `an item keeps a bounded number of files and categories`() throws {
    let item = try rssItem(
      (0..<2000).map { "<enclosure url='https://a.example/\($0)'/><category>\($0)</category>" }.joined())

    #expect(item.enclosures.count == 200)
    #expect(item.categories.count == 200)
  }

  @Test func `a document keeps a bounded number of items, the first ones`() throws {
    let feed = try read(
      rss(String(repeating: "<item><title>a</title></item>", count: 50_001) + "<item><title>b</title></item>")
    )

    #expect(feed.items.count == 50_000)
    #expect(feed.leftOut == 2)
    #expect(feed.items.last?.title == "a")
  }

  @Test func `a title is cut, between two characters`() throws {
    let item = try rssItem("<title>\(String(repeating: "日", count: 5000))</title>")

    #expect(item.title == String(repeating: "日", count: 4096 / 3))
  }
}

/// The processor time of this thread in microseconds: other tests on the same processors do not count.
func threadTime() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
}
