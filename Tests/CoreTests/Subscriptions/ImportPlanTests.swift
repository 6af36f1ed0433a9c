// The feeds that an import takes, and its remarks.

import Testing

@testable import Core

@Suite struct ImportPlanTests {
  private func plan(_ subscriptions: Subscription...) -> ImportPlan { plan(subscriptions) }

  private func plan(_ subscriptions: [Subscription]) -> ImportPlan {
    importPlan(subscriptions.enumerated().map { .feed($0.element, line: $0.offset + 1) }, takingFiles: true)
  }

  @Test(arguments: [
    ("https://a.example/x?b=1", "https://a.example/x?b=1"), ("HTTP://A.example/#top", "HTTP://A.example/"),
    ("feed:https://a.example/x", "https://a.example/x"), ("feed://a.example/x", "https://a.example/x"),
    ("file:///home/me/x.xml", "file:///home/me/x.xml"), ("file:/home/me/x.xml", "file:///home/me/x.xml"),
    ("FILE://localhost/x.xml", "file:///x.xml"),
    ("file:///my%20feeds/%C3%BC.xml", "file:///my%20feeds/%C3%BC.xml"),
  ])
  func `an address that a feed can have is taken`(listed: String, taken: String) {
    #expect(plan(Subscription(url: listed)).feeds.map(\.subscription.url) == [taken])
  }

  @Test(arguments: [
    ("ftp://a.example/", SubscriptionRemark.Kind.unusableAddress("ftp://a.example/")),
    ("a.example/feed", .unusableAddress("a.example/feed")),
    ("file://other/x", .unusableAddress("file://other/x")), ("file:x.xml", .unusableAddress("file:x.xml")),
    ("file:///%zz", .unusableAddress("file:///%zz")), ("file:///feeds/", .unusableAddress("file:///feeds/")),
    ("https:///x", .unusableAddress("https:///x")),
    ("ftp://me:secret@a.example/?key=secret", .unusableAddress("ftp://***@a.example/?key=***")),
    ("https://me:secret@a.example/x?key=secret", .credentials("https://***@a.example/x?key=***")),
    ("https://me@a.example/x", .credentials("https://***@a.example/x")),
  ])
  func `an address that no feed can have is left out, without showing its secrets`(
    listed: String, kind: SubscriptionRemark.Kind
  ) {
    let plan = plan(Subscription(url: listed))

    #expect(plan.feeds == [])
    #expect(plan.remarks == [SubscriptionRemark(line: 1, kind)])
    #expect(plan.leftOut == 1)
  }

