// The limits of storage for one feed: pruned and forgotten items.

import Testing

@testable import Core
@testable import Store

@Suite final class PrunedItemTests: StoreSuite {
  @discardableResult
  private func commit(_ items: [ItemRecord], shown: [Int64]? = []) async throws -> [Int64] {
    var commit = fetch(planet, items)
    commit.recognised = shown
    return try #require(try await store.commit(commit, configured: [planet]))
  }

  private func fresh(_ guid: String) -> ItemRecord {
    var record = item(guid, link: "https://example.org/\(guid)", title: "Title")
    var print = Fingerprint()
    print.add(guid)
    record.keys = IdentityKeys(guid: print.value, content: 1)
    record.summary = "Summary"
    return record
  }

  /// Stores pruned items, as from an earlier document.
  private func addPruned(_ count: Int) async throws {
    try await store.execute(
      """
      WITH RECURSIVE place (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM place WHERE n < \(count))
      INSERT INTO item (feed, first_seen, is_seen, is_filtered, is_pruned, guid_key, content_key, edit_hash)
      SELECT (SELECT number FROM feed), 0, 1, 0, 1, n, 1, 1 FROM place
      """)
  }

  @Test func `a starred item is neither pruned nor forgotten with its feed`() async throws {
    let old = try await commit([fresh("starred"), fresh("other")])
    #expect(try await store.star([old[0], 99], isStarred: true) == 1)

    _ = try await commit((2...ItemBounds.listed).map { fresh("\($0)") })
    let forgotten = try await store.forgetDormant(configured: [], before: now + .days(1))

    #expect(try await store.knownItems(planet).filter(\.isPruned).map(\.number) == [old[1]])
    #expect(try await store.itemNumbers(ItemQuery(starredOnly: true), among: [planet]) == [old[0]])
    #expect(forgotten.isEmpty)
    #expect(try await store.star([old[0]], isStarred: false) == 1)
    #expect(try await store.forgetDormant(configured: [], before: now + .days(1)) == [planet])
  }

  @Test func `items beyond the limit keep their identity, count as seen and are not listed`() async throws {
    let old = try await commit([fresh("old"), fresh("older in the document")])
    let rest = (2...ItemBounds.listed).map { fresh("\($0)") }

    _ = try await commit(rest, shown: [old[1]])

    // The item that left the document is pruned first.
    let known = try await store.knownItems(planet)
    #expect(known.count == ItemBounds.listed + 1)
    #expect(known.filter(\.isPruned).map(\.number) == [old[0]])
    #expect(known.first?.keys == fresh("old").keys)
    let items = try await store.items(ItemQuery(), among: [planet])
    #expect(items.count == ItemBounds.listed)
    #expect(items.allSatisfy { $0.record.title == "Title" && $0.record.summary == "Summary" })
    #expect(try await store.badge(configured: [planet]) == ItemBounds.listed)
    let facts = try await store.facts(of: planet)
    #expect((facts.items, facts.unseen, facts.pruned) == (ItemBounds.listed, ItemBounds.listed, 1))
  }

  @Test func `the oldest items that left the document are forgotten, and none that are in it`() async throws {
    let honest = try await commit([fresh("honest")])[0]
    try await addPruned(ItemBounds.departed + 2)

    try await commit([fresh("new")], shown: [honest])

    let known = try await store.knownItems(planet)
    #expect(known.count == ItemBounds.departed + 2)
    #expect(known.first?.number == honest)
    #expect(known[1].keys.guid == 3)
  }

  @Test func `an item without a document does not make items of the document forgotten`() async throws {
    try await commit([fresh("honest")])
    try await addPruned(ItemBounds.departed + 2)

    try await commit([fresh("pushed")], shown: nil)

    #expect(try await store.knownItems(planet).count == ItemBounds.departed + 4)
  }

  @Test func `a pruned item that is edited stays pruned`() async throws {
    let number = try await commit([fresh("1")])[0]
    try await store.execute(
      "UPDATE item SET (is_pruned, is_seen, guid, link, title) = (1, 1, NULL, NULL, NULL); DELETE FROM detail"
    )

    try await store.change(number, of: planet, to: fresh("2").pruned)

    let known = try await store.knownItems(planet)
    #expect(known.map(\.isPruned) == [true])
    #expect(known.map(\.keys) == [fresh("2").keys])
    #expect(try await store.item(number)?.record.guid == nil)
    #expect(try await store.number("SELECT count(*) FROM detail") == 0)
  }

  @Test func `the assets of pruned items are forgotten, but their downloads keep their names`() async throws {
    let number = try await commit([fresh("1")])[0]
    try await store.commit(fetch(planet, wanting: [found(.known(number), "1")]), configured: [planet])

    try await self.commit((1...ItemBounds.listed).map { fresh("n\($0)") })

    #expect(try await store.knownAssets(planet).isEmpty)
    let transfer = try #require(try await store.transfers(TransferFilter()).first)
    #expect(transfer.item?.number == number)
    #expect(transfer.item?.title == "Title of 1")
  }

  @Test func `a server that invents items without end cannot exceed the limit`() async throws {
    var sizes: [Int] = []
    for round in 0..<6 {
      let items = (0..<ItemBounds.listed).map { fresh("\(round)-\($0)") }
      try await commit(items)
      try await addPruned(20_000)
      try await commit([fresh("\(round)")])
      sizes.append(try await store.number("SELECT count(*) FROM item") ?? 0)
      #expect(try await store.number("SELECT count(*) FROM detail") == ItemBounds.listed)
    }

    #expect(sizes.max() == ItemBounds.departed + 1)
  }

  @Test func `a guid equal to the link is stored once`() async throws {
    var record = fresh("1")
    record.guid = record.link
    let number = try await commit([record])[0]

    #expect(try await store.number("SELECT count(*) FROM item WHERE guid IS NULL") == 1)
    #expect(try await store.item(number)?.record.guid == record.link)
    #expect(try await store.markSeen(record.link ?? "", of: planet, among: [planet]) == 1)
  }

  @Test(arguments: [
    (nil, "https://example.org/2", "https://example.org/1"), (nil, nil, "https://example.org/1"),
    ("g", "https://example.org/2", "g"),
    ("https://example.org/2", "https://example.org/2", "https://example.org/2"),
  ])
  func `a guid equal to the link stays when an edit has another link`(
    edit: (guid: String?, link: String?, expected: String)
  ) async throws {
    var record = fresh("1")
    record.guid = record.link
    let number = try await commit([record])[0]
    var form = fresh("2")
    form.guid = edit.guid
    form.link = edit.link
    if edit.guid == nil { form.keys.guid = nil }

    try await store.change(number, of: planet, to: form)

    #expect(try await store.item(number)?.record.guid == edit.expected)
    #expect(try await store.item(number)?.record.link == edit.link ?? record.link)
  }
}
