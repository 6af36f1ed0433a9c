// New names of stored feeds, and items of feeds that left the configuration.

import Core
import Testing

@testable import Store

@Suite final class FeedNameTests: StoreSuite {
  private func commit(_ feed: FeedName, _ ids: [String], configuration: UInt64, request: UInt64?) async throws
  {
    var commit = fetch(feed, ids.map { item($0) })
    commit.state.configurationFingerprint = configuration
    commit.state.requestFingerprint = request
    try await store.commit(commit, configured: [planet, other])
  }

  private func ids(of feed: FeedName) async throws -> [String] {
    try await store.items(ItemQuery(feeds: [feed]), among: [feed]).map(\.id).sorted()
  }

  @Test func `feeds are found by name, keys and request`() async throws {
    let third = try name("third")
    try await commit(planet, ["a"], configuration: .max, request: 1)
    try await commit(other, ["b"], configuration: 2, request: 1 << 63)
    try await commit(third, ["c"], configuration: 3, request: nil)

    func found(_ name: FeedName, _ configuration: UInt64?, _ request: UInt64?) async throws -> [String] {
      let traits = FeedTraits(name: name, configuration: configuration, request: request)
      return try await store.traits(like: [traits]).map(\.name.text).sorted()
    }
    #expect(try await found(planet, nil, nil) == ["planet"])
    #expect(try await found(try name("x"), .max, 1 << 63) == ["other", "planet"])
    #expect(try await found(try name("x"), 3, 9) == ["third"])
  }

  @Test func `two feeds swap their names with all that belongs to them`() async throws {
    try await commit(planet, ["a"], configuration: 1, request: 1)
    try await commit(other, ["b", "c"], configuration: 2, request: 2)
    try await store.pause([planet], until: nil, at: now)
    let numbers = try await store.itemNumbers(ItemQuery(feeds: [planet]), among: [planet])
    _ = try await store.star(numbers, isStarred: true)

    let counts = try await store.rename([FeedRename(planet, other), FeedRename(other, planet)])

    #expect(counts == [other: 1, planet: 2])
    #expect(try await ids(of: other) == ["a"])
    #expect(try await ids(of: planet) == ["b", "c"])
    #expect(try await store.feedState(other)?.pause != nil)
    #expect(try await store.feedState(planet)?.pause == nil)
    let starred = ItemQuery(feeds: [other], starredOnly: true)
    #expect(try await store.itemNumbers(starred, among: [other, planet]) == numbers)
    #expect(try await store.badge(configured: [planet, other]) == 3)
  }

  @Test func `a feed gets the name of one that left, which gets the former one`() async throws {
    try await commit(planet, ["a"], configuration: 1, request: 1)
    try await commit(other, ["b"], configuration: 2, request: 2)

    #expect(try await store.rename(FeedRename(planet, other)) == 1)
    #expect(try await ids(of: other) == ["a"])
    #expect(try await ids(of: planet) == ["b"])
    #expect(try await store.rename(FeedRename(try name("x"), other)) == nil)
    #expect(try await ids(of: other) == ["a"])
  }

  @Test func `starred items of feeds that left are listed, but not as unseen`() async throws {
    try await commit(planet, ["a", "b"], configuration: 1, request: 1)
    try await commit(other, ["c"], configuration: 2, request: 2)
    let first = try #require(try await store.itemNumbers(ItemQuery(feeds: [planet]), among: [planet]).last)
    _ = try await store.star([first], isStarred: true)

    func listed(_ query: ItemQuery) async throws -> [String] {
      try await store.items(query, among: [other]).map(\.id).sorted()
    }
    let id = try #require(try await store.item(first)?.id)
    #expect(try await listed(ItemQuery()) == [id, "c"].sorted())
    #expect(try await listed(ItemQuery(starredOnly: true)) == [id])
    #expect(try await listed(ItemQuery(feeds: [planet], starredOnly: true)) == [id])
    #expect(try await listed(ItemQuery(feeds: [other])) == ["c"])
    #expect(try await listed(ItemQuery(unseenOnly: true)) == ["c"])
    #expect(try await store.itemNumbers(in: 1...9, among: [other]).contains(first))
    #expect(try await store.itemNumbers(in: 1...9, among: [other]).count == 2)
  }

  @Test func `a feed of the catalog is renamed in it`() async throws {
    let url = "https://a.example/"
    try await store.addToCatalog([CatalogFeed(name: "planet", url: url, tags: ["t"])], at: now)
    try await commit(planet, ["a"], configuration: 1, request: 1)

    #expect(try await store.renameInCatalog(FeedRename(planet, other), at: now) == 1)

    #expect(
      try await store.catalogFeeds([planet, other]) == [
        other: CatalogFeed(name: "other", url: url, tags: ["t"])
      ])
    #expect(try await ids(of: other) == ["a"])
    #expect(try await store.renameInCatalog(FeedRename(planet, try name("x")), at: now) == nil)
  }

  @Test func `feeds of the catalog get their names and addresses at once, and what has neither leaves it`()
    async throws
  {
    let (first, second) = ("https://a.example/", "https://b.example/")
    try await store.addToCatalog(
      [CatalogFeed(name: "planet", url: first), CatalogFeed(name: "other", url: second)], at: now)
    try await commit(planet, ["a"], configuration: 1, request: 1)
    try await commit(other, ["b"], configuration: 2, request: 2)
    let listed = try CatalogFeed(name: "planet", url: second)

    let renamed = try await store.renameInCatalog(
      [FeedRename(other, planet), FeedRename(planet, other)], to: [listed], at: now)

    #expect(renamed.items == [planet: 1, other: 1])
    #expect([renamed.changed, renamed.removed] == [1, 1])
    #expect(try await store.catalogFeeds([planet, other]) == [planet: listed])
    #expect(try await ids(of: planet) == ["b"])
  }
}
