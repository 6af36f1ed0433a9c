// The tables of a store, and how a file gets them.

import Core

/// The tables of a new file, and the updates of older ones, one from each version to the next.
struct Schema {
  var tables: String
  var updates: [String]

  static let current = Schema(
    tables: feedTables + itemTables + deliveryTables + downloadTables + pushTables, updates: updates)

  /// `user_version` of a file with these tables; a new file has 0.
  var version: Int { updates.count + 1 }
}

extension Database {
  /// The version of the file's tables; 0 for a new file.
  func schemaVersion() throws(StoreFailure) -> Int {
    try value("PRAGMA user_version") ?? 0
  }

  /// Makes the tables in a new file, or updates an older one; each update is one transaction.
  func migrate(to schema: Schema) throws(StoreFailure) {
    var version = try schemaVersion()
    while version < schema.version {
      version = try transaction { () throws(StoreFailure) -> Int in
        // Another process may have done it meanwhile.
        let current = try schemaVersion()
        guard current < schema.version else { return current }
        let next = current == 0 ? schema.version : current + 1
        try execute(current == 0 ? schema.tables : schema.updates[current - 1])
        try execute("PRAGMA user_version = \(next)")
        return next
      }
    }
  }
}
