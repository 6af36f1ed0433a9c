// Leases that keep runs of several machines apart: each claims the hosts of its feeds, so that nobody else takes feeds of them,
// and has a lease, the time for which it counts as alive without a sign of life. In a file the locks of the machine do this.
//
// Runs are begun, and dead ones settled, only under the run lock. A run whose lease is over may still be alive, a process
// that was stopped or a machine that lost the network: nothing that it writes later counts. Its fetches have no attempt
// any more, and it gets no new ones.

public import Core

extension Store {
  /// The time of day of the server, in seconds since 1970; the clocks of the machines may differ.
  var serverTime: String {
    // In a file no lease holds, not even one that was copied from a server.
    database.isFile ? "\(Int64.max)" : "extract(epoch FROM clock_timestamp())::bigint"
  }

  var serverMilliseconds: String { "(extract(epoch FROM clock_timestamp()) * 1000)::bigint" }

  /// The clock of the server, which counts for all machines; nil for a file.
  public func time() throws(StoreFailure) -> Timestamp? {
    guard !database.isFile else { return nil }
    let milliseconds: Int64? = try database.value("SELECT \(serverMilliseconds)")
    return milliseconds.map { Timestamp(millisecondsSince1970: $0) }
  }

  /// The claims of runs that are alive, as SQL.
  var liveClaims: String {
    "claim JOIN run ON run.number = claim.run AND ended IS NULL AND was_cut = 0 AND lease >= \(serverTime)"
  }

  /// The hosts that runs have claimed.
  public func claimedHosts() throws(StoreFailure) -> Set<String> {
    guard !database.isFile else { return [] }
    return Set(try database.rows("SELECT host FROM \(liveClaims)") as [String])
  }

  /// When the first run or hook counts as dead that has claimed hosts or a delivery, unless it gives a sign of life; nil if there
  /// is none.
  public func nextLeaseEnd() throws(StoreFailure) -> Instant? {
    guard !database.isFile else { return nil }
    return try database.value(
      """
      SELECT min(moment) + 1 FROM (
        SELECT lease AS moment FROM \(liveClaims)
        UNION ALL SELECT held_until FROM delivery WHERE status = 'running' AND held_until >= \(serverTime)) AS ends
      """)
  }

  /// The runs of all machines that fetch now, oldest first.
  public func fetchingRuns() throws(StoreFailure) -> [FetchingRun] {
    guard !database.isFile else { return [] }
    return try database.all(
      """
      SELECT coalesce(machine, ''), process, started,
        (SELECT count(*) FROM claim WHERE claim.run = run.number),
        (SELECT count(*) FROM attempt WHERE attempt.run = run.number)
      FROM run WHERE ended IS NULL AND was_cut = 0 AND lease >= \(serverTime) ORDER BY number
      """
    ) { row throws(StoreFailure) in
      FetchingRun(
        machine: try row.next(), process: try row.next(), started: try row.next(), hosts: try row.next(),
        requests: try row.next())
    }
  }

  /// Reserves a request to a host, at least `delay` after the last one that any machine has reserved; returns how long to wait
  /// for it, in milliseconds.
  ///
  /// A claim is not enough: a redirect leads to a host that another machine may have claimed. A reservation that is much later
  /// was made before the server's clock was set back, and is ignored.
  ///
  /// A server that crashes forgets its commits of the last moment, and perhaps who had claimed a host. After that it counts
  /// as if each host had been asked when it was up again; its statistics begin then.
  ///
  /// - Throws: `takenForDead` if the run is not alive.
  public func reserveRequest(
    to host: String, delay: Interval, run: Int64
  ) throws(StoreFailure) -> Int64 {
    guard !database.isFile else { return 0 }
    // A second reservation only postpones the request, while the wait of one whose answer was lost would count from too late.
    let wait: Int64? = try database.repeatable { () throws(StoreFailure) in
      try database.value(
        """
        INSERT INTO host (name, reserved)
        SELECT ?1, greatest(\(serverMilliseconds),
          (SELECT (extract(epoch FROM stats_reset) * 1000)::bigint FROM pg_stat_bgwriter) + least(?2, ?5))
        WHERE EXISTS (SELECT 1 FROM run WHERE number = ?4 AND was_cut = 0 AND lease >= \(serverTime))
        ON CONFLICT (name) DO UPDATE SET reserved = CASE WHEN host.reserved > excluded.reserved + ?3 THEN excluded.reserved
          ELSE greatest(excluded.reserved, host.reserved + ?2) END
        RETURNING greatest(0, reserved - \(serverMilliseconds))
        """, host, delay.seconds * 1000, (delay + delay + .hours(1)).seconds * 1000, run,
        Self.longestAfterCrash
      )
    }
    guard let wait else { throw .takenForDead(path: database.path) }
    return wait
  }

  /// The longest time after a crash, in milliseconds, for which a host counts as just asked.
  ///
  /// Longer delays are kept by the run that has asked it, which is alive as a rule.
  private static let longestAfterCrash: Int64 = 10_000

  /// Gives claimed hosts back.
  public func release(_ hosts: Set<String>, of run: Int64) throws(StoreFailure) {
    try database.run(
      "DELETE FROM claim WHERE run = ?1 AND host IN (SELECT value FROM json_each(?2))", run, Array(hosts))
  }

  /// Claims hosts for a run that begins; within a transaction.
  ///
  /// It fails if another run has one of them: a run that was stopped for long may have gone on since this one was planned.
  func claim(_ hosts: Set<String>, for run: Int64) throws(StoreFailure) {
    guard !database.isFile else { return }
    let claimed = try database.run(
      "INSERT INTO claim (host, run) SELECT value, ?2 FROM json_each(?1) ON CONFLICT DO NOTHING",
      Array(hosts), run)
    guard claimed == hosts.count else {
      throw .busy(path: database.path, detail: "another run has claimed a host meanwhile")
    }
    try database.run("UPDATE run SET lease = \(serverTime) + ?2 WHERE number = ?1", run, lease.seconds)
  }

