// The items and the text of notifications, and summaries.

import Core
import Testing

@testable import Store

@Suite final class NotificationTests: StoreSuite {
  private var items: [Int64] = []

  override init() async throws {
    try await super.init()
    var commit = fetch(planet, [item("a"), item("b"), item("c")])
    commit.events = [
      event("n1", .notification, newItems: [0, 2]), event("n2", .notification, newItems: [1]),
      event("other", .newItem, newItems: [1]),
    ]
    items = try #require(try await store.commit(commit, configured: [planet]))
  }

  private func pending() async throws -> [Delivery] {
    try await store.pendingNotifications("desktop", at: now)
  }

  @Test func `a notification has its items as they are when it is read`() async throws {
    let delivery = try #require(try await pending().first)
    try await store.markSeen("c", of: planet, among: [planet])

    let items = try await store.notificationItems(delivery.number)

    #expect(ids(items) == ["a", "c"])
    #expect(items.map(\.record.isSeen) == [false, true])
  }

  @Test func `items that a hook marks stay in the messages of others, and no undo takes that back`()
    async throws
  {
    let delivery = try #require(try await pending().first)
    try await store.markSeen("a", of: planet, among: [planet])
    #expect(try await store.markSeen([items[2]], byHook: true, configured: [planet]) == 1)

    let items = try await store.notificationItems(delivery.number, unseenOnly: true)

    #expect(ids(items) == ["c"])
    #expect(items.map(\.record.isSeen) == [true])
    #expect(try await store.badge(configured: [planet]) == 1)
    #expect(try await store.undoSeen(configured: [planet]).count == 1)
    #expect(try await store.badge(configured: [planet]) == 2)
    #expect(try await store.markUnseen(self.items, configured: [planet]) == 1)
  }

  @Test(arguments: [(DeliveryStatus.delivered, 1), (.pending, 3), (.dead, 3), (.dropped, 3)])
  func `the items of a delivery count as seen if it was delivered`(status: DeliveryStatus, badge: Int)
    async throws
  {
    let delivery = try #require(try await store.nextDelivery("desktop", at: now))

    try await store.finishDelivery(
      delivery.number, DeliveryEnd(status), seen: ([items[0], items[2]], [planet]), at: now)

    #expect(try await store.badge(configured: [planet]) == badge)
  }

  @Test func `a later notification can have items stored before`() async throws {
    try await store.record([event("n3", .notification, hooks: ["mail"], knownItems: [items[1]])], round: nil)
    let delivery = try #require(try await store.pendingNotifications("mail", at: now).first)

    #expect(ids(try await store.notificationItems(delivery.number)) == ["b"])
  }

  @Test func `only untried notifications without text are pending`() async throws {
    #expect(try await pending().map(\.event.id) == ["n1", "n2"])

    let first = try #require(try await store.nextDelivery("desktop", at: now))
    try await store.freeze(try await pending()[0].number, fields: .object([]))
    try await store.finishDelivery(first.number, DeliveryEnd(.pending), at: now)

    #expect(try await pending().isEmpty)
  }

  @Test func `frozen fields replace the event's own, and stay`() async throws {
    let delivery = try #require(try await store.nextDelivery("desktop", at: now))
    #expect(try await !store.isFrozen(delivery.number))

    #expect(try await store.freeze(delivery.number, fields: JSONValue(["title": "first"])))
    #expect(try await !store.freeze(delivery.number, fields: JSONValue(["title": "second"])))

    #expect(try await store.isFrozen(delivery.number))
    let running = try await store.deliveries([.running], hook: nil, limit: 1)
    #expect(running.first?.event.fields == JSONValue(["title": "first"]))
  }

  @Test func `frozen items are read back as they were, until they are delivered`() async throws {
    let items = [
      EventItem(
        title: "A \"b\" \\ 漢", link: "https://planet.example/a", id: "a", feed: planet,
        feedTitle: "Planet", published: now, files: ["/srv/a b.mp3", "/srv/\"c\".mp3"], number: 7),
      EventItem(title: "B", link: "", id: "#7", feed: try name("moon"), feedTitle: "Moon", published: nil),
    ]
    let delivery = try #require(try await store.nextDelivery("desktop", at: now))

    try await store.freeze(
      delivery.number, fields: JSONValue(["badge": 3, "items": items]))
    try await store.finishDelivery(delivery.number, DeliveryEnd(.pending, notBefore: now), at: now)
    let again = try #require(try await store.nextDelivery("desktop", at: now))
    #expect(again.event.items == items)
    #expect(again.event.isFrozen)

    try await store.finishDelivery(delivery.number, DeliveryEnd(.delivered), at: now)
    let delivered = try await store.deliveries([.delivered], hook: "desktop", limit: 1)
    #expect(delivered.map(\.event.items) == [[]])
    #expect(delivered.map { $0.event.text("badge") } == ["3"])
  }

