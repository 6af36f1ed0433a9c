// Times stored under a clock that was set back later: nothing waits until the wrong time.

import Core
import Testing

@testable import Store

@Suite final class StoredTimeTests: StoreSuite {
  /// The wrong clock's now.
  private let ahead = now + .days(3650)

  @Test func `history from the future is pruned, and does not stop later pruning`() async throws {
    for time in [ahead, now - .days(100), now] {
      _ = try await store.beginRound(.timer, process: 1, at: time)
      try await store.commit(fetch(planet, at: time))
      try await store.record([event("\(time)", hooks: [], at: time)], round: nil)
    }

    try await store.prune(before: now - .days(90), limit: 100)

    #expect(try await store.fetches(of: planet, limit: 10).map(\.ended) == [now])
    #expect(try await store.number("SELECT count(*) FROM run") == 1)
    #expect(try await store.number("SELECT count(*) FROM event") == 1)
  }

  @Test func `one run in 1970 does not make a feed dormant for long`() async throws {
    for feed in [planet, other] { try await store.commit(fetch(feed)) }
    _ = try await store.beginRound(.timer, process: 1, at: now - .days(2))
    try await store.recordConfigured([planet, other], at: now - .days(2))
    try await store.recordConfigured([planet], at: Instant(secondsSince1970: 60))
    try await store.recordConfigured([planet], at: now)

    #expect(try await store.forgetDormant(configured: [planet], before: now - .days(90)).isEmpty)
    #expect(try await store.lastRun(before: now - .days(1)) == now - .days(2))
    #expect(try await store.lastRun(before: now - .days(3)) == nil)
  }

  @Test func `deliveries from a wrong clock are still made`() async throws {
    try await store.record([event("lost", .notification, at: ahead)], round: nil)
    try await store.expireDeliveries("desktop", before: ahead + .days(1))

    try await store.prune(before: now - .days(90), limit: 100)

    #expect(try await store.deliveries([.expired], hook: "desktop", limit: 9).count == 1)
  }

  @Test func `a feed seen in the configuration in the future is forgotten 90 days after it left`()
    async throws
  {
    for feed in [planet, other] { try await store.commit(fetch(feed)) }
    try await store.recordConfigured([planet, other], at: ahead)
    // Without a run of the days before, this clock might be the wrong one.
    _ = try await store.beginRound(.timer, process: 1, at: now - .days(2))

    try await store.recordConfigured([planet], at: now)

    let later = now + .days(91)
    try await store.recordConfigured([planet], at: later)
    #expect(try await store.forgetDormant(configured: [planet], before: later - .days(90)) == [other])
  }
}
