// Lists of podget and rss2email, and what rss2email has mailed.

import Core
import Formats
import TestKit
import Testing

@Suite struct OtherListTests {
  @Test func `podget's list has categories as tags, and its podcasts are downloaded`() throws {
    let entries = try list(
      """
      # Server list of podget
      https://a.example/rss Linux Linux Outlaws
      https://b.example/rss . No_Name
      https://c.example/rss News_%YY% Evening OPT_FILENAME_LOCATION PASS:geheim
      """)
    func podcast(_ url: String, _ title: String?, _ tags: [String]) -> Subscription {
      var podcast = Subscription(url: url, title: title, tags: tags)
      podcast.downloads = true
      return podcast
    }

    #expect(
      entries == [
        .feed(podcast("https://a.example/rss", "Linux Outlaws", ["Linux"]), line: 2),
        .feed(podcast("https://b.example/rss", nil, []), line: 3),
        .feed(podcast("https://c.example/rss", "Evening", []), line: 4),
        .remark(
          SubscriptionRemark(
            line: 4, .without([("OPT_FILENAME_LOCATION and PASS", "write auth: with a secret")]))),
      ])
  }

  @Test func `podget's settings are answered with those of bgfetch`() throws {
    let entries = try list(
      "VERBOSITY=2\nDIR_LIBRARY=\"${HOME}/POD\"\n# MOST_RECENT=9\nMOST_RECENT=3\nCLEANUP_DAYS=7\n")
    let texts = entries.compactMap { entry in
      if case .remark(let remark) = entry { "\(remark.line) \(remark.kind.text)" } else { nil }
    }

    #expect(
      texts == [
        "2 DIR_LIBRARY: write documents: ~/POD",
        "4 MOST_RECENT: write defaults: {download: {keep: 3}}",
        "5 CLEANUP_DAYS: if CLEANUP is on, write defaults: {download: {keep: 7d}}",
      ])
  }

  @Test func `podget's settings alone are read`() throws {
    let entries = try list("MOST_RECENT=3\n")

    #expect(entries.count == 1)
  }

  @Test(arguments: [
    ("every line has category and name", "https://a.example/ Linux Linux Outlaws\n", true),
    ("one line has no name", "https://a.example/ Linux Outlaws x\nhttps://b.example/ news\n", false),
    ("a quote", "https://a.example/ news tech \"~A\"\n", false),
    ("a password is no tag", "https://a.example/\nhttps://b.example/ . A USER:me PASS:geheim\n", true),
    ("bare addresses", "https://a.example/\n", false),
    ("a line of no-break spaces", "\u{A0}\nhttps://a.example/\n", false),
    ("a line of ideographic spaces", "https://a.example/\n\u{3000}\u{3000}\n", false),
  ])
  func `podget's list and newsboat's are told apart`(row: String, text: String, isPodget: Bool) throws {
    let feeds = importPlan(try list(text), takingFiles: false).feeds

    #expect(feeds.allSatisfy { $0.subscription.downloads == isPodget }, "\(row)")
    #expect(!feeds.isEmpty, "\(row)")
  }

  @Test func `rss2email's sections are feeds with their names`() throws {
    let entries = try list(
      """
      [DEFAULT]
      to = me@x.example
      # url = https://none.example/
      [feed.lwn]
      url = https://lwn.example/rss
      [feed.Other-One]
      url=https://other.example/?a=b
      active = False
      to = you@x.example
      [feed.broken]
      to = me@x.example
      """)
    func feed(_ name: String, _ url: String) -> Subscription {
      var feed = Subscription(url: url)
      feed.name = name
      return feed
    }

    #expect(
      entries == [
        .feed(feed("lwn", "https://lwn.example/rss"), line: 4),
        .feed(feed("Other-One", "https://other.example/?a=b"), line: 6),
        .remark(
          SubscriptionRemark(
            line: 6, .setting("active", "Other-One was not active; bgfetch pause Other-One does the same"))),
        .remark(SubscriptionRemark(line: 10, .noAddress)),
        .remark(SubscriptionRemark(line: 1, .mails(to: "me@x.example"))),
        .remark(
          SubscriptionRemark(
            line: 6, .without([("to", "give a hook feeds: [Other-One] for another address")]))),
      ])
  }

  @Test func `rss2email's database has the ids of what it has mailed`() throws {
    let file = try readOtherProgram(
      Array(
        """
        {"version": 2, "feeds": [
          {"name": "a", "seen": {"tag:a,1": {"hash": "12"}, "https://a.example/2": {"hash": "34"}}},
          {"name": "sums", "seen": {"56": {"hash": "56"}, "tag:b": {"hash": "78"}}}]}
        """.utf8))

    #expect(file == .seenItems(["a": ["tag:a,1", "https://a.example/2"], "sums": nil]))
  }

  @Test(arguments: [
    ("{\"a\": 1}", "JSON"), ("{\"feeds\": 3}", "JSON"), ("{\"feeds\": [{\"name\": 1}]}", "JSON"),
    ("{", "JSON"),
    ("[section]\nurl = https://a.example/\n", "text"),
  ])
  func `another file is described`(text: String, found: String) {
    #expect(throws: SubscriptionListFailure.other(found)) { try readOtherProgram(Array(text.utf8)) }
  }

  @Test func `a list of urlwatch is YAML for another reader`() throws {
    #expect(
      try readOtherProgram(Array("name: A\nurl: https://a.example/\n".utf8))
        == .watchList(Array("name: A\nurl: https://a.example/\n".utf8)))
  }
}
