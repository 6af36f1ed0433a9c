// Runs and the feeds they have in flight. Everything here is called by the process that holds the run lock.

public import Model
public import Timing

extension Store {
  /// Records that a run begins, and that one before it that did not end was cut.
  ///
  /// Gives the run's number. Only under the run lock: an earlier run that did not end is taken for dead.
  public func beginRun(_ cause: RunCause, process: Int32, at now: Instant) throws(StoreFailure) -> Int64 {
    try settleInterrupted(at: now)
    return try database.transaction { () throws(StoreFailure) -> Int64 in
      try database.run("UPDATE run SET was_cut = 1 WHERE ended IS NULL AND was_cut = 0")
      try database.run("INSERT INTO run (cause, process, started) VALUES (?1, ?2, ?3)", cause, process, now)
      return database.lastInserted
    }
  }

  /// Settles what a run before this one left in flight when its process died: each feed gets the fetch record
  /// it lacks and one more crash, but no failure.
  ///
  /// Writes nothing where nothing was left.
  ///
  /// Only under the run lock, and before feed states are read: a plan must see the crash.
  public func settleInterrupted(at now: Instant) throws(StoreFailure) {
    let isLeft = try database.first("SELECT 1 FROM attempt LIMIT 1") { _ throws(StoreFailure) in true }
    guard isLeft != nil else { return }
    try database.transaction { () throws(StoreFailure) in
      try database.run(
        """
        INSERT INTO fetch (feed, run, started, ended, result, reason, address, was_conditional, bytes, count)
        SELECT feed, run, started, max(started, ?1), 'failed', 'interrupted', '', 0, 0, 0 FROM attempt
        """, now)
      try database.run(
        "UPDATE feed SET crashes = crashes + 1 WHERE number IN (SELECT feed FROM attempt)")
      try database.run("DELETE FROM attempt")
    }
  }

  /// Records that the fetch phase of a run ended and what it came to.
  public func endRun(_ run: Int64, at now: Instant, totals: RunTotals) throws(StoreFailure) {
    try database.run(
      """
      UPDATE run SET was_cut = 0, ended = ?2, due = ?3, new_data = ?4, no_data = ?5, failed = ?6, items = ?7,
        exit_status = ?8
      WHERE number = ?1
      """, run, now, totals.due, totals.newData, totals.noData, totals.failed, totals.items,
      totals.exitStatus)
  }

  /// The run that began last, whether it ended or not; nil before the first.
  public func lastRun() throws(StoreFailure) -> RunRecord? {
    try database.first(
      """
      SELECT number, cause, process, started, ended, was_cut, due, new_data, no_data, failed, items, exit_status
      FROM run ORDER BY number DESC LIMIT 1
      """
    ) { row throws(StoreFailure) in
      var run = RunRecord(
        number: try row.next(), cause: try row.next(), process: try row.next(), started: try row.next(),
        ended: try row.next(), wasCut: try row.next(), totals: nil)
      guard run.ended != nil else { return run }
      var totals = RunTotals()
      totals.due = try row.next()
      totals.newData = try row.next()
      totals.noData = try row.next()
      totals.failed = try row.next()
      totals.items = try row.next()
      totals.exitStatus = try row.next()
      run.totals = totals
      return run
    }
  }

  /// Records that these feeds are in flight from now on, with what is now known of hosts.
  public func recordAttempts(
    _ feeds: [FeedName], run: Int64, at now: Instant, hosts: [String: HostState] = [:]
  ) throws(StoreFailure) {
    try database.transaction { () throws(StoreFailure) in
      for feed in feeds {
        try database.run(
          "INSERT OR REPLACE INTO attempt (feed, run, started) VALUES (?1, ?2, ?3)",
          try number(of: feed, configured: now), run, now)
      }
      try write(hosts, at: now)
    }
  }

  /// Takes back that a feed is in flight: its fetch was suspended, so there is no result to record.
  public func clearAttempt(_ feed: FeedName, run: Int64) throws(StoreFailure) {
    try database.run(
      "DELETE FROM attempt WHERE run = ?2 AND feed = (SELECT number FROM feed WHERE name = ?1)", feed, run)
  }
}
