// The whole state from a file to a PostgreSQL database, or back, with every number, time and fingerprint.

public import Core

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
    return try copyAll(from: source, to: target, tables: try copiedTables(of: target))
  }

  /// A connection on which no run is under way until it ends.
  private static func connected(_ settings: PostgresSettings) throws(StoreFailure) -> Database {
    let connection = try PostgresConnection(settings, isPatient: true)
    let database = Database(connection)
    try PostgresSchema.requireCurrent(in: database)
    for lock in ["run", "transfer"] where try !connection.take(lock) {
      throw .busy(path: database.path, detail: "a run is under way")
    }
    guard
      try !database.exists(
        """
        SELECT 1 FROM run WHERE ended IS NULL AND was_cut = 0
          AND lease >= extract(epoch FROM clock_timestamp())::bigint
        """)
    else { throw .busy(path: database.path, detail: "a run is under way") }
    return database
  }

  /// All tables but the claims of runs, which have ended.
  private static func copiedTables(of model: borrowing Database) throws(StoreFailure) -> [TableCopy.Table] {
    try TableCopy.tables(of: model).filter { $0.name != "claim" }
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
