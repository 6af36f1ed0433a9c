// The number of unseen items is kept between transactions: it is always the number that counting gives.

import TestKit
import Testing

@testable import Core
@testable import Store

@Suite final class UnseenCountTests: StoreSuite {
  private let feeds = ["planet", "other", "third"].compactMap { FeedName($0) }

  /// The badge by counting all items.
  private func counted(_ configured: FeedNames) async throws -> Int {
    let kept = try await store.number("SELECT kept_of FROM badge")
    try await store.execute("UPDATE badge SET kept_of = NULL")
    let badge = try await store.badge(configured: configured)
    try await store.execute("UPDATE badge SET kept_of = \(kept.map(String.init) ?? "NULL")")
    return badge
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func `after any changes the kept number is the counted one`(seed: UInt64) async throws {
    var random = RandomNumbers(seed: seed)
    // Another process, which keeps its numbers in the same file.
    let second = try directory.open()
    var guid = 0
    for step in 1...120 {
      let store = Bool.random(using: &random) ? store : second
      let feed = try #require(feeds.randomElement(using: &random))
      // Mostly all feeds are configured.
      let configured = FeedNames(Int.random(in: 1...6, using: &random) == 1 ? [feeds[0], feed] : feeds)
      let known = try await store.knownItems(feed).map(\.number)
      let some = known.filter { _ in Int.random(in: 1...3, using: &random) == 1 }
      switch Int.random(in: 1...8, using: &random) {
      case 1, 2, 3:
        let items = (0..<Int.random(in: 0...4, using: &random)).map { place in
          guid += 1
          var item = item("\(guid)", isSeen: place == 2, isFiltered: place == 3)
          item.link = "https://planet.example/a"
          item.keys.link = .random(in: 1...40, using: &random)
          return item
        }
        var commit = fetch(feed, items)
        commit.changedItems = some.prefix(2).map {
          ChangedItem(
            number: $0, record: item("c\($0)", isFiltered: Bool.random(using: &random)), updatedAt: now)
        }
        try await store.commit(commit, configured: configured)
      case 4: _ = try await store.markSeen(some, configured: configured)
      case 5: _ = try await store.markSeen(of: [feed, feeds[1]], among: configured)
      case 6: _ = try await store.markUnseen(some, configured: configured)
      case 7:
        let older = ItemQuery(feeds: [feed], numbers: some, before: now + .seconds(1))
        _ = try await store.markSeen(
          try await store.itemNumbers(older, among: configured), configured: configured)
      default:
        try await store.forgetDormant(configured: configured, before: now + .seconds(1))
      }
      for configured in [FeedNames(feeds), configured] {
        #expect(try await second.badge(configured: configured) == counted(configured), "step \(step)")
      }
    }
  }

  @Test(.onFile) func `with a kept number no item is read`() async throws {
    let all = FeedNames(feeds)
    try await store.commit(fetch(feeds[0], [item("1"), item("2")]), configured: all)
    try await store.execute("DROP INDEX item_by_feed")

    // The count of all items needs the index.
    await #expect(throws: StoreFailure.self) { try await store.badge(configured: [feeds[0]]) }
    #expect(try await store.badge(configured: FeedNames(feeds.reversed())) == 2)
    #expect(try await directory.open(.reading).badge(configured: all) == 2)
  }
}
