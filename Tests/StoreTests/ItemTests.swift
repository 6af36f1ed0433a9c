// Items: stored by fetches, listed, and marked as seen.

import Testing

@testable import Core
@testable import Store

@Suite final class KnownItemTests: StoreSuite {
  @discardableResult
  private func commit(_ commit: FeedCommit) async throws -> [Int64] {
    try #require(try await store.commit(commit, configured: [planet]))
  }

  @Test func `every identity of an item is stored, filtered items too`() async throws {
    var first = item("g", link: "https://example.org/1")
    first.keys = IdentityKeys(guid: .max, link: 0, title: 1 << 63, content: 7)
    first.editHash = 1 << 63
    first.published = now
    let outcome = try await commit(fetch(planet, [first, item(nil, isSeen: true, isFiltered: true)]))

    #expect(
      try await store.knownItems(planet) == [
        KnownItem(
          number: outcome[0], keys: first.keys, published: now, editHash: 1 << 63, postponedEdit: nil,
          updatedAt: nil, isFiltered: false),
        KnownItem(
          number: outcome[1], keys: IdentityKeys(content: 1), published: nil, editHash: 2,
          postponedEdit: nil, updatedAt: nil, isFiltered: true),
      ])
  }

  @Test func `numbers ascend in the order of the commit`() async throws {
    let first = try await commit(fetch(planet, [item("1"), item("2")]))
    let second = try await commit(fetch(planet, [item("3")]))

    #expect(first[0] < first[1])
    #expect(first[1] < second[0])
  }

  @Test func `a silently changed item has its new content and stays seen`() async throws {
    let number = try await commit(fetch(planet, [item("1", isSeen: true)]))[0]

    try await store.change(number, of: planet, to: item("1", title: "New"))

    let stored = try #require(try await items().first)
    #expect(stored.record.title == "New")
    #expect(stored.record.isSeen)
    #expect(stored.updatedAt == nil)
  }

  @Test func `an updated item is unseen again, with the time of the update`() async throws {
    let number = try await commit(fetch(planet, [item("1", isSeen: true)]))[0]

    try await store.change(number, of: planet, to: item("1"), updatedAt: now + .hours(1))

    #expect(try await store.badge(configured: [planet]) == 1)
    #expect(try await store.knownItems(planet).map(\.updatedAt) == [now + .hours(1)])
  }

  @Test func `a postponed edit is stored, and reported later`() async throws {
    let number = try await commit(fetch(planet, [item("1", isSeen: true)]))[0]
    try await store.change(number, of: planet, to: item("1", title: "New", isSeen: true), postponedEdit: .max)
    #expect(try await store.knownItems(planet).map(\.postponedEdit) == [.max])

    try await store.change(number, of: planet, to: item("1", title: "New"), updatedAt: now)

    #expect(try await store.knownItems(planet).map(\.postponedEdit) == [nil])
    #expect(try await store.badge(configured: [planet]) == 1)
    #expect(try await items().map(\.record.title) == ["New"])
  }

  @Test func `an item keeps the guid and the link that an edit lacks`() async throws {
    var record = item("g", link: "https://example.org/1")
    record.keys = IdentityKeys(guid: 1, link: 2, content: 3)
    let number = try await commit(fetch(planet, [record]))[0]

    try await store.change(number, of: planet, to: item(nil, title: "New"))

    #expect(try await store.knownItems(planet).map(\.keys) == [IdentityKeys(guid: 1, link: 2, content: 1)])
    let stored = try #require(try await items().first)
    #expect(stored.record.guid == "g")
    #expect(stored.record.link == "https://example.org/1")
  }

  @Test func `a change of another feed's item changes nothing`() async throws {
    let number = try await commit(fetch(other, [item("1")]))[0]
    var record = item("2")
    record.keys.content = 99

    try await store.change(number, of: planet, to: record)

    #expect(try await store.knownItems(other).map(\.keys.content) == [1])
  }

  private func items() async throws -> [StoredItem] {
    try await store.items(ItemQuery(), among: [planet])
  }
}

