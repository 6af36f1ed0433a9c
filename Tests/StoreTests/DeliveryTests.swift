// Events and their deliveries: claimed, finished, listed and retried.

import Core
import Testing

@testable import Store

@Suite final class EventTests: StoreSuite {
  @Test func `an event is read as it was recorded, with its fields in order`() async throws {
    let record = event(
      "1", .newData,
      fields: JSONValue([
        "item.title": "\"Title\" \\ \u{7F}\u{1F30D}\n{\"time\":1}", "count": -3, "item.published": now,
        "item.author": nil, "empty": "", "large": Int64.max, "a.b.c": "last",
      ]))

    try await store.record([record], round: nil)

    #expect(try await store.nextDelivery("desktop", at: now)?.event == record.event)
  }

  @Test func `an event is recorded once`() async throws {
    try await store.record([event("1", hooks: ["a"])], round: nil)
    try await store.record([event("1", hooks: ["a", "b"])], round: nil)

    #expect(try await store.hooksWithWork(at: now) == ["a"])
    #expect(try await store.number("SELECT count(*) FROM delivery") == 1)
  }

  @Test func `an event without hooks is recorded without deliveries`() async throws {
    try await store.record([event("1", hooks: [])], round: nil)

    #expect(try await store.number("SELECT count(*) FROM event") == 1)
    #expect(try await store.hooksWithWork(at: now).isEmpty)
  }
}

@Suite final class DeliveryTests: StoreSuite {
  override init() async throws {
    try await super.init()
    try await store.record([event("1"), event("2"), event("3")], round: nil)
  }

  private func next(at time: Instant = now) async throws -> Delivery? {
    try await store.nextDelivery("desktop", at: time)
  }

  private func status(_ delivery: Delivery) async throws -> Delivery? {
    let all = try await store.deliveries(
      [.pending, .running, .delivered, .dead, .expired, .dropped], hook: nil, limit: 100)
    return all.first { $0.number == delivery.number }
  }

  @Test func `deliveries of a hook are claimed one at a time, in the order of events`() async throws {
    var order: [String] = []
    while let delivery = try await next() {
      #expect(try await next() == nil)
      order.append(delivery.event.id)
      try await store.finishDelivery(delivery.number, DeliveryEnd(.delivered), at: now)
    }

    #expect(order == ["1", "2", "3"])
  }

  @Test func `other deliveries overtake one that waits for its retry`() async throws {
    let end = DeliveryEnd(.pending, notBefore: now + .minutes(5), error: "exit status 1")
    try await store.endNext("desktop", end)

    #expect(try await next()?.event.id == "2")
    try await store.endHolds()
    try await store.resetRunning("desktop")
    let again = try #require(try await next(at: now + .minutes(5)))
    #expect(again.event.id == "1")
    #expect(again.attempts == 2)
    #expect(again.lastError == "exit status 1")
  }

  @Test func `an attempt that does not count uses up no retry`() async throws {
    let end = DeliveryEnd(.pending, notBefore: now + .minutes(1), isCounted: false)

    let first = try await store.endNext("desktop", end)

    #expect(try await status(first)?.attempts == 0)
  }

  @Test func `finishing a delivery that is not running changes nothing and returns false`() async throws {
    let first = try #require(try await next())
    #expect(try await store.finishDelivery(first.number, DeliveryEnd(.delivered), at: now))

    #expect(try await !store.finishDelivery(first.number, DeliveryEnd(.dead, error: "late"), at: now))
    #expect(try await status(first)?.status == .delivered)
  }

  @Test(.onFile) func `the end of a hook is synced to disk before the call returns; other changes may wait`()
    async throws
  {
    try await store.execute(
      """
      PRAGMA trusted_schema = ON;
      CREATE TABLE witness (status TEXT, synchronous INTEGER);
      CREATE TRIGGER witness AFTER UPDATE ON delivery BEGIN
        INSERT INTO witness SELECT NEW.status, synchronous FROM pragma_synchronous;
      END
      """)

    try await store.endNext()
    _ = try await next()

    // 1 is NORMAL, 2 is FULL.
    let witness = "SELECT group_concat(synchronous, '') + 0 FROM witness"
    #expect(try await store.number(witness) == 121)
  }

  @Test func `running deliveries of a dead process are pending again, and those of other hooks go on`()
    async throws
  {
    let first = try #require(try await next())

    try await store.endHolds()
    try await store.resetRunning("mail")
    #expect(try await status(first)?.status == .running)
    try await store.resetRunning("desktop")

    let again = try #require(try await next())
    #expect(again.number == first.number)
    #expect(again.attempts == 2)
  }

