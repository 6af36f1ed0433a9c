// The badge: the formula, and the badge of stored items.

import Testing

@testable import Core
@testable import Store

@Suite struct BadgeSettingTests {
  /// The formula: the badge was set to `number` with `unseen` unseen items, of which `before` are left, plus
  /// `after` newer
  /// ones.
  @Test(
    arguments: [
      // Never set: the badge is the number of unseen items.
      (0, 0, 0, 0, 0), (0, 0, 0, 7, 7),
      // Set to the number of unseen items.
      (5, 5, 5, 0, 5), (5, 5, 3, 0, 3), (5, 5, 3, 4, 7),
      // Cleared: old items do not count again, new ones do.
      (0, 5, 5, 0, 0), (0, 5, 2, 3, 3),
      // Set lower than the unseen items: it reaches zero first.
      (2, 5, 4, 0, 1), (2, 5, 1, 0, 0), (2, 5, 1, 1, 1),
      // Set higher: the rest disappears when nothing is unseen.
      (9, 5, 1, 0, 5), (9, 5, 0, 2, 6), (9, 5, 0, 0, 0),
      // An old item is unseen again.
      (1, 1, 2, 0, 2),
    ] as [(Int, Int, Int, Int, Int)])
  func `the badge is the set number, less the items seen since, plus newer items`(
    number: Int, unseen: Int, before: Int, after: Int, badge: Int
  ) {
    let setting = BadgeSetting(number: number, unseen: unseen, newestItem: 0)

    #expect(setting.badge(UnseenCount(before: before, after: after)) == badge)
  }
}

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

  @Test func `seen items lower the badge, and new ones raise it`() async throws {
    try await store.setBadge(2, configured: both, at: now)
    #expect(try await store.badge(configured: both) == 2)

    try await store.markSeen("1", of: planet, among: both)
    #expect(try await store.badge(configured: both) == 1)

    #expect(try await commit(planet, "4") == 2)
  }

  @Test func `items that become unseen again raise the badge, once`() async throws {
    let number = try #require(try await store.knownItems(planet).first?.number)
    try await store.markSeen([number, number + 1], configured: both)
    #expect(try await store.badge(configured: both) == 3)
    try await store.setBadge(0, configured: both, at: now)

    #expect(try await store.markUnseen([number, 999], configured: both) == 1)
    #expect(try await store.markUnseen([number], configured: both) == 0)
    #expect(try await store.badge(configured: both) == 1)
  }

  @Test func `pruned and filtered items stay seen`() async throws {
    let number = try #require(try await store.knownItems(planet).first?.number)
    try await store.execute("UPDATE item SET is_seen = 1, is_pruned = 1 WHERE number = \(number)")
    try await store.execute("UPDATE item SET is_seen = 1, is_filtered = 1 WHERE number = \(number + 1)")

    #expect(try await store.markUnseen([number, number + 1], configured: both) == 0)
  }

  @Test func `setting the badge again replaces the earlier number`() async throws {
    try await store.setBadge(0, configured: both, at: now)
    try await commit(planet, "4")
    try await store.setBadge(3, configured: both, at: now)

    #expect(try await store.badge(configured: both) == 3)
    #expect(try await commit(planet, "5") == 4)
  }

  @Test func `an item seen before the badge was set and updated since counts`() async throws {
    try await store.markSeen(of: both, among: both)
    try await store.setBadge(0, configured: both, at: now)
    let number = try #require(try await store.knownItems(planet).first?.number)

    try await store.change(number, of: planet, to: item("1"), updatedAt: now, configured: both)

    #expect(try await store.badge(configured: both) == 1)
  }

  @Test func `items of a feed that left the configuration do not count`() async throws {
    try await store.setBadge(5, configured: both, at: now)

    #expect(try await store.badge(configured: [planet]) == 3)
    #expect(try await store.badge(configured: both) == 5)
  }

  @Test func `clearing the badge includes the items of dormant feeds`() async throws {
    try await store.setBadge(0, configured: [planet], at: now)

    #expect(try await store.badge(configured: both) == 0)
    #expect(try await commit(other, "3") == 1)
  }

  @Test func `a dormant feed that returned before the badge was set again counts`() async throws {
    try await store.setBadge(0, configured: [planet], at: now)
    try await store.setBadge(5, configured: both, at: now)

    try await store.markSeen(of: [other], among: both)

    #expect(try await store.badge(configured: both) == 3)
  }
}
