// The deliveries and transfers that a process works on, where machines share the store. Each is held until a time: that is its
// `not_before` while it is running, and signs of life put it off. So a hold outlives a connection, and others take the work over
// when the process is dead.
//
// A process that takes over sets a later time. By the time, a process that was stopped for long finds that the work is no longer its own.

import Core

/// A table with rows that processes hold while they are running.
enum HeldTable: String, CaseIterable {
  case delivery, transfer
}

extension Store {
  /// Whether a running row is held by nobody, as SQL; in a file the locks of the machine say so.
  func isLapsed(_ table: HeldTable) -> String {
    let isRunning = "\(table).status = 'running'"
    return database.isFile ? isRunning : "\(isRunning) AND coalesce(\(table).not_before, 0) < \(serverTime)"
  }

  /// Holds a row that is running from now on; within a transaction.
  func hold(_ number: Int64, in table: HeldTable) throws(StoreFailure) {
    guard !database.isFile else { return }
    holds[table, default: [:]][number] = try database.value(
      "UPDATE \(table) SET not_before = \(serverTime) + ?2 WHERE number = ?1 RETURNING not_before", number,
      lease.seconds)
    keepAlive()
  }

  /// Whether this process still holds a running row; within a transaction.
  func stillHolds(_ number: Int64, in table: HeldTable) throws(StoreFailure) -> Bool {
    guard !database.isFile else { return true }
    guard let until = holds[table]?[number] else { return false }
    return try database.exists(
      "SELECT 1 FROM \(table) WHERE number = ?1 AND status = 'running' AND not_before = ?2", number, until)
  }

  /// Puts off the ends of all holds, and forgets the ones that others have taken over.
  func renewHolds() throws(StoreFailure) {
    guard holds.contains(where: { !$0.value.isEmpty }) else { return }
    // A server that crashes must not forget it, or this process would take its own hold for another's.
    holds = try database.transaction(.survivesPowerCut, reliesOnReadRows: false) { () throws(StoreFailure) in
      var renewed = holds
      for (table, rows) in holds {
        for (number, until) in rows {
          renewed[table]?[number] = try database.value(
            """
            UPDATE \(table) SET not_before = \(serverTime) + ?3
            WHERE number = ?1 AND status = 'running' AND not_before = ?2 RETURNING not_before
            """, number, until, lease.seconds)
        }
      }
      return renewed
    }
  }
}
