// Messages: their text and items, and when there is nothing left to say.

import Testing

@testable import Core

@Suite struct MessageTests {

  private let planet = FeedName("planet").unsafelyUnwrapped
  private var origin: EventOrigin { EventOrigin(round: 7, time: now, cause: .timer) }

  private func material(_ notify: NotifySpec) -> NotificationMaterial {
    var feed = FeedSpec(name: planet, url: .plain("https://planet.example/"))
    feed.title = "Planet"
    feed.notify = notify
    return NotificationMaterial(
      feeds: [planet: feed], labels: [planet: FeedLabel(feed, FeedState())], badge: 23, zone: .utc)
  }

  private func notify(title: String, body: String) throws -> NotifySpec {
    try with(NotifySpec()) {
      ($0.title, $0.body) = (try Template(parsing: title), try Template(parsing: body))
      ($0.item, $0.identifier) = (try Template(parsing: "{item.title}"), try Template(parsing: "{feed}"))
    }
  }

  private func item(_ number: Int64, title: String?, link: String? = nil) -> StoredItem {
    StoredItem(
      number: number, feed: planet,
      record: ItemRecord(title, guid: "g\(number)", link: link, author: "Ann", published: now),
      firstSeen: now, updatedAt: nil)
  }

  private func message(_ group: String = "feed") -> Event {
    origin.event(.notification, feed: planet, group: NotificationGroup(rawValue: group))
  }

  private func text(_ name: String, _ fields: JSONValue?) -> String? {
    fields?.fieldText(name)
  }

  /// Expects title and body of a message about items.
  private func expect(
    _ rule: Comment, _ items: [StoredItem], _ group: String = "feed", title: String = "t", body: String,
    item template: String = "{item.title}", _ told: (title: String, body: String),
    at row: SourceLocation = #_sourceLocation
  ) throws {
    let notify = try with(notify(title: title, body: body)) { $0.item = try Template(parsing: template) }
    let fields = notificationFields(message(group), items: items, material(notify))
    #expect(text("title", fields) == told.title, rule, sourceLocation: row)
    #expect(text("body", fields) == told.body, rule, sourceLocation: row)
  }

  @Test func `a message's templates are filled from its items`() throws {
    let two = [item(2, title: "B"), item(1, title: "A")]
    let links = [
      item(2, title: "B", link: "https://planet.example/b"), item(1, title: "A", link: "javascript:x"),
    ]
    let twelve = (1...12).map { item($0, title: "T\($0)") }
    let titles = (1...10).map { "T\($0)" }
    let nobody = with(item(1, title: "A")) { $0.record.author = nil }

    try expect(
      "feed, count, titles and badge", two, title: "{feed.title}", body: "{count} new: {titles} ({badge})",
      ("Planet", "2 new: B; A (23)"))
    try expect(
      "one item has its fields, times in their format", [item(1, title: "A")], "item",
      title: "{item.title} by {item.author}", body: "{item.published:%Y-%m-%d}", ("A by Ann", "2026-11-02"))
    try expect(
      "text from a feed is no template", [item(1, title: "{badge} $(touch x)")], body: "{titles}",
      ("t", "{badge} $(touch x)"))
    for (body, told) in [
      ("{titles}", "B\nA"), ("{count} new:\n{titles}\n({badge})", "2 new:\nB\nA\n(23)"),
      ("{count} new: {titles}", "2 new: B; A"), ("{titles} ({count})", "B; A (2)"),
      ("{titles}{badge}", "B; A23"),
    ] {
      try expect(
        "titles alone on a line have a line each", two, title: "{titles}", body: body, ("B; A", told))
    }
    try expect(
      "notify.item formats each title", links, title: "{titles}", body: "{titles}",
      item: "• {item.title} ({feed.title})\n  {item.link}",
      (
        "• B (Planet) https://planet.example/b; • A (Planet)",
        "• B (Planet)\nhttps://planet.example/b\n• A (Planet)\n"
      ))
    try expect(
      "without text from it an item has its title", [item(1, title: "A")], body: "{titles}",
      item: "{item.summary}", ("t", "A"))
    try expect(
      "many are cut to ten", twelve, title: "{titles}", body: "{titles}",
      ((titles + ["and 2 more"]).joined(separator: "; "), (titles + ["and 2 more"]).joined(separator: "\n")))
    try expect(
      "a title without text is the feed's", [nobody], "item", title: "{item.author}", body: "", ("Planet", "")
    )
  }

