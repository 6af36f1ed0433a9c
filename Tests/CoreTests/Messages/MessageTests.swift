// Messages: their text and items, and when there is nothing left to say.

import Core
import Testing

@Suite struct MessageTests {
  private let now = Instant(secondsSince1970: 1_800_000_000)
  private let planet = FeedName("planet").unsafelyUnwrapped
  private var origin: EventOrigin { EventOrigin(run: 7, time: now, cause: .timer) }

  private func material(_ notify: NotifySpec) -> NotificationMaterial {
    var feed = FeedSpec(name: planet, url: .plain("https://planet.example/"))
    feed.title = "Planet"
    feed.notify = notify
    return NotificationMaterial(
      feeds: [planet: feed], labels: [planet: FeedLabel(feed, FeedState())], badge: 23, zone: .utc)
  }

  private func notify(title: String, body: String) throws -> NotifySpec {
    var notify = NotifySpec()
    notify.title = try Template(parsing: title)
    notify.body = try Template(parsing: body)
    notify.item = try Template(parsing: "{item.title}")
    notify.identifier = try Template(parsing: "{feed}")
    return notify
  }

  private func item(_ number: Int64, title: String?, link: String? = nil) -> StoredItem {
    StoredItem(
      number: number, feed: planet,
      record: ItemRecord(
        guid: "g\(number)", link: link, keys: IdentityKeys(content: 0), editHash: 0, title: title,
        summary: nil,
        author: "Ann",
        published: now, isSeen: false, isFiltered: false), firstSeen: now, updatedAt: nil)
  }

  private func message(_ group: String = "feed") -> Event {
    origin.event(.notification, feed: planet, message: MessageText(group))
  }

  private func text(_ name: String, _ fields: [EventField]?) -> String? {
    fields?.first { $0.name == name }?.value.text
  }

  @Test func `a message's templates are filled from its unseen items`() throws {
    let fields = notificationFields(
      message(), items: [item(2, title: "B"), item(1, title: "A")],
      material(try notify(title: "{feed.title}", body: "{count} new: {titles} ({badge})")))

    #expect(text("title", fields) == "Planet")
    #expect(text("body", fields) == "2 new: B; A (23)")
    #expect(text("identifier", fields) == "planet")
    #expect(text("badge", fields) == "23")
  }

  @Test func `a message about one item has the item's fields, with times in their format`() throws {
    let fields = notificationFields(
      message("item"), items: [item(1, title: "A", link: "https://planet.example/a")],
      material(try notify(title: "{item.title} by {item.author}", body: "{item.published:%Y-%m-%d}")))

    #expect(text("title", fields) == "A by Ann")
    #expect(text("body", fields) == "2027-01-15")
    #expect(text("link", fields) == "https://planet.example/a")
  }

  @Test func `a message whose items were all seen meanwhile is dropped`() throws {
    #expect(notificationFields(message(), items: [], material(try notify(title: "x", body: "y"))) == nil)
  }

  @Test func `text from a feed is never a template`() throws {
    let fields = notificationFields(
      message(), items: [item(1, title: "{badge} $(touch x)")],
      material(try notify(title: "t", body: "{titles}")))

    #expect(text("body", fields) == "{badge} $(touch x)")
  }

  @Test(
    arguments: [
      ("{titles}", "B\nA"), ("{count} new:\n{titles}\n({badge})", "2 new:\nB\nA\n(23)"),
      ("{count} new: {titles}", "2 new: B; A"), ("{titles} ({count})", "B; A (2)"),
      ("{titles}{badge}", "B; A23"),
    ])
  func `titles alone on a line have a line each, elsewhere they are one line`(body: String, told: String)
    throws
  {
    let fields = notificationFields(
      message(), items: [item(2, title: "B"), item(1, title: "A")],
      material(try notify(title: "{titles}", body: body)))

    #expect(text("title", fields) == "B; A")
    #expect(text("body", fields) == told)
  }

  @Test func `notify.item formats each title`() throws {
    var notify = try notify(title: "{titles}", body: "{titles}")
    notify.item = try Template(parsing: "• {item.title} ({feed.title})\n  {item.link}")

    let fields = notificationFields(
      message(),
      items: [
        item(2, title: "B", link: "https://planet.example/b"), item(1, title: "A", link: "javascript:x"),
      ],
      material(notify))

    #expect(text("body", fields) == "• B (Planet)\nhttps://planet.example/b\n• A (Planet)\n")
    #expect(text("title", fields) == "• B (Planet) https://planet.example/b; • A (Planet)")
  }