@Suite final class ItemListingTests: StoreSuite {
  override init() async throws {
    try await super.init()
    try await store.commit(
      fetch(
        planet,
        [
          item("old", published: now - .days(2)), item("seen", published: now - .days(1), isSeen: true),
          item("undated"), item("filtered", isSeen: true, isFiltered: true),
        ]))
    try await store.commit(
      fetch(other, [item("first", published: now - .hours(1)), item("second", published: now - .hours(1))]))
  }

  /// Undated items are listed by their first sight, and filtered ones not at all.
  @Test(
    arguments: [
      (nil, false, nil, nil, ["undated", "second", "first", "seen", "old"]),
      (["planet"], false, nil, nil, ["undated", "seen", "old"]), ([], false, nil, nil, []),
      (["planet"], true, nil, nil, ["undated", "old"]),
      (nil, false, now - .days(1), nil, ["undated", "second", "first", "seen"]),
      (nil, false, nil, 0, []), (nil, false, nil, 2, ["undated", "second"]),
      (nil, false, nil, 99, ["undated", "second", "first", "seen", "old"]),
    ] as [([String]?, Bool, Instant?, Int?, [String])])
  func `items of named or all feeds are listed newest first, perhaps only unseen ones, since a time or a few`(
    feeds: [String]?, unseenOnly: Bool, since: Instant?, limit: Int?, expected: [String]
  ) async throws {
    let items = try await store.items(
      ItemQuery(feeds: feeds?.map(name), unseenOnly: unseenOnly, since: since, limit: limit),
      among: [planet, other])

    #expect(ids(items) == expected)
  }

  @Test(
    arguments: [
      (2...5, ["seen", "undated", "first"]), (4...4, ["filtered"]), (5...99, ["first", "second"]),
      (7...9, []),
    ] as [(ClosedRange<Int64>, [String])])
  func `a range has the listed items of configured feeds, and a number alone any item`(
    range: ClosedRange<Int64>, expected: [String]
  ) async throws {
    let numbers = try await store.itemNumbers(in: range, among: [planet, other])

    #expect(ids(try await store.items(numbered: numbers)) == expected)
  }

  @Test func `items are listed before a moment`() async throws {
    let items = try await store.items(ItemQuery(before: now - .hours(1)), among: [planet, other])

    #expect(ids(items) == ["seen", "old"])
  }

  @Test func `items come in the order of their numbers, without those that are unknown`() async throws {
    #expect(ids(try await store.items(numbered: [3, 99, 1])) == ["undated", "old"])
  }

  @Test func `feeds that left the configuration are not listed`() async throws {
    let items = try await store.items(ItemQuery(feeds: [planet, other]), among: [other])

    #expect(ids(items) == ["second", "first"])
  }

  @Test func `an item is read as it was stored`() async throws {
    let record = ItemRecord(
      guid: "g", link: "https://example.org/1",
      keys: IdentityKeys(guid: 1, link: 2, title: 3, content: .max), editHash: 3, title: "Title",
      summary: "Summary", author: "Author", published: now - .days(9), isSeen: false, isFiltered: false)
    let whole = try name("whole")
    let outcome = try #require(try await store.commit(fetch(whole, [record])))

    let items = try await store.items(ItemQuery(feeds: [whole]), among: [whole])

    #expect(
      items == [StoredItem(number: outcome[0], feed: whole, record: record, firstSeen: now, updatedAt: nil)])
  }

  @Test func `unseen items are counted per feed, without filtered ones`() async throws {
    #expect(try await store.unseenCounts() == [planet: 2, other: 2])
  }
}

@Suite final class SeenTests: StoreSuite {
  override init() async throws {
    try await super.init()
    try await store.commit(
      fetch(
        planet,
        [
          item("a", link: "https://example.org/a", published: now - .days(3)),
          item("b", link: "https://example.org/b", published: now - .days(1)),
          item(nil, link: "c", published: now - .days(2)), item(nil, published: now),
        ]))
    try await store.commit(fetch(other, [item("a"), item("z")]))
  }