  @Test func `a message about several changes of pages has lines of each`() throws {
    func change(_ number: Int64) -> StoredItem {
      with(item(number, title: "Planet: x")) {
        ($0.record.guid, $0.record.summary) = ("2026-11-02T10:00:00Z/1", "- a\n- b\n- c\n- d\n+ \(number)")
      }
    }
    func body(_ count: Int64, _ group: String) -> String? {
      let notify = with(NotifySpec()) { $0.isOfPage = true }
      return text(
        "body", notificationFields(message(group), items: (1...count).map(change), material(notify)))
    }

    #expect(body(1, "feed") == "- a\n- b\n- c\n- d\n+ 1")
    #expect(body(2, "run") == "Planet:\n- a\n- b\n- c\n- d\n+ 1\nPlanet:\n- a\n- b\n- c\n- d\n+ 2")
    #expect(body(10, "run") == (1...10).map { "Planet:\n+ \($0) …" }.joined(separator: "\n"))
    #expect(body(6, "feed") == (1...6).map { "- a\n+ \($0) …" }.joined(separator: "\n"))
  }

  @Test func `a message has identifier, badge and link, and one item's id for bgfetch seen`() throws {
    let material = material(try notify(title: "t", body: "b"))
    let (one, both) = (
      [item(1, title: "A", link: "https://planet.example/a")], [item(1, title: "A"), item(2, title: "B")]
    )

    let fields = notificationFields(message("item"), items: one, material)

    #expect(text("identifier", fields) == "planet")
    #expect(text("badge", fields) == "23")
    #expect(text("link", fields) == "https://planet.example/a")
    #expect(text("id", notificationFields(message(), items: one, material)) == "g1")
    #expect(text("id", notificationFields(message(), items: both, material)) == "")
  }

  @Test func `a message whose items were all seen meanwhile is dropped`() throws {
    #expect(notificationFields(message(), items: [], material(try notify(title: "x", body: "y"))) == nil)
  }

  @Test func `the event of a message has its items`() throws {
    let material = with(material(try notify(title: "t", body: "b"))) { $0.files = [1: ["/srv/a.mp3"]] }
    let items = [
      item(2, title: nil, link: "ftp://x/"), item(1, title: "A", link: "https://planet.example/a"),
    ]

    let fields = try #require(notificationFields(message(), items: items, material))
    let event = with(message()) { $0.fields = fields }

    #expect(
      event.items == [
        EventItem(
          title: "ftp://x/", link: "", id: "g2", feed: planet, feedTitle: "Planet", published: now,
          number: 2),
        EventItem(
          title: "A", link: "https://planet.example/a", id: "g1", feed: planet, feedTitle: "Planet",
          published: now, files: ["/srv/a.mp3"], number: 1),
      ])
    let json = eventJSON(event).text
    #expect(
      json.hasSuffix(
        #""items":[{"title":"ftp://x/","link":null,"id":"g2","feed":"planet","feed-title":"Planet","#
          + #""published":"2026-11-02T10:00:00Z","files":[],"number":2,"changes":null},{"title":"A","link":"https://planet.example/a","#
          + #""id":"g1","feed":"planet","feed-title":"Planet","published":"2026-11-02T10:00:00Z","#
          + #""files":["/srv/a.mp3"],"number":1,"changes":null}]}"#), "\(json)")
    let call = hookCall(HookSpec(name: "d", events: [.notification], run: []), event, replaces: "", in: .utc)
    #expect(!call.environment.contains { $0.name == "BGFETCH_ITEMS" })
    #expect(call.environment.first { $0.name == "BGFETCH_NUMBERS" }?.value == "2 1")
    let listing = with(event) {
      $0.fields = fields.replacing("body", with: "A\nand 1 more")
    }
    let second = hookCall(
      HookSpec(name: "d", events: [.notification], run: []), listing, replaces: "", in: .utc)
    #expect(second.environment.first { $0.name == "BGFETCH_NUMBERS" }?.value == "1")
  }

