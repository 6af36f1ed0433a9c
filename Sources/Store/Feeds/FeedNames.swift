// The names of stored feeds, which the configuration may change.

public import Core

extension Store {
  /// Whether each of these feeds is stored by its name and with the fingerprint of its keys.
  public func hasAll(_ feeds: [FeedSpec]) throws -> Bool {
    let stored = try database.all(
      """
      SELECT configuration_fingerprint FROM json_each(?1) AS asked CROSS JOIN feed ON name = asked.value ORDER BY asked.id
      """, feeds.map(\.name)
    ) { row in try row.next(UInt64?.self) }
    return stored == feeds.map(\.fingerprint)
  }

  /// The traits of the stored feeds that have the name, the keys or the request of one of these feeds.
  public func traits(like feeds: [FeedTraits]) throws -> [FeedTraits] {
    try database.all(
      """
      SELECT name, configuration_fingerprint, request_fingerprint FROM feed
      WHERE name IN (SELECT value FROM json_each(?1))
        OR configuration_fingerprint IN (SELECT value FROM json_each(?2))
        OR request_fingerprint IN (SELECT value FROM json_each(?3))
      """, feeds.map(\.name), feeds.compactMap(\.configuration?.stored), feeds.compactMap(\.request?.stored)
    ) { row in
      FeedTraits(name: try row.next(), configuration: try row.next(), request: try row.next())
    }
  }

  /// Gives feeds new names, all at once; returns the numbers of their listed items.
  @discardableResult
  public func rename(_ renames: [FeedRename]) throws -> [FeedName: Int] {
    try database.transaction {
      // A fetch under way would end under the name of another feed.
      try database.run(
        "DELETE FROM attempt WHERE feed IN (SELECT number FROM feed WHERE name IN (SELECT value FROM json_each(?1)))",
        renames.map(\.former))
      // Two may swap their names, which are unique; no name of a feed begins so.
      for rename in renames { try replace(rename.former.text, by: "/" + rename.former.text) }
      for rename in renames { try replace("/" + rename.former.text, by: rename.name.text) }
      try forgetUnseenCount()
      try recordChange()
      let counts: [(FeedName, Int)] = try database.rows(
        """
        SELECT name, (SELECT count(*) FROM item WHERE item.feed = feed.number AND is_filtered = 0 AND is_pruned = 0)
        FROM feed WHERE name IN (SELECT value FROM json_each(?1))
        """, renames.map(\.name))
      return Dictionary(counts) { first, _ in first }
    }
  }

  /// Gives a feed another name, and a stored feed that has it, which left the configuration, the former one; returns the number of
  /// its listed items, or nil if it is not stored.
  public func rename(_ rename: FeedRename) throws -> Int? {
    try database.transaction {
      guard try number(of: rename.former) != nil else { return nil }
      let other = try number(of: rename.name) == nil ? [] : [FeedRename(rename.name, rename.former)]
      return try self.rename([rename] + other)[rename.name]
    }
  }

  /// Gives feeds of the catalog new names, with what it has under these from now on; other former names leave the catalog.
  ///
  /// - Returns: the numbers of their listed items, and how many feeds of the catalog have changed and left.
  public func renameInCatalog(
    _ renames: [FeedRename], to feeds: [CatalogFeed], at now: Instant
  ) throws -> (items: [FeedName: Int], changed: Int, removed: Int) {
    let listed = Set(feeds.map(\.name))
    let gone = renames.map(\.former).filter { !listed.contains($0) }
    // In between, a plan would find the address of one feed under the name of another.
    return try database.transaction(.survivesPowerCut) {
      (
        try rename(renames), try addToCatalog(feeds, at: now),
        gone.isEmpty ? 0 : try removeFromCatalog(gone, at: now)
      )
    }
  }

  /// Gives a feed of the catalog another name, like `rename`.
  public func renameInCatalog(_ rename: FeedRename, at now: Instant) throws -> Int? {
    try database.transaction(.survivesPowerCut) {
      guard var feed = try catalogFeeds([rename.former])[rename.former] else { return nil }
      feed.name = rename.name
      let count = try self.rename(rename)
      try addToCatalog([feed], at: now)
      try removeFromCatalog([rename.former], at: now)
      return count
    }
  }

  /// Replaces the name of a feed wherever one is stored.
  private func replace(_ name: String, by other: String) throws {
    try database.run("UPDATE feed SET name = ?2, due_at = NULL WHERE name = ?1", name, other)
    try database.run("UPDATE event SET feed = ?2 WHERE feed = ?1", name, other)
    try database.run("UPDATE host SET limited_by = ?2 WHERE limited_by = ?1", name, other)
  }
}
