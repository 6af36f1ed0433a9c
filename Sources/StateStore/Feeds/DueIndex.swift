// When each feed is due next, so that a run of very many feeds reads the few that may be due. It is a cache: a feed whose
// moment is unknown, or has come, is decided as usual.
//
// A commit and every other change of a feed make its moment unknown. All moments belong to a note, the fingerprint of what
// they depend on outside the store; another note makes all of them unknown.

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

  /// Records when feeds that are not due are due next, or `DueDecision.never`.
  ///
  /// - Parameters:
  ///   - moments: the moments, by feed; other feeds keep theirs.
  ///   - all: the configured feeds and the note, if every feed was looked at.
  ///   - changes: the value of `changes()` before the states were read; if a feed has changed since, nothing is recorded.
  ///   - now: the moment of the decisions.
  public func noteDue(
    _ moments: [FeedName: Instant], all: (note: UInt64, configured: FeedNames)?, changes: Int64,
    at now: Instant
  ) throws(StoreFailure) {
    try database.transaction { () throws(StoreFailure) in
      guard try self.changes() == changes else { return }
      guard let all else {
        for (feed, moment) in moments {
          try database.run("UPDATE feed SET due_at = ?2 WHERE name = ?1", feed, moment)
        }
        try database.run("UPDATE owner SET due_latest = ?1 WHERE due_latest < ?1", now)
        return
      }
      let stored: [(Int64, FeedName, Instant?)] = try database.rows("SELECT number, name, due_at FROM feed")
      for (number, name, known) in stored {
        // A dormant feed is not looked at until it is configured again, which is another note.
        let moment = all.configured.contains(name) ? moments[name] : DueDecision.never
        guard moment != known else { continue }
        try database.run("UPDATE feed SET due_at = ?2 WHERE number = ?1", number, moment)
      }
      // A feed without a row would never be looked at.
      let names = Set(stored.map(\.1))
      for feed in all.configured where !names.contains(feed) {
        try database.run("INSERT INTO feed (name, last_configured) VALUES (?1, ?2)", feed, now)
      }
      try database.run(
        "UPDATE owner SET due_note = ?1, due_noted = ?2, due_latest = ?2", all.note, now)
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
