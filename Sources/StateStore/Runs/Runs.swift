// Runs and the feeds they have in flight. Everything here is called by the process that holds the run lock.

public import Core

extension Store {
  /// Records that a run begins, and that one before it that did not end was cut.
  ///
  /// Gives the run's number. Only under the run lock: an earlier run that did not end is taken for dead.
  public func beginRun(
    _ cause: RunCause, process: Int32, named: Bool = false, forced: Bool = false, at now: Instant
  ) throws(StoreFailure) -> Int64 {
    try settleInterrupted(at: now)
    return try database.transaction { () throws(StoreFailure) -> Int64 in
      try database.run("UPDATE run SET was_cut = 1 WHERE ended IS NULL AND was_cut = 0")
      try database.run(
        "INSERT INTO run (cause, was_named, was_forced, process, started) VALUES (?1, ?2, ?3, ?4, ?5)",
        cause, named, forced, process, now)
      return database.lastInserted
    }
  }

  /// Settles what a run before this one left in flight when its process died: each feed gets the fetch record
  /// it lacks and one more crash, but no failure.
  ///
  /// Whether the request was sent, and what became of it, only the server knows: the log has one without an address.
  /// Writes nothing where nothing was left.
  ///
  /// Only under the run lock, and before feed states are read: a plan must see the crash.
  public func settleInterrupted(at now: Instant) throws(StoreFailure) {
    let isLeft = try database.first("SELECT 1 FROM attempt LIMIT 1") { _ throws(StoreFailure) in true }
    guard isLeft != nil else { return }
    try database.transaction { () throws(StoreFailure) in
      let attempts = try database.all(
        "SELECT feed, run, started, next_due FROM attempt JOIN feed ON feed.number = attempt.feed ORDER BY feed"
      ) { row throws(StoreFailure) in
        (
          feed: try row.next(Int64.self), run: try row.next(Int64.self), started: try row.next(Instant.self),
          nextDue: try row.next(Instant?.self)
        )
      }
      for attempt in attempts {
        var request = RequestRecord(started: Timestamp(attempt.started), address: "")
        request.failure = FetchRecord.interrupted
        var record = FetchRecord(
          started: attempt.started, ended: max(attempt.started, now), result: .failed,
          reason: FetchRecord.interrupted, requests: [request])
        record.isCounted = false
        try add(record, feed: attempt.feed, run: attempt.run, nextDue: attempt.nextDue)
      }
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
        left_over = ?8, exit_status = ?9, ending = ?10
      WHERE number = ?1
      """, run, now, totals.due, totals.newData, totals.noData, totals.failed, totals.items, totals.left,
      totals.exitStatus, totals.ending)
  }

  /// Records that the transfer phase of a run begins: a process that dies in it can no longer say so.
  public func beginTransfers(_ run: Int64) throws(StoreFailure) {
    try database.run("UPDATE run SET was_cut = 1, transfers_ended = NULL WHERE number = ?1", run)
  }

  /// Records that the transfer phase of a run ended and what the whole run came to, over what `endRun` said of it.
  ///
  /// Another run may have begun long before.
  public func endTransfers(_ run: Int64, at now: Instant, totals: RunTotals) throws(StoreFailure) {
    try database.run(
      """
      UPDATE run SET was_cut = 0, transfers_ended = ?2, transfers = ?3, resumed = ?4, failed_transfers = ?5,
        unsettled_transfers = ?6, exit_status = ?7, ending = ?8
      WHERE number = ?1
      """, run, now, totals.transfers, totals.resumed, totals.failedTransfers, totals.unsettledTransfers,
      totals.exitStatus, totals.ending)
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

  /// Takes back that a feed is in flight: its fetch was suspended, which changes nothing but the history.
  ///
  /// Nothing happens where the feed is not in flight in this run.
  public func suspendAttempt(
    _ feed: FeedName, run: Int64, record: FetchRecord, nextDue: Instant?
  ) throws(StoreFailure) {
    try database.transaction { () throws(StoreFailure) in
      let suspended: Int64? = try database.value(
        """
        DELETE FROM attempt WHERE run = ?2 AND feed = (SELECT number FROM feed WHERE name = ?1) RETURNING feed
        """, feed, run)
      guard let suspended else { return }
      try add(record, feed: suspended, run: run, nextDue: nextDue)
    }
  }
}
