// The copy of a store for `simulate`, without anything that could have an effect outside it.

import Core

extension Store {
  /// Copies the feeds and items into a new store in another directory.
  ///
  /// Events, deliveries, transfers, files, pushes and the history are left out: the copy delivers nothing, and touches no
  /// downloaded file. Other processes may write to this store meanwhile.
  ///
  /// `directory` is an empty directory of this user's own.
  public func copyForSimulation(
    to directory: String, on executor: any SerialExecutor
  ) throws -> Store {
    let file = try Self.writer(directory + "/" + Self.fileName)
    let tables = try TableCopy.tables(of: file).filter { Self.tablesOfFeeds.contains($0.name) }
    _ = try TableCopy.replaceRows(of: tables, from: database, in: file)
    // The ids of events contain the number of the round, and must not equal real ones.
    try file.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('run', 1000000000)")
    file.close()
    return try Store.open(directory, mode: .writing, on: executor)
  }

  private static let tablesOfFeeds: Set = [
    "owner", "feed", "move", "host", "item", "detail", "starred", "repeated_item", "asset", "badge",
  ]
}
