// Rounds, each a row of the table run, and the feeds that they have in flight. Only the process that holds the run lock begins and
// settles them.

public import Core

extension Store {
  /// Records that a round begins, and returns its number.
  ///
  /// An earlier round without an end counts as cut, except rounds of this store and, on a server, rounds that may be alive.
  ///
  /// - Parameter hosts: on a server, the hosts that the round claims.
  public func beginRound(
    _ cause: RunCause, process: Int32, named: Bool = false, forced: Bool = false, hosts: Set<String> = [],
    at now: Instant
  ) throws -> Int64 {
    try neighbours?.beginHolding()
    try settleInterrupted(at: now)
    // A server that crashes must not forget who has a host.
    let round = try database.transaction(durabilityOfNotice) {
      try cutDeadRounds()
      let round = try database.insert(
        """
        INSERT INTO run (cause, was_named, was_forced, process, machine, started, held_by)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        """, cause, named, forced, process, neighbours?.machine, now,
        neighbours?.holder)
      try neighbours?.claim(hosts, for: round)
      return round
    }
    underWay.insert(round)
    return round
  }

  /// Marks the rounds as cut that are dead; within a transaction.
  ///
  /// In a file that is every round but those of this store, because its process has the run lock.
  private func cutDeadRounds() throws {
    try database.run(
      "UPDATE run SET was_cut = 1 WHERE \(isDeadRound)", Array(underWay))
    try neighbours?.releaseDead()
  }

  /// Whether a round is dead that is not marked as cut, as SQL over a parameter with the rounds of this store.
  private var isDeadRound: String {
    "\(Self.isOpen) AND number NOT IN (SELECT value FROM json_each(?1)) AND \(isDead("held_by"))"
  }

  /// Marks the rounds of dead processes as cut, and settles the fetches that were in flight in them: each feed gets the missing fetch
  /// record and one more crash, but no failure.
  ///
  /// Writes nothing if there are none.
  ///
  /// Only the server knows whether it received the request, so the record has one without an address. Call this before
  /// reading feed states, because a plan must see the crash.
  public func settleInterrupted(at now: Instant) throws {
    guard
      try database.exists(
        """
        SELECT 1 FROM run WHERE \(isDeadRound)
        UNION ALL SELECT 1 FROM attempt WHERE \(Self.isOfCutRound) LIMIT 1
        """, Array(underWay))
    else { return }
    try database.transaction {
      try cutDeadRounds()
      let attempts: [(Int64, Int64, Instant, Instant?)] = try database.rows(
        """
        SELECT feed, run, started, next_due FROM attempt JOIN feed ON feed.number = attempt.feed
        WHERE \(Self.isOfCutRound) ORDER BY feed
        """)
      for (feed, round, started, nextDue) in attempts {
        var request = RequestRecord(started: Timestamp(started), address: "")
        request.failure = FetchRecord.interrupted
        var record = FetchRecord(
          started: started, ended: max(started, now), result: .failed, reason: FetchRecord.interrupted,
          requests: [request])
        record.isCounted = false
        try add(record, feed: feed, round: round, nextDue: nextDue)
      }
      try database.run(
        """
        UPDATE feed SET crashes = crashes + 1, due_at = NULL
        WHERE number IN (SELECT feed FROM attempt WHERE \(Self.isOfCutRound))
        """)
      try recordChange()
      try database.run("DELETE FROM attempt WHERE \(Self.isOfCutRound)")
    }
  }

  /// Whether the round of an attempt is over without having ended it, as SQL.
  private static let isOfCutRound =
    "NOT EXISTS (SELECT 1 FROM run WHERE run.number = attempt.run AND \(isOpen))"

  /// Records the end of a round, and the totals; on a server also the results from each host.
  public func endRound(
    _ round: Int64, at now: Instant, totals: RunTotals, hosts: [String: [FetchResult: Int]] = [:]
  ) throws {
    underWay.remove(round)
    // A server that crashes must not forget that the round gave its hosts back, nor the fetches before it.
    try database.transaction(durabilityOfNotice) {
      try neighbours?.requireAlive(round)
      try database.run(
        """
        UPDATE run SET was_cut = 0, ended = ?2, due = ?3, new_data = ?4, no_data = ?5, failed = ?6, items = ?7,
          left_over = ?8, exit_status = ?9, ending = ?10
        WHERE number = ?1
        """, round, now, totals.due, totals.newData, totals.noData, totals.failed, totals.items, totals.left,
        totals.exitStatus, totals.ending)
      try neighbours?.endClaims(of: round, totals, byHost: hosts)
    }
  }

  /// Records that downloads begin, after the last round of their run.
  ///
  /// The round counts as cut until they end.
  public func beginTransfers(_ round: Int64) throws {
    try database.run("UPDATE run SET was_cut = 1, transfers_ended = NULL WHERE number = ?1", round)
    underWay.insert(round)
  }

  /// Records the end of downloads, and the totals of the whole run.
  ///
  /// Another run may have begun long before.
  public func endTransfers(_ round: Int64, at now: Instant, totals: RunTotals) throws {
    try database.run(
      """
      UPDATE run SET was_cut = 0, transfers_ended = ?2, transfers = ?3, resumed = ?4, failed_transfers = ?5,
        unsettled_transfers = ?6, exit_status = ?7, ending = ?8
      WHERE number = ?1
      """, round, now, totals.transfers.finished, totals.transfers.resumed, totals.transfers.failed,
      totals.transfers.left,
      totals.exitStatus, totals.ending)
    underWay.remove(round)
  }

