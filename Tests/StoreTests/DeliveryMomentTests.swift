// The moments that a delivery waits for: its retry, the feed's hours, its delay, a digest. ReadinessTests has the files.

import Core
import Testing

@testable import Store

/// A moment that a message may wait for.
enum Moment: CaseIterable {
  case retry, hours, delay, digest

  /// The longest time that it can be ahead.
  fileprivate var longest: Interval {
    switch self {
    case .retry: .hours(6)
    case .hours: .days(15)
    case .delay, .digest: .days(32)
    }
  }
}

@Suite final class DeliveryMomentTests: StoreSuite {
  /// Records a message for `desktop`, which waits for some moments.
  private func record(
    _ id: String, feed: String = "planet", at time: Instant = now, _ moments: [Moment: Instant?] = [:]
  ) async throws {
    var record = event(id, .notification, at: time, feed: feed)
    record.triggerAt = moments[.delay] ?? nil
    record.postponedUntil = moments[.hours] ?? nil
    if let digest = moments[.digest] ?? nil { record.digests["desktop"] = digest }
    try await store.record([record], round: nil)
    if let retry = moments[.retry] ?? nil {
      let delivery = try #require(try await store.nextDelivery("desktop", at: time))
      try await store.finishDelivery(delivery.number, DeliveryEnd(.pending, notBefore: retry), at: time)
    }
  }

  /// The messages that may be joined.
  private func pending(at time: Instant) async throws -> [String] {
    try await store.pendingNotifications("desktop", at: time).map(\.event.id)
  }

  /// Claims and ends the due deliveries.
  private func deliver(at time: Instant) async throws -> [String] {
    var ids: [String] = []
    while let delivery = try await store.nextDelivery("desktop", at: time) {
      ids.append(delivery.event.id)
      try await store.finishDelivery(delivery.number, DeliveryEnd(.delivered), at: time)
    }
    return ids
  }

  @Test(arguments: Moment.allCases)
  func `a message waits until its moment, and delays no other`(moment: Moment) async throws {
    let due = now + .hours(5)
    try await record("late", [moment: due])
    try await record("at once", feed: "moon")
    try await store.recordQuiet(7, from: now, until: now + .days(1), changes: try await store.changes())

    #expect(try await deliver(at: due - .seconds(1)) == ["at once"])
    #expect(try await store.hooksWithWork(at: due - .seconds(1)) == [])
    #expect(try await pending(at: due - .seconds(1)) == [])
    #expect(try await store.isQuiet(7, at: due - .seconds(1)))
    #expect(try await store.nextDeliveryMoment(after: now) == due)

    #expect(try await !store.isQuiet(7, at: due))
    #expect(try await store.hooksWithWork(at: due) == ["desktop"])
    #expect(try await pending(at: due) == (moment == .retry ? [] : ["late"]))
    #expect(try await deliver(at: due) == ["late"])
  }

  @Test(
    arguments: Moment.allCases, [(-1, false), (0, false), (1, true), (86_400 * 365, true)] as [(Int64, Bool)])
  func `a moment beyond the longest comes from a wrong clock`(
    moment: Moment, beyond: (Int64, Bool)
  ) async throws {
    let (seconds, hasCome) = beyond
    try await record(
      "late", [moment: Instant(secondsSince1970: (now + moment.longest).secondsSince1970 + seconds)])

    #expect((try await store.nextDeliveryMoment(after: now) == nil) == hasCome)
    #expect(try await deliver(at: now) == (hasCome ? ["late"] : []))
  }

  @Test func `a delay that began under a later clock is over`() async throws {
    let later = now + .days(21)
    try await record("under a later clock", at: later, [.delay: later + .minutes(10)])
    try await record(
      "a minute before a correction", feed: "moon", at: now + .minutes(1), [.delay: now + .minutes(11)])

    #expect(try await pending(at: now) == ["under a later clock"])
    #expect(try await deliver(at: now) == ["under a later clock"])
    #expect(try await store.nextDeliveryMoment(after: now) == now + .minutes(11))
    #expect(try await deliver(at: now + .minutes(11)) == ["a minute before a correction"])
  }

  @Test func `a digest that began under a later clock comes at its next moment by this one`() async throws {
    let later = now + .days(21)
    try await record("late", at: later, [.digest: later + .hours(1)])
    try await store.collect("desktop", until: now + .hours(3))

    #expect(try await store.nextDeliveryMoment(after: now) == now + .hours(3))
    #expect(try await deliver(at: now) == [])
    #expect(try await deliver(at: now + .hours(3)) == ["late"])
  }

