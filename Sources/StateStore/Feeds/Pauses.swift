// Pauses: set and ended by a person, at any time, also while a run has the feed in flight. What a run commits of a
// feed leaves them alone.

public import Core

extension Store {
  /// Pauses feeds, also such as were never asked; gives those that were not paused just so before.
  @discardableResult
  public func pause(
    _ feeds: [FeedName], until: Instant?, at now: Instant
  ) throws(StoreFailure) -> Set<FeedName> {
    try database.transaction { () throws(StoreFailure) -> Set<FeedName> in
      var changed: Set<FeedName> = []
      for feed in feeds {
        try database.run(
          """
          UPDATE feed SET is_paused = 1, paused_until = ?2
          WHERE number = ?1 AND (is_paused = 0 OR paused_until IS NOT ?2)
          """, try number(of: feed, configured: now), until)
        if database.changes > 0 { changed.insert(feed) }
      }
      return changed
    }
  }

  /// Ends the pauses of feeds; gives those whose pause still held.
  @discardableResult
  public func unpause(_ feeds: [FeedName], at now: Instant) throws(StoreFailure) -> Set<FeedName> {
    try database.transaction { () throws(StoreFailure) -> Set<FeedName> in
      var changed: Set<FeedName> = []
      for feed in feeds {
        let held: Bool? = try database.value(
          """
          SELECT paused_until IS NULL OR paused_until > ?2 FROM feed WHERE name = ?1 AND is_paused = 1
          """, feed, now)
        guard let held else { continue }
        try database.run("UPDATE feed SET is_paused = 0, paused_until = NULL WHERE name = ?1", feed)
        if held { changed.insert(feed) }
      }
      return changed
    }
  }
}
