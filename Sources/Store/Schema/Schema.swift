// The tables of a store, and how a file gets them.

import Core

/// The tables of a new file.
enum Schema {
  static let tables = feedTables + itemTables + deliveryTables + downloadTables + pushTables

  /// The `user_version` of a file with these tables.
  ///
  /// A new file has 0, and each change of the tables raises it.
  static let version = 1
}

extension Database {
  /// The version of the file's tables; 0 for a new file.
  func schemaVersion() throws(StoreFailure) -> Int {
    try value("PRAGMA user_version") ?? 0
  }

  /// Makes the tables in a new file, all of them or none.
  func makeTables(_ tables: String = Schema.tables) throws(StoreFailure) {
    guard try schemaVersion() == 0 else { return }
    try transaction { () throws(StoreFailure) in
      // Another process may have done it meanwhile.
      guard try schemaVersion() == 0 else { return }
      try execute(tables)
      try execute("PRAGMA user_version = \(Schema.version)")
    }
  }
}
