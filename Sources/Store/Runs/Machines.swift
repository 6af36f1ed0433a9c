// The machines that share a store: their signs of life, what they have fetched, and their pause. A file is one machine's, and
// keeps nothing of this.

public import Core

/// A machine's words about itself, with a sign of life.
public struct SignOfLife: Hashable, Sendable {
  /// The version of the program.
  public var version: String
  public var configuration: SharedSections
  /// How far the clock is ahead of the server's, in milliseconds.
  public var clockLead: Int64
  /// How often such signs come; nil from a run.
  public var period: Interval?
  /// Whether a timer started the run, so that the time since the last one is the period.
  public var isOfTimer: Bool

  public init(
    version: String, configuration: SharedSections, clockLead: Int64, period: Interval? = nil,
    isOfTimer: Bool = false
  ) {
    (self.version, self.configuration, self.clockLead) = (version, configuration, clockLead)
    (self.period, self.isOfTimer) = (period, isOfTimer)
  }
}

extension Store {
  /// Records a sign of life of this machine.
  ///
  /// The period of a timer rises at once and falls slowly, so that a pause at night is not missed every day.
  public func note(_ sign: SignOfLife) throws(StoreFailure) {
    guard !database.isFile else { return }
    try database.run(
      """
      INSERT INTO machine (name, directory, version, sections, period, begun, last_sign, clock_lead)
      VALUES (?1, ?2, ?3, ?4, ?5, CASE WHEN ?6 = 1 THEN \(serverTime) END, \(serverTime), ?7)
      ON CONFLICT (name, directory) DO UPDATE SET version = excluded.version, sections = excluded.sections,
        period = CASE WHEN excluded.begun IS NULL THEN coalesce(excluded.period, machine.period)
          ELSE greatest(excluded.begun - machine.begun, (3 * machine.period + excluded.begun - machine.begun) / 4) END,
        begun = CASE WHEN excluded.period IS NULL THEN coalesce(excluded.begun, machine.begun) END,
        last_sign = excluded.last_sign, signs = machine.signs + 1, clock_lead = excluded.clock_lead
      """, machine, directory, sign.version, AgreedConfiguration(sign.configuration).text,
      sign.period?.seconds, sign.isOfTimer, sign.clockLead)
  }

  /// Records that this machine is alive, during a run.
  func noteAlive() throws(StoreFailure) {
    try database.run(
      "UPDATE machine SET last_sign = \(serverTime) WHERE name = ?1 AND directory = ?2", machine, directory)
  }

  /// The machines that share the store, by name.
  public func machines() throws(StoreFailure) -> [SeenMachine] {
    guard !database.isFile else { return [] }
    return try database.all(
      """
      SELECT name, directory, version, sections, period, last_sign, clock_lead, new_data, no_data, failed
      FROM machine ORDER BY name, directory LIMIT 1000
      """
    ) { row throws(StoreFailure) in
      var machine = SeenMachine(
        name: try row.next(), directory: try row.next(), version: try row.next(),
        configuration: AgreedConfiguration(text: try row.next()).sections,
        period: try row.next(Int64?.self).map(Interval.init(seconds:)), lastSign: try row.next(),
        clockLead: try row.next())
      machine.fetches = try Self.results(&row)
      return machine
    }
  }

  private static func results(_ row: inout Row) throws(StoreFailure) -> [FetchResult: Int] {
    [.newData: try row.next(), .noData: try row.next(), .failed: try row.next()]
  }

  /// Forgets the machines of a name, or the one with a state directory; returns their number.
  public func forgetMachines(_ name: String) throws(StoreFailure) -> Int {
    try database.run("DELETE FROM machine WHERE ?1 IN (name, directory)", name)
  }

  /// Forgets machines that have been silent for a week and for four of their periods, and hosts that were not fetched from
  /// since a moment; returns their number.
  func forgetSilentMachines(before: Instant) throws(StoreFailure) -> Int {
    guard !database.isFile else { return 0 }
    return try database.run("DELETE FROM host_fetches WHERE last_fetch < ?1", before)
      + database.run(
        "DELETE FROM machine WHERE last_sign + greatest(604800, 4 * coalesce(period, 0)) < \(serverTime)")
  }