  @Test func `an item whose template gives no text has its title`() throws {
    var notify = try notify(title: "t", body: "{titles}")
    notify.item = try Template(parsing: "{item.summary}")

    #expect(
      text("body", notificationFields(message(), items: [item(1, title: "A")], material(notify))) == "A")
  }

  @Test func `the event of a message has its items`() throws {
    var material = material(try notify(title: "t", body: "b"))
    material.files = [1: ["/srv/a.mp3"]]
    let items = [
      item(2, title: nil, link: "ftp://x/"), item(1, title: "A", link: "https://planet.example/a"),
    ]

    let fields = try #require(notificationFields(message(), items: items, material))
    var event = message()
    event.fields = fields

    #expect(
      event.items == [
        EventItem(
          title: "ftp://x/", link: "", id: "g2", feed: planet, feedTitle: "Planet", published: now),
        EventItem(
          title: "A", link: "https://planet.example/a", id: "g1", feed: planet, feedTitle: "Planet",
          published: now, files: ["/srv/a.mp3"]),
      ])
    let json = eventJSON(event).text
    #expect(
      json.hasSuffix(
        #""items":[{"title":"ftp://x/","link":null,"id":"g2","feed":"planet","feed-title":"Planet","#
          + #""published":"2027-01-15T08:00:00Z","files":[]},{"title":"A","link":"https://planet.example/a","#
          + #""id":"g1","feed":"planet","feed-title":"Planet","published":"2027-01-15T08:00:00Z","#
          + #""files":["/srv/a.mp3"]}]}"#), "\(json)")
    let call = hookCall(
      HookSpec(name: "d", events: [.notification], run: []), event, replaces: "", in: .utc)
    #expect(!call.environment.contains { $0.name == "BGFETCH_ITEMS" })
  }

  @Test func `a message has at most a hundred items, and the number of all`() throws {
    let items = (1...150).map { item($0, title: "T\($0)") }

    let fields = notificationFields(message(), items: items, material(try notify(title: "t", body: "b")))

    var event = message()
    event.fields = try #require(fields)
    #expect(event.items.count == 100)
    #expect(event.text("count") == "150")
  }

  @Test func `a message about one item names it, for bgfetch seen`() throws {
    let material = material(try notify(title: "t", body: "b"))
    #expect(text("id", notificationFields(message(), items: [item(1, title: "A")], material)) == "g1")
    let both = [item(1, title: "A"), item(2, title: "B")]
    #expect(text("id", notificationFields(message(), items: both, material)) == "")
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
      var item = item(Int64(number), title: "T\(number)")
      item.feed = feed.name
      items.append(item)
    }

    let fields = notificationFields(
      origin.event(.notification, message: .ofItems(.run)), items: items, material)

    #expect(text("title", fields) == "Feed 1, Feed 2, Feed 3 and 2 more: 5 new")
    #expect(text("body", fields)?.hasPrefix("Feed 1: T1\nFeed 2: T2\n") == true)
  }

  @Test func `many titles are cut to ten`() throws {
    let items = (1...12).map { item($0, title: "T\($0)") }

    let fields = notificationFields(
      message(), items: items, material(try notify(title: "{titles}", body: "{titles}")))

    #expect(text("body", fields)?.hasSuffix("T10\nand 2 more") == true)
    #expect(text("title", fields)?.hasSuffix("T10; and 2 more") == true)
  }

  @Test func `a message without a title of its own has the feed's`() throws {
    var nobody = item(1, title: "A")
    nobody.record.author = nil

    let fields = notificationFields(
      message("item"), items: [nobody], material(try notify(title: "{item.author}", body: "")))

    #expect(text("title", fields) == "Planet")
    #expect(text("body", fields) == "")
  }

  @Test func `no message is without a title`() throws {
    let event = origin.event(
      .notification,
      fixedMessage(
        title: "", body: "b", identifier: "i", urgency: .low, link: "", count: 0))

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

  @Test(
    arguments: [
      ("2 new: A; B", 1, "2 new: A; B (1 of 2 files)"), ("", 0, "(0 of 2 files)"), ("2 new", 2, "2 new"),
      ("Planet: 2\nMoon: 1", 1, "Planet: 2\nMoon: 1\n(1 of 2 files)"),
    ])
  func `a message says how many files there are if some are missing`(body: String, placed: Int, told: String)
  {
    let fields = withFiles([EventField("title", "t"), EventField("body", body)], placed: placed, of: 2)

    #expect(text("body", fields) == told)
    #expect(text("title", fields) == "t")
  }

  @Test func `added feeds are one message`() {
    let label = FeedLabel(FeedSpec(name: planet, url: .plain("")), FeedState())
    var (one, many) = (AddedFeeds(), AddedFeeds())
    one.add(label)
    for _ in 0..<40 { many.add(label) }

    let events = [one, many].map { addedFeedsEvent($0, origin: origin, hook: "d") }

    #expect(events.map { $0.text("title") } == ["1 feed added", "40 feeds added"])
    #expect(events[0].text("body") == label.title)
    #expect(events[1].text("body").hasSuffix(" and 30 more"))
  }
}
