// A copy of the store in which a fetch can be tried out, with nothing in it that would lead out of it.

public import Core

extension Store {
  /// Writes a copy of the store into another directory, with what is remembered of feeds and items and nothing else.
  ///
  /// Events, deliveries, transfers, files, pushes and the history are left out: nobody is told of what the copy has, and
  /// none of the files that this store knows is ever touched by what works on the copy. Other processes may go on
  /// writing meanwhile.
  ///
  /// - Parameter directory: an empty directory of this user's own.
  /// - Returns: the copy, open for writing.
  /// - Throws: what reading this store and writing the copy throw.
  public func copyForSimulation(to directory: String) async throws(StoreFailure) -> Store {
    // That alone keeps a store without a file from being written, and counts for its copy, too.
    let isLocked = try database.value("PRAGMA query_only", as: Int.self) ?? 0
    try database.execute("PRAGMA query_only = OFF")
    let path = directory + "/bgfetch.db"
    do throws(StoreFailure) {
      try database.run("VACUUM INTO ?1", path)
    } catch {
      throw error.whileWriting(path)
    }
    try database.execute("PRAGMA query_only = \(isLocked)")
    let copy = try Store.open(directory, mode: .writing)
    try await copy.keepOnlyFeeds()
    return copy
  }

  /// Empties every table that a simulation does not need.
  ///
  /// Which ones those are is not listed, so that what is added to the store is not taken along by oversight.
  private func keepOnlyFeeds() throws(StoreFailure) {
    let tables = try database.values(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@'",
      as: String.self)
    try database.transaction { () throws(StoreFailure) in
      for table in tables where !Self.tablesOfFeeds.contains(table) {
        try database.run("DELETE FROM \"\(table)\"")
      }
      // Ids of events are made of the number of the run, and must not be those of real ones.
      try database.run("DELETE FROM sqlite_sequence WHERE name = 'run'")
      try database.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('run', 1000000000)")
    }
  }

  private static let tablesOfFeeds: Set = [
    "owner", "feed", "move", "host", "item", "summary", "asset", "badge",
  ]
}

extension StoreFailure {
  /// The failure of a copy: what can only be the matter with what was written names that, not what was read.
  fileprivate func whileWriting(_ copy: String) -> StoreFailure {
    switch self {
    case .full(_, let detail): .full(path: copy, detail: detail)
    case .readOnly(_, let detail): .readOnly(path: copy, detail: detail)
    case .cannotOpen(_, let detail): .cannotOpen(path: copy, detail: detail)
    default: self
    }
  }
}