  private func unseen() async throws -> [String] {
    ids(try await store.items(ItemQuery(feeds: [planet], unseenOnly: true), among: [planet]))
  }

  @Test func `marking a feed marks its items and no others`() async throws {
    #expect(try await store.markSeen(of: [planet], among: [planet]) == 4)
    #expect(try await store.unseenCounts() == [other: 2])
  }

  @Test func `items seen already are not counted`() async throws {
    try await store.markSeen("a", of: planet, among: [planet])

    #expect(try await store.markSeen(of: [planet], among: [planet]) == 3)
  }

  @Test func `items are marked by number, and unknown numbers do nothing`() async throws {
    #expect(try await store.markSeen([2, 99], configured: [planet]) == 1)
    #expect(try await unseen() == ["#4", "c", "a"])
  }

  @Test func `undo takes back what was marked last, once`() async throws {
    try await store.markSeen([1], configured: [planet])
    try await store.markSeen([2, 3], configured: [planet])
    try await store.markSeen([2], configured: [planet])
    _ = try await store.markUnseen([3], configured: [planet])

    #expect(try await store.undoSeen(configured: [planet]).count == 1)
    #expect(try await unseen() == ["#4", "b", "c"])
    #expect(try await store.undoSeen(configured: [planet]).count == 0)
  }

  @Test func `one undo takes back all that a command has marked one after the other`() async throws {
    try await store.markSeen([1], configured: [planet])
    try await store.markSeen([2], configured: [planet])
    try await store.markSeen([3], configured: [planet], isContinued: true)
    _ = try await store.markUnseen([2], configured: [planet])
    try await store.markSeen([2], configured: [planet], isContinued: true)

    #expect(try await store.undoSeen(configured: [planet]).count == 2)
    #expect(try await unseen() == ["#4", "b", "c"])
  }

  @Test func `undo names the feed of each item`() async throws {
    try await store.markSeen(of: [planet, other], among: [planet, other])

    let undone = try await store.undoSeen(configured: [planet, other])

    #expect(undone.sorted() == [other, other, planet, planet, planet, planet])
  }

  /// Marks of an item that another program has as unseen, and whether it becomes unseen.
  @Test(
    arguments: [
      ("stored as seen", [], true), ("seen by the person", ["person"], false),
      ("mailed", ["unseen", "hook"], false),
      ("unseen and seen again", ["unseen", "person"], false), ("undone", ["unseen", "person", "undo"], true),
    ] as [(String, [String], Bool)])
  func `another program's unseen item becomes unseen if it was only stored as seen`(
    name: String, marks: [String], isUnseen: Bool
  ) async throws {
    let number = try #require(
      try await store.commit(fetch(planet, [item("old", isSeen: true)]), configured: [planet])?.first)
    for mark in marks {
      switch mark {
      case "unseen": _ = try await store.markUnseen([number], configured: [planet])
      case "undo": _ = try await store.undoSeen(configured: [planet])
      default: try await store.markSeen([number], byHook: mark == "hook", configured: [planet])
      }
    }
    var items = TakenItems(seenIDs: [], known: [])
    items.unseen = [number]

    let took = try await store.take(items, of: planet, configured: [planet], at: now)

    #expect(took.unseen == (isUnseen && marks.isEmpty ? 1 : 0), "\(name)")
    #expect(try await unseen().contains("old") == isUnseen, "\(name)")
    #expect(try await store.badge(configured: [planet]) == (isUnseen ? 5 : 4), "\(name)")
  }
}

extension Store {
  /// Commits a fetch that found an item changed.
  func change(
    _ number: Int64, of feed: FeedName, to record: ItemRecord, postponedEdit: UInt64? = nil,
    updatedAt: Instant? = nil, configured: FeedNames? = nil
  ) async throws {
    var commit = StoreTests.fetch(feed)
    commit.changedItems = [
      ChangedItem(number: number, record: record, postponedEdit: postponedEdit, updatedAt: updatedAt)
    ]
    try await self.commit(commit, configured: configured ?? [feed])
  }
}
