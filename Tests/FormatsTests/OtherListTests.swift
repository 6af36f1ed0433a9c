// Lists of podget and rss2email, and what rss2email has mailed.

import Core
import Formats
import TestKit
import Testing

@Suite struct OtherListTests {
  /// The remarks of a list as `line text`.
  private func remarks(_ text: String) throws -> [String] {
    try list(text).compactMap { entry in
      if case .remark(let remark) = entry { "\(remark.line) \(remark.kind.text)" } else { nil }
    }
  }

  @Test func `podget's list has categories as tags, and its podcasts are downloaded where they were`() throws
  {
    let entries = try list(
      """
      # Server list of podget
      https://a.example/rss Linux Linux Outlaws
      https://b.example/rss . No_Name
      https://c.example/rss News_%YY% Evening OPT_FILENAME_LOCATION PASS:geheim
      https://d.example/rss No_Category Only Name
      https://e.example/rss Linux
      https://f.example/rss
      https://g.example/rss Talk A/B: {x} ATOM_FILTER_TYPE="audio/mpeg"
      """)
    func podcast(
      _ url: String, _ title: String?, _ tags: [String], _ place: String?, types: String? = nil
    ) -> Subscription {
      var podcast = Subscription(url: url, title: title, tags: tags)
      podcast.downloads = true
      podcast.keys["download.name"] = place.map(JSONValue.string)
      podcast.keys["download.types"] = types.map { .array([.string($0)]) }
      return podcast
    }

    #expect(
      entries == [
        .feed(
          podcast("https://a.example/rss", "Linux Outlaws", ["Linux"], "Linux/Linux Outlaws/{name}{ext}"),
          line: 2),
        .feed(podcast("https://b.example/rss", nil, [], "{name}{ext}"), line: 3),
        .feed(
          podcast("https://c.example/rss", "Evening", ["News"], "News_{published:%Y}/Evening/{name}{ext}"),
          line: 4),
        .remark(SubscriptionRemark(line: 4, .without([("PASS", "write auth: with a secret")]))),
        .feed(podcast("https://d.example/rss", "Only Name", [], "Only Name/{name}{ext}"), line: 5),
        .feed(podcast("https://e.example/rss", nil, ["Linux"], "Linux/{name}{ext}"), line: 6),
        .feed(podcast("https://f.example/rss", nil, [], "{name}{ext}"), line: 7),
        .feed(podcast("https://g.example/rss", "A/B: {x}", ["Talk"], nil, types: "audio/mpeg"), line: 8),
        .remark(
          SubscriptionRemark(
            line: 8, .without([("the directory Talk/A/B: {x}", "see download: {name: …}")]))),
      ])
  }

  @Test(arguments: [
    ("Science/%YY%-%MM%", ["Science"], "Science/{published:%Y}-{published:%m}/"),
    ("%YY%/%MM%/%DD%", [], "{published:%Y}/{published:%m}/{published:%d}/"),
    ("Sci-Fi_%YY%", ["Sci-Fi"], "Sci-Fi_{published:%Y}/"), ("A/B", ["A", "B"], "A/B/"),
  ])
  func `podget's categories may have dates and directories`(
    category: String, tags: [String], place: String
  ) throws {
    var podcast = Subscription(url: "https://a.example/rss", title: "The Show", tags: tags)
    podcast.downloads = true
    podcast.keys["download.name"] = .string(place + "The Show/{name}{ext}")

    #expect(
      try list("# podget\nhttps://a.example/rss \(category) The Show\n") == [.feed(podcast, line: 2)])
  }

  @Test func `podget's settings are answered with those of bgfetch`() throws {
    #expect(
      try remarks(
        "VERBOSITY=2\nDIR_LIBRARY=\"${HOME}/POD\"\n# MOST_RECENT=9\nMOST_RECENT=3\nCLEANUP=1\nCLEANUP_DAYS=7\nNO_PLAYLIST=0\n"
      ) == [
        "2 downloaded files are in ~/POD; write documents: ~/POD",
        "5 podcasts that are imported with it keep files for 7d, by download: {keep: 7d}",
        "4 imported without MOST_RECENT, NO_PLAYLIST",
      ])
    #expect(try remarks("CLEANUP=0\nCLEANUP_DAYS=9\n") == [])
  }

  @Test func `podget's settings alone are read`() throws {
    let entries = try list("MOST_RECENT=3\n")

    #expect(entries.count == 1)
  }

  private static let asNewsboat = "1 read as newsboat's urls: if it is a list of podget, add a line # podget"

  @Test(
    arguments: [
      ("every line has category and name", "https://a.example/ Linux Linux Outlaws\n", false, asNewsboat),
      ("a comment", "# podget\nhttps://a.example/ linux outlaws\n", true, nil),
      ("No_Category", "https://a.example/ No_Category outlaws\n", true, nil),
      ("two tags each", "https://a.example/ linux news\nhttps://b.example/ news\n", false, asNewsboat),
      ("a quote", "https://a.example/ news tech \"~A\"\n", false, nil),
      ("a title", "https://a.example/ News Tech ~A\n", false, nil),
      ("a query", "https://a.example/ News Tech\nquery:a:unread=\"yes\"\n", false, nil),
      ("a password is no tag", "https://a.example/\nhttps://b.example/ . A USER:me PASS:geheim\n", true, nil),
      ("bare addresses", "https://a.example/\n", false, nil),
      ("a line of no-break spaces", "\u{A0}\nhttps://a.example/\n", false, nil),
      ("a line of ideographic spaces", "https://a.example/\n\u{3000}\u{3000}\n", false, nil),
    ] as [(String, String, Bool, String?)])
  func `podget's list and newsboat's are told apart`(
    row: String, text: String, isPodget: Bool, remark: String?
  )
    throws
  {
    let feeds = importPlan(try list(text), takingFiles: false).feeds

    #expect(feeds.allSatisfy { $0.subscription.downloads == isPodget }, "\(row)")
    #expect(!feeds.isEmpty, "\(row)")
    #expect(try remarks(text).filter { $0.contains("read as") } == [remark].compactMap(\.self), "\(row)")
  }

  @Test func `rss2email's sections are feeds with their names and settings`() throws {
    let entries = try list(
      """
      [DEFAULT]
      to = Me <me@x.example>
      from = r2e@x.example
      digest = True
      proxy = http://p.example:3128
      # url = https://none.example/
      [feed.lwn]
      url = https://lwn.example/rss
      feed-timeout = 20
      trust-link = True
      [feed.Other-One]
      url=https://other.example/?a=b
      active = False
      to = you@x.example
      user-agent = Me/1
      proxy =
      reply-changes = True
      post-process = mine run
      [feed.broken]
      to = me@x.example
      """)
    func feed(_ name: String, _ url: String, _ keys: [String: String], isPaused: Bool = false) -> Subscription
    {
      var feed = Subscription(url: url)
      (feed.name, feed.isPaused) = (name, isPaused)
      feed.keys = keys.mapValues(JSONValue.string)
      return feed
    }
    let hook = try #require(MailHook(to: "me@x.example", from: "r2e@x.example", isDigest: true))

    #expect(
      entries == [
        .feed(
          feed(
            "lwn", "https://lwn.example/rss",
            ["network.proxy": "http://p.example:3128", "network.timeout": "20s", "identity": "link"]), line: 7
        ),
        .feed(
          feed(
            "Other-One", "https://other.example/?a=b",
            ["headers.User-Agent": "Me/1", "updated": "0s"], isPaused: true), line: 11),
        .remark(
          SubscriptionRemark(
            line: 11,
            .without([
              ("post-process", ""), ("to", "write another hook, with feeds: [Other-One]"),
            ]))),
        .remark(SubscriptionRemark(line: 19, .noAddress("a url"))),
        .remark(SubscriptionRemark(line: 1, .mails(hook))),
      ])
  }

  /// The settings that rss2email 3.13 writes into a new configuration.
  private static let defaults = """
    [DEFAULT]
    from = user@rss2email.invalid
    user-agent = rss2email/__VERSION__ (__URL__)
    use-8bit = False
    force-from = False
    use-publisher-email = False
    name-format = {feed-title}: {author}
    to = me@x.example
    proxy =
    feed-timeout = 60
    same-server-fetch-interval = 0
    active = True
    digest = False
    date-header = False
    date-header-order = modified, issued, created, expired
    bonus-header =
    trust-guid = True
    trust-link = False
    reply-changes = False
    encodings = US-ASCII, ISO-8859-1, UTF-8, BIG5, ISO-2022-JP
    post-process =
    digest-post-process =
    html-mail = False
    multipart-html = False
    use-css = False
    css = h1 {
    \tfont: 18pt Georgia, "Times New Roman";
    \t}
    unicode-snob = False
    body-width = 0
    email-protocol = sendmail
    sendmail = /usr/sbin/sendmail
    sendmail_config =
    smtp-server = smtp.example.net
    verbose = info

    """

  @Test func `rss2email's defaults say nothing but the recipient`() throws {
    let text = Self.defaults + "[feed.a]\nurl = https://a.example/\n"

    #expect(importPlan(try list(text), takingFiles: false).feeds.map(\.subscription.keys) == [[:]])
    #expect(
      try remarks(text) == [
        "1 it mails to me@x.example; before the next run, write mail: {\"to\":\"me@x.example\"} below hooks:"
      ])
  }

  @Test(arguments: [("active = False", true), ("active = no", true), ("active = True", false), ("", false)])
  func `a feed that rss2email does not fetch is paused`(line: String, isPaused: Bool) throws {
    let feeds = importPlan(try list("[feed.a]\nurl = https://a.example/\n\(line)\n"), takingFiles: false)
      .feeds

    #expect(feeds.map(\.subscription.isPaused) == [isPaused], "\(line)")
    #expect(feeds.map(\.subscription.keys) == [[:]], "\(line)")
  }

  /// Every setting of rss2email 3.13 that is not about encoding, dates or another setting.
  @Test(arguments: [
    ("user-agent = Me", "headers.User-Agent", "Me"),
    ("proxy = http://p.example:1", "network.proxy", "http://p.example:1"),
    ("feed-timeout = 5", "network.timeout", "5s"), ("trust-link = True", "identity", "link"),
    ("trust-guid = False", "updated", "0s"), ("reply-changes = True", "updated", "0s"),
  ])
  func `a setting of rss2email is a key, of all feeds or of one`(line: String, key: String, value: String)
    throws
  {
    let one = "[feed.a]\nurl = https://a.example/\n"

    for text in [Self.defaults + line + "\n" + one, Self.defaults + one + line + "\n"] {
      #expect(
        importPlan(try list(text), takingFiles: false).feeds.map(\.subscription.keys) == [
          [key: .string(value)]
        ],
        "\(line)")
    }
  }

  @Test(arguments: [
    ("bonus-header = X-A: b", "bonus-header"), ("post-process = a b", "post-process"),
    ("digest-post-process = a b", "digest-post-process"), ("use-css = True", "use-css"),
    ("name-format = {author}", "name-format"), ("use-publisher-email = True", "use-publisher-email"),
    ("same-server-fetch-interval = 5", "same-server-fetch-interval"),
    ("sendmail = /opt/sendmail", "sendmail"), ("sendmail_config = x", "sendmail_config"),
    ("email-protocol = smtp", "email-protocol"),
  ])
  func `a setting of rss2email without a key is named once`(line: String, part: String) throws {
    let texts = try remarks(Self.defaults + line + "\n[feed.a]\nurl = https://a.example/\n")

    #expect(texts.count == 2)
    #expect(texts.last == "1 imported without " + part)
  }

  @Test(arguments: [
    ("me@x.example", #"mail: {"to":"me@x.example"}"#), ("Ada <a@x.example>", #"mail: {"to":"a@x.example"}"#),
    ("a@x.example, B <b@x.example>", #"mail: {"to":["a@x.example","b@x.example"]}"#),
  ])
  func `recipients may have names`(to: String, hook: String) throws {
    #expect(try remarks("[DEFAULT]\nto = \(to)\n").first?.contains("write " + hook + " below") == true)
  }

  @Test func `a recipient that is no address is named`() throws {
    #expect(
      try remarks("[DEFAULT]\nto = a b@c@d\n") == ["1 imported without to (a b@c@d is no mail address)"])
  }

  @Test func `rss2email's database has the ids of what it has mailed`() throws {
    let file = try readOtherProgram(
      Array(
        """
        {"version": 2, "feeds": [
          {"name": "a", "seen": {"tag:a,1": {"hash": "12"}, "https://a.example/2": {"hash": "34"}}},
          {"name": "sums", "seen": {"56": {"hash": "56"}, "tag:b": {"hash": "78"}}}]}
        """.utf8))

    #expect(
      file
        == .seenItems([
          "a": MailedItems(ids: ["tag:a,1", "https://a.example/2"]),
          "sums": MailedItems(ids: ["tag:b"], sums: 1),
        ]))
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
