// Deliveries of one hook that run at the same time.

import Core
import Testing

@testable import Store

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
