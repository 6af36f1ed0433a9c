// Delayed notifications, which wait for their time and include newer items.

import Core
import Testing

@testable import Store

@Suite struct DelayedMessageTests {
  private let store: Store
  private let due = now + .minutes(5)

  init() throws {
    store = try TemporaryDirectory().open()
  }

  /// Records a notification of a feed and the times it waits for.
  private func record(
    _ id: String, due: Instant?, feed: String? = "planet", at time: Instant = now,
    _ change: (inout EventRecord) -> Void = { _ in }
  ) async throws {
    var record = event(id, .notification, at: time)
    record.event.feed = feed.flatMap { FeedName($0) }
    record.triggerAt = due
    change(&record)
    try await store.record([record], run: nil)
  }

  private func pending(at time: Instant) async throws -> [String] {
    try await store.pendingNotifications("desktop", at: time).map(\.event.id)
  }

  @Test func `a delayed notification is not delivered before its time`() async throws {
    try await record("late", due: due)
    let before = due - .seconds(1)

    #expect(try await store.hooksWithWork(at: before) == [])
    #expect(try await store.nextDelivery("desktop", at: before) == nil)
    #expect(try await pending(at: before).isEmpty)

    #expect(try await store.hooksWithWork(at: due) == ["desktop"])
    #expect(try await pending(at: due) == ["late"])
    #expect(try await store.nextDelivery("desktop", at: due)?.triggerAt == due)
  }

  @Test func `a delayed notification does not delay others`() async throws {
    try await record("late", due: due)
    try await record("at once", due: nil)

    #expect(try await store.nextDelivery("desktop", at: now)?.event.id == "at once")
    #expect(try await store.nextDelivery("desktop", at: now) == nil)
  }

  @Test func `a due notification is listed with those that only wait for their time`()
    async throws
  {
    try await record("first", due: due)
    try await record("second", due: due + .minutes(3))
    try await record("in the night", due: due + .minutes(3)) { $0.postponedUntil = due + .hours(8) }
    try await record("another feed's", due: due + .minutes(1), feed: "moon")

    #expect(try await pending(at: due - .seconds(1)).isEmpty)
    let found = try await store.pendingNotifications("desktop", at: due)
    #expect(found.map(\.event.id) == ["first", "second", "another feed's"])
    #expect(found.map(\.triggerAt) == [due, due + .minutes(3), due + .minutes(1)])
    // Delivery starts with due notifications.
    let told = try #require(try await store.nextDelivery("desktop", at: due))
    #expect(told.event.id == "first")
    try await store.finishDelivery(told.number, DeliveryEnd(.delivered), at: due)
    #expect(try await pending(at: due).isEmpty)
    #expect(try await store.nextDelivery("desktop", at: due) == nil)
  }

  @Test(
    arguments: [
      ([5, 8], 5), ([8, 5], 5), ([5, 5], 5), ([nil, 8], nil), ([5, nil], nil), ([8], 8),
    ] as [([Int64?], Int64?)])
  func `a notification that replaces delayed ones has the time of the first`(
    delays: [Int64?], expected: Int64?
  ) async throws {
    for (index, delay) in delays.enumerated() {
      try await record("\(index)", due: delay.map { now + .minutes($0) })
    }
    let waiting = try await store.pendingNotifications("desktop", at: now + .hours(1)).map(\.number)

    let merged = try #require(
      try await store.merge(waiting, of: "desktop", into: event("all", .notification), run: nil))

    #expect(merged.triggerAt == expected.map { now + .minutes($0) })
    #expect(try await pending(at: now) == (expected == nil ? ["all"] : []))
    #expect(try await pending(at: now + .minutes(8)) == ["all"])
  }

  @Test func `the age of a delayed notification counts from its time`() async throws {
    try await record("late", due: now + .hours(30))
    try await record("at once", due: nil)

    #expect(try await store.expireDeliveries("desktop", before: now + .hours(29)) == 1)
    #expect(try await store.expireDeliveries("desktop", before: now + .hours(30)) == 0)
    #expect(
      try await store.expireDeliveries("desktop", before: now + .hours(30) + .seconds(1)) == 1)
  }

  @Test func `releasing a delayed notification from its hours does not age it before its time`()
    async throws
  {
    let planet = try name("planet")
    try await record("late", due: now + .hours(30)) { $0.postponedUntil = now + .hours(9) }

    try await store.postpone(
      WaitingMessages(feed: planet, postponedUntil: now + .hours(9)), until: now + .hours(1), at: now)
    try await store.resetAges("desktop", at: now + .hours(2))

    #expect(try await pending(at: now + .hours(2)).isEmpty)
    #expect(try await store.expireDeliveries("desktop", before: now + .hours(30)) == 0)
    #expect(try await pending(at: now + .hours(30)) == ["late"])
  }

  @Test(arguments: [
    (.days(7), false), (.days(32), false), (.days(32) + .seconds(1), true), (.days(365), true),
  ])
  func `a time beyond the longest delay comes from a wrong clock`(
    away: Interval, hasCome: Bool
  ) async throws {
    try await record("late", due: now + away)

    #expect(try await pending(at: now) == (hasCome ? ["late"] : []))
    #expect(try await store.hooksWithWork(at: now) == (hasCome ? ["desktop"] : []))
    #expect(try await store.nextDeliveryMoment(after: now) == (hasCome ? nil : now + away))
  }

  @Test func `with only a delayed notification a run has nothing to do until its time`() async throws {
    try await record("late", due: due)
    try await store.noteQuiet(
      7, from: now, until: now + .hours(1), changes: try await store.changes())

    #expect(try await store.isQuiet(7, at: due - .seconds(1)))
    #expect(try await !store.isQuiet(7, at: due))
  }
}
