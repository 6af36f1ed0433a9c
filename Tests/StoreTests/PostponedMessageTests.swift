// Notifications that hours postpone.

import Core
import Testing

@testable import Store

@Suite struct PostponedMessageTests {
  private let store: Store
  private let planet: FeedName

  init() throws {
    store = try TemporaryDirectory().open()
    planet = try name("planet")
  }

  private func record(_ id: String, postponedUntil: Instant?, at time: Instant = now) async throws {
    var record = event(id, .notification, at: time)
    record.postponedUntil = postponedUntil
    try await store.record([record], run: nil)
  }

  private func pending(at time: Instant) async throws -> [String] {
    try await store.pendingNotifications("desktop", at: time).map(\.event.id)
  }

  @Test func `a postponed notification is not delivered before its time`() async throws {
    try await record("held", postponedUntil: now + .hours(9))

    #expect(try await store.hooksWithWork(at: now) == [])
    #expect(try await store.nextDelivery("desktop", at: now + .hours(9) - .seconds(1)) == nil)
    #expect(try await store.hooksWithWork(at: now + .hours(9)) == ["desktop"])
    #expect(try await pending(at: now + .hours(9)) == ["held"])
    #expect(try await store.nextDelivery("desktop", at: now + .hours(9))?.postponedUntil == now + .hours(9))
  }

  @Test func `a postponed notification does not delay others`() async throws {
    try await record("held", postponedUntil: now + .hours(9))
    try await record("free", postponedUntil: nil)

    #expect(try await store.nextDelivery("desktop", at: now)?.event.id == "free")
  }

  @Test func `the age of a postponed notification counts from its time`() async throws {
    try await record("held", postponedUntil: now + .hours(9))
    try await record("free", postponedUntil: nil)

    #expect(try await store.expireDeliveries("desktop", before: now + .hours(8)) == 1)
    #expect(try await pending(at: now + .hours(9)) == ["held"])
    #expect(try await store.expireDeliveries("desktop", before: now + .hours(9) + .seconds(1)) == 1)
  }

  @Test func `feeds with waiting notifications are grouped by their time`() async throws {
    try await record("a", postponedUntil: now + .hours(9))
    try await record("b", postponedUntil: now + .hours(9))
    try await record("c", postponedUntil: nil)
    try await store.record([event("d", .newItem)], run: nil)

    #expect(
      try await store.waitingMessages() == [
        WaitingMessages(feed: planet, postponedUntil: nil),
        WaitingMessages(feed: planet, postponedUntil: now + .hours(9)),
      ])
  }

  @Test func `only notifications are postponed and released`() async throws {
    try await record("free", postponedUntil: nil)
    try await store.record([event("news", .newItem)], run: nil)

    try await store.postpone(
      WaitingMessages(feed: planet, postponedUntil: nil), until: now + .hours(9), at: now)
    #expect(try await pending(at: now).isEmpty)
    #expect(try await store.nextDelivery("desktop", at: now)?.event.id == "news")

    try await store.postpone(
      WaitingMessages(feed: planet, postponedUntil: now + .hours(9)), until: now + .minutes(1), at: now)
    #expect(try await pending(at: now + .minutes(1)) == ["free"])
  }

  @Test func `a notification postponed every night still expires`() async throws {
    try await record("kept", postponedUntil: now + .hours(9))

    // Released in the morning, not delivered, postponed again in the evening.
    try await store.postpone(
      WaitingMessages(feed: planet, postponedUntil: now + .hours(9)), until: now + .hours(33),
      at: now + .hours(20)
    )

    #expect(try await pending(at: now + .hours(20)).isEmpty)
    #expect(try await store.expireDeliveries("desktop", before: now + .hours(9) + .seconds(1)) == 1)
  }

  @Test func `a time beyond any hours comes from a wrong clock`() async throws {
    try await record("held", postponedUntil: now + .days(365), at: now + .days(365))

    #expect(try await pending(at: now) == ["held"])
  }

  @Test func `an age from a far future counts from now`() async throws {
    try await record("future", postponedUntil: nil, at: now + .days(365))
    try await record("held", postponedUntil: now + .days(6))

    try await store.resetAges("desktop", at: now)

    #expect(try await store.expireDeliveries("desktop", before: now + .seconds(1)) == 1)
    #expect(try await pending(at: now + .days(6)) == ["held"])
  }

  @Test func `a notification that replaces postponed ones counts as postponed`() async throws {
    try await record("a", postponedUntil: now + .hours(1))
    try await record("b", postponedUntil: now + .hours(2))
    try await record("c", postponedUntil: nil)
    let later = now + .hours(3)
    let numbers = try await store.pendingNotifications("desktop", at: later).map(\.number)

    let merged = try #require(
      try await store.merge(numbers, of: "desktop", into: event("m", .notification, at: later), run: nil))

    #expect(merged.postponedUntil == now + .hours(2))
    #expect(try await pending(at: later) == ["m"])
  }
}
