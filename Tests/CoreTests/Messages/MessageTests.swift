// Messages: their text, when there is nothing left to say, and those that stand for several.

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

  @Test func `many titles are cut to ten`() throws {
    let items = (1...12).map { item($0, title: "T\($0)") }

    let fields = notificationFields(
      message(), items: items, material(try notify(title: "t", body: "{titles}")))

    #expect(text("body", fields)?.hasSuffix("T10; and 2 more") == true)
  }

  @Test func `a message whose title comes out empty has the feed's`() throws {
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

  @Test func `a summary has a line for each feed and each other message`() {
    let label = FeedLabel(FeedSpec(name: planet, url: .plain("")), FeedState())
    let event = summaryEvent(
      [
        (label, [EventField("count", 3)]), (label, [EventField("count", 2)]),
        (nil, [EventField("title", "wiki is failing"), EventField("count", 0)]),
      ], origin: origin, hook: "d", first: 4)

    #expect(event.text("title") == "5 new in 1 feed")
    #expect(event.text("body") == "planet: 5\nwiki is failing")
    #expect(event.text("count") == "5")
    #expect(event.text("identifier") == "bgfetch")
  }

  @Test func `a summary says what the messages say that are not about items`() {
    func alert(_ title: String, _ body: String) -> (feed: FeedLabel?, fields: [EventField]) {
      let label = FeedLabel(FeedSpec(name: planet, url: .plain("")), FeedState())
      return (label, [EventField("title", title), EventField("body", body), EventField("count", 0)])
    }
    let event = summaryEvent(
      [
        alert("planet", "disk 1 is full"), alert("planet", "disk 2\nis full"), alert("Backup", ""),
        alert("planet", String(repeating: "x", count: 4096)),
      ], origin: origin, hook: "d", first: 4)

    #expect(event.text("title") == "4 messages")
    #expect(
      event.text("body") == "planet: disk 1 is full\nplanet: disk 2 is full\nBackup\nplanet: "
        + String(repeating: "x", count: 245) + "…")
  }

  @Test(arguments: ["x", "é", "&", "👩‍👩‍👧‍👦"])
  func `a summary of very many says how many more there are, behind whole lines`(letter: String) {
    let count = 400
    let lines = (1...count).map { "alert \($0) " + String(repeating: letter, count: 5) }
    let event = summaryEvent(
      lines.map { (nil, [EventField("title", $0), EventField("count", 0)]) }, origin: origin, hook: "d",
      first: 4)
    let body = event.text("body").split(separator: "\n").map(String.init)
    let shown = body.count - 1
    #expect(shown > 10)
    #expect(Array(body.dropLast()) == Array(lines.prefix(shown)))
    #expect(body.last == "and \(count - shown) more")
    // Nothing is cut of what a hook gets, not even of the longer form.
    let hook = HookSpec(name: "d", events: [.notification], run: [])
    let call = hookCall(hook, event, replaces: "", in: .utc)
    let markup = call.environment.first { $0.name == "BGFETCH_BODY_MARKUP" }
    #expect(markup?.value.hasSuffix("and \(count - shown) more") == true)
  }

  @Test(
    arguments: [
      ("2 new: A; B", 1, "2 new: A; B (1 of 2 files)"), ("", 0, "(0 of 2 files)"), ("2 new", 2, "2 new"),
      ("Planet: 2\nMoon: 1", 1, "Planet: 2\nMoon: 1\n(1 of 2 files)"),
    ])
  func `a message whose files are not all there says how many are`(body: String, placed: Int, told: String) {
    let fields = withFiles([EventField("title", "t"), EventField("body", body)], placed: placed, of: 2)

    #expect(text("body", fields) == told)
    #expect(text("title", fields) == "t")
  }

  @Test func `a summary sounds and is urgent as the messages that it stands for`() {
    let event = summaryEvent(
      [
        (nil, [EventField("title", "a"), EventField("sound", nil as String?), EventField("urgency", "low")]),
        (nil, [EventField("title", "b"), EventField("sound", "bell"), EventField("urgency", "critical")]),
      ], origin: origin, hook: "d", first: 4, identifier: "news")

    #expect(event.text("sound") == "bell")
    #expect(event.text("urgency") == "critical")
    #expect(event.text("identifier") == "news")
  }

  @Test func `added feeds are one message`() {
    let label = FeedLabel(FeedSpec(name: planet, url: .plain("")), FeedState())

    #expect(addedFeedsEvent([label], origin: origin, hook: "d").text("title") == "1 feed added")
    #expect(
      addedFeedsEvent(Array(repeating: label, count: 40), origin: origin, hook: "d").text("title")
        == "40 feeds added")
    #expect(
      addedFeedsEvent(Array(repeating: label, count: 40), origin: origin, hook: "d").text("body").hasSuffix(
        "and 30 more"))
  }
}