  /// Records that feeds are in flight, and that requests to their hosts begin; fails with `takenForDead` if others did so.
  ///
  /// It takes a few statements for any number of feeds, because a server may be far away.
  ///
  /// - Parameter feeds: each with the number that it had when it was planned.
  /// - Returns: the feeds that are in flight. One that has another number, or items where it had no number, was renamed since the plan;
  ///   its state and items would be another feed's.
  @discardableResult
  public func recordAttempts(
    _ feeds: [(name: FeedName, number: Int64?)], round: Int64, at now: Instant, hosts: Set<String> = []
  ) async throws -> Set<FeedName> {
    let record: @Sendable (isolated Store) throws -> Set<FeedName> = { store in
      try store.neighbours?.requireAlive(round)
      let planned = try store.planned(feeds, at: now)
      try store.database.run(
        """
        INSERT INTO attempt (feed, run, started)
        SELECT number, ?2, ?3 FROM feed WHERE number IN (SELECT value FROM json_each(?1))
        ON CONFLICT (feed) DO UPDATE SET run = excluded.run, started = excluded.started
        """, Array(planned.values), round, now)
      if !hosts.isEmpty {
        try store.database.run(
          """
          INSERT INTO host (name, last_request) SELECT value, ?2 FROM json_each(?1) WHERE true
          ON CONFLICT (name) DO UPDATE SET last_request = excluded.last_request
          """, hosts.sorted(), now)
      }
      return Set(planned.keys)
    }
    // The commits of a server rely on fewer rows.
    return try await neighbours == nil ? batched(.ordinary, record) : transaction(record)
  }

  /// The numbers of the feeds that are still the planned ones; a feed that is not stored gets its row.
  private func planned(
    _ feeds: [(name: FeedName, number: Int64?)], at now: Instant
  ) throws -> [FeedName: Int64] {
    var stored: [FeedName: (number: Int64, hasBaseline: Bool)] = [:]
    try database.each(
      "SELECT name, number, has_baseline FROM json_each(?1) CROSS JOIN feed ON name = value",
      feeds.map(\.name)
    ) { row in stored[try row.next()] = (try row.next(), try row.next()) }
    var planned: [FeedName: Int64] = [:]
    for (name, number) in feeds {
      if let found = stored[name] {
        // It may have its row since the plan because it was paused, or by a push.
        let isPlanned = number.map { $0 == found.number } ?? !found.hasBaseline
        planned[name] = isPlanned ? found.number : nil
      } else if number == nil {
        planned[name] = try row(of: name, configured: now).number
      }
    }
    return planned
  }

  /// Records that a fetch was suspended, which changes only the history.
  ///
  /// Does nothing if the round does not have the feed in flight.
  public func suspendAttempt(
    _ feed: FeedName, round: Int64, record: FetchRecord, nextDue: Instant?
  ) throws {
    try database.transaction {
      guard let feed = try endAttempt(at: feed, of: round) else { return }
      try add(record, feed: feed.number, round: round, nextDue: nextDue)
    }
  }

  /// When the latest run began that is not after a moment, of the last 2,000 runs.
  func lastRun(before moment: Instant) throws -> Instant? {
    try database.value(
      """
      SELECT max(started) FROM (SELECT started FROM run ORDER BY number DESC LIMIT 2000) AS latest
      WHERE started <= ?1
      """, moment)
  }

  /// How far the clock is believed.
  public func clockTrust(at now: Instant) throws -> ClockTrust {
    ClockTrust(now: now, earlier: try lastRun(before: now - ClockTrust.delay))
  }

  /// Past runs, oldest first; the feeds of the part are ignored.
  public func runs(_ part: HistoryPart) throws -> [RunRecord] {
    try database.all(
      """
      SELECT number, cause, was_named, was_forced, process, started, ended, was_cut, machine,
        \(neighbours?.isAlive("held_by") ?? "NULL"), due, new_data, no_data, failed,
        items, left_over, exit_status, ending, transfers, resumed, failed_transfers, unsettled_transfers,
        transfers_ended
      FROM (SELECT * FROM run WHERE ?1 IS NULL OR started >= ?1 ORDER BY number DESC LIMIT ?2) AS latest
      ORDER BY number
      """, part.since, part.limit ?? .max
    ) { row in
      var run = RunRecord(
        number: try row.next(), cause: try row.next(), wasNamed: try row.next(), wasForced: try row.next(),
        process: try row.next(), started: try row.next(), ended: try row.next(), wasCut: try row.next())
      run.machine = try row.next()
      run.isAlive = try row.next()
      // Without the end of the fetch there are no totals, and no downloads.
      guard run.ended != nil else { return run }
      var totals = RunTotals()
      totals.due = try row.next()
      totals.newData = try row.next()
      totals.noData = try row.next()
      totals.failed = try row.next()
      totals.items = try row.next()
      totals.left = try row.next()
      totals.exitStatus = try row.next()
      totals.ending = try row.next()
      totals.transfers.finished = try row.next()
      totals.transfers.resumed = try row.next()
      totals.transfers.failed = try row.next()
      totals.transfers.left = try row.next()
      run.transfersEnded = try row.next()
      run.totals = totals
      return run
    }
  }
}