  @Test(arguments: [Moment.hours, .delay, .digest])
  func `the age of a message counts from its moment, even after the longest wait`(moment: Moment) async throws
  {
    let due = now + moment.longest
    try await record("late", [moment: due])
    try await record("at once")

    try await store.resetAges("desktop", at: now + .days(1))

    #expect(try await store.expireDeliveries("desktop", before: now + .hours(8)) == 1)
    #expect(try await store.expireDeliveries("desktop", before: due) == 0)
    #expect(try await store.expireDeliveries("desktop", before: due + .seconds(1)) == 1)
  }

  @Test(
    arguments: [
      (nil, nil, nil), (5, nil, 5), (nil, 9, 9), (5, 9, 9), (9, 5, 9), (-5, 9, 9), (5, -9, 5),
      (-5, -9, nil),
    ] as [(Int64?, Int64?, Int64?)])
  func `a notification is due at the last of its times`(
    delay: Int64?, hours: Int64?, expected: Int64?
  ) async throws {
    func moment(_ minutes: Int64?) -> Instant? { minutes.map { shifted(now, minutes: $0) } }
    try await record("late", at: now - .hours(1), [.delay: moment(delay), .hours: moment(hours)])

    #expect(try await store.nextDeliveryMoment(after: now) == moment(expected))
  }

  @Test func `the earliest future time of the given hooks is the next`() async throws {
    for (id, minutes) in [("a", 7), ("b", 3), ("c", -1)] as [(String, Int64)] {
      try await record(id, at: now - .hours(1), [.delay: shifted(now, minutes: minutes)])
    }

    for (after, next) in [(-2, -1), (0, 3), (3, 7), (7, nil)] as [(Int64, Int64?)] {
      #expect(
        try await store.nextDeliveryMoment(after: shifted(now, minutes: after), hooks: ["desktop"])
          == next.map { shifted(now, minutes: $0) })
    }
    #expect(try await store.nextDeliveryMoment(after: now, hooks: ["else"]) == nil)
    #expect(try await store.nextDeliveryMoment(after: now, hooks: []) == nil)
    // Ended ones have no moment.
    #expect(try await deliver(at: now + .hours(1)) == ["a", "b", "c"])
    #expect(try await store.nextDeliveryMoment(after: now) == nil)
  }

  @Test func `a due notification is listed with those that only wait for their delay`() async throws {
    let due = now + .minutes(5)
    try await record("first", [.delay: due])
    try await record("second", [.delay: due + .minutes(3)])
    try await record("in the night", [.delay: due + .minutes(3), .hours: due + .hours(8)])
    try await record("another feed's", feed: "moon", [.delay: due + .minutes(1)])

    #expect(try await pending(at: due - .seconds(1)).isEmpty)
    #expect(try await pending(at: due) == ["first", "second", "another feed's"])
    // Delivery starts with due notifications.
    #expect(try await deliver(at: due) == ["first"])
    #expect(try await pending(at: due).isEmpty)
  }

  @Test(
    arguments: [
      ([5, 8], 5), ([8, 5], 5), ([5, 5], 5), ([nil, 8], nil), ([5, nil], nil), ([8], 8),
    ] as [([Int64?], Int64?)])
  func `a notification that replaces delayed ones has the time of the first`(
    delays: [Int64?], expected: Int64?
  ) async throws {
    for (index, delay) in delays.enumerated() {
      try await record("\(index)", [.delay: delay.map { now + .minutes($0) }])
    }
    let waiting = try await store.pendingNotifications("desktop", at: now + .hours(1)).map(\.number)

    let merged = try #require(
      try await store.merge(waiting, of: "desktop", into: event("all", .notification), round: nil))

    #expect(merged.triggerAt == expected.map { now + .minutes($0) })
    #expect(try await pending(at: now) == (expected == nil ? ["all"] : []))
    #expect(try await pending(at: now + .minutes(8)) == ["all"])
  }

  @Test func `a notification that replaces postponed ones counts as postponed`() async throws {
    for (id, hours) in [("a", 1), ("b", 2), ("c", nil)] as [(String, Int64?)] {
      try await record(id, [.hours: hours.map { now + .hours($0) }])
    }
    let later = now + .hours(3)
    let numbers = try await store.pendingNotifications("desktop", at: later).map(\.number)

    let merged = try #require(
      try await store.merge(numbers, of: "desktop", into: event("m", .notification, at: later), round: nil))

    #expect(merged.postponedUntil == now + .hours(2))
    #expect(try await pending(at: later) == ["m"])
  }

  @Test func `an age from a far future counts from now`() async throws {
    try await record("future", at: now + .days(365))
    try await record("postponed", [.hours: now + .days(6)])

    try await store.resetAges("desktop", at: now)

    #expect(try await store.expireDeliveries("desktop", before: now + .seconds(1)) == 1)
    #expect(try await pending(at: now + .days(6)) == ["postponed"])
  }
}

