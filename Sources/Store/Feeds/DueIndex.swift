// When each feed is due next, so that a run of many feeds reads the few that may be due. It is a cache: a feed whose
// moment is unknown, or has come, is decided as usual.
//
// Every change of a feed but its commit makes its moment unknown, that is NULL. Before the states of feeds are read, NULL
// becomes `toScan`, and neither a scan nor a commit records a moment in place of NULL: so a change that comes meanwhile is not
// lost. All moments belong to the fingerprint of what they depend on outside the store; another fingerprint makes
// all of them unknown.

public import Core

extension Store {
  /// The feeds that may be due, by the moments recorded under a fingerprint; nil if all feeds must be looked at,
  /// because the fingerprint has changed, the clock was set back, or the last scan of all of them was a day ago.
  ///
  /// - Parameter limit: the most that one round takes; nil returns all.
  public func mayBeDue(
    _ fingerprint: UInt64, at now: Instant, within limit: RoundLimit? = nil
  ) throws -> [FeedName]? {
    guard
      try database.exists(
        """
        SELECT 1 FROM owner WHERE due_note = ?1 AND due_latest <= ?2 AND due_noted > ?3
        """, fingerprint, now, now - .days(1))
    else { return nil }
    if let limit { return try mayBeDue(limit, until: now + DueDecision.longestWait) }
    return try database.rows(
      """
      SELECT name FROM feed WHERE due_at IS NULL
      UNION ALL SELECT name FROM feed WHERE due_at <= ?1
      """, now + DueDecision.longestWait)
  }

  /// Whether all feeds were looked at under a fingerprint; false without one.
  public func hasLooked(under fingerprint: UInt64?) throws -> Bool {
    guard let fingerprint else { return false }
    return try database.exists("SELECT 1 FROM owner WHERE due_note = ?1", fingerprint)
  }

  /// The feeds of the hosts whose feeds have been due longest, without hosts that runs have claimed.
  private func mayBeDue(_ limit: RoundLimit, until end: Instant) throws -> [FeedName] {
    try database.rows(
      """
      WITH first AS (
        SELECT host, name, due_at FROM feed
        WHERE (due_at IS NULL OR due_at <= ?1)
          AND NOT EXISTS (SELECT 1 FROM \(Self.liveClaims) WHERE claim.host = feed.host)
        ORDER BY due_at NULLS FIRST LIMIT ?2)
      SELECT name FROM (
        SELECT feed.name, feed.due_at FROM feed JOIN (
          SELECT host FROM first WHERE host IS NOT NULL GROUP BY host ORDER BY min(coalesce(due_at, 0)) LIMIT ?3
        ) AS chosen ON chosen.host = feed.host
        WHERE feed.due_at IS NULL OR feed.due_at <= ?1
        UNION ALL SELECT name, due_at FROM first WHERE host IS NULL) AS due
      ORDER BY due_at NULLS FIRST LIMIT ?2
      """, end, limit.feeds, limit.hosts)
  }

  /// The moment of a feed that has to be looked at: long ago.
  static let toScan = Instant(secondsSince1970: 0)

  /// Begins a scan of feeds: a feed that changes before its moment is recorded has to be looked at again.
  public func beginScan() throws {
    // In parts, because a server ends statements that take long.
    while try database.exists("SELECT 1 FROM feed WHERE due_at IS NULL LIMIT 1") {
      let part = "SELECT number FROM feed WHERE due_at IS NULL LIMIT 10000"
      try database.run("UPDATE feed SET due_at = ?1 WHERE number IN (\(part))", Self.toScan)
    }
  }