  @Test func `a delivery with one attempt is dropped when its process died`() async throws {
    try await store.record([event("best effort", .runFinished, hooks: ["log"])], round: nil)
    let delivery = try #require(try await store.nextDelivery("log", at: now))

    try await store.endHolds()
    try await store.resetRunning("log")

    #expect(try await status(delivery)?.status == .dropped)
  }

  @Test func `a hook has work while one of its deliveries is left running`() async throws {
    try await store.record([event("4", hooks: ["mail"])], round: nil)
    _ = try await store.nextDelivery("mail", at: now)
    try await store.endHolds()

    #expect(try await store.hooksWithWork(at: now).contains("mail"))
  }

  @Test func `concurrent claims never get the same delivery`() async throws {
    let other = try directory.open()
    try await store.record((0..<40).map { event("c\($0)", hooks: ["c"]) }, round: nil)

    let claimed = try await withThrowingTaskGroup(of: [Int64].self) { group in
      for store in [store, other] {
        group.addTask {
          var numbers: [Int64] = []
          for _ in 0..<200 {
            guard let delivery = try await store.nextDelivery("c", at: now) else { continue }
            numbers.append(delivery.number)
            #expect(try await store.finishDelivery(delivery.number, DeliveryEnd(.delivered), at: now))
          }
          return numbers
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }

    #expect(claimed.count == Set(claimed).count)
  }
}

@Suite final class DeliveryAdministrationTests: StoreSuite {
  override init() async throws {
    try await super.init()
    try await store.record([event("1"), event("2"), event("3", hooks: ["mail"])], round: nil)
  }

  /// Claims and finishes the next delivery of a hook.
  @discardableResult
  private func finish(_ hook: String, _ status: DeliveryStatus) async throws -> Int64 {
    try await store.endNext(hook, DeliveryEnd(status, error: "exit status 1")).number
  }

  private func list(
    _ statuses: Set<DeliveryStatus>, hook: String? = nil, limit: Int = 9
  ) async throws -> [String] {
    try await store.deliveries(statuses, hook: hook, limit: limit).map(\.event.id)
  }

  @Test func `deliveries are listed newest first, by status and hook`() async throws {
    try await finish("desktop", .dead)

    #expect(try await list([.pending, .dead]) == ["3", "2", "1"])
    #expect(try await list([.pending]) == ["3", "2"])
    #expect(try await list([.pending, .dead], hook: "desktop") == ["2", "1"])
    #expect(try await list([.pending, .dead], limit: 1) == ["3"])
  }

  @Test func `deliveries older than a time expire, for the given hooks only, unless they are running`()
    async throws
  {
    #expect(try await store.expireDeliveries("desktop", before: now) == 0)
    #expect(try await store.expireDeliveries("desktop", before: now + .seconds(1)) == 2)
    #expect(try await store.hooksWithWork(at: now) == ["mail"])
    _ = try await store.nextDelivery("mail", at: now)
    #expect(try await store.expireDeliveries("mail", before: now + .days(1)) == 0)
  }

  @Test func `a delivery retried by hand has all its retries and a new age`() async throws {
    let number = try await finish("desktop", .dead)

    #expect(try await store.retryDeliveries(hook: nil, at: now + .days(1)) == 1)

    #expect(try await store.expireDeliveries("desktop", before: now + .hours(12)) == 1)
    let again = try #require(try await store.nextDelivery("desktop", at: now + .days(1)))
    #expect(again.number == number)
    #expect(again.attempts == 1)
  }

  @Test func `one that waits for its next attempt is retried by hand at once`() async throws {
    let end = DeliveryEnd(.pending, notBefore: now + .hours(1), error: "exit status 1")
    let number = try await store.endNext("desktop", end).number

    #expect(try await store.retryDeliveries(hook: "desktop", at: now) == 1)

    let again = try #require(try await store.nextDelivery("desktop", at: now))
    #expect(again.number == number)
    #expect(again.attempts == 2)
  }

  @Test func `a finished delivery is not retried`() async throws {
    try await finish("mail", .delivered)

    #expect(try await store.retryDeliveries(hook: "mail", at: now) == 0)
  }

  @Test func `dropping removes waiting and dead deliveries, of one hook or all`() async throws {
    try await finish("desktop", .dead)

    #expect(try await store.dropDeliveries(hook: "desktop") == 2)
    #expect(try await store.dropDeliveries(hook: nil) == 1)
    #expect(try await list([.dead, .expired]).isEmpty)
    #expect(try await store.hooksWithWork(at: now).isEmpty)
  }
}