// Hours and digests, which the configuration may change while messages wait.
extension DeliveryMomentTests {
  private func postpone(
    from former: Instant?, until moment: Instant, at time: Instant = now, except digests: Set<String> = []
  ) async throws {
    try await store.postpone(
      WaitingMessages(feed: planet, postponedUntil: former), until: moment, at: time, except: digests)
  }

  @Test func `feeds with waiting notifications are grouped by their hours`() async throws {
    for (id, hours) in [("a", 9), ("b", 9), ("c", nil)] as [(String, Int64?)] {
      try await record(id, [.hours: hours.map { now + .hours($0) }])
    }
    try await store.record([event("d", .newItem)], round: nil)

    #expect(
      try await store.waitingMessages() == [
        WaitingMessages(feed: planet, postponedUntil: nil),
        WaitingMessages(feed: planet, postponedUntil: now + .hours(9)),
      ])
  }

  @Test func `only notifications are postponed and released`() async throws {
    try await record("free")
    try await store.record([event("news", .newItem)], round: nil)

    try await postpone(from: nil, until: now + .hours(9))
    #expect(try await deliver(at: now) == ["news"])

    try await postpone(from: now + .hours(9), until: now + .minutes(1))
    #expect(try await pending(at: now + .minutes(1)) == ["free"])
  }

  @Test func `a notification postponed every night still expires`() async throws {
    try await record("late", [.hours: now + .hours(9)])

    // Released in the morning, not delivered, postponed again in the evening.
    try await postpone(from: now + .hours(9), until: now + .hours(33), at: now + .hours(20))

    #expect(try await pending(at: now + .hours(20)).isEmpty)
    #expect(try await store.expireDeliveries("desktop", before: now + .hours(9) + .seconds(1)) == 1)
  }

  @Test func `releasing a delayed notification from its hours does not age it before its time`() async throws
  {
    try await record("late", [.delay: now + .hours(30), .hours: now + .hours(9)])

    try await postpone(from: now + .hours(9), until: now + .hours(1))
    try await store.resetAges("desktop", at: now + .hours(2))

    #expect(try await store.expireDeliveries("desktop", before: now + .hours(30)) == 0)
    #expect(try await pending(at: now + .hours(30)) == ["late"])
  }

  @Test func `hours, files and delays postpone no digest, and a digest no other hook`() async throws {
    let digest = now + .hours(9)
    var message = event("news", .notification, hooks: ["desktop", "morning"])
    message.digests["morning"] = digest
    message.postponedUntil = digest + .hours(1)
    message.readyBy = digest + .hours(2)
    message.triggerAt = digest + .hours(3)
    try await store.record([message, event("free", .notification)], round: nil)

    try await postpone(from: nil, until: digest + .hours(4), except: ["morning"])

    #expect(try await store.hooksWithWork(at: digest - .seconds(1)) == [])
    #expect(try await store.hooksWithWork(at: digest) == ["morning"])
    #expect(
      try await store.waitingMessages(except: ["morning"]).map(\.postponedUntil)
        == [digest + .hours(1), digest + .hours(4)])
  }

  @Test(arguments: [(-1, true), (0, true), (1, false)] as [(Int64, Bool)])
  func `a digest that is due earlier than before has its messages then`(hours: Int64, isDue: Bool)
    async throws
  {
    let digest = now + .hours(9)
    try await record("late", [.digest: digest])
    let moment = shifted(digest, minutes: hours * 60)

    try await store.collect("desktop", until: moment)

    #expect(try await store.nextDeliveryMoment(after: now) == (isDue ? moment : digest))
  }
}
