// Messages that wait for the digest of a hook, and the items that events carry.

import Core
import Testing

@testable import Store

@Suite struct DigestDeliveryTests {
  private let store: Store
  private let digest = now + .hours(9)

  init() throws {
    store = try TemporaryDirectory().open()
  }

  /// Records a message for a popup, and for a digest that is due in nine hours.
  private func record(_ id: String = "news", _ change: (inout EventRecord) -> Void = { _ in }) async throws {
    var record = event(id, .notification, hooks: ["desktop", "morning"])
    record.digests["morning"] = digest
    change(&record)
    try await store.record([record], run: nil)
  }

  @Test func `a message waits for the digest of one hook, and not for another`() async throws {
    try await record()

    #expect(try await store.hooksWithWork(at: now) == ["desktop"])
    #expect(try await store.hooksWithWork(at: digest - .seconds(1)) == ["desktop"])
    #expect(try await store.hooksWithWork(at: digest) == ["desktop", "morning"])
    #expect(try await store.nextDeliveryMoment(after: now, hooks: ["morning"]) == digest)
  }

  @Test func `hours, files and delays do not postpone a digest`() async throws {
    try await record {
      $0.postponedUntil = digest + .hours(1)
      $0.readyBy = digest + .hours(2)
      $0.triggerAt = digest + .hours(3)
    }
    try await store.postpone(
      WaitingMessages(feed: try name("planet"), postponedUntil: nil), until: digest + .hours(4), at: now,
      except: ["morning"])

    #expect(try await store.hooksWithWork(at: digest) == ["morning"])
    #expect(
      try await store.waitingMessages(except: ["morning"]) == [
        WaitingMessages(feed: try name("planet"), postponedUntil: digest + .hours(1))
      ])
  }

  @Test(arguments: [(-1, true), (0, true), (1, false)])
  func `a digest that is due earlier than before has its messages then`(hours: Int64, isDue: Bool)
    async throws
  {
    try await record()
    let moment = shifted(digest, minutes: hours * 60)

    try await store.collect("morning", until: moment)

    #expect(try await store.nextDeliveryMoment(after: now, hooks: ["morning"]) == (isDue ? moment : digest))
    #expect(try await store.hooksWithWork(at: now) == ["desktop"])
  }

  @Test func `the age of a message counts from its digest, even after a month`() async throws {
    try await record { $0.digests["morning"] = now + .days(31) }

    try await store.resetAges("morning", at: now + .days(1))

    #expect(try await store.expireDeliveries("morning", before: now + .days(31)) == 0)
    #expect(try await store.expireDeliveries("morning", before: now + .days(31) + .seconds(1)) == 1)
  }

  @Test func `frozen items are read back as they were, until they are delivered`() async throws {
    let items = [
      EventItem(
        title: "A \"b\" \\ 漢", link: "https://planet.example/a", id: "a", feed: try name("planet"),
        feedTitle: "Planet", published: now, files: ["/srv/a b.mp3", "/srv/\"c\".mp3"]),
      EventItem(title: "B", link: "", id: "#7", feed: try name("moon"), feedTitle: "Moon", published: nil),
    ]
    try await record()
    let delivery = try #require(try await store.nextDelivery("desktop", at: now))
    let fields = [EventField("badge", 3), EventField("items", .items(items))]

    try await store.freeze(delivery.number, fields: fields)
    try await store.finishDelivery(delivery.number, DeliveryEnd(.pending, notBefore: now), at: now)
    let again = try #require(try await store.nextDelivery("desktop", at: now))
    #expect(again.event.items == items)
    #expect(again.event.isFrozen)

    try await store.finishDelivery(delivery.number, DeliveryEnd(.delivered), at: now)
    let delivered = try await store.deliveries([.delivered], hook: "desktop", limit: 1)
    #expect(delivered.map(\.event.items) == [[]])
    #expect(delivered.map { $0.event.text("badge") } == ["3"])
  }
}
