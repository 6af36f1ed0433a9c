// Locks that live as long as the session, so that nobody writes who has lost one ("Advisory Lock Functions").

import Store

extension PostgresConnection {
  /// Takes a lock if it is free; never waits.
  func acquire(_ lock: String) throws -> Bool {
    if let count = locks[lock] {
      locks[lock] = count + 1
    } else {
      // A lost connection has lost the lock too.
      try retrying { if try acquireOnServer(lock) { locks[lock] = 1 } }
    }
    return locks[lock] != nil
  }

  /// The session, and with it the lock, ends after ten seconds without a sign of life, as long as it has locks.
  func acquireOnServer(_ lock: String) throws -> Bool {
    let isTaken = try callOnServer("\(idleTime(10)) AND pg_try_advisory_lock", lock)
    if !isTaken, locks.isEmpty { try execute("SET idle_session_timeout = 0") }
    return isTaken
  }

  /// Releases a lock that was taken.
  func release(_ lock: String) throws {
    guard let count = locks[lock] else { return }
    locks[lock] = count > 1 ? count - 1 : nil
    guard count == 1 else { return }
    // If the connection is lost, so is the lock.
    guard connection != nil, !isClosed else { return }
    _ = try callOnServer((locks.isEmpty ? "\(idleTime(0)) AND " : "") + "pg_advisory_unlock", lock)
  }

  /// Sets after how many seconds the server ends a silent session, as SQL that is true; 0 is never.
  private func idleTime(_ seconds: Int) -> String {
    "set_config('idle_session_timeout', '\(seconds * 1000)', false) IS NOT NULL"
  }

  private func callOnServer(_ function: String, _ lock: String) throws -> Bool {
    let statement = try prepared("SELECT \(function)(hashtextextended(?1, 0))")
    statement.bind(.text("bgfetch \(lock)"))
    try runOnce(statement)
    defer { statement.end() }
    return statement.step() && Bool(statement.value(0)) == true
  }
}
