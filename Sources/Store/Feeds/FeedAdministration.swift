// Pauses, statistics of one feed and of all, and feeds that were removed from the configuration.

public import Core

// Pauses. A commit leaves them alone, so a person can set and end them while a run has the feed in flight.
extension Store {
  /// The feeds that have moved, or whose documents have more items than are listed.
  public func feedsWithRemarks() throws -> [FeedName] {
    try database.rows(
      """
      SELECT name FROM feed
      WHERE document_items > ?1 OR number IN (SELECT feed FROM move WHERE is_learned = 1)
      """, ItemBounds.listed)
  }

  /// Pauses feeds, which need not have been requested before; returns those whose pause is new or has changed.
  @discardableResult
  public func pause(
    _ feeds: [FeedName], until: Instant?, at now: Instant
  ) throws -> Set<FeedName> {
    try database.transaction {
      let changed: [FeedName] = try database.rows(
        """
        INSERT INTO feed (name, last_configured, is_paused, paused_until) SELECT value, ?2, 1, ?3 FROM json_each(?1) WHERE true
        ON CONFLICT (name) DO UPDATE SET is_paused = 1, paused_until = excluded.paused_until, due_at = NULL
          WHERE feed.is_paused = 0 OR feed.paused_until IS NOT excluded.paused_until
        RETURNING name
        """, Array(Set(feeds)), now, until)
      if !changed.isEmpty { try recordChange() }
      return Set(changed)
    }
  }

  /// Ends the pauses of feeds; returns the feeds whose pause had not ended by itself.
  @discardableResult
  public func resume(_ feeds: [FeedName], at now: Instant) throws -> Set<FeedName> {
    try database.transaction {
      let named = "is_paused = 1 AND name IN (SELECT value FROM json_each(?1))"
      let active: [FeedName] = try database.rows(
        "SELECT name FROM feed WHERE \(named) AND (paused_until IS NULL OR paused_until > ?2)", feeds, now)
      let ended = try database.run(
        "UPDATE feed SET is_paused = 0, paused_until = NULL, due_at = NULL WHERE \(named)", feeds)
      if ended > 0 { try recordChange() }
      return Set(active)
    }
  }
}

// Statistics.
extension Store {
  /// Whether the store has no feed yet: none was requested or paused.
  public func isEmpty() throws -> Bool {
    try !database.exists("SELECT 1 FROM feed")
  }

  /// The statistics of a feed, with its ten latest fetches.
  public func facts(of feed: FeedName) throws -> FeedFacts {
    guard let number = try number(of: feed) else { return FeedFacts() }
    var facts = FeedFacts()
    try database.each(
      """
      SELECT count(*) FILTER (WHERE is_filtered = 0 AND is_pruned = 0),
        count(*) FILTER (WHERE is_filtered = 0 AND is_seen = 0), count(*) FILTER (WHERE is_filtered = 1),
        count(*) FILTER (WHERE is_pruned = 1 AND is_filtered = 0), min(first_seen)
      FROM item WHERE feed = ?1
      """, number
    ) { row in
      facts.items = try row.next()
      facts.unseen = try row.next()
      facts.filtered = try row.next()
      facts.pruned = try row.next()
      facts.firstItem = try row.next()
    }
    facts.failingSince = try database.value(
      """
      SELECT min(started) FROM fetch
      WHERE feed = ?1 AND result = 'failed' AND is_counted = 1
        AND number > coalesce((SELECT max(number) FROM fetch WHERE feed = ?1 AND result <> 'failed'), 0)
      """, number)
    facts.hubLinks = try hubLinks(of: number)
    facts.lastFetches = try fetches(of: feed, limit: 10)
    return facts
  }
}

// Feeds that were removed from the configuration keep their state for a while.
extension Store {
  /// Whether a feed was configured at the last `recordConfigured`, or is newer, as SQL.
  static let isConfigured =
    "last_configured >= coalesce((SELECT configured_noted FROM owner WHERE one = 1), last_configured)"

  /// Calls `body` with the numbers and names of all stored feeds, in parts; it may change them.
  func eachPart(
    _ body: ([(number: Int64, name: FeedName)]) throws -> Void
  ) throws {
    var last = Int64.min
    while true {
      let part = try database.all(
        "SELECT number, name FROM feed WHERE number > ?1 ORDER BY number LIMIT 1000", last
      ) { row in (number: try row.next(Int64.self), name: try row.next(FeedName.self)) }
      try body(part)
      guard part.count == 1000, let end = part.last?.number else { return }
      last = end
    }
  }

  /// The stored feeds that are not configured, by name.
  public func dormantFeeds(configured: FeedNames) throws -> [FeedName] {
    let all: [FeedName] = try database.rows("SELECT name FROM feed ORDER BY name")
    let known = configured.known(among: all)
    return all.filter { !known.contains($0) }
  }

  /// The feeds with items that left the configuration since `recordConfigured`, by name, each with its number of unseen items.
  public func feedsThatLeft(
    _ configured: FeedNames
  ) throws -> [(feed: FeedName, unseen: Int)] {
    let noted: [(feed: FeedName, unseen: Int)] = try database.all(
      """
      SELECT name, count(*) FILTER (WHERE is_seen = 0) FROM feed JOIN item ON item.feed = feed.number
      WHERE \(Self.isConfigured) AND is_filtered = 0 GROUP BY feed.number ORDER BY name
      """
    ) { row in (try row.next(), try row.next()) }
    let known = configured.known(among: noted.map(\.feed))
    return noted.filter { !known.contains($0.feed) }
  }

