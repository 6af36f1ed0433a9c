// The machines that share a store: their signs of life, what they have fetched, and what holds for all.

public import Core
import Machine
public import Store
public import Synchronization

extension Store {
  /// Records a sign of life of this machine.
  ///
  /// The period of a timer rises at once and falls slowly, so that a pause at night is not missed every day.
  ///
  /// - Parameters:
  ///   - lead: how far its clock is ahead of the server's, in milliseconds.
  ///   - period: how often such signs come; nil from a run.
  ///   - isOfTimer: whether a timer started the run, so that the time since the last one is the period.
  public func recordMachine(
    version: String, _ configuration: SharedSections, lead: Int64, period: Interval?, isOfTimer: Bool
  ) throws {
    try database.run(
      """
      INSERT INTO machine (name, directory, version, sections, period, begun, last_sign, clock_lead)
      VALUES (?1, ?2, ?3, ?4, ?5, CASE WHEN ?6 = 1 THEN \(ServerTime.seconds) END, \(ServerTime.seconds), ?7)
      ON CONFLICT (name, directory) DO UPDATE SET version = excluded.version, sections = excluded.sections,
        period = CASE WHEN excluded.begun IS NULL THEN coalesce(excluded.period, machine.period)
          ELSE greatest(excluded.begun - machine.begun, (3 * machine.period + excluded.begun - machine.begun) / 4) END,
        begun = CASE WHEN excluded.period IS NULL THEN coalesce(excluded.begun, machine.begun) END,
        last_sign = excluded.last_sign, clock_lead = excluded.clock_lead
      """, membership?.machine, directory, version, AgreedConfiguration(configuration).text, period?.seconds,
      isOfTimer,
      lead)
  }

  /// The machines that share the store, by name.
  public func machines() throws -> [SeenMachine] {
    try database.all(
      """
      SELECT name, directory, version, sections, period, last_sign, clock_lead FROM machine
      ORDER BY name, directory LIMIT 1000
      """
    ) { row in
      var machine = SeenMachine()
      machine.name = try row.next()
      machine.directory = try row.next()
      machine.version = try row.next()
      machine.configuration = AgreedConfiguration(text: try row.next()).sections
      machine.period = try row.next(Int64?.self).map(Interval.init(seconds:))
      machine.lastSign = try row.next()
      machine.clockLead = try row.next()
      return machine
    }
  }

  /// Forgets the machines of a name, or the one with a state directory; returns their number.
  public func forgetMachines(_ name: String) throws -> Int {
    try database.run("DELETE FROM machine WHERE ?1 IN (name, directory)", name)
  }

  /// The fetches of the runs of each machine, and from the hosts with the most: new, unchanged and failed ones.
  public func fetchTotals() throws -> [(name: String, directory: String?, counts: [Int64])] {
    let columns = "new_data, no_data, failed"
    return try database.all(
      """
      SELECT name, directory, \(columns) FROM machine UNION ALL SELECT * FROM (SELECT name, NULL, \(columns)
        FROM host_fetches ORDER BY new_data + no_data + failed DESC, name LIMIT 50) AS host
      """
    ) { row in
      (try row.next(), try row.next(), [try row.next(), try row.next(), try row.next()])
    }
  }

  /// The numbers of a server by name; none of a file.
  public func serverNumbers() throws -> [(String, Int64)] {
    guard membership != nil else { return [] }
    return try database.rows(
      """
      SELECT 'database_bytes', pg_database_size(current_database())
      UNION ALL SELECT 'database_connections', count(*) FROM pg_stat_activity WHERE datname = current_database()
      UNION ALL SELECT 'database_connections_limit', current_setting('max_connections')::bigint
      UNION ALL SELECT 'claims', count(*) FROM \(Self.liveClaims)
      """)
  }
}

// For all machines: their rights, and a pause.
extension Store {
  /// Fails if this user of the server may not read and write all tables.
  public func requireRights() throws {
    guard membership != nil else { return }
    let closed: String? = try database.value(
      """
      SELECT string_agg(relname, ', ' ORDER BY relname) FROM pg_class
      WHERE relnamespace = 'bgfetch'::regnamespace AND (relkind = 'r' OR relkind = 'p') AND NOT relispartition
        AND relname <> 'schema_version' AND NOT (has_table_privilege(oid, 'SELECT')
          AND has_table_privilege(oid, 'INSERT') AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
      """)
    if let closed {
      throw StoreFailure.refused(path: database.path, code: "42501", detail: "no right to use " + closed)
    }
  }

  /// The pause of all machines; nil if they are not paused.
  public func fleetPause() throws -> FleetPause? {
    guard membership != nil else { return nil }
    return try database.first(
      "SELECT pause, pause_end FROM all_machines WHERE pause IS NOT NULL AND coalesce(pause_end > \(ServerTime.seconds), true)"
    ) { row in (try row.next(), try row.next()) }
  }

  /// Pauses all machines, in place of a pause before; nil ends it.
  public func setFleetPause(_ pause: FleetPause?) throws {
    try database.run("UPDATE all_machines SET pause = ?1, pause_end = ?2", pause?.reason, pause?.until)
  }
}

// The traces that runs leave, and how they are forgotten.
extension Membership {
  func endClaims(
    of round: Int64, _ totals: RunTotals, byHost hosts: [String: [FetchResult: Int]]
  ) throws {
    try database.run("DELETE FROM claim WHERE run = ?1", round)
    try database.run(
      """
      UPDATE machine SET new_data = new_data + ?3, no_data = no_data + ?4, failed = failed + ?5
      WHERE name = ?1 AND directory = ?2
      """, machine, directory, totals.newData, totals.noData, totals.failed)
    // In the same order in every run, so that no two wait for each other.
    for (host, results) in hosts.sorted(by: { $0.key < $1.key }) {
      try database.run(
        """
        INSERT INTO host_fetches (name, new_data, no_data, failed, last_fetch) VALUES (?1, ?2, ?3, ?4, \(ServerTime.seconds))
        ON CONFLICT (name) DO UPDATE SET new_data = host_fetches.new_data + excluded.new_data,
          no_data = host_fetches.no_data + excluded.no_data, failed = host_fetches.failed + excluded.failed,
          last_fetch = excluded.last_fetch
        """, host, results[.newData] ?? 0, results[.noData] ?? 0, results[.failed] ?? 0)
    }
  }

  /// Forgets machines that have been silent for a week and for four of their periods, and hosts that nobody fetches from any more.
  ///
  /// - Returns: the number of these machines and hosts. Processes of yesterday go uncounted.
  func prune(before: Instant) throws -> Int {
    let count =
      try database.run("DELETE FROM host_fetches WHERE last_fetch < ?1", before)
      + database.run(
        "DELETE FROM machine WHERE last_sign + greatest(604800, 4 * coalesce(period, 0)) < \(ServerTime.seconds)"
      )
    try database.run("DELETE FROM worker WHERE alive_until < \(ServerTime.seconds) - 86400")
    return count
  }

  func catalog(
    ofStore mark: String, copy path: String, version: Int64, at now: Instant
  ) throws -> StoredCatalog {
    try CatalogCopy.updated(path, of: database, mark, version: version, at: now)
  }
}

/// Whether all machines are paused, by a look each second.
public final class PauseWatch: Sendable {
  public let isPaused = Atomic(false)

  public init() {}

  public func poll(in store: Store) async throws {
    isPaused.store(try await store.fleetPause() != nil, ordering: .relaxed)
  }

  public func keepLooking(in store: Store) async {
    while (try? await WallClock.sleep(for: .seconds(1))) != nil { try? await poll(in: store) }
  }
}
