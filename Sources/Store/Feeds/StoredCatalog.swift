// The feeds of the catalog as commands and runs read them: by a connection of their own, from the store's file, or from the
// copy that this machine has of a shared one.

public import Core
import Glibc
import Synchronization

/// The catalog of a store, whose feeds are read when they are asked for.
public final class StoredCatalog: FeedCatalog {
  public let version: Int64
  private let database: Mutex<Database>
  private let path: String
  private let isCopy: Bool

  init(_ path: String, version: Int64, isCopy: Bool) throws(StoreFailure) {
    let opened = try Database(path: path, access: .read)
    opened.waitForLocks(for: Store.lockPatience)
    (self.version, self.path, self.isCopy) = (version, path, isCopy)
    database = Mutex(opened)
  }

  public var count: Int {
    read(or: 0) { database throws(StoreFailure) in
      try database.value("SELECT count(*) FROM catalog WHERE url IS NOT NULL") ?? 0
    }
  }

  public func feeds(named names: [FeedName]) -> [CatalogFeed] {
    read(or: []) { database throws(StoreFailure) in try Store.catalogFeeds(names, in: database) }
  }

  public func known(among names: [FeedName]) -> Set<FeedName> {
    read(or: []) { database throws(StoreFailure) in
      Set(
        try database.rows(
          "SELECT name FROM catalog WHERE name IN (SELECT value FROM json_each(?1)) AND url IS NOT NULL",
          names.map(\.text)) as [FeedName])
    }
  }

  public func page(after name: String?, limit: Int) -> (feeds: [CatalogFeed], end: String?) {
    read(or: ([], nil)) { database throws(StoreFailure) in
      let (changes, end) = try Store.catalogChanges(in: database, after: name, limit: limit)
      return (changes.compactMap(\.feed), end)
    }
  }

  /// The result of `body`; a damaged copy is removed, so that the next command makes a new one.
  private func read<Result: Sendable>(
    or other: Result, _ body: (borrowing Database) throws(StoreFailure) -> Result
  ) -> Result {
    database.withLock { database in
      do throws(StoreFailure) {
        return try body(database)
      } catch {
        if isCopy, case .corrupt = error { Store.removeCopy(path) }
        return other
      }
    }
  }
}

// The copy that a machine has of the catalog of a server. It may be removed at any time.
extension Store {
  /// The age up to which a copy is updated: removed feeds are forgotten after `Retention.history`.
  private static let oldestCopy = Interval(seconds: Retention.history.seconds - 10 * 86_400)

  /// The copy, after the changes since its version.
  func copiedCatalog(
    to path: String, version: Int64, at now: Instant
  ) throws(StoreFailure) -> StoredCatalog {
    do throws(StoreFailure) {
      try Self.updateCopy(path, of: database, mark, to: version, at: now)
    } catch {
      guard case .corrupt(path, _) = error else { throw error }
      Self.removeCopy(path)
      try Self.updateCopy(path, of: database, mark, to: version, at: now)
    }
    return try StoredCatalog(path, version: version, isCopy: true)
  }

  private static func updateCopy(
    _ path: String, of database: borrowing Database, _ mark: String, to version: Int64, at now: Instant
  ) throws(StoreFailure) {
    try makePrivateFile(path)
    let copy = try Database(path: path, access: .write)
    copy.waitForLocks(for: lockPatience)
    if try copy.exists("SELECT 1 FROM sqlite_schema WHERE name = 'source'"),
      try copy.exists("SELECT 1 FROM source WHERE mark = ?1 AND version = ?2", mark, version)
    {
      return
    }
    try copy.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    // Others wait meanwhile, and then find the new version.
    try copy.transaction { () throws(StoreFailure) in
      try copy.execute(
        """
        CREATE TABLE IF NOT EXISTS source (mark TEXT NOT NULL, version INTEGER NOT NULL) STRICT;
        CREATE TABLE IF NOT EXISTS catalog (
          name TEXT PRIMARY KEY, url TEXT, tags TEXT NOT NULL, changed INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """)
      // A catalog from a backup may be older than the copy.
      let oldest = (now.secondsSince1970 - oldestCopy.seconds) * 1000
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
  ) throws(StoreFailure) {
    var last: String?
    while case let (changes, end?) = try catalogChanges(
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

  fileprivate static func removeCopy(_ path: String) {
    for ending in ["", "-wal", "-shm"] { unlink(path + ending) }
  }
}
