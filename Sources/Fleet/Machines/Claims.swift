// Claims that keep runs of several machines apart: each claims the hosts of its feeds, so that nobody else takes feeds of them.
//
// Runs are begun only under the run lock. A run that is marked as cut may still be alive, in a process that was stopped or on a
// machine that lost the network (Membership.swift): nothing that it writes later counts. Its fetches have no attempt any more, and
// it gets no new ones.

public import Core
public import Store

extension Membership {
  func claim(_ hosts: Set<String>, for round: Int64) throws {
    let claimed = try database.run(
      "INSERT INTO claim (host, run) SELECT value, ?2 FROM json_each(?1) ON CONFLICT DO NOTHING",
      Array(hosts), round)
    // A run that was stopped for long may have gone on since this one was planned.
    guard claimed == hosts.count else {
      throw StoreFailure.busy(path: server.path, detail: "another run has claimed a host meanwhile")
    }
  }

  func releaseDead() throws {
    try database.run(
      "DELETE FROM claim WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.number = claim.run AND \(Store.isOpen))"
    )
  }

  func requireAlive(_ round: Int64) throws {
    guard try database.exists("SELECT 1 FROM run WHERE number = ?1 AND was_cut = 0", round) else {
      throw StoreFailure.takenForDead(path: server.path)
    }
  }
}

extension Store {
  /// Gives claimed hosts back.
  public func release(_ hosts: Set<String>, of round: Int64) throws {
    try database.run(
      "DELETE FROM claim WHERE run = ?1 AND host IN (SELECT value FROM json_each(?2))", round, Array(hosts))
  }

  /// The machines whose runs fetch now, one for each run.
  public func fetchingMachines() throws -> [String] {
    guard let membership else { return [] }
    return try database.rows(
      "SELECT coalesce(machine, '') FROM run WHERE \(Self.isOpen) AND \(membership.isAlive("held_by"))")
  }
}

// Reservations.
extension Store {
  /// Reserves a request to a host, at least `delay` after the last one that any machine has reserved; returns how long to wait
  /// for it, in milliseconds.
  ///
  /// A claim is not enough: a redirect leads to a host that another machine may have claimed. A reservation that is much later
  /// was made before the server's clock was set back, and is ignored.
  ///
  /// A server that crashes forgets its commits of the last moment, and perhaps who had claimed a host. After that it counts
  /// as if each host had been asked when it was up again; its statistics begin then.
  ///
  /// - Parameter lateness: by how many milliseconds the request may begin later; the next one waits as much longer.
  /// - Throws: `takenForDead` if the run is not alive.
  public func reserveRequest(
    to host: String, delay: Interval, lateness: Int64 = 0, round: Int64
  ) throws -> Int64 {
    guard let membership else { return 0 }
    // A second reservation only postpones the request, while the wait of one whose answer was lost would count from too late.
    let wait: Int64? = try membership.server.repeatable {
      try database.value(
        """
        INSERT INTO host (name, reserved)
        SELECT ?1, ?6 + greatest(\(ServerTime.milliseconds),
          (SELECT (extract(epoch FROM stats_reset) * 1000)::bigint FROM pg_stat_bgwriter) + least(?2, ?5))
        WHERE EXISTS (SELECT 1 FROM run WHERE number = ?4 AND \(Self.isOpen))
        ON CONFLICT (name) DO UPDATE SET reserved = CASE WHEN host.reserved > excluded.reserved + ?3 THEN excluded.reserved
          ELSE greatest(excluded.reserved, host.reserved + ?2 + ?6) END
        RETURNING greatest(0, reserved - ?6 - \(ServerTime.milliseconds))
        """, host, delay.seconds * 1000, (delay + delay + .hours(1)).seconds * 1000, round,
        longestAfterCrash, lateness
      )
    }
    guard let wait else { throw StoreFailure.takenForDead(path: database.path) }
    return wait
  }
}

/// The longest time after a crash, in milliseconds, for which a host counts as just asked.
///
/// Longer delays are kept by the run that has asked it, which is alive as a rule.
private let longestAfterCrash: Int64 = 10_000
