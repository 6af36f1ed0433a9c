// Events of consumers: unread until they are marked as read, and apart from deliveries to programs; and deliveries of one
// hook that run at the same time.

import Core
import Testing

@testable import Store

@Suite final class ConsumerTests: StoreSuite {
  private func record(_ ids: String..., hooks: [String] = ["search"]) async throws {
    var records = ids.map { event($0, .newItem, hooks: hooks) }
    for index in records.indices { records[index].consumers = ["search"] }
    try await store.record(records, run: nil)
  }

  private func unread(_ limit: Int = 10) async throws -> [String] {
    try await store.unreadEvents(of: "search", limit: limit).map(\.event.id)
  }

  @Test func `events are unread in their order until they are marked as read`() async throws {
    try await record("1", "2", "3")

    #expect(try await unread(2) == ["1", "2"])
    let first = try #require(try await store.unreadEvents(of: "search", limit: 1).first)
    try await store.markRead([first.number], at: now)

    #expect(try await unread() == ["2", "3"])
    #expect(try await store.unreadEventCounts() == ["search": UnreadEvents(count: 2, since: now)])
  }

  @Test func `unread events are no work for runs`() async throws {
    try await record("1", hooks: ["search", "desktop"])

    #expect(try await store.hooksWithWork(at: now) == ["desktop"])
    #expect(try await store.nextDelivery("search", at: now) == nil)
    #expect(try await store.nextDeliveryMoment(after: now - .seconds(1), hooks: ["search"]) == nil)
  }

  @Test func `pruning removes old unread events, and keeps young ones`() async throws {
    try await record("1")

    try await store.prune(before: now - .days(1), limit: 100)
    #expect(try await unread() == ["1"])
    try await store.prune(before: now + .days(1), limit: 100)
    #expect(try await unread() == [])
  }

  @Test func `dropped events are not read`() async throws {
    try await record("1")

    #expect(try await store.dropDeliveries(hook: "search") == 1)
    #expect(try await unread() == [])
  }
}

@Suite final class ParallelDeliveryTests: StoreSuite {
  @Test func `deliveries of different feeds run at the same time, up to a number`() async throws {
    let events = [("1", "a"), ("2", "a"), ("3", "b"), ("4", nil), ("5", "c")].map { id, feed in
      event(id, .newItem, hooks: ["index"], feed: feed)
    }
    try await store.record(events, run: nil)
    func next() async throws -> Delivery? { try await store.nextDelivery("index", at: now, parallel: 3) }

    let first = try #require(try await next())
    let running = [first, try #require(try await next()), try #require(try await next())]
    #expect(running.map(\.event.id) == ["1", "3", "4"])
    #expect(try await next() == nil)

    try await store.finishDelivery(first.number, DeliveryEnd(.delivered), at: now)
    #expect(try await next()?.event.id == "2")
    #expect(try await next() == nil)
  }
}
