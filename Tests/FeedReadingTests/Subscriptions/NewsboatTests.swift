import Core
import FeedReading
import Testing

@Suite struct NewsboatTests {
  @Test func `addresses have their tags and titles`() throws {
    let entries = try list(
      """
      # feeds
      https://a.example/rss

        https://b.example/rss linux "two words" "~The \\"B\\" & <co>"  # a remark
      "https://c.example/rss"\t"~C" "~second title is a tag of nobody"
      file:///home/me/d.xml
      """)

    #expect(
      entries == [
        .feed(Subscription(url: "https://a.example/rss"), line: 2),
        .feed(
          Subscription(
            url: "https://b.example/rss", title: "The \"B\" & <co>", tags: ["linux", "two words"]), line: 4),
        .feed(Subscription(url: "https://c.example/rss", title: "C"), line: 5),
        .feed(Subscription(url: "file:///home/me/d.xml"), line: 6),
      ])
  }

  @Test func `what newsboat alone can do is remarked on`() throws {
    let entries = try list(
      """
      "query:Unread:unread = \\"yes\\""
      exec:~/bin/feed "~Made"
      "filter:~/bin/clean:https://a.example/"
      https://b.example/ "!" news
      """)

    #expect(
      entries == [
        .remark(SubscriptionRemark(line: 1, .query)), .remark(SubscriptionRemark(line: 2, .program("exec"))),
        .remark(SubscriptionRemark(line: 3, .program("filter"))),
        .remark(SubscriptionRemark(line: 4, .hidden)),
        .feed(Subscription(url: "https://b.example/", tags: ["news"]), line: 4),
      ])
  }

  @Test func `a byte order mark, other line ends and a quote without end do no harm`() throws {
    let entries = try list("\u{FEFF}https://a.example/\r\nhttps://b.example/ \"~B and more\r\n")

    #expect(
      entries == [
        .feed(Subscription(url: "https://a.example/"), line: 1),
        .feed(Subscription(url: "https://b.example/", title: "B and more"), line: 2),
      ])
  }

  @Test func `text in which no line begins with an address is no list`() {
    #expect(throws: SubscriptionListFailure.other("text")) { try list("Dear all,\nsee https://a.example/\n") }
    #expect(throws: SubscriptionListFailure.other("text")) { try list("# only a comment\n") }
  }
}