  @Test(arguments: [1000, 1364, 1365, 4000])
  func `an address is taken only if it is short, and that of a file if it can be read back`(letters: Int) {
    let imported = plan(Subscription(url: "file:///" + String(repeating: "é", count: letters))).feeds
      .map(\.subscription)

    #expect(imported.count == (letters < 1365 ? 1 : 0))
    #expect(plan(imported).feeds.map(\.subscription.url) == imported.map(\.url))
    #expect(
      plan(Subscription(url: "https://a.example/" + String(repeating: "x", count: 100_000))).leftOut == 1)
  }

  @Test(arguments: [
    ("https://a.example", "https://A.example:443/"), ("http://a.example:80/x", "HTTP://a.example/x#top"),
    ("http://[::1]/x", "http://[::1]:80/x"), ("file:/x", "file:///x"),
  ])
  func `an address that comes twice in another spelling is taken once`(first: String, second: String) throws {
    let plan = plan(Subscription(url: first, title: "First"), Subscription(url: second, title: "Second"))

    #expect(plan.feeds.map(\.name.text) == ["first"])
    #expect(plan.remarks.last?.kind.text.hasSuffix(" is already the address of first") == true)
    #expect(plan.remarks.last?.line == 2)
  }

  @Test func `a file of this machine is taken only on request, and always reported`() {
    let list: [SubscriptionEntry] = [
      .feed(Subscription(url: "FILE:/etc/passwd"), line: 1),
      .feed(Subscription(url: "https://a.example/"), line: 2),
      .feed(Subscription(url: "feed:file:///srv/x.xml"), line: 3),
    ]

    let refused = importPlan(list, takingFiles: false)
    let taken = importPlan(list, takingFiles: true)

    #expect(refused.feeds.map(\.subscription.url) == ["https://a.example/"])
    #expect(refused.leftOut == 2)
    #expect(
      refused.remarks == [
        SubscriptionRemark(line: 1, .file("file:///etc/passwd", isTaken: false)),
        SubscriptionRemark(line: 3, .file("file:///srv/x.xml", isTaken: false)),
      ])
    #expect(taken.feeds.count == 3)
    #expect(taken.leftOut == 0)
    #expect(taken.remarks.map(\.line) == [1, 3])
  }

  @Test(arguments: [
    "http://192.168.1.5/x", "http://127.0.0.1:8080/x", "http://[::1]/x", "http://[fd00::1]/x",
    "http://169.254.169.254/latest/meta-data", "http://localhost/x", "http://router/x", "http://nas.lan/x",
    "http://printer.local/x", "http://[::ffff:10.0.0.1]/x",
  ])
  func `an address on a private network is taken and reported`(url: String) {
    let plan = plan(Subscription(url: url))

    #expect(plan.feeds.count == 1)
    #expect(plan.leftOut == 0)
    #expect(plan.remarks == [SubscriptionRemark(line: 1, .privateAddress(url))])
  }

  @Test(arguments: [
    ("http://a.example/", "https://a.example/"), ("https://a.example/x", "https://a.example/x/"),
    ("https://a.example/?a=1&b=2", "https://a.example/?b=2&a=1"),
    ("https://a.example/X", "https://a.example/x"), ("https://a.example:8443/", "https://a.example/"),
  ])
  func `addresses that only a server could know to be equal are distinct`(first: String, second: String) {
    #expect(plan(Subscription(url: first), Subscription(url: second)).feeds.count == 2)
  }

  @Test func `a title is cleaned, and kept unless it equals the name`() {
    let plan = plan(
      Subscription(url: "https://a.example/", title: "planet"),
      Subscription(url: "https://b.example/", title: "LWN"),
      Subscription(url: "https://c.example/", title: "a\u{1B}[31m \u{202E}b\n c"),
      Subscription(url: "https://d.example/", title: "\u{202E}"))

    #expect(plan.feeds.map(\.subscription.title) == [nil, "LWN", "a b c", nil])
  }

  @Test
  func
    `folders and tags become tags in any letters, each once; what is no tag is left out, the feed is kept`()
  {
    let plan = plan(
      Subscription(url: "https://a.example/", tags: ["Tech News", "linux", "Linux", " ", "v1.2", "Café"]),
      Subscription(url: "https://b.example/", tags: ["新闻", "+++", "Linux"]),
      Subscription(url: "https://c.example/", tags: ["+++", "Новости дня"]),
      Subscription(url: "https://d.example/", tags: ["Tech & Gadgets"]),
      Subscription(url: "https://e.example/"),
      // A feed in several folders has the tags of all.
      Subscription(url: "https://d.example", tags: ["Must Read", "Tech & Gadgets"]))

    #expect(
      plan.feeds.map(\.subscription.tags) == [
        ["tech-news", "linux", "v1.2", "café"], ["新闻", "linux"], ["новости-дня"],
        ["tech-gadgets", "must-read"], [],
      ])
    #expect(
      plan.remarks.prefix(2) == [2, 3].map { SubscriptionRemark(line: $0, .unwritableTag("+++")) }[...])
    #expect(plan.known == 1)
    #expect(plan.leftOut == 0)
  }

  @Test(arguments: [
    ("the same address", Subscription(url: "HTTPS://A.example:443/x"), true),
    ("another address", Subscription(url: "https://a.example/y"), false),
    ("a page at the address of a feed", watched("https://a.example/x", ""), false),
    ("the same part of a page", watched("https://page.example/", "main"), true),
    ("another part of it", watched("https://page.example/", "h1"), false),
    ("the whole page", watched("https://page.example/", ""), false),
    ("the same command", made(by: ["feed", "-a"]), true),
    ("another command", made(by: ["feed", "-b"]), false),
  ])
  func `a feed that is configured is not imported again`(row: String, listed: Subscription, isKnown: Bool)
    throws
  {
    var page = FeedSpec(name: try #require(FeedName("page")), url: .plain("https://page.example/"))
    page.kind = .html(HTMLMapping(text: try SelectorList(parsing: "main")))
    var command = FeedSpec(name: try #require(FeedName("made")), url: .plain(""))
    command.command = ["feed", "-a"]
    let feed = FeedSpec(name: try #require(FeedName("a")), url: .plain("https://a.example/x"))

    var planning = ImportPlanning(
      among: FeedList([feed, page, command]), takesFiles: false, takesCommands: true)
    planning.add([.feed(listed, line: 1)])
    let plan = planning.plan

    #expect(plan.known == (isKnown ? 1 : 0), "\(row)")
    #expect(plan.feeds.count == (isKnown ? 0 : 1), "\(row)")
    #expect(plan.feeds.allSatisfy { !["a", "page", "made"].contains($0.name.text) }, "\(row)")
  }

  private static func watched(_ url: String, _ selector: String) -> Subscription {
    var subscription = Subscription(url: url)
    subscription.watched = selector
    return subscription
  }

  private static func made(by command: [String]) -> Subscription {
    var subscription = Subscription(url: "")
    subscription.command = command
    return subscription
  }

  @Test(
    arguments: [
      ("taken", "https://b.example/", 1, 1), ("left out", "https://me:secret@b.example/", 2, 1),
      ("there already", "https://a.example/", 2, 0),
      ("left out, and a remark on another line", "gopher://b.example/", 1, 2),
    ])
  func `only of what was imported a remark says what it lacks`(
    row: String, url: String, line: Int, count: Int
  ) {
    let lacking = SubscriptionRemark(line: line, .without([("ssl_no_verify", "")]))
    let a = FeedName("a").map { FeedSpec(name: $0, url: .plain("https://a.example/")) }

    var planning = ImportPlanning(
      among: FeedList(a.map { [$0] } ?? []), takesFiles: false, takesCommands: false)
    planning.add([.feed(Subscription(url: url), line: row == "taken" ? 1 : 2), .remark(lacking)])
    let plan = planning.plan

    #expect(plan.remarks.count == count, "\(row)")
    #expect(plan.remarks.contains(lacking) == (row == "taken" || line == 1), "\(row)")
  }

  @Test func `a name of the list is kept`() {
    var subscription = Subscription(url: "https://a.example/", title: "Another title")
    subscription.name = "My_Feed"

    #expect(plan(subscription, subscription).feeds.map(\.name.text) == ["my_feed"])
  }

  @Test func `remarks come in the order of the list`() {
    let plan = importPlan(
      [
        .remark(SubscriptionRemark(line: 1, .query("x", "y"))),
        .feed(Subscription(url: "gopher://a.example"), line: 2),
        .remark(SubscriptionRemark(line: 3, .tooMany(4))),
      ], takingFiles: false)

    #expect(plan.remarks.map(\.line) == [1, 2, 3])
    #expect(plan.leftOut == 6)
  }
}
