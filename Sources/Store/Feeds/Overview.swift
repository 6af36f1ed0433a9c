// The numbers of very many feeds, counted in the database.

public import Core

extension Store {
  /// The numbers of all configured feeds; `limit` is that of each list.
  public func overview(at now: Instant, limit: Int) throws(StoreFailure) -> FeedOverview {
    var overview = FeedOverview()
    try database.each(
      """
      SELECT count(*) FILTER (WHERE last_result = 'new-data'), count(*) FILTER (WHERE last_result = 'no-data'),
        count(*) FILTER (WHERE last_result = 'failed'), count(*) FILTER (WHERE \(Self.isProblem)),
        count(*) FILTER (WHERE is_paused = 1 AND coalesce(paused_until, ?1 + 1) > ?1)
      FROM feed WHERE \(Self.isConfigured)
      """, now
    ) { row throws(StoreFailure) in
      overview.results = [.newData: try row.next(), .noData: try row.next(), .failed: try row.next()]
      overview.problems = try row.next()
      overview.paused = try row.next()
    }
    overview.due =
      try database.value("SELECT count(*) FROM feed WHERE due_at IS NULL OR due_at <= ?1", now) ?? 0
    overview.lateness = try lateness(at: now)
    overview.lateHosts = try database.all(
      """
      SELECT host, count(*), min(due_at) FROM feed WHERE due_at > 0 AND due_at <= ?1 AND host IS NOT NULL
      GROUP BY host ORDER BY count(*) DESC, host LIMIT ?2
      """, now, limit
    ) { row throws(StoreFailure) in
      LateHost(host: try row.next(), feeds: try row.next(), since: try row.next())
    }
    overview.limitedHosts = try database.all(
      "SELECT name, limited_until FROM host WHERE limited_until > ?1 ORDER BY limited_until DESC LIMIT ?2",
      now, limit
    ) { row throws(StoreFailure) in (host: try row.next(), until: try row.next()) }
    overview.failedTransfers =
      try database.value("SELECT count(*) FROM transfer WHERE status = 'failed'") ?? 0
    overview.lostDeliveries =
      try database.value("SELECT count(*) FROM delivery WHERE status = 'dead' OR status = 'expired'") ?? 0
    return overview
  }

  /// The feeds with problems, by name.
  public func problemFeeds(limit: Int) throws(StoreFailure) -> [FeedName] {
    try database.rows(
      "SELECT name FROM feed WHERE \(Self.isProblem) AND \(Self.isConfigured) ORDER BY name LIMIT ?1", limit)
  }

  /// `FeedState.isProblem` as SQL.
  private static let isProblem = "(failures > 0 OR is_gone = 1 OR crashes >= 2)"

  /// How late the feeds are that are due; those that have to be looked at do not count.
  private func lateness(at now: Instant) throws(StoreFailure) -> [(percent: Int, by: Interval)] {
    let late = "FROM feed WHERE due_at > 0 AND due_at <= ?1"
    let count: Int = try database.value("SELECT count(*) \(late)", now) ?? 0
    guard count > 0 else { return [] }
    return try [50, 90, 99, 100].map { percent throws(StoreFailure) in
      let since: Instant? = try database.value(
        "SELECT due_at \(late) ORDER BY due_at LIMIT 1 OFFSET ?2", now, count * (100 - percent) / 100)
      return (percent, since.map { now.since($0) } ?? .zero)
    }
  }
}
