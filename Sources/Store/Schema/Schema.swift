// The tables of a store, how a file gets them, and what later versions add to them.

import Core

/// The tables of a store, in the words of SQLite.
enum Schema {
  /// The tables of version 1, the first that is released.
  static let tables = feedTables + itemTables + deliveryTables + downloadTables + pushTables + fleetTables

  /// An addition to the tables of the version before.
  ///
  /// Programs of the version before go on with the changed tables: a change adds tables, and columns with a default or without
  /// NOT NULL. A new column has a name that no other table has, because statements name columns of joins without their table. A
  /// change with which those programs could not work has a number that is higher by two.
  struct Step {
    let version: Int
    /// Statements that add tables, with their indexes, and columns.
    let changes: String
  }

  /// The additions of all versions since the first, in order.
  static let steps: [Step] = []

  /// The version of these tables, which is the `user_version` of a file; a new file has 0.
  static let version = steps.last?.version ?? 1

  /// The newest version with which this program works: the next one, so that machines can be updated one after the other.
  static let newestUsable = version + 1
}

extension Database {
  /// The version of the file's tables; 0 for a new file.
  func schemaVersion() throws(StoreFailure) -> Int {
    try value("PRAGMA user_version") ?? 0
  }

  /// Makes the tables in a new file, or what an older one lacks, all of it or nothing.
  func makeTables(
    _ tables: String = Schema.tables, _ steps: [Schema.Step] = Schema.steps
  ) throws(StoreFailure) {
    let version = steps.last?.version ?? 1
    guard try schemaVersion() < version else { return }
    try transaction { () throws(StoreFailure) in
      // Another process may have done it meanwhile.
      let found = try schemaVersion()
      guard found < version else { return }
      if found == 0 { try execute(tables) }
      for step in steps where step.version > found { try execute(step.changes) }
      try execute("PRAGMA user_version = \(version)")
    }
  }
}

extension Schema {
  /// The machines, with the fingerprints of their configurations, the seconds between two signs of life, when their last runs of a
  /// timer began, the milliseconds by which their clocks are ahead, and the fetches of their runs; the fetches from each host; and
  /// one row about all machines: when their configuration was adopted, in milliseconds, and their pause.
  static let fleetTables = """
    CREATE TABLE machine (
      name TEXT NOT NULL, directory TEXT NOT NULL, version TEXT NOT NULL, sections TEXT NOT NULL,
      period INTEGER, begun INTEGER, last_sign INTEGER NOT NULL,
      clock_lead INTEGER NOT NULL,
      new_data INTEGER NOT NULL DEFAULT 0, no_data INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (name, directory)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE host_fetches (
      name TEXT PRIMARY KEY, new_data INTEGER NOT NULL, no_data INTEGER NOT NULL, failed INTEGER NOT NULL,
      last_fetch INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE fleet (adopted INTEGER NOT NULL, pause TEXT, pause_end INTEGER) STRICT;
    INSERT INTO fleet (adopted) VALUES (0);
    """
}
