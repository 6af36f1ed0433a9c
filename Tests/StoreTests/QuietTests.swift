// The note that a run has nothing to do.

import Core
import Testing

@testable import Store

@Suite(.onFile) final class QuietTests: StoreSuite {
  private let end = now + .hours(1)

  override init() async throws {
    try await super.init()
    let round = try await store.beginRound(.timer, process: 1, at: now)
    try await store.commit(fetch(planet), round: round, nextDue: end, configured: [planet])
    try await store.recordQuiet(7, from: now, until: end, changes: try await store.changes())
  }

  @Test func `a run with the note's key has nothing to do from the note until its end`() async throws {
    #expect(try await store.isQuiet(8, at: now) == false)
    #expect(try await store.isQuiet(7, at: now))
    #expect(try await store.isQuiet(7, at: end - .seconds(1)))
    #expect(try await store.isQuiet(7, at: end) == false)
    #expect(try await store.isQuiet(7, at: now - .seconds(1)) == false)
  }

  @Test func `a changed feed ends it`() async throws {
    try await store.commit(fetch(planet), configured: [planet])

    #expect(try await store.isQuiet(7, at: now) == false)
  }

  @Test func `a feed in flight ends it`() async throws {
    try await store.recordAttempts([planet], round: 1, at: now)

    #expect(try await store.isQuiet(7, at: now) == false)
  }

  @Test func `a due delivery ends it`() async throws {
    try await store.record([event("1")], round: nil)
    #expect(try await store.isQuiet(7, at: now) == false)

    let delivery = try #require(try await store.nextDelivery("desktop", at: now))
    #expect(try await store.isQuiet(7, at: now) == false)

    let later = DeliveryEnd(.pending, notBefore: now + .minutes(10), error: "no")
    try await store.finishDelivery(delivery.number, later, at: now)
    #expect(try await store.isQuiet(7, at: now + .minutes(9)))
    #expect(try await store.isQuiet(7, at: now + .minutes(10)) == false)
  }

  @Test func `a note made before a change is not stored`() async throws {
    let changes = try await store.changes()
    try await store.commit(fetch(planet), configured: [planet])

    try await store.recordQuiet(7, from: now, until: end, changes: changes)

    #expect(try await store.isQuiet(7, at: now) == false)
  }
}
