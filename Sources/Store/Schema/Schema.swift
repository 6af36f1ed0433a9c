// The tables of a store, how a file gets them, and what later versions add to them.

import Core

/// The tables of a store, in the words of SQLite.
package enum Schema {
  /// The tables of version 1, the first that is released.
  package static let tables =
    feedTables + itemTables + deliveryTables + downloadTables + pushTables + machineTables

  /// An addition to the tables of the version before.
  ///
  /// On a server, programs of the version before go on with the changed tables: a change adds tables, and columns with a default
  /// or without NOT NULL. A new column has a name that no other table has, because statements name columns of joins without
  /// their table. A change with which those programs could not work has a number that is higher by two.
  package struct Step {
    package let version: Int
    /// Statements that add tables, with their indexes, and columns.
    package let changes: String

    package init(version: Int, changes: String) {
      (self.version, self.changes) = (version, changes)
    }
  }

  /// The additions of all versions since the first, in order.
  package static let steps: [Step] = []

  /// The version of these tables, which is the `user_version` of a file; a new file has 0.
  package static let version = steps.last?.version ?? 1
}

extension Database {
  /// The version of the tables; 0 for none.
  func schemaVersion() throws -> Int { try connection.schemaVersion() }

  /// Makes the tables in a new file, or what an older one lacks, all of it or nothing.
  package func makeTables(
    _ tables: @autoclosure () -> String = Schema.tables, _ steps: [Schema.Step] = Schema.steps
  ) throws {
    let version = steps.last?.version ?? 1
    guard try schemaVersion() < version else { return }
    try transaction {
      // Another process may have done it meanwhile.
      let found = try schemaVersion()
      guard found < version else { return }
      if found == 0 { try execute(tables()) }
      for step in steps where step.version > found { try execute(step.changes) }
      try execute("PRAGMA user_version = \(version)")
    }
  }
}

extension SQLiteConnection {
  func schemaVersion() throws -> Int {
    // With a name; the compiler's optimiser fails at a value that cannot be copied and has none.
    let database = Database(self)
    return try database.value("PRAGMA user_version") ?? 0
  }
}
