// What the store knows of a feed besides its state: its items in numbers, and its last fetches.

public import Core

extension Store {
  /// A feed in numbers, with up to ten of its last fetches.
  ///
  /// One that was never asked has nothing.
  public func facts(of feed: FeedName) throws(StoreFailure) -> FeedFacts {
    let known: Int64? = try database.value("SELECT number FROM feed WHERE name = ?1", feed)
    guard let known else { return FeedFacts() }
    let counted = try database.first(
      """
      SELECT count(*) FILTER (WHERE is_filtered = 0 AND is_pruned = 0),
        count(*) FILTER (WHERE is_filtered = 0 AND is_seen = 0), count(*) FILTER (WHERE is_filtered = 1),
        count(*) FILTER (WHERE is_pruned = 1 AND is_filtered = 0), min(first_seen)
      FROM item WHERE feed = ?1
      """, known
    ) { row throws(StoreFailure) in
      var facts = FeedFacts()
      facts.items = try row.next()
      facts.unseen = try row.next()
      facts.filtered = try row.next()
      facts.pruned = try row.next()
      facts.firstItem = try row.next()
      return facts
    }
    var facts = counted ?? FeedFacts()
    facts.failingSince = try failingSince(known)
    facts.hubLinks = try hubLinks(of: known)
    facts.lastFetches = try fetches(of: feed, limit: 10)
    return facts
  }

  private func failingSince(_ feed: Int64) throws(StoreFailure) -> Instant? {
    try database.value(
      """
      SELECT min(started) FROM fetch
      WHERE feed = ?1 AND result = 'failed' AND is_counted
        AND number > coalesce((SELECT max(number) FROM fetch WHERE feed = ?1 AND result <> 'failed'), 0)
      """, feed)
  }
}
