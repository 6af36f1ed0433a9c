// The catalog: feeds that are stored in the database instead of a file. Machines that share a database keep copies, and ask
// for the changes since their version; StoredCatalog reads either.

public import Core

extension Store {
  /// The feeds of the catalog, read by a connection of their own; nil if it never had a feed.
  ///
  /// - Parameters:
  ///   - copy: the path of this machine's copy, where machines share the store.
  ///   - now: the time, which decides whether an old copy can still be updated.
  public func catalog(copy: String, at now: Instant) throws -> StoredCatalog? {
    let version = try catalogVersion()
    guard version > 0 else { return nil }
    if let neighbours { return try neighbours.catalog(ofStore: mark, copy: copy, version: version, at: now) }
    return try StoredCatalog(database.path, version: version, isCopy: false)
  }

  /// The version of the catalog, which every change raises; 0 if it never had a feed.
  func catalogVersion() throws -> Int64 {
    try database.value("SELECT catalog_version FROM owner") ?? 0
  }

  /// The feeds of the catalog after a name, by name, and the name for the next page; nil at the end.
  public func catalogPage(
    after name: String?, limit: Int
  ) throws -> (feeds: [CatalogFeed], end: String?) {
    let (changes, end) = try Self.catalogChanges(in: database, after: name, limit: limit)
    return (changes.compactMap(\.feed), end)
  }

  /// A page of the changes since a version, by name, and the name for the next page; the feed of a removed one is nil.
  ///
  /// Rows that no feed can be count as removed: anybody who can write the database may have written them.
  package static func catalogChanges(
    in database: borrowing Database, since version: Int64 = 0, after name: String?, limit: Int
  ) throws -> (changes: [(name: FeedName, feed: CatalogFeed?)], end: String?) {
    // All rows come in the order of names; the rows of a few changes are found by an index.
    let isFew =
      if version == 0 { false } else {
        try !database.exists(
          "SELECT 1 FROM catalog WHERE changed > ?1 ORDER BY changed LIMIT 1 OFFSET 10000", version)
      }
    var (changes, end): ([(name: FeedName, feed: CatalogFeed?)], String?) = ([], nil)
    try database.each(
      """
      SELECT name, url, tags FROM catalog \(isFew ? "INDEXED BY catalog_changed" : "")
      WHERE changed > ?1 AND name > ?2 ORDER BY name LIMIT ?3
      """, version, name ?? "", limit
    ) { row in
      let (name, feed) = try catalogFeed(&row)
      end = name
      if let known = FeedName(name) { changes.append((known, feed)) }
    }
    return (changes, end)
  }

  /// The name of a row, and its feed; nil if it was removed, or can be none.
  private static func catalogFeed(_ row: inout Row) throws -> (name: String, feed: CatalogFeed?) {
    let (name, url) = (try row.next(String.self), try row.next(String?.self))
    let tags = words(in: try row.next(String.self))
    return (name, url.flatMap { try? CatalogFeed(name: name, url: $0, tags: tags) })
  }

  /// The feeds of the catalog with these names.
  public func catalogFeeds(_ names: [FeedName]) throws -> [FeedName: CatalogFeed] {
    let found = try Self.catalogFeeds(names, in: database)
    return Dictionary(found.map { ($0.name, $0) }) { first, _ in first }
  }

  /// The feeds with these names, by name.
  static func catalogFeeds(
    _ names: [FeedName], in database: borrowing Database
  ) throws -> [CatalogFeed] {
    try database.all(
      """
      SELECT name, url, tags FROM catalog
      WHERE name IN (SELECT value FROM json_each(?1)) AND url IS NOT NULL ORDER BY name
      """, names
    ) { row in try catalogFeed(&row).feed }.compactMap(\.self)
  }

  /// Adds feeds to the catalog, or changes them; returns how many were new or changed.
  ///
  /// The next run looks at these, on any machine.
  @discardableResult
  public func addToCatalog(_ feeds: [CatalogFeed], at now: Instant) throws -> Int {
    try database.transaction(.survivesPowerCut) {
      // A list that is imported every day changes little.
      let known = try catalogFeeds(feeds.map(\.name))
      let changed = feeds.filter { known[$0.name] != $0 }
      guard !changed.isEmpty else { return 0 }
      let rows = JSONValue.array(changed.map(Self.row)).text
      let version = try newCatalogVersion(at: now)
      // A new feed is looked at by the next run; what others record about one that has changed does not count.
      try database.run(
        """
        INSERT INTO feed (name, last_configured, host, due_at)
        SELECT json_extract(value, '$.name'), ?2, json_extract(value, '$.host'), ?3 FROM json_each(?1) WHERE true
        ON CONFLICT (name) DO UPDATE SET last_configured = excluded.last_configured, host = excluded.host, due_at = NULL
        """, rows, now, Self.toScan)
      try database.run(
        """
        INSERT INTO catalog (name, url, tags, changed)
        SELECT json_extract(value, '$.name'), json_extract(value, '$.url'), json_extract(value, '$.tags'), ?2
        FROM json_each(?1) WHERE true
        ON CONFLICT (name) DO UPDATE SET url = excluded.url, tags = excluded.tags, changed = excluded.changed
        """, rows, version)
      try recordChange()
      return changed.count
    }
  }

  private static func row(_ feed: CatalogFeed) -> JSONValue {
    JSONValue([
      "name": feed.name, "url": feed.address.text, "host": feed.address.host,
      "tags": feed.tags.joined(separator: " "),
    ])
  }

  /// Removes feeds from the catalog; returns how many were in it.
  ///
  /// Their state stays as long as the state of any feed that is no longer configured.
  @discardableResult
  public func removeFromCatalog(_ names: [FeedName], at now: Instant) throws -> Int {
    try database.transaction(.survivesPowerCut) {
      let version = try newCatalogVersion(at: now)
      // The next run looks whether a file has a feed of this name.
      try database.run(
        "UPDATE feed SET due_at = ?2 WHERE name IN (SELECT value FROM json_each(?1))", names, Self.toScan)
      let count = try database.run(
        """
        UPDATE catalog SET url = NULL, tags = '', changed = ?2
        WHERE name IN (SELECT value FROM json_each(?1)) AND url IS NOT NULL
        """, names, version)
      try recordChange()
      return count
    }
  }

  /// Forgets feeds that were removed before a moment; a copy that is older is made again.
  func pruneCatalog(before: Instant) throws -> Int {
    try database.run("DELETE FROM catalog WHERE url IS NULL AND changed < ?1 * 1000", before)
  }

  /// A new version; the changes of others wait until the transaction ends, so that no lower version appears later.
  ///
  /// It is the time in milliseconds if that is more than the last one: so the versions after the restore of a backup are not
  /// the versions that copies have of it.
  private func newCatalogVersion(at now: Instant) throws -> Int64 {
    try database.value(
      "UPDATE owner SET catalog_version = max(catalog_version + 1, ?1 * 1000) RETURNING catalog_version", now)
      ?? 0
  }
}

/// The words of a text with blanks between them.
///
/// By bytes, because a mark at the beginning of a word joins the blank before it.
private func words(in text: String) -> [String] {
  text.utf8.split(separator: " ").map { String(Substring($0)) }
}
