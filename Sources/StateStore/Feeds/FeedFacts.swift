// What the store knows of a feed besides its state: its items in numbers, and its last fetches.

public import Core

/// A feed in numbers.
public struct FeedFacts: Hashable, Sendable {
  /// Items that are listed: neither filtered out nor pruned.
  public var items = 0
  /// Those of them that are unseen.
  public var unseen = 0
  /// Items that a filter left out.
  public var filtered = 0
  /// Older items of which only the identity is left.
  public var pruned = 0
  /// When the first item was stored; nil where there is none.
  public var firstItem: Instant?
  /// When the first of the failures in a row began; nil where the last fetch that says something did not fail.
  public var failingSince: Instant?
  /// Where changes can be subscribed to.
  public var hubLinks = HubLinks()
  /// The last fetches, newest first.
  public var lastFetches: [FetchRecord] = []

  /// A feed that was never asked.
  public init() {}
}

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