  @Test func `freezing one hook's text does not affect other hooks`() async throws {
    try await store.record([event("n3", .notification, hooks: ["a", "b"])], round: nil)
    let first = try #require(try await store.nextDelivery("a", at: now))

    try await store.freeze(first.number, fields: JSONValue(["title": "frozen"]))

    #expect(try await store.nextDelivery("b", at: now)?.event.fields == .object([]))
  }

  @Test func `a summary replaces several notifications and has all their items`() async throws {
    let numbers = try await pending().map(\.number)

    let merged = try #require(
      try await store.merge(numbers, of: "desktop", into: event("m", .notification, hooks: []), round: nil))

    #expect(merged.event.id == "m")
    #expect(ids(try await store.notificationItems(merged.number)) == ["a", "b", "c"])
    #expect(try await pending().map(\.event.id) == ["m"])
    let dropped = try await store.deliveries([.dropped], hook: nil, limit: 9)
    #expect(dropped.map(\.lastError) == ["absorbed", "absorbed"])
  }

  @Test func `merging takes only untried deliveries of one hook`() async throws {
    let running = try #require(try await store.nextDelivery("desktop", at: now))
    let numbers = [running.number] + (try await pending().map(\.number))

    let merged = try #require(
      try await store.merge(numbers, of: "desktop", into: event("m", .notification), round: nil))

    #expect(ids(try await store.notificationItems(merged.number)) == ["b"])
    #expect(try await store.deliveries([.running], hook: nil, limit: 9).map(\.number) == [running.number])
  }

  @Test(arguments: [("m", 0), ("other", 2)])
  func `merging nothing, or into an event recorded before, drops and records nothing`(
    id: String, count: Int
  ) async throws {
    let numbers = try await pending().prefix(count).map(\.number)

    #expect(try await store.merge(numbers, of: "desktop", into: event(id, .notification), round: nil) == nil)
    #expect(try await store.number("SELECT count(*) FROM event") == 3)
    #expect(try await pending().count == 2)
  }

  @Test func `the last line that a hook printed is stored per identifier and login session, if it is useful`()
    async throws
  {
    try await store.record([event("n3", .notification)], round: nil)
    func deliver(printing text: String?) async throws {
      var end = DeliveryEnd(.delivered)
      end.printed = PrintedIdentifier(identifier: "planet", session: "s1", text: text)
      try await store.endNext("desktop", end)
    }

    func printed(_ hook: String, _ identifier: String, _ session: String) async throws -> String? {
      try await store.printedIdentifier(hook, identifier: identifier, session: session)
    }
    for text in ["7", "8"] { try await deliver(printing: text) }
    #expect(try await printed("desktop", "planet", "s1") == "8")
    #expect(try await printed("desktop", "planet", "s2") == nil)
    #expect(try await printed("desktop", "else", "s1") == nil)
    #expect(try await printed("mail", "planet", "s1") == nil)
    try await deliver(printing: nil)
    #expect(try await printed("desktop", "planet", "s1") == nil)
  }

  @Test func `only later delivered notifications with the identifier count`() async throws {
    /// Records a notification and freezes its identifier.
    func message(_ id: String, _ identifier: String, hooks: [String] = ["mail"]) async throws -> Int64 {
      try await store.record([event(id, .notification, hooks: hooks)], round: nil)
      let waiting = try await store.deliveries([.pending], hook: hooks[0], limit: 1)
      let number = try #require(waiting.first).number
      try await store.freeze(number, fields: JSONValue(["identifier": identifier]))
      return number
    }
    let first = try await message("m1", "planet")
    for (id, identifier) in [("m2", "moon"), ("m3", "planet"), ("m4", "planet")] {
      _ = try await message(id, identifier)
    }
    _ = try await message("m5", "planet", hooks: ["post"])
    func newer(_ number: Int64) async throws -> [String] {
      try await store.deliveredNotifications(after: number, identifier: "planet").map(\.event.id)
    }

    #expect(try await newer(first).isEmpty)
    for status in [DeliveryStatus.pending, .delivered, .delivered, .dead] {
      try await store.endNext("mail", DeliveryEnd(status, notBefore: now + .hours(1)))
    }

    #expect(try await newer(first) == ["m3"])
    #expect(try await newer(first + 2).isEmpty)
  }
}
