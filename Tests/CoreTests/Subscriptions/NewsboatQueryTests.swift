// Queries of newsboat as commands.

import Core
import Testing

@Suite struct NewsboatQueryTests {
  @Test(
    arguments: [
      (#"unread = "yes""#, "--unseen"), (#"(unread = "yes")"#, "--unseen"), (#"unread != "no""#, "--unseen"),
      (#"unread = "no""#, nil), (#"tags # "Tech News""#, "@tech-news"),
      (#"tags # "a" or tags # "b""#, "@a @b"),
      (#"(tags # "a" or tags # "b") and unread = "yes""#, "@a @b --unseen"),
      (#"tags # "a" and tags # "b""#, nil), (#"unread = "yes" or tags # "a""#, nil),
      (#"unread="yes" and age < 7"#, "--unseen --since 7d"), (#"age between 0:7"#, "--since 8d"),
      (#"age between 2:7"#, "--since 8d --older-than 2d"), (#"age > 30"#, "--older-than 31d"),
      (#"age < 0"#, nil),
      (#"flags # "s""#, "--starred"), (#"flags != """#, "--starred"), (#"flags !# "s""#, nil),
      (#"title # "rust" and unread = "yes""#, "--unseen --search 'rust'"),
      (#"title =~ "rust async" and content =~ "tokio""#, "--search 'rust async tokio'"),
      (#"title =~ "a|b""#, nil), (#"title # "'; rm""#, nil), (#"author = "Ada""#, "--search 'Ada'"),
      (#"rssurl =~ "x""#, nil), ("", nil), ("(", nil), ("unread", nil), ("unread =", nil),
      ("unread = \"yes", "--unseen"),
      (#"unread = "yes" and"#, nil), (#"unread = "yes" unread = "yes""#, nil),
    ] as [(String, String?)])
  func `a query is said by options, or not at all`(query: String, options: String?) {
    #expect(itemsCommand(ofNewsboatQuery: query) == options.map { "bgfetch items " + $0 })
  }

  @Test func `many brackets take little`() {
    #expect(itemsCommand(ofNewsboatQuery: String(repeating: "(", count: 1_000_000)) == nil)
  }
}
