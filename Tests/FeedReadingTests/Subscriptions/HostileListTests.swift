import Core
import FeedReading
import Glibc
import Testing

@Suite struct HostileListTests {
  @Test func `a list keeps a bounded number of entries, and says how many more there are`() throws {
    let outline = "<outline text='x' xmlUrl='https://a.example/'/>\n"
    let entries = try list("<opml><body>" + String(repeating: outline, count: 100_002) + "</body></opml>")

    #expect(entries.count == 100_001)
    #expect(entries.last == .remark(SubscriptionRemark(line: 100_001, .tooMany(2))))
  }

  @Test func `outlines nested beyond all measure are counted, and those after them are read`() throws {
    let deep =
      String(repeating: "<outline text='f'>", count: 10_000) + "<outline xmlUrl='https://deep.example/'/>"
    let entries = try list(
      "<opml><body>\(deep)\(String(repeating: "</outline>", count: 10_000))"
        + "<outline text='A' xmlUrl='https://a.example/'/></body></opml>")

    #expect(entries.first == .feed(Subscription(url: "https://a.example/", title: "A"), line: 1))
    // The root, the body and 254 outlines are the 256 levels that are read.
    #expect(entries.last == .remark(SubscriptionRemark(line: 1, .tooDeep(10_001 - 254))))
  }

  @Test func `a title of megabytes is cut`() throws {
    let title = String(repeating: "日", count: 3_000_000)
    let entries = try list("<opml><body><outline text='\(title)' xmlUrl='https://a.example/'/></body></opml>")

    guard case .feed(let subscription, _) = try #require(entries.first) else {
      Issue.record("the feed is missing")
      return
    }
    #expect((subscription.title?.utf8.count ?? 0) <= 4096)
  }

  @Test(
    arguments: [
      ("<opml><body>", "<outline>", ""), ("<opml><body>", "<outline text='a'>", "</outline>"),
      ("<opml><body>", "<outline xmlUrl='a'/>", ""), ("<opml><body><outline text='", "&amp;", "'/>"),
      ("<opml><body><outline text='", "&", "'/>"), ("<opml><body><outline category='", "/a,", "'/>"),
      ("<opml>", "\n", ""), ("<opml>", "<outline text='", ""), ("", "http://a b\n", ""),
      ("http://a ", "\"~x\" ", ""), ("http://a \"", "\\\"", ""), ("", "\"", ""), ("", "#\n", "http://a"),
    ])
  func `hostile lists take time in proportion to their size`(start: String, piece: String, end: String) {
    func time(_ size: Int) -> Int {
      let list = Array((start + String(repeating: piece, count: size / piece.utf8.count) + end).utf8)
      return (0..<3).map { _ in
        var begun = timespec()
        var ended = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begun)
        _ = try? readSubscriptions(list)
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ended)
        return (ended.tv_sec - begun.tv_sec) * 1_000_000 + (ended.tv_nsec - begun.tv_nsec) / 1000
      }.min() ?? 0
    }
    _ = time(1000)
    let small = time(16_000)
    let large = time(128_000)

    // Eight times the size: linear work takes eight times as long, quadratic work 64 times.
    #expect(large < small * 30 + 30_000)
  }
}
