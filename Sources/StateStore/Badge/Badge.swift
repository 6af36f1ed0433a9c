// The badge, computed from the items whenever it is asked for.

public import Core

extension Store {
  /// The badge: what was set last less what was seen since, never below zero, and the unseen items that came
  /// after; zero if nothing is unseen.
  ///
  /// Feeds that are not configured have no part in it.
  public func badge(configured: Set<FeedName>) throws(StoreFailure) -> Int {
    let counted = try database.snapshot { () throws(StoreFailure) in try currentTally(configured) }
    tally = counted
    return counted.badge
  }

  /// Sets the badge to a number; what is seen later lowers it, what comes later raises it.
  public func setBadge(_ number: Int, configured: Set<FeedName>, at now: Instant) throws(StoreFailure) {
    tally = nil
    try database.transaction { () throws(StoreFailure) in
      try write(badge: number, configured: configured, at: now)
    }
  }

  /// Sets the badge to a number; within a transaction.
  ///
  /// What was tallied before does not hold any more.
  func write(badge number: Int, configured: Set<FeedName>, at now: Instant) throws(StoreFailure) {
    // The items of a feed that is dormant now are not in this number, also when the feed comes back.
    let feeds = try database.all("SELECT number, name, outside_badge FROM feed") { row throws(StoreFailure) in
      (
        number: try row.next(Int64.self), name: try row.next(FeedName.self),
        isOutside: try row.next(Bool.self)
      )
    }
    for feed in feeds where feed.isOutside == configured.contains(feed.name) {
      try database.run("UPDATE feed SET outside_badge = ?2 WHERE number = ?1", feed.number, !feed.isOutside)
    }
    let unseen = try unseenCounts().reduce(0) { sum, count in
      configured.contains(count.key) ? sum + count.value : sum
    }
    try database.run(
      """
      UPDATE badge SET at = ?1, number = ?2, unseen = ?3,
        newest_item = (SELECT coalesce(max(number), 0) FROM item)
      """, now, max(0, number), unseen)
  }

  /// The tally as it is now, the one at hand if it still holds; within a transaction.
  func currentTally(_ configured: Set<FeedName>) throws(StoreFailure) -> UnseenTally {
    let version = try dataVersion()
    if let taken = tally, taken.holds(dataVersion: version, configured: configured) { return taken }
    return try countUnseen(configured)
  }

  /// Counts all unseen items; within a transaction, so that setting and items belong together.
  func countUnseen(_ configured: Set<FeedName>) throws(StoreFailure) -> UnseenTally {
    var tally = UnseenTally(
      dataVersion: try dataVersion(), configured: configured, setting: try badgeSetting())
    let counts = try database.all(
      """
      SELECT feed.name,
        count(*) FILTER (WHERE item.number <= newest_item AND NOT outside_badge),
        count(*) FILTER (WHERE item.number > newest_item)
      FROM item INDEXED BY item_unseen CROSS JOIN feed ON feed.number = item.feed CROSS JOIN badge
      WHERE is_seen = 0 AND is_filtered = 0 GROUP BY item.feed
      """
    ) { row throws(StoreFailure) in
      (feed: try row.next(FeedName.self), count: UnseenCount(before: try row.next(), after: try row.next()))
    }
    for (feed, count) in counts { tally.replace(feed, with: count) }
    return tally
  }

  /// Counts the unseen items of one feed.
  func countUnseen(feed: Int64) throws(StoreFailure) -> UnseenCount {
    try database.first(
      """
      SELECT
        count(*) FILTER (WHERE item.number <= newest_item AND NOT outside_badge),
        count(*) FILTER (WHERE item.number > newest_item)
      FROM item JOIN feed ON feed.number = item.feed JOIN badge
      WHERE item.feed = ?1 AND is_seen = 0 AND is_filtered = 0
      """, feed
    ) { row throws(StoreFailure) in
      UnseenCount(before: try row.next(), after: try row.next())
    } ?? UnseenCount()
  }

  private func badgeSetting() throws(StoreFailure) -> BadgeSetting {
    try database.first("SELECT number, unseen, newest_item FROM badge") { row throws(StoreFailure) in
      BadgeSetting(number: try row.next(), unseen: try row.next(), newestItem: try row.next())
    } ?? BadgeSetting()
  }
}
