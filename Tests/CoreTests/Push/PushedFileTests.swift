// The file that a push announces: its address, its item, its transfer.

import Testing

@testable import Core

@Suite struct PushedAssetTests {
  private let standard = "https://planet.example/downloads/{content-id}.mp3"

  private func address(_ url: String, _ values: [(String, String)]) throws -> String? {
    try pushedAsset(payload(values), feed: pushed(url: url))?.address
  }

  @Test(arguments: [
    ("42", "42"), ("a b", "a%20b"), ("a/b", "a%2Fb"), ("..a/b..", "..a%2Fb.."), ("a?b#c", "a%3Fb%23c"),
    ("ü", "%C3%BC"), ("😀", "%F0%9F%98%80"), ("%2e%2e", "%252e%252e"), ("@evil.example", "%40evil.example"),
    ("a\\b", "a%5Cb"), ("\u{0}\r\n\u{202E}", "%00%0D%0A%E2%80%AE"), ("a-b_c.d~e", "a-b_c.d~e"),
    ("&x=1+2;", "%26x%3D1%2B2%3B"), ("é", "%C3%A9"), ("e\u{301}", "e%CC%81"), (".", "."), ("..", ".."),
  ])
  func `values are percent-encoded but for unreserved characters`(value: String, encoded: String) throws {
    #expect(
      try address(standard, [("content-id", value)])
        == "https://planet.example/downloads/\(encoded).mp3")
  }

  @Test(arguments: [
    ("https://p.example/{a}/{b}", "https://p.example/1/2"),
    ("https://p.example/{a}{b}", "https://p.example/12"),
    ("https://p.example/x?y={a}&z={b}", "https://p.example/x?y=1&z=2"),
    ("https://p.example?{a}", "https://p.example?1"), ("https://p.example/x", "https://p.example/x"),
    ("https://p.example/{feed}/{a}", "https://p.example/planet/1"),
    ("http://127.0.0.1:8080/{a}", "http://127.0.0.1:8080/1"), ("https://[::1]/{a}", "https://[::1]/1"),
    ("https://p.example/{{{a}}}", "https://p.example/{1}"),
    ("https://p.example/{a}#top", "https://p.example/1"),
  ])
  func `a template is filled`(url: String, filled: String) throws {
    #expect(try address(url, [("a", "1"), ("b", "2"), ("feed", "moon")]) == filled)
  }

  @Test(arguments: [
    ("https://p.example/{a}", "."), ("https://p.example/{a}", ".."), ("https://p.example/x/{a}/y", ".."),
    ("https://p.example/{a}?q", ".."), ("https://p.example/.{a}", "."), ("https://p.example/{a}.", "."),
    ("https://p.example/%2E{a}/x", "."), ("https://p.example/{a}%2e", "."), ("https://p.example/{a}", ""),
    ("https://p.example/{a}/x", ""), ("https://p.example/x.{a}", ""),
    ("https://p.example/x/{a}.mp3", "../../etc"), ("https://p.example/x/{a}.mp3", "..\\..\\etc"),
    ("https://p.example/x/{a}", "y/.."), ("https://p.example/x/{a}/z", "..;v=1"),
    ("https://p.example/x/{a}/z", "%2e%2E"), ("https://p.example/x/{a}/z", "%252e."),
    ("https://p.example/x/{a}.mp3", "%2E%2e%2Fetc/y"),
    ("https://p.example/x/{a}.mp3", "%25252e%25252e%25252fy"), ("https://p.example/x/%2{a}/y", "e%2e"),
    ("https://p.example/x?f=podcasts/{a}", "../../etc/passwd"),
    ("https://p.example/x?f=podcasts/{a}/y", ".."), ("https://p.example/x?f={a}", "a%2f..%5Cb"),
  ])
  func `a value that would lead elsewhere in the path is refused`(url: String, value: String) throws {
    let feed = try pushed(url: url)

    #expect(throws: PushProblem.unusableValue(key: "a", feed: feed.name)) {
      try pushedAsset(payload([("a", value)]), feed: feed)
    }
  }

  @Test(arguments: [
    ("https://p.example/x?q={a}", ".."), ("https://p.example/x?q={a}", ""), ("https://p.example/{a}", "..."),
    ("https://p.example/{a}x", ".."), ("https://p.example/x?from=../y&q={a}", "1"),
    ("https://p.example/x/{a}", "100%"), ("https://p.example/x/{a}", "%zz../y"),
  ])
  func `a value that leads nowhere else is accepted`(url: String, value: String) throws {
    #expect(try address(url, [("a", value)]) != nil)
  }

  @Test func `a value has at most 256 bytes and an address 4096, and a payload has all values`() throws {
    let feed = try pushed(url: "https://p.example/" + String(repeating: "{a}", count: 6))
    let described = try pushed(url: "https://p.example/x", description: "Episode {number}")

    #expect(try address(standard, [("content-id", String(repeating: "x", count: 256))]) != nil)
    #expect(try pushedAsset(payload([("a", String(repeating: "/", count: 200))]), feed: feed) != nil)
    #expect(throws: PushProblem.self) {
      try pushedAsset(payload([("a", String(repeating: "/", count: 256))]), feed: feed)
    }
    // The value with the dots is named, and the one that is too long.
    for (url, values) in [
      ("https://p.example/{b}/{a}/x", [("b", "x"), ("a", "..")]),
      ("https://p.example/{a}", [("a", String(repeating: "x", count: 257))]),
    ] {
      let feed = try pushed(url: url)
      #expect(throws: PushProblem.unusableValue(key: "a", feed: feed.name)) {
        try pushedAsset(payload(values), feed: feed)
      }
    }
    for (feed, key) in [(try pushed(url: standard), "content-id"), (described, "number")] {
      #expect(throws: PushProblem.missingValue(key: key, feed: feed.name)) {
        try pushedAsset(payload(), feed: feed)
      }
    }
  }

  @Test(arguments: [
    "{base}/x", "{scheme}://p.example/x", "https://{host}/x", "https://p.example{host}/x",
    "https://p.example:{port}/x", "https://{user}@p.example/x", "https://me@p.example/{base}", "/x",
    "ftp://p.example/{base}",
  ])
  func `a template that no configuration allows leads nowhere`(url: String) throws {
    for value in ["https://evil.example", "evil.example", "1", "@evil.example", ".evil.example"] {
      let filled = try? address(url, ["base", "scheme", "host", "port", "user"].map { ($0, value) })

      // If there is an address at all, it is on the configured server.
      #expect(filled.flatMap { $0 }?.contains("evil") != true, "\(value)")
    }
  }

  @Test(
    arguments: [
      ("Podcast Episode {content-id}", "Podcast Episode 42"), ("{feed}: {title}", "planet: T"),
      ("{empty}", "42.mp3"), ("  ", "42.mp3"), (nil, "42.mp3"),
    ] as [(String?, String)])
  func `the file is named by the description, else by its address`(template: String?, text: String)
    throws
  {
    let feed = try pushed(url: standard, description: template)
    let values = [("content-id", "42"), ("title", "\u{1B}[1mT\u{202E}"), ("empty", "")]

    #expect(try pushedAsset(payload(values), feed: feed)?.description == text)
  }

  @Test func `without a template there is no file and no item, whatever the payload says`() throws {
    #expect(try pushedAsset(payload(), feed: pushed()) == nil)
    #expect(try pushedAsset(payload(), feed: pushed(description: "{x}")) == nil)
    #expect(try pushedItem(payload([("content-id", "42")]), feed: pushed(), at: now) == nil)
  }
}