  /// Records which feeds are configured, at most once a day so that a run with nothing to do does not write.
  ///
  /// - Parameter onceADay: whether to keep a record that is not a day old.
  public func recordConfigured(
    _ feeds: FeedNames, at now: Instant, onceADay: Bool = true
  ) throws {
    // A note from the future was written while the clock was wrong.
    if onceADay, let noted: Instant = try database.value("SELECT configured_noted FROM owner"), noted <= now,
      now.since(noted) < .days(1)
    {
      return
    }
    // Each part is a transaction of its own: other runs must not wait until all feeds are noted.
    try eachPart { part in
      let known = feeds.known(among: part.map(\.name))
      let configured = part.filter { known.contains($0.name) }.map(\.number)
      try database.run(
        "UPDATE feed SET last_configured = ?1 WHERE number IN (SELECT value FROM json_each(?2))", now,
        configured)
    }
    // A dormant feed with a moment in the future, from a wrong clock, would be kept too long. If this clock is the wrong one,
    // it would be forgotten too soon.
    if try clockTrust(at: now).isConfirmed {
      try database.run("UPDATE feed SET last_configured = ?1 WHERE last_configured > ?1", now)
    }
    try database.run("UPDATE owner SET configured_noted = ?1", now)
  }

  /// Deletes the state, items and history of feeds that have been out of the configuration since a moment; returns
  /// their names.
  ///
  /// Their deliveries stay, and feeds with starred items.
  @discardableResult
  public func forgetDormant(
    configured: FeedNames, before: Instant
  ) throws -> [FeedName] {
    let old: [FeedName] = try database.rows(
      """
      SELECT name FROM feed
      WHERE last_configured < ?1 AND number NOT IN (SELECT feed FROM item JOIN starred ON starred.item = item.number)
      ORDER BY name
      """, before)
    let known = configured.known(among: old)
    let dormant = old.filter { !known.contains($0) }
    guard !dormant.isEmpty else { return [] }
    try database.transaction {
      try forgetUnseenCount()
      for feed in dormant {
        let number: Int64? = try database.value(
          "DELETE FROM feed WHERE name = ?1 AND last_configured < ?2 RETURNING number", feed, before)
        // Where the history is kept by day, no foreign key does it.
        try database.run("DELETE FROM fetch WHERE feed = ?1", number)
      }
    }
    return dormant
  }
}

extension Store {
  /// The configured feeds, as SQL over a parameter with the names of those of files; the catalog has the others.
  private static let configuredFeeds =
    "feed LEFT JOIN catalog USING (name) WHERE (url IS NOT NULL OR name IN (SELECT value FROM json_each(?1)))"

  /// The numbers of all configured feeds; each list has at most `limit` entries.
  public func overview(
    ofFiles names: [FeedName], at now: Instant, limit: Int
  ) throws -> FeedOverview {
    var overview = FeedOverview()
    try database.each(
      """
      SELECT count(*) FILTER (WHERE last_result = 'new-data'), count(*) FILTER (WHERE last_result = 'no-data'),
        count(*) FILTER (WHERE last_result = 'failed'), count(*) FILTER (WHERE \(Self.isProblem)),
        count(*) FILTER (WHERE is_paused = 1 AND coalesce(paused_until, ?2 + 1) > ?2),
        count(*) FILTER (WHERE due_at IS NULL OR due_at <= ?2)
      FROM \(Self.configuredFeeds)
      """, names, now
    ) { row in
      overview.results = [.newData: try row.next(), .noData: try row.next(), .failed: try row.next()]
      overview.problems = try row.next()
      overview.paused = try row.next()
      overview.due = try row.next()
    }
    // Feeds that have to be read first do not count.
    let due: [Instant] = try database.rows(
      "SELECT due_at FROM \(Self.configuredFeeds) AND due_at > 0 AND due_at <= ?2", names, now)
    overview.lateness = FeedOverview.lateness(due.map { now.since($0) })
    overview.lateHosts = try database.all(
      """
      SELECT host, count(*), min(due_at) FROM \(Self.configuredFeeds)
        AND due_at > 0 AND due_at <= ?2 AND host IS NOT NULL
      GROUP BY host ORDER BY count(*) DESC, host LIMIT ?3
      """, names, now, limit
    ) { row in
      LateHost(host: try row.next(), feeds: try row.next(), since: try row.next())
    }
    overview.limitedHosts = try database.all(
      "SELECT name, limited_until FROM host WHERE limited_until > ?1 ORDER BY limited_until DESC LIMIT ?2",
      now, limit
    ) { row in (host: try row.next(), until: try row.next()) }
    overview.failedTransfers =
      try database.value("SELECT count(*) FROM transfer WHERE status = 'failed'") ?? 0
    overview.lostDeliveries =
      try database.value("SELECT count(*) FROM delivery WHERE status = 'dead' OR status = 'expired'") ?? 0
    return overview
  }

  /// The configured feeds with problems, by name.
  public func problemFeeds(of names: [FeedName], limit: Int) throws -> [FeedName] {
    try database.rows(
      "SELECT name FROM \(Self.configuredFeeds) AND \(Self.isProblem) ORDER BY name LIMIT ?2", names, limit)
  }

  /// `FeedState.isProblem` as SQL.
  private static let isProblem = "(failures > 0 OR is_gone = 1 OR crashes >= 2)"
}