  @Test func `a message has at most a hundred items, and the number of all`() throws {
    let items = (1...150).map { item($0, title: "T\($0)") }

    let fields = notificationFields(message(), items: items, material(try notify(title: "t", body: "b")))

    var event = message()
    event.fields = try #require(fields)
    #expect(event.items.count == 100)
    #expect(event.text("count") == "150")
  }

  @Test func `the text of a message, which is stored, never has a whole article`() throws {
    var item = item(1, title: "T")
    item.record.details = with(ItemDetails()) {
      $0.content = String(repeating: "<p>Some words.</p>", count: 50_000)
    }
    var notify = try notify(title: "{item.content}", body: "{item.content.text}{item.content}")
    notify.item = notify.title
    notify.identifier = notify.title

    let fields = try #require(notificationFields(message("item"), items: [item], material(notify)))

    #expect(fields.members.reduce(0) { $0 + $1.value.argument.utf8.count } < 16_000)
  }

  @Test func `a message about a run names three feeds, and how many more there are`() throws {
    var material = material(try notify(title: "{feeds}: {count} new", body: "{titles}"))
    var items: [StoredItem] = []
    for number in 1...5 {
      var feed = FeedSpec(name: try #require(FeedName("feed\(number)")), url: .plain(""))
      feed.title = "Feed \(number)"
      feed.notify = material.feeds[planet]?.notify
      feed.notify?.item = try Template(parsing: "{feed.title}: {item.title}")
      material.feeds[feed.name] = feed
      material.labels[feed.name] = FeedLabel(feed, FeedState())
      let item = with(item(Int64(number), title: "T\(number)")) { $0.feed = feed.name }
      items.append(item)
    }

    let fields = notificationFields(
      origin.event(.notification, group: .run), items: items, material)

    #expect(text("title", fields) == "Feed 1, Feed 2, Feed 3 and 2 more: 5 new")
    #expect(text("body", fields)?.hasPrefix("Feed 1: T1\nFeed 2: T2\n") == true)
  }

  @Test func `no message is without a title`() throws {
    let event = origin.event(
      .notification, fixedMessage(title: "", body: "b", identifier: "i", urgency: .low, link: "", count: 0))

    let fields = notificationFields(event, items: [], material(NotifySpec()))

    #expect(text("title", fields) == "bgfetch")
    #expect(text("body", fields) == "b")
  }

  @Test func `items whose long identities differ only at their ends have identifiers of their own`() throws {
    var notify = try notify(title: "t", body: "b")
    notify.identifier = try Template(parsing: "{feed}/{item.id}")
    let identifiers = ["a", "b"].map { end in
      var item = item(1, title: "A")
      item.record.guid = "https://planet.example/" + String(repeating: "x", count: 900) + end
      return text("identifier", notificationFields(message("item"), items: [item], material(notify)))
    }

    #expect(identifiers[0] != identifiers[1])
  }

  @Test(arguments: [
    ("2 new: A; B", 1, "2 new: A; B (1 of 2 files)"), ("", 0, "(0 of 2 files)"), ("2 new", 2, "2 new"),
    ("Planet: 2\nMoon: 1", 1, "Planet: 2\nMoon: 1\n(1 of 2 files)"),
  ])
  func `a message says how many files there are if some are missing`(body: String, placed: Int, told: String)
  {
    let fields = withFiles(JSONValue(["title": "t", "body": body]), placed: placed, of: 2)

    #expect(text("body", fields) == told)
    #expect(text("title", fields) == "t")
  }

  @Test func `added feeds are one message`() {
    let many = (1...40).map { "Feed \($0)" }

    let events = [["Planet"], many].map { addedFeedsEvent($0, origin: origin, hook: "d") }

    #expect(events.map { $0.text("title") } == ["1 feed added", "40 feeds added"])
    #expect(events[0].text("body") == "Planet")
    #expect(events[1].text("body") == "Feed 1, Feed 2, Feed 3 and 37 more")
  }
}