@Suite struct PushedItemTests {
  private let url = "https://planet.example/{content-id}.mp3"

  private func item(
    _ values: [(String, String)], url: String? = nil, description: String? = nil, at moment: Instant = now
  ) throws -> (item: ItemRecord, asset: Asset) {
    let feed = try pushed(url: url ?? self.url, description: description)
    return try #require(try pushedItem(payload(values), feed: feed, at: moment))
  }

  @Test func `a pushed item is unseen and has one file`() throws {
    let (item, asset) = try item([("content-id", "42")], description: "Episode {content-id}")

    #expect(item.title == "Episode 42")
    #expect(item.guid == "42")
    #expect(!item.isSeen)
    #expect(!item.isFiltered)
    #expect(asset == Asset(url: "https://planet.example/42.mp3"))
  }

  @Test(
    arguments: [
      ("the content-id", [("content-id", "42"), ("x", "1")], [("content-id", "42"), ("x", "2")], nil, true),
      ("another content-id", [("content-id", "42")], [("content-id", "43")], nil, false),
      ("else its address", [("part", "a")], [("part", "a")], "https://planet.example/{part}", true),
      ("another address", [("part", "a")], [("part", "b")], "https://planet.example/{part}", false),
      ("a fixed one: each push", [], [], "https://planet.example/latest.mp3", false),
    ] as [(String, [(String, String)], [(String, String)], String?, Bool)])
  func `the content-id identifies a pushed item, else its address`(
    mark: String, values: [(String, String)], later: [(String, String)], url: String?, isSame: Bool
  ) throws {
    let first = try item(values, url: url).item
    let second = try item(later, url: url, at: now + .days(1)).item

    #expect((first.keys.guid == second.keys.guid) == isSame, "\(mark)")
    if values.first?.0 == "part" { #expect(first.guid == "https://planet.example/a") }
  }

  @Test func `an item of the feed's document with that guid is the same item`() throws {
    let entry = with(ParsedItem()) { ($0.id, $0.title) = ("42", "The forty-second") }
    var document = ParsedFeed(format: .rss)
    document.items = [entry]
    let found = classify(document, known: [], feed: try feed(), state: fetched(.hours(1)), at: now)
    let ofDocument = try #require(found.newItems.first)
    let ofPush = try item([("content-id", "42")]).item

    #expect(ofPush.keys.guid == ofDocument.keys.guid)
    #expect(
      classify(
        document, known: [KnownItem(ofPush, number: 1)], feed: try feed(), state: fetched(.hours(1)), at: now
      )
      .newItems == [])
  }
}

