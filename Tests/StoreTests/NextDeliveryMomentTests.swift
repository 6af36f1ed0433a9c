// The next moment at which a delivery is due, by retry, hours, delay and files.

import Core
import Testing

@testable import Store

@Suite struct NextDeliveryMomentTests {
  private let world: TransferWorld
  private var store: Store { world.store }

  init() throws {
    world = try TransferWorld()
  }

  @Test(
    arguments: [
      (nil, nil, nil), (5, nil, 5), (nil, 9, 9), (5, 9, 9), (9, 5, 9), (-5, 9, 9), (5, -9, 5),
      (-5, -9, nil),
    ] as [(Int64?, Int64?, Int64?)])
  func `a notification is due at the last of its times`(
    delay: Int64?, hold: Int64?, expected: Int64?
  ) async throws {
    var record = event("a", .notification, at: now - .hours(1))
    record.triggerAt = delay.map { shifted(now, minutes: $0) }
    record.postponedUntil = hold.map { shifted(now, minutes: $0) }
    try await store.record([record], run: nil)

    #expect(try await store.nextDeliveryMoment(after: now) == expected.map { shifted(now, minutes: $0) })
  }

  @Test func `the earliest future time is the next`()
    async throws
  {
    for (id, minutes) in [("a", 7), ("b", 3), ("c", -1)] as [(String, Int64)] {
      var record = event(id, .notification, at: now - .hours(1))
      record.triggerAt = shifted(now, minutes: minutes)
      try await store.record([record], run: nil)
    }

    #expect(try await store.nextDeliveryMoment(after: now - .minutes(2)) == now - .minutes(1))
    #expect(try await store.nextDeliveryMoment(after: now) == now + .minutes(3))
    #expect(try await store.nextDeliveryMoment(after: now + .minutes(3)) == now + .minutes(7))
    #expect(try await store.nextDeliveryMoment(after: now + .minutes(7)) == nil)
  }

  @Test func `retries count, finished deliveries do not`() async throws {
    try await store.record([event("a", hooks: ["desktop", "mail"])], run: nil)
    let retried = try #require(try await store.nextDelivery("desktop", at: now))
    let over = try #require(try await store.nextDelivery("mail", at: now))
    #expect(try await store.nextDeliveryMoment(after: now) == nil)

    try await store.finishDelivery(
      retried.number, DeliveryEnd(.pending, notBefore: now + .minutes(10)), at: now)
    try await store.finishDelivery(
      over.number, DeliveryEnd(.dead, notBefore: now + .minutes(5)), at: now)

    #expect(try await store.nextDeliveryMoment(after: now) == now + .minutes(10))
  }

  @Test func `only the given hooks count`() async throws {
    for (hook, minutes) in [("gone", 3), ("desktop", 7)] as [(String, Int64)] {
      var record = event(hook, .notification, hooks: [hook])
      record.triggerAt = shifted(now, minutes: minutes)
      try await store.record([record], run: nil)
    }

    #expect(try await store.nextDeliveryMoment(after: now, hooks: ["desktop"]) == now + .minutes(7))
    #expect(try await store.nextDeliveryMoment(after: now, hooks: []) == nil)
    #expect(try await store.nextDeliveryMoment(after: now) == now + .minutes(3))
  }

  @Test func `a notification that waits for files counts with its latest time`()
    async throws
  {
    var message = event("ready", .notification, newItems: [0])
    message.readyBy = now + .hours(24)
    try await world.commit(["a"], events: [message])
    #expect(try await store.nextDeliveryMoment(after: now) == now + .hours(24))

    let transfer = try #require(try await store.unsettled().first)
    try await store.settle(
      TransferEnd(transfer.number, .placed(file("a"), isResumed: false), ended: now), run: nil, configured: []
    )

    #expect(try await store.nextDeliveryMoment(after: now) == nil)
  }
}