  /// Counts the fetches of a run that ends, within its transaction.
  func count(_ totals: RunTotals, byHost hosts: [String: [FetchResult: Int]]) throws(StoreFailure) {
    try database.run(
      """
      UPDATE machine SET new_data = new_data + ?3, no_data = no_data + ?4, failed = failed + ?5
      WHERE name = ?1 AND directory = ?2
      """, machine, directory, totals.newData, totals.noData, totals.failed)
    // In the same order in every run, so that no two wait for each other.
    let names = hosts.keys.sorted()
    func counts(_ result: FetchResult) -> [Int64] { names.map { Int64(hosts[$0]?[result] ?? 0) } }
    try database.run(
      """
      INSERT INTO host_fetches (name, new_data, no_data, failed, last_fetch)
      SELECT host.value, fresh.value, same.value, bad.value, \(serverTime) FROM json_each(?1) AS host
        JOIN json_each(?2) AS fresh ON fresh.id = host.id JOIN json_each(?3) AS same ON same.id = host.id
        JOIN json_each(?4) AS bad ON bad.id = host.id
      ON CONFLICT (name) DO UPDATE SET new_data = host_fetches.new_data + excluded.new_data,
        no_data = host_fetches.no_data + excluded.no_data, failed = host_fetches.failed + excluded.failed,
        last_fetch = excluded.last_fetch
      """, names, counts(.newData), counts(.noData), counts(.failed))
  }

  /// The fetches from the hosts that had the most, by result.
  public func hostFetches(limit: Int) throws(StoreFailure) -> [(host: String, results: [FetchResult: Int])] {
    guard !database.isFile else { return [] }
    return try database.all(
      """
      SELECT name, new_data, no_data, failed FROM host_fetches
      ORDER BY new_data + no_data + failed DESC, name LIMIT ?1
      """, limit
    ) { row throws(StoreFailure) in (host: try row.next(), results: try Self.results(&row)) }
  }
}

/// The numbers of a server.
public struct ServerFacts: Hashable, Sendable {
  /// The size of the database.
  public var bytes: Int64
  /// The connections to the database, and how many the server allows.
  public var connections: Int64
  public var connectionLimit: Int64
  /// The hosts that runs have claimed.
  public var claims: Int64
}

extension Store {
  /// The numbers of the server; nil for a file.
  public func serverFacts() throws(StoreFailure) -> ServerFacts? {
    guard !database.isFile else { return nil }
    return try database.first(
      """
      SELECT pg_database_size(current_database()),
        (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()),
        current_setting('max_connections')::bigint, (SELECT count(*) FROM \(liveClaims))
      """
    ) { row throws(StoreFailure) in
      ServerFacts(
        bytes: try row.next(), connections: try row.next(), connectionLimit: try row.next(),
        claims: try row.next())
    }
  }
}

// For all machines: their configuration, and a pause.
extension Store {
  /// Makes a configuration the one of all machines, in place of a former one or of none.
  ///
  /// - Returns: false if another machine has done so within a time.
  public func adopt(
    _ configuration: String, insteadOf former: String?, unlessWithin time: Duration
  ) throws(StoreFailure) -> Bool {
    try database.transaction(.survivesPowerCut) { () throws(StoreFailure) -> Bool in
      let earliest = "\(serverMilliseconds) - ?1"
      guard try self.configuration() == former,
        try !database.exists("SELECT 1 FROM adoption WHERE at > \(earliest)", time / .milliseconds(1))
      else { return false }
      try bind(toConfiguration: configuration, insteadOf: former)
      try database.run("DELETE FROM adoption")
      try database.run("INSERT INTO adoption (at) VALUES (\(serverMilliseconds))")
      return true
    }
  }

  /// Fails if this user of the server may not do what runs do.
  public func requireRights() throws(StoreFailure) {
    guard !database.isFile else { return }
    let closed: [String] = try database.rows(
      """
      SELECT relname::text FROM pg_class WHERE relnamespace = 'bgfetch'::regnamespace AND NOT relispartition
        AND NOT CASE WHEN relkind = 'S' THEN has_sequence_privilege(oid, 'USAGE')
          WHEN relkind = 'r' OR relkind = 'p' THEN has_table_privilege(oid, 'SELECT')
            AND (relname = 'schema_version' OR has_table_privilege(oid, 'INSERT')
              AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
          ELSE true END
      ORDER BY 1
      """)
    guard closed.isEmpty else {
      throw .cannotOpen(path: database.path, detail: "no right to use " + closed.joined(separator: ", "))
    }
  }

  /// The pause of all machines; nil if they are not paused.
  public func fleetPause() throws(StoreFailure) -> FleetPause? {
    guard !database.isFile else { return nil }
    return try database.first(
      "SELECT reason, since, until, machine FROM fleet_pause WHERE coalesce(until > \(serverTime), true)"
    ) { row throws(StoreFailure) in
      FleetPause(
        reason: try row.next(), since: try row.next(), until: try row.next(), machine: try row.next())
    }
  }

  /// Pauses all machines, in place of a pause before; nil ends it.
  public func setFleetPause(_ pause: FleetPause?) throws(StoreFailure) {
    try database.transaction(.survivesPowerCut) { () throws(StoreFailure) in
      try database.run("DELETE FROM fleet_pause")
      guard let pause else { return }
      try database.run(
        "INSERT INTO fleet_pause (reason, since, until, machine) VALUES (?1, ?2, ?3, ?4)", pause.reason,
        pause.since, pause.until, pause.machine)
    }
  }
}