@Suite struct FilePushesTests {
  private let feed: FeedSpec

  init() throws {
    feed = try pushed(
      url: "https://planet.example/{content-id}", limit: PushLimit(count: 2, interval: .hours(1)))
  }

  private func context(
    _ pushes: [StoredPush], fetches: [Instant] = [], named: Set<FeedName> = []
  ) -> PlanningContext {
    PlanningContext(
      now: now, zone: .utc, machine: "test", named: named,
      pushes: pushDemands(pushes, fetches: [feed.name: fetches]))
  }

  private func taken(
    _ context: PlanningContext, _ state: FeedState = FeedState(), of other: FeedSpec? = nil
  ) -> [Int64] {
    let feed = other ?? feed
    return filePushes([feed], [feed.name: state], context).map(\.push.number)
  }

  @Test func `pushes are taken up to the limit, the oldest first`() throws {
    let pushes = [try waiting(1, .minutes(3)), try waiting(2, .minutes(2)), try waiting(3, .minutes(1))]

    #expect(taken(context(pushes)) == [1, 2])
    #expect(taken(context(pushes, fetches: [now - .minutes(5)])) == [1])
    #expect(taken(context([])) == [])
  }

  @Test func `a push waits for no other run, and for no 410 of a feed whose file is elsewhere`() throws {
    let push = try waiting()
    let gone = with(failing(2, .gone, .days(1))) { $0.isGone = true }
    let limited = fetched(.hours(2)) { $0.rateLimit = limit(until: now + .hours(3)) }

    #expect(taken(context([push], named: [try name("moon")])) == [])
    #expect(taken(context([push], named: [feed.name])) == [1])
    #expect(taken(context([push]), of: try pushed()) == [], "it has no file of its own")
    #expect(taken(context([push]), gone) == [1])
    #expect(taken(context([push]), limited) == [])
  }

