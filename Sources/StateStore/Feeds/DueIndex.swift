// When each feed is due next, so that a run of very many feeds reads the few that may be due. It is a cache: a feed whose
// moment is unknown, or has come, is decided as usual.
//
// A commit and every other change of a feed make its moment unknown (`noteChange`). All moments belong to a note, the
// fingerprint of what they depend on outside the store; another note makes all of them unknown.

public import Core

extension Store {
  /// The feeds that may be due, by the moments recorded under a note; nil if all feeds must be looked at, because the
  /// note has changed, the clock was set back, or the last look at all of them was a day ago.
  public func mayBeDue(_ note: UInt64, at now: Instant) throws(StoreFailure) -> [FeedName]? {
    guard
      try database.exists(
        """
        SELECT 1 FROM owner WHERE due_note = ?1 AND due_latest <= ?2 AND due_noted > ?3
        """, note, now, now - .days(1))
    else { return nil }
    return try database.rows(
      """
      SELECT name FROM feed WHERE due_at IS NULL
      UNION ALL SELECT name FROM feed WHERE due_at <= ?1
      """, now + DueDecision.longestWait)
  }

  /// Records when feeds that are not due are due next, or `DueDecision.never`; other feeds keep their moments.
  ///
  /// - Parameters:
  ///   - moments: the moments, by feed.
  ///   - changes: the value of `changes()` before the states were read; if a feed has changed since, nothing is recorded.
  ///   - now: the moment of the decisions.
  public func noteDue(
    _ moments: [FeedName: Instant], changes: Int64, at now: Instant
  ) throws(StoreFailure) {
    try database.transaction { () throws(StoreFailure) in
      guard try self.changes() == changes else { return }
      for (feed, moment) in moments {
        try database.run("UPDATE feed SET due_at = ?2 WHERE name = ?1", feed, moment)
      }
      try database.run("UPDATE owner SET due_latest = ?1 WHERE due_latest < ?1", now)
    }
  }

  /// Records the moments of a part of all configured feeds; a feed without one may be due.
  ///
  /// All feeds have to be looked at until `noteAllDue` has followed the last part.
  public func noteDue(
    ofPart feeds: [FeedName], _ moments: [FeedName: Instant], changes: Int64, at now: Instant
  ) throws(StoreFailure) {
    try database.transaction { () throws(StoreFailure) in
      guard try self.changes() == changes else { return }
      // The moments of the other parts may belong to another note.
      try database.run("UPDATE owner SET due_note = NULL WHERE due_note IS NOT NULL")
      for feed in feeds {
        // A feed without a row would never be looked at.
        try database.run(
          """
          INSERT INTO feed (name, last_configured, due_at) VALUES (?1, ?2, ?3)
          ON CONFLICT (name) DO UPDATE SET due_at = excluded.due_at WHERE feed.due_at IS NOT excluded.due_at
          """, feed, now, moments[feed])
      }
    }
  }

  /// Records that every part of the configured feeds was recorded, under a note.
  public func noteAllDue(
    _ note: UInt64, configured: FeedNames, changes: Int64, at now: Instant
  ) throws(StoreFailure) {
    try database.transaction { () throws(StoreFailure) in
      guard try self.changes() == changes else { return }
      // A dormant feed is not looked at until it is configured again, which is another note.
      try eachFeed { number, name throws(StoreFailure) in
        guard !configured.contains(name) else { return }
        try database.run(
          "UPDATE feed SET due_at = ?2 WHERE number = ?1 AND due_at IS NOT ?2", number, DueDecision.never)
      }
      try database.run("UPDATE owner SET due_note = ?1, due_noted = ?2, due_latest = ?2", note, now)
    }
  }

  /// The first moment after one at which a feed is due by what was recorded.
  public func nextDue(after now: Instant) throws(StoreFailure) -> (feed: FeedName, at: Instant)? {
    try database.first(
      "SELECT name, due_at FROM feed WHERE due_at > ?1 AND due_at < ?2 ORDER BY due_at LIMIT 1",
      now, DueDecision.never
    ) { row throws(StoreFailure) in (feed: try row.next(), at: try row.next()) }
  }
}
