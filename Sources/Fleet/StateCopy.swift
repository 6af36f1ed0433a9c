// Copies of the state: all of it from a file to a PostgreSQL database or back, with every number, time and fingerprint.

public import Store

extension Store {
  /// Copies the state of a directory to a database that is prepared and empty; returns the number of rows.
  ///
  /// The caller holds the locks of the directory.
  public static func copy(
    fromDirectory directory: String, to settings: PostgresSettings
  ) throws -> Int {
    let source = try reader(directory + "/" + fileName)
    let target = try connected(settings)
    return try copyAll(from: source, to: target, tables: try copiedTables(of: source))
  }

  /// Copies the state of a database to a directory without one; returns the number of rows.
  public static func copy(
    from settings: PostgresSettings, toDirectory directory: String
  ) throws -> Int {
    let source = try connected(settings)
    let path = directory + "/" + fileName
    try requireFile(path)
    let target = try writer(path)
    try PostgresSchema.deleteOrphans(in: source, everywhere: true)
    return try copyAll(from: source, to: target, tables: try copiedTables(of: target))
  }

  /// A connection on which no run is under way until it ends.
  private static func connected(_ settings: PostgresSettings) throws -> Database {
    let connection = try PostgresConnection(settings, isPatient: true)
    let database = Database(connection)
    // Columns that this program does not know would be lost.
    try PostgresSchema.requireUsable(in: database, newest: schemaVersion)
    guard try connection.acquire("run"), try connection.acquire("queue"),
      try !database.exists("SELECT 1 FROM worker WHERE alive_until >= \(ServerTime.seconds)")
    else { throw StoreFailure.busy(path: database.path, detail: "a run is under way") }
    return database
  }

  /// All tables but those of runs under way, which have ended.
  private static func copiedTables(of model: borrowing Database) throws -> [TableCopy.Table] {
    try TableCopy.tables(of: model).filter { !["claim", "worker"].contains($0.name) }
  }

  private static func copyAll(
    from source: borrowing Database, to target: borrowing Database, tables: [TableCopy.Table]
  ) throws -> Int {
    guard try !target.exists("SELECT 1 FROM feed"), try !target.exists("SELECT 1 FROM run") else {
      throw StoreFailure.notEmpty(path: target.path)
    }
    // A new store has a row in some tables.
    let rows = try TableCopy.replaceRows(of: tables, from: source, in: target)
    // One machine has its configuration at a path, several agree on one.
    try target.run("UPDATE owner SET configuration = NULL")
    // Several machines keep no number of unseen items; the one in their table is from before.
    try target.run("UPDATE badge SET kept_of = NULL")
    return rows
  }
}
