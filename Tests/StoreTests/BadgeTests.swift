// The badge: the number of unseen items.

import Testing

@testable import Core
@testable import Store

@Suite final class BadgeTests: StoreSuite {
  private var both: FeedNames { [planet, other] }

  override init() async throws {
    try await super.init()
    try await commit(planet, "1", "2", "3")
    try await commit(other, "1", "2")
  }

  @discardableResult
  private func commit(_ feed: FeedName, _ guids: String...) async throws -> Int {
    try await store.commit(fetch(feed, guids.map { item($0) }), configured: both)
    return try await store.badge(configured: both)
  }

  @Test func `the badge is the unseen items of configured feeds`() async throws {
    #expect(try await store.badge(configured: both) == 5)
    #expect(try await store.badge(configured: [planet]) == 3)
    #expect(try await store.badge(configured: []) == 0)
  }

  @Test func `filtered and seen items do not count`() async throws {
    try await store.commit(
      fetch(planet, [item("4", isSeen: true), item("5", isFiltered: true)]), configured: both)

    #expect(try await store.badge(configured: both) == 5)
  }

  @Test func `items that become unseen again raise the badge, once`() async throws {
    let number = try #require(try await store.knownItems(planet).first?.number)
    try await store.markSeen([number, number + 1], configured: both)
    #expect(try await store.badge(configured: both) == 3)

    #expect(try await store.markUnseen([number, 999], configured: both) == 1)
    #expect(try await store.markUnseen([number], configured: both) == 0)
    #expect(try await store.badge(configured: both) == 4)
  }

  @Test func `pruned and filtered items stay seen`() async throws {
    let number = try #require(try await store.knownItems(planet).first?.number)
    try await store.execute("UPDATE item SET is_seen = 1, is_pruned = 1 WHERE number = \(number)")
    try await store.execute("UPDATE item SET is_seen = 1, is_filtered = 1 WHERE number = \(number + 1)")

    #expect(try await store.markUnseen([number, number + 1], configured: both) == 0)
  }

  @Test func `a seen item that was updated counts`() async throws {
    try await store.markSeen(of: both, among: both)
    let number = try #require(try await store.knownItems(planet).first?.number)

    try await store.change(number, of: planet, to: item("1"), updatedAt: now, configured: both)

    #expect(try await store.badge(configured: both) == 1)
  }

  @Test func `items of a feed that left the configuration do not count`() async throws {
    #expect(try await store.badge(configured: [planet]) == 3)
    #expect(try await store.badge(configured: both) == 5)
  }
}
