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

  package init(_ path: String, version: Int64, isCopy: Bool) throws {
    let opened = try Database(path: path, access: .read)
    opened.waitForLocks(for: Store.lockPatience)
    (self.version, self.path, self.isCopy) = (version, path, isCopy)
    database = Mutex(opened)
  }

  public var count: Int {
    read(or: 0) { database in
      try database.value("SELECT count(*) FROM catalog WHERE url IS NOT NULL") ?? 0
    }
  }

  public func feeds(named names: [FeedName]) -> [CatalogFeed] {
    read(or: []) { database in try Store.catalogFeeds(names, in: database) }
  }

  public func known(among names: [FeedName]) -> Set<FeedName> {
    read(or: []) { database in
      Set(
        try database.rows(
          "SELECT name FROM catalog WHERE name IN (SELECT value FROM json_each(?1)) AND url IS NOT NULL",
          names) as [FeedName])
    }
  }

  public func page(after name: String?, limit: Int) -> (feeds: [CatalogFeed], end: String?) {
    read(or: ([], nil)) { database in
      let (changes, end) = try Store.catalogChanges(in: database, after: name, limit: limit)
      return (changes.compactMap(\.feed), end)
    }
  }

  /// Removes a copy.
  package static func remove(_ path: String) {
    for ending in ["", "-wal", "-shm"] { unlink(path + ending) }
  }

  /// The result of `body`; a damaged copy is removed, so that the next command makes a new one.
  private func read<Result: Sendable>(
    or other: Result, _ body: (borrowing Database) throws -> Result
  ) -> Result {
    database.withLock { database in
      do {
        return try body(database)
      } catch {
        if isCopy, case StoreFailure.corrupt = error { Self.remove(path) }
        return other
      }
    }
  }
}