  @Test func `why says what waits, and for what`() throws {
    let pushes = [try waiting(1), try waiting(2)]
    let spent = context(pushes, fetches: [now - .minutes(10), now - .minutes(5)])
    func notes(_ context: PlanningContext, _ feed: FeedSpec) -> [String] {
      whyReport(feed, fetched(.zero), context).notes
    }

    #expect(notes(context([]), feed) == [])
    #expect(notes(context(pushes), try pushed()) == [])
    #expect(
      notes(context([try waiting()]), feed) == [
        "1 waiting push announces a file; to be downloaded by the next run"
      ])
    #expect(
      notes(context(pushes), feed) == ["2 waiting pushes announce files; to be downloaded by the next run"])
    #expect(
      notes(spent, feed) == [
        "2 waiting pushes announce files; not before \((now + .minutes(50)).local(in: .utc)): push limit"
      ])
  }
}

@Suite struct PushTransferTests {
  private let url = "https://files.example/v1/{content-id}.mp3"

  @Test func `files of pushes are downloaded, and no others`() throws {
    var queue = TransferQueue([try pushed("a", url: url), try pushed("b")], network: NetworkSettings())
    _ = queue.update([try transfer(1, feed: "b"), try transfer(2, feed: "a")])

    #expect(queue.next(at: now)?.0.number == 2)
    #expect(queue.next(at: now) == nil)
  }

  @Test func `pushed files are named like other files`() throws {
    let feed = try pushed(url: url)
    let transfer = try transfer(url: "https://files.example/v1/42.mp3", title: "Episode 42") {
      $0.item?.published = nil
    }

    let name = assetName(
      transfer, feed: feed, label: FeedLabel(feed, FeedState()), head: reply(),
      address: try web("https://files.example/v1/42.mp3"), in: .utc)

    #expect(name.candidate(1) == "planet/2026-11-02 Episode 42.mp3")
  }

  @Test func `none of the feed's own files is downloaded`() throws {
    var item = ParsedItem()
    item.id = "1"
    item.enclosures = [Enclosure(url: "https://files.example/1.mp3")]
    let document = with(ParsedFeed(format: .rss)) { $0.items = [item] }
    let feed = try pushed(url: url)
    let found = classify(document, known: [], feed: feed, state: fetched(.hours(1)), at: now)

    #expect(found.newItems.count == 1)
    #expect(
      findAssets(in: document, found, feed: feed, state: fetched(.hours(1)), known: [], at: now).isEmpty)
  }

  @Test(arguments: [
    ("https://files.example/v1/42.mp3", true), ("https://files.example/v1/", true),
    ("https://files.example/v1/a..b.mp3", true), ("https://files.example/v1/a%2Fb.mp3", true),
    ("https://files.example/v1/../admin/42.mp3", false), ("https://files.example/v1/%2e%2E/42.mp3", false),
    ("https://files.example/v1/..%2Fadmin.mp3", false),
    ("https://files.example/v1/%252E%252e%255Cadmin.mp3", false),
    ("https://files.example/v1/..;x/admin.mp3", false), ("https://files.example/v2/42.mp3", false),
    ("http://files.example/v1/42.mp3", false), ("https://files.example:8443/v1/42.mp3", false),
    ("https://evil.example/v1/42.mp3", false), ("https://files.example@evil.example/v1/42.mp3", false),
  ])
  func `an address belongs to pushes if it begins like the template and stays below it`(
    text: String, isOne: Bool
  ) throws {
    let address = try web(text)

    #expect(try pushed(url: url).isPushAddress(address) == isOne)
    #expect(try isWanted(Asset(url: text), of: ParsedItem(), in: pushed(url: url)) == isOne)
    #expect(try !pushed().isPushAddress(address))
  }

  @Test func `a pushed file may be queued again, whatever types the feed wants`() throws {
    let feed = try pushed(url: url) { feed in
      let download = with(DownloadSpec()) { $0.types = ["video/*"] }
      feed.download = download
    }

    #expect(isWanted(Asset(url: "https://files.example/v1/42.mp3"), of: ParsedItem(), in: feed))
    #expect(!isWanted(Asset(url: "https://files.example/42.mp3"), of: ParsedItem(), in: feed))
  }
}
