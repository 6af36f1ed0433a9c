// Feeds that left the configuration: they keep their state for a while, then it goes.

public import Core

extension Store {
  /// Whether a feed was configured when that was noted last, as SQL; one that came in later counts as configured.
  static let isConfigured =
    "last_configured >= coalesce((SELECT configured_noted FROM owner WHERE one = 1), last_configured)"

  /// The feeds that are not configured and still remembered, by name.
  public func dormantFeeds(configured: Set<FeedName>) throws(StoreFailure) -> [FeedName] {
    try database.values("SELECT name FROM feed ORDER BY name").filter { !configured.contains($0) }
  }

  /// Notes which feeds are configured now; writes at most once a day, so that a run with nothing to do does
  /// not.
  public func noteConfigured(_ feeds: Set<FeedName>, at now: Instant) throws(StoreFailure) {
    // A note from the future comes from a clock that was wrong.
    if let noted: Instant = try database.value("SELECT configured_noted FROM owner"), noted <= now,
      now.since(noted) < .days(1)
    {
      return
    }
    try database.transaction { () throws(StoreFailure) in
      let known = try database.all("SELECT number, name FROM feed") { row throws(StoreFailure) in
        (number: try row.next(Int64.self), name: try row.next(FeedName.self))
      }
      for feed in known where feeds.contains(feed.name) {
        try database.run("UPDATE feed SET last_configured = ?1 WHERE number = ?2", now, feed.number)
      }
      // One noted in the future, under a clock that was wrong, would be kept for as long as that is away.
      try database.run("UPDATE feed SET last_configured = ?1 WHERE last_configured > ?1", now)
      try database.run("UPDATE owner SET configured_noted = ?1", now)
    }
  }

  /// Deletes what is known of feeds that are not configured and last were noted as such before a moment:
  /// state, items and history.
  ///
  /// Gives their names. Their deliveries stay as they are.
  @discardableResult
  public func forgetDormant(
    configured: Set<FeedName>, before: Instant
  ) throws(StoreFailure) -> [FeedName] {
    let old: [FeedName] = try database.values(
      "SELECT name FROM feed WHERE last_configured < ?1 ORDER BY name", before)
    let dormant = old.filter { !configured.contains($0) }
    guard !dormant.isEmpty else { return [] }
    tally = nil
    try database.transaction { () throws(StoreFailure) in
      for feed in dormant {
        try database.run("DELETE FROM feed WHERE name = ?1 AND last_configured < ?2", feed, before)
      }
    }
    return dormant
  }
}
