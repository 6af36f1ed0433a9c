// Which messages wait for their feed's delay, and the identifiers by which they include others.

import Testing

@testable import Core

@Suite struct DelayedMessagesTests {

  private func notify(delay: Interval = .zero, identifier: String = "{feed}") throws -> NotifySpec {
    try with(NotifySpec()) { ($0.delay, $0.identifier) = (delay, try Template(parsing: identifier)) }
  }

  private let found = with(Classification()) {
    $0.newItems = ["a", "b"].map { ItemRecord($0, guid: $0, link: "https://planet.example/" + $0) }
    $0.changedItems = [ChangedItem(number: 4, record: ItemRecord("old", guid: "old"), updatedAt: now)]
  }

  /// The messages of a fetch with two new items, an updated one, a recovery and a rebuilt feed.
  private func messages(_ notify: NotifySpec, _ group: NotificationGroup = .feed) -> [EventRecord] {
    var feed = FeedSpec(name: FeedName("planet").unsafelyUnwrapped, url: .plain("https://planet.example/"))
    feed.notify = notify
    let found = with(found) { $0.quietItems = 3 }
    var hook = HookSpec(
      name: "desktop", events: [.notification, .newItem], run: [.one(Template(literal: "true"))])
    hook.group = group
    var outcome = FetchOutcome(result: .newData, reason: "", classification: found)
    outcome.health = .recovered
    return scheduled(
      fetchEvents(
        outcome, feed: feed, label: FeedLabel(feed, FeedState()), hooks: [hook],
        origin: EventOrigin(round: 7, time: now, cause: .timer)),
      by: notify, to: [hook], at: now, in: .utc)
  }

  @Test func `messages about items wait for the delay, all others are delivered at once`() throws {
    let delay = Interval.minutes(10)

    let records = messages(try notify(delay: delay))

    #expect(
      records.map {
        "\($0.event.kind.rawValue) \($0.event.storedFields["group"]?.string ?? "")"
      } == ["new-item ", "new-item ", "notification feed", "notification ", "notification "])
    #expect(records.map(\.triggerAt) == [nil, nil, now + delay, nil, nil])
    #expect(messages(try notify()).allSatisfy { $0.triggerAt == nil })
  }

  @Test(arguments: [
    (NotificationGroup.feed, "{feed}", ["planet"]), (.feed, "news", ["news"]),
    (.feed, "{feed}-{count}", [""]), (.item, "{feed}/{item.id}", ["planet/a", "planet/b", "planet/old"]),
    (.item, "{item.link}", ["https://planet.example/a", "https://planet.example/b", ""]),
    (.item, "{item.published}", ["", "", ""]), (.run, "bgfetch", ["bgfetch"]),
  ])
  func `messages about items are recorded with their identifiers, if those are known`(
    group: NotificationGroup, template: String, identifiers: [String]
  ) throws {
    let records = messages(try notify(identifier: template), group).filter {
      $0.event.group == group
    }

    #expect(records.map { $0.event.text("identifier") } == identifiers)
  }
}