  /// Marks the runs as cut that are dead; within a transaction.
  ///
  /// In a file that is every run but those of this store, because its process has the run lock.
  func cutDeadRuns() throws(StoreFailure) {
    try database.run(
      """
      UPDATE run SET was_cut = 1
      WHERE ended IS NULL AND was_cut = 0 AND number NOT IN (SELECT value FROM json_each(?1))
        \(database.isFile ? "" : " AND coalesce(lease, 0) < \(serverTime)")
      """, Array(underWay))
    guard !database.isFile else { return }
    try database.run(
      """
      DELETE FROM claim WHERE NOT EXISTS (
        SELECT 1 FROM run WHERE run.number = claim.run AND ended IS NULL AND was_cut = 0)
      """)
  }

  /// Fails if others took a run to be dead or, unless the run only ends, may do so now; within a transaction.
  func requireAlive(_ run: Int64, ends: Bool = false) throws(StoreFailure) {
    guard !database.isFile else { return }
    let alive = "was_cut = 0" + (ends ? "" : " AND lease >= \(serverTime)")
    guard try database.exists("SELECT 1 FROM run WHERE number = ?1 AND \(alive)", run) else {
      throw .takenForDead(path: database.path)
    }
  }

  /// Gives signs of life until the store is closed: to the server, which ends sessions that are silent and with them their
  /// locks, and to other runs.
  func keepAlive() {
    guard alive == nil, !database.isFile else { return }
    alive = Task(executorPreference: ProgramTasks.executor) { [weak self, lease, clock] in
      while (try? await clock.sleep(for: .milliseconds(lease.seconds * 1000 / 6))) != nil, let self {
        // If the server cannot be reached, the next call of the run fails too.
        try? await renewLeases(of: Array(underWay))
        try? await renewHolds()
      }
    }
  }

  private func renewLeases(of runs: [Int64]) throws(StoreFailure) {
    try database.run(
      """
      UPDATE run SET lease = \(serverTime) + ?2
      WHERE number IN (SELECT value FROM json_each(?1)) AND (was_cut = 0 OR ended IS NOT NULL)
        AND lease >= \(serverTime)
      """, runs, lease.seconds)
    // A process that only reads events says nothing about its machine.
    if !runs.isEmpty { try recordSignOfLife() }
  }
}

/// A table with rows that processes hold while they are running: deliveries and transfers that they work on.
///
/// Where machines share the store, each is held until a time, its `held_until`, and signs of life put it off. So a hold outlives
/// a connection, and others take the work over when the process is dead. A process that takes over sets a later time: by it, a
/// process that was stopped for long finds that the work is no longer its own.
///
/// Only the holder changes the time. A person changes the status, perhaps to cancel the work or to have it done again: then the
/// holder stops, and until it has let go nobody else begins.
enum HeldTable: String, CaseIterable {
  case delivery, transfer
}

extension Store {
  /// Whether a running row is held by nobody, as SQL; in a file the locks of the machine say so.
  func isLapsed(_ table: HeldTable) -> String {
    let isRunning = "\(table).status = 'running'"
    return database.isFile ? isRunning : "\(isRunning) AND \(isFree(table))"
  }

  /// Whether no process works on a row, as SQL; in a file the locks of the machine say so.
  func isFree(_ table: HeldTable) -> String {
    database.isFile ? "true" : "coalesce(\(table).held_until, 0) < \(serverTime)"
  }

  /// Holds a row that is running from now on; within a transaction.
  func hold(_ number: Int64, in table: HeldTable) throws(StoreFailure) {
    guard !database.isFile else { return }
    holds[table, default: [:]][number] = try database.value(
      "UPDATE \(table) SET held_until = \(serverTime) + ?2 WHERE number = ?1 RETURNING held_until", number,
      lease.seconds)
    keepAlive()
  }

  /// Lets go of a row, if this process holds it; within a transaction, after which the caller forgets the hold.
  func letGo(_ number: Int64, in table: HeldTable) throws(StoreFailure) {
    guard let until = holds[table]?[number] else { return }
    try database.run(
      "UPDATE \(table) SET held_until = NULL WHERE number = ?1 AND held_until = ?2", number, until)
  }

  /// Whether this process still holds a row, which may have another status now; within a transaction.
  func stillHolds(_ number: Int64, in table: HeldTable) throws(StoreFailure) -> Bool {
    guard !database.isFile else { return true }
    guard let until = holds[table]?[number] else { return false }
    return try database.exists(
      "SELECT 1 FROM \(table) WHERE number = ?1 AND held_until = ?2", number, until)
  }

  /// Puts off the ends of all holds; one that another process has taken over ends at 0.
  func renewHolds() throws(StoreFailure) {
    guard holds.contains(where: { !$0.value.isEmpty }) else { return }
    // A server that crashes must not forget it, or this process would take its own hold for another's.
    holds = try database.transaction(.survivesPowerCut, reliesOnReadRows: false) { () throws(StoreFailure) in
      var renewed = holds
      for (table, rows) in holds {
        for (number, until) in rows where until > 0 {
          let end: Int64? = try database.value(
            """
            UPDATE \(table) SET held_until = \(serverTime) + ?3
            WHERE number = ?1 AND held_until = ?2 RETURNING held_until
            """, number, until, lease.seconds)
          renewed[table]?[number] = end ?? 0
        }
      }
      return renewed
    }
  }
}
