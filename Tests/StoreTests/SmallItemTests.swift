// Migration from version 4, in which items took twice the space.

import Core
import Testing

@testable import Store

@Suite(.onFile) struct SmallItemTests {
  private let directory: TemporaryDirectory
  private let planet: FeedName

  /// A file of version 4 with items of every kind.
  init() async throws {
    directory = try TemporaryDirectory()
    planet = try name("planet")
    let old = try directory.open(version: 4)
    try await old.execute(
      """
      INSERT INTO feed (name, last_configured, notes_assets) VALUES ('planet', 1, 0), ('podcast', 1, 1);
      INSERT INTO item (feed, first_seen, updated_at, is_seen, is_filtered, guid_key, link_key, title_key, content_key,
        edit_hash, held_edit, published, guid, link, title, author, summary)
      VALUES
        (1, 10, 11, 0, 0, -1, 2, 3, 4, 5, 6, 7, 'g', 'https://a.example/1', 'unseen', 'Ada', 'long'),
        (1, 20, NULL, 1, 0, 21, 22, 23, 24, 25, NULL, NULL, 'https://a.example/2', 'https://a.example/2', 'seen', NULL, 'long'),
        (1, 30, NULL, 1, 0, NULL, 32, NULL, 34, 35, NULL, 36, NULL, 'https://a.example/3', NULL, NULL, 'untitled'),
        (1, 40, NULL, 1, 1, 41, 42, 43, 44, 45, NULL, 46, 'f', 'https://a.example/4', 'filtered', 'Bob', 'long'),
        (2, 50, NULL, 1, 0, 51, 52, 53, 54, 55, NULL, 56, 'p', 'https://b.example/1', 'episode', NULL, 'notes'),
        (2, 60, NULL, 1, 0, 61, 62, 63, 64, 65, NULL, 66, 'gone', NULL, NULL, NULL, NULL);
      DELETE FROM item WHERE guid = 'gone';
      """)
    await old.close()
  }

  @Test func `every identity is kept by the migration, and no number is reused`() async throws {
    let store = try directory.open(.migrating)

    #expect(
      try await store.knownItems(planet) == [
        KnownItem(
          number: 1, keys: IdentityKeys(guid: .max, link: 2, title: 3, content: 4),
          published: Instant(secondsSince1970: 7), editHash: 5, postponedEdit: 6,
          updatedAt: Instant(secondsSince1970: 11), isFiltered: false),
        KnownItem(
          number: 2, keys: IdentityKeys(guid: 21, link: 22, title: 23, content: 24), published: nil,
          editHash: 25, postponedEdit: nil, updatedAt: nil, isFiltered: false),
        KnownItem(
          number: 3, keys: IdentityKeys(link: 32, content: 34), published: Instant(secondsSince1970: 36),
          editHash: 35, postponedEdit: nil, updatedAt: nil, isFiltered: false),
        KnownItem(
          number: 4, keys: IdentityKeys(guid: 41, link: 42, title: 43, content: 44),
          published: Instant(secondsSince1970: 46), editHash: 45, postponedEdit: nil, updatedAt: nil,
          isFiltered: true),
      ])
    let next = try #require(
      try await store.commit(fetch(planet, [item("new")]), run: nil, nextDue: nil, configured: []))
    #expect(next == [7])
  }

  @Test func `listed items keep their texts, and summaries stay if needed`() async throws {
    let store = try directory.open(.migrating)
    let podcast = try name("podcast")

    let items = try await store.items(
      feeds: nil, unseenOnly: false, since: nil, limit: nil, among: [planet, podcast])
    #expect(items.map(\.number) == [5, 3, 2, 1])
    #expect(
      items.map(\.record.guid) == ["p", nil, "https://a.example/2", "g"])
    #expect(
      items.map(\.record.link) == [
        "https://b.example/1", "https://a.example/3", "https://a.example/2", "https://a.example/1",
      ])
    #expect(items.map(\.record.title) == ["episode", nil, "seen", "unseen"])
    #expect(items.map(\.record.author) == [nil, nil, nil, "Ada"])
    #expect(items.map(\.record.summary) == ["notes", "untitled", nil, "long"])
    #expect(try await store.unseenCounts() == [planet: 1])
    #expect(try await store.number("SELECT count(*) FROM pragma_foreign_key_check") == 0)
  }

  @Test func `a migration killed half-way leaves the file unchanged`() async throws {
    // The files before the end of the transaction are those that a killed process leaves.
    let killed = try TemporaryDirectory()
    let old = try directory.open(version: 4)
    try await old.execute("PRAGMA cache_size = 1; BEGIN IMMEDIATE")
    try await old.execute(Schema.smallItems)
    for file in ["bgfetch.db", "bgfetch.db-wal"] { try killed.write(try directory.bytes(of: file), to: file) }

    let store = try killed.open(.migrating)

    #expect(try await store.knownItems(planet).count == 4)
    #expect(try await store.item(1)?.record.summary == "long")
  }
}
