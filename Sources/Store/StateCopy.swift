// Copies of the state: all of it from a file to a PostgreSQL database or back, with every number, time and fingerprint, and
// the copy for `simulate`, without anything that could have an effect outside it.

import Core

extension Store {
  /// Copies the state of a directory to a database that is prepared and empty; returns the number of rows.
  ///
  /// The caller holds the locks of the directory.
  public static func copy(
    fromDirectory directory: String, to settings: PostgresSettings
  ) throws(StoreFailure) -> Int {
    let source = try reader(directory + "/" + fileName)
    let target = try connected(settings)
    return try copyAll(from: source, to: target, tables: try copiedTables(of: source))
  }

  /// Copies the state of a database to a directory without one; returns the number of rows.
  public static func copy(
    from settings: PostgresSettings, toDirectory directory: String
  ) throws(StoreFailure) -> Int {
    let source = try connected(settings)
    let path = directory + "/" + fileName
    try requireFile(path)
    let target = try writer(path)
    try PostgresSchema.deleteOrphans(in: source, everywhere: true)
    return try copyAll(from: source, to: target, tables: try copiedTables(of: target))
  }

  /// A connection on which no run is under way until it ends.
  private static func connected(_ settings: PostgresSettings) throws(StoreFailure) -> Database {
    let connection = try PostgresConnection(settings, isPatient: true)
    let database = Database(connection)
    // Columns that this program does not know would be lost.
    try PostgresSchema.requireUsable(in: database, newest: schemaVersion)
    for lock in ["run", "queue"] where try !connection.acquire(lock) {
      throw .busy(path: database.path, detail: "a run is under way")
    }
    guard
      try !database.exists(
        """
        SELECT 1 FROM worker WHERE lease >= extract(epoch FROM clock_timestamp())
        """)
    else { throw .busy(path: database.path, detail: "a run is under way") }
    return database
  }

  /// All tables but those of runs under way, which have ended.
  private static func copiedTables(of model: borrowing Database) throws(StoreFailure) -> [TableCopy.Table] {
    try TableCopy.tables(of: model).filter { !["claim", "worker"].contains($0.name) }
  }

  private static func copyAll(
    from source: borrowing Database, to target: borrowing Database, tables: [TableCopy.Table]
  ) throws(StoreFailure) -> Int {
    guard try !target.exists("SELECT 1 FROM feed"), try !target.exists("SELECT 1 FROM run") else {
      throw .notEmpty(path: target.path)
    }
    // A new store has a row in some tables.
    let rows = try TableCopy.replaceRows(of: tables, from: source, in: target)
    // One machine has its configuration at a path, several agree on one.
    try target.run("UPDATE owner SET configuration = NULL")
    return rows
  }
}

extension Store {
  /// Copies the feeds and items into a new store in another directory.
  ///
  /// Events, deliveries, transfers, files, pushes and the history are left out: the copy delivers nothing, and touches no
  /// downloaded file. Other processes may write to this store meanwhile.
  ///
  /// `directory` is an empty directory of this user's own.
  public func copyForSimulation(
    to directory: String, on executor: any SerialExecutor
  ) throws(StoreFailure) -> Store {
    let file = try Self.writer(directory + "/" + Self.fileName)
    let tables = try TableCopy.tables(of: file).filter { Self.tablesOfFeeds.contains($0.name) }
    _ = try TableCopy.replaceRows(of: tables, from: database, in: file)
    // The ids of events contain the number of the run, and must not equal real ones.
    try file.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('run', 1000000000)")
    file.close()
    return try Store.open(directory, mode: .writing, on: executor)
  }

  private static let tablesOfFeeds: Set = [
    "owner", "feed", "move", "host", "item", "detail", "starred", "repeated_item", "asset", "badge",
  ]
}
