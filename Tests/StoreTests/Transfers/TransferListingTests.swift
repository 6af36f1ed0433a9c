// The list of transfers: its order, its filters, and the counts of each feed.

import Core
import Testing

@testable import Store

@Suite struct TransferListingTests {
  private let world: TransferWorld
  private let other: FeedName
  private var store: Store { world.store }

  /// One feed has a queued, b suspended, c finished an hour ago and d failed now; another feed has e running.
  init() async throws {
    world = try TransferWorld()
    other = try name("other")
    let transfers = try await world.queued(["a", "b", "c", "d"])
    let running = try await world.queued(["e"], feed: other)
    try await world.store.suspendTransfer(transfers[1].number)
    try await world.settle(transfers[2], file: file("c.mp3"), at: now - .hours(1))
    try await world.settle(transfers[3], .failed)
    _ = try await world.store.begin(running[0].number, in: "/documents")
  }

  private func listed(_ filter: TransferFilter) async throws -> [String?] {
    try await store.transfers(filter).map(\.item?.id)
  }

  @Test func `unfinished transfers are listed first, then finished ones, newest first`() async throws {
    #expect(try await listed(TransferFilter()) == ["a", "b", "e", "d", "c"])
    #expect(try await listed(TransferFilter(limit: 4)) == ["a", "b", "e", "d"])
  }

  @Test func `the list can be limited to feeds and statuses`() async throws {
    #expect(try await listed(TransferFilter(feeds: [other])) == ["e"])
    #expect(try await listed(TransferFilter(feeds: [])) == [])
    #expect(try await listed(TransferFilter(statuses: [.failed, .suspended])) == ["b", "d"])
  }

  @Test func `the transfers of each feed are counted`() async throws {
    let done = try name("done")
    try await world.settle(try #require(try await world.queued(["f"], feed: done).first))

    let counts = try await store.transferCounts()

    #expect(counts.count == 2)
    let planet = try #require(counts[world.planet])
    #expect(planet.unsettled == 2)
    #expect(planet.running == 0)
    #expect(planet.failed == 1)
    #expect(counts[other]?.unsettled == 1)
    #expect(counts[other]?.running == 1)
    #expect(counts[other]?.failed == 0)
  }

  @Test func `items have their transfers, with the files`() async throws {
    let items = try await store.knownItems(world.planet).map(\.number)

    let transfers = try await store.transfersOf(items)

    #expect(transfers.count == 4)
    #expect(transfers[items[2]]?.map(\.file?.path) == ["/documents/c.mp3"])
    #expect(transfers[items[0]]?.map(\.status) == [.queued])
    #expect(try await store.transfersOf([]).isEmpty)
  }

  @Test func `a forgotten feed loses its transfers, and only its own`() async throws {
    #expect(try await store.forgetDormant(configured: [other], before: now + .days(1)) == [world.planet])
    #expect(try await listed(TransferFilter()) == ["e"])
    #expect(try await store.feedsWithFiles().isEmpty)
    #expect(try await store.owner("/documents", name: "c.mp3") == nil)
    for table in ["asset", "session", "transfer", "placed_file"] {
      #expect(try await store.number("SELECT count(*) FROM \(table)") == (table == "placed_file" ? 0 : 1))
    }
  }
}