  /// Records what a scan of feeds found, and returns the number of recorded feeds.
  ///
  /// A feed that has changed since `beginScan` is left out. A moment that is not after `now` is recorded only for a feed whose
  /// moment is unknown.
  @discardableResult
  public func recordDue(_ scans: [FeedScan], at now: Instant) throws -> Int {
    try database.transaction {
      let count = try database.run(
        """
        UPDATE feed SET due_at = coalesce(CAST(json_extract(value, '$.due') AS INTEGER), due_at),
          host = json_extract(value, '$.host')
        FROM json_each(?1) WHERE name = json_extract(value, '$.name') AND due_at IS NOT NULL
          AND (CAST(json_extract(value, '$.due') AS INTEGER) > ?2 OR due_at = ?3)
        """, Self.rows(scans), now, Self.toScan)
      try database.run("UPDATE owner SET due_latest = ?1 WHERE due_latest < ?1", now)
      return count
    }
  }

  /// Scans as JSON: one statement for all of them, because each costs a round trip to a server.
  private static func rows(_ scans: [FeedScan]) -> String {
    JSONValue.array(
      scans.map { scan in
        .object([
          ("name", .string(scan.feed.text)), ("host", .text(scan.host)),
          ("due", scan.dueAt.map { .number($0.secondsSince1970) } ?? .null),
        ])
      }
    ).text
  }

  /// Records what a scan of a part of all configured feeds found; a feed without a moment may be due.
  ///
  /// All feeds have to be looked at until `recordAllDue` has followed the last part.
  public func recordDue(ofPart scans: [FeedScan], at now: Instant) throws {
    try database.transaction {
      // The moments of the other parts may belong to another fingerprint.
      try database.run("UPDATE owner SET due_note = NULL WHERE due_note IS NOT NULL")
      // A feed without a row would never be looked at.
      try database.run(
        """
        INSERT INTO feed (name, last_configured, due_at, host)
        SELECT json_extract(value, '$.name'), ?2, coalesce(CAST(json_extract(value, '$.due') AS INTEGER), ?3),
          json_extract(value, '$.host')
        FROM json_each(?1) WHERE true
        ON CONFLICT (name) DO UPDATE SET due_at = excluded.due_at, host = excluded.host
          WHERE feed.due_at <> excluded.due_at OR feed.due_at IS NOT NULL AND feed.host IS NOT excluded.host
        """, Self.rows(scans), now, Self.toScan)
    }
  }

  /// Records that every part of the configured feeds was recorded, under a fingerprint.
  public func recordAllDue(
    _ fingerprint: UInt64, configured: FeedNames, at now: Instant
  ) throws {
    // A dormant feed is not looked at until it is configured again, which is another fingerprint.
    try eachPart { part in
      let known = configured.known(among: part.map(\.name))
      let dormant = part.filter { !known.contains($0.name) }.map(\.number)
      guard !dormant.isEmpty else { return }
      try database.run(
        """
        UPDATE feed SET due_at = ?2 WHERE number IN (SELECT value FROM json_each(?1)) AND due_at IS NOT ?2
          AND \(Self.isNotInCatalog)
        """, dormant, DueDecision.never)
    }
    try database.run("UPDATE owner SET due_note = ?1, due_noted = ?2, due_latest = ?2", fingerprint, now)
  }

  /// Records that feeds are not configured, so that they are not looked at again and again.
  public func recordUnknown(_ feeds: [FeedName]) throws {
    try database.run(
      """
      UPDATE feed SET due_at = ?2 WHERE name IN (SELECT value FROM json_each(?1)) AND \(Self.isNotInCatalog)
      """, feeds, DueDecision.never)
  }

  /// Whether the catalog does not have a feed, as SQL: a machine with an older copy of it may not know the feed yet.
  private static let isNotInCatalog =
    "NOT EXISTS (SELECT 1 FROM catalog WHERE catalog.name = feed.name AND url IS NOT NULL)"

  /// The first moment after one at which a feed is due by what was recorded.
  public func nextDue(after now: Instant) throws -> DueOutlook.NextFeed? {
    try database.first(
      "SELECT name, due_at FROM feed WHERE due_at > ?1 AND due_at < ?2 ORDER BY due_at LIMIT 1",
      now, DueDecision.never
    ) { row in DueOutlook.NextFeed(try row.next(), at: try row.next()) }
  }
}
