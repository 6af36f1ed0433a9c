// The statistics of a feed: which items and fetches count.

import Core
import Testing

@testable import Store

@Suite final class FactsTests: StoreSuite {
  private func fail(_ reason: String, isCounted: Bool = true, at time: Instant) async throws {
    var record = FetchRecord(started: time, ended: time, result: .failed, reason: reason)
    record.isCounted = isCounted
    try await store.commit(FeedCommit(feed: planet, state: FeedState(), record: record))
  }

  @Test func `a feed never fetched has no counts`() async throws {
    #expect(try await store.facts(of: planet) == FeedFacts())
  }

  @Test func `items are counted, filtered ones separately`() async throws {
    let items = [item("a"), item("b", isSeen: true), item("c", isFiltered: true)]
    try await store.commit(fetch(planet, items))

    let facts = try await store.facts(of: planet)

    #expect((facts.items, facts.unseen, facts.filtered) == (2, 1, 1))
    #expect(facts.firstItem == now)
    #expect(facts.failingSince == nil)
    #expect(facts.lastFetches.count == 1)
  }

  @Test func `failing-since is the first counted failure after the last success`() async throws {
    try await fail("refused", at: now)
    try await store.commit(fetch(planet, at: now + .hours(1)))
    try await fail("offline", isCounted: false, at: now + .hours(2))
    try await fail("refused", at: now + .hours(3))
    try await fail("refused", at: now + .hours(4))

    let facts = try await store.facts(of: planet)

    #expect(facts.failingSince == now + .hours(3))
    #expect(facts.lastFetches.map(\.reason).prefix(2) == ["refused", "refused"])
    #expect(facts.lastFetches.map(\.isCounted) == [true, true, false, true, true])
  }

  @Test(arguments: [
    ([], []), ([5], [5, 5, 5, 5, 5]), (Array(1...100), [50, 90, 95, 99, 100]),
    ([-3, 7, 1], [1, 7, 7, 7, 7]),
  ])
  func `lateness is that of a percentage of the due feeds at most`(late: [Int64], expected: [Int64]) {
    let lateness = FeedOverview.lateness(late.shuffled().map(Interval.init(seconds:)))

    #expect(lateness.map(\.by.seconds) == expected)
    #expect(lateness.isEmpty || lateness.map(\.percent) == [50, 90, 95, 99, 100])
  }
}
