// Claims that keep runs of several machines apart: each claims the hosts of its feeds, so that nobody else takes feeds of them.
// In a file the locks of the machine do this.
//
// Runs are begun only under the run lock. A run that is marked as cut may still be alive, in a process that was stopped or on a
// machine that lost the network (Workers.swift): nothing that it writes later counts. Its fetches have no attempt any more, and
// it gets no new ones.

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

  /// Whether a run has neither ended nor was marked as cut, as SQL.
  static let isOpen = "ended IS NULL AND was_cut = 0"

  /// The claims of runs that are alive, as SQL.
  var liveClaims: String {
    "claim JOIN run ON run.number = claim.run AND \(Self.isOpen)"
  }

  /// The hosts that runs have claimed.
  public func claimedHosts() throws(StoreFailure) -> Set<String> {
    guard !database.isFile else { return [] }
    return Set(try database.rows("SELECT host FROM \(liveClaims)") as [String])
  }

  /// The runs of all machines that fetch now, oldest first.
  public func fetchingRuns() throws(StoreFailure) -> [FetchingRun] {
    guard !database.isFile else { return [] }
    return try database.all(
      """
      SELECT coalesce(machine, ''), process, started,
        (SELECT count(*) FROM claim WHERE claim.run = run.number),
        (SELECT count(*) FROM attempt WHERE attempt.run = run.number)
      FROM run WHERE \(Self.isOpen) AND \(isAlive("held_by")) ORDER BY number
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
        WHERE EXISTS (SELECT 1 FROM run WHERE number = ?4 AND \(Self.isOpen))
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
  }

  /// Marks the runs as cut that are dead, and gives their hosts back; within a transaction.
  ///
  /// In a file that is every run but those of this store, because its process has the run lock.
  func cutDeadRuns() throws(StoreFailure) {
    try database.run(
      "UPDATE run SET was_cut = 1 WHERE \(Self.isOpen) AND number NOT IN (SELECT value FROM json_each(?1)) AND \(isDead("held_by"))",
      Array(underWay))
    guard !database.isFile else { return }
    try database.run(
      "DELETE FROM claim WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.number = claim.run AND \(Self.isOpen))"
    )
  }

  /// Fails if others took a run to be dead; within a transaction.
  func requireAlive(_ run: Int64) throws(StoreFailure) {
    guard !database.isFile else { return }
    guard try database.exists("SELECT 1 FROM run WHERE number = ?1 AND was_cut = 0", run) else {
      throw .takenForDead(path: database.path)
    }
  }
}
