// Messages: their text, when they are joined, when there is nothing left to say.

import Model
import Planning
import Testing
import Timing

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
    origin.event(.notification, feed: planet, [EventField("group", group)])
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

  /// Messages that wait, of a feed each.
  private func waiting(_ count: Int, group: String = "feed", heldUntil: Instant? = nil) -> [Delivery] {
    (0..<count).map { index in
      var event = message(group)
      event.feed = FeedName("feed\(index)")
      var delivery = Delivery(
        number: Int64(index + 1), hook: "d", event: event, attempts: 0, created: now, status: .pending,
        notBefore: now, lastError: nil)
      delivery.heldUntil = heldUntil
      return delivery
    }
  }

  @Test func `messages of one feed become one, as they have one identifier`() {
    var messages = waiting(4)
    messages[1].event.feed = messages[3].event.feed

    #expect(
      messageJoin(messages, sent: 0) == .feed(FeedName("feed3").unsafelyUnwrapped, [2, 4]))
    messages[1].event.fields = [EventField("group", "item")]
    #expect(messageJoin(messages, sent: 0) == .none)
  }

  @Test func `of several messages about a feed's health the last one counts`() {
    let health = [EventField("group", "fixed"), EventField("identifier", "feed0.health")]
    var messages = waiting(4)
    for index in [0, 2, 3] {
      messages[index].event.feed = messages[0].event.feed
      messages[index].event.fields = health
    }

    #expect(messageJoin(messages, sent: 0) == .last([1, 3, 4]))
    // Of feeds that were added several messages tell of several feeds.
    for index in messages.indices { messages[index].event.feed = nil }
    #expect(messageJoin(messages, sent: 0) == .none)
  }

  @Test func `what was held back becomes one summary, however few it is`() {
    #expect(messageJoin(waiting(2, heldUntil: now), sent: 0) == .summary([1, 2]))
    #expect(messageJoin(waiting(1, heldUntil: now), sent: 0) == .none)
    #expect(messageJoin(waiting(1, heldUntil: now) + waiting(1, group: "item"), sent: 0) == .none)
  }

  @Test func `a run's messages that were held back stay the run's one message`() {
    #expect(messageJoin(waiting(3, group: "run", heldUntil: now), sent: 0) == .run([1, 2, 3]))
  }

  @Test func `up to five messages a run stay apart, more become one`() {
    #expect(messageJoin(waiting(5), sent: 0) == .none)
    #expect(messageJoin(waiting(6), sent: 0) == .summary([1, 2, 3, 4, 5, 6]))
    #expect(messageJoin(waiting(2), sent: 4) == .summary([1, 2]))
    #expect(messageJoin(waiting(1), sent: 9) == .none)
  }

  @Test func `messages of a run become one`() {
    #expect(messageJoin(waiting(2, group: "run"), sent: 0) == .run([1, 2]))
    #expect(messageJoin(waiting(1, group: "run"), sent: 0) == .none)
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
