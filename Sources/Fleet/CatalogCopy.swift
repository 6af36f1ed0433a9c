// The copy that a machine has of the catalog of a server, in a file of its own that may be removed at any time.

import Core
import Store

/// The file with the copy.
enum CatalogCopy {
  /// The age up to which a copy is updated: removed feeds are forgotten after `Retention.history`.
  private static let oldest = Interval(seconds: Retention.history.seconds - 10 * 86_400)

  /// The copy at a path, after the changes since its version.
  static func updated(
    _ path: String, of database: borrowing Database, _ mark: String, version: Int64, at now: Instant
  ) throws -> StoredCatalog {
    do {
      try update(path, of: database, mark, to: version, at: now)
    } catch {
      guard case StoreFailure.corrupt(path, _) = error else { throw error }
      StoredCatalog.remove(path)
      try update(path, of: database, mark, to: version, at: now)
    }
    return try StoredCatalog(path, version: version, isCopy: true)
  }

  private static func update(
    _ path: String, of database: borrowing Database, _ mark: String, to version: Int64, at now: Instant
  ) throws {
    try Store.makePrivateFile(path)
    let copy = try Database(path: path, access: .write)
    copy.waitForLocks(for: Store.lockPatience)
    if try copy.exists("SELECT 1 FROM sqlite_schema WHERE name = 'source'"),
      try copy.exists("SELECT 1 FROM source WHERE mark = ?1 AND version = ?2", mark, version)
    {
      return
    }
    try copy.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    // Others wait meanwhile, and then find the new version.
    try copy.transaction {
      try copy.execute(
        """
        CREATE TABLE IF NOT EXISTS source (mark TEXT NOT NULL, version INTEGER NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS catalog (
          name TEXT PRIMARY KEY, url TEXT, tags TEXT NOT NULL, changed INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """)
      // A catalog from a backup may be older than the copy.
      let oldest = (now.secondsSince1970 - Self.oldest.seconds) * 1000
      let since: Int64 =
        try copy.value(
          "SELECT version FROM source WHERE mark = ?1 AND version > ?2 AND version <= ?3", mark, oldest,
          version)
        ?? 0
      if since == 0 { try copy.run("DELETE FROM catalog") }
      try copyChanges(since: since, from: database, to: copy)
      try copy.run("DELETE FROM source")
      try copy.run("INSERT INTO source (mark, version) VALUES (?1, ?2)", mark, version)
    }
  }

  private static func copyChanges(
    since version: Int64, from database: borrowing Database, to copy: borrowing Database
  ) throws {
    var last: String?
    while case let (changes, end?) = try Store.catalogChanges(
      in: database, since: version, after: last, limit: 2000)
    {
      last = end
      for change in changes {
        try copy.run(
          """
          INSERT OR REPLACE INTO catalog (name, url, tags, changed) VALUES (?1, ?2, ?3, 1)
          """, change.name, change.feed?.address.text,
          change.feed?.tags.joined(separator: " ") ?? "")
      }
    }
  }
}
