// The badge, computed from unseen items and the last `badge set` whenever it is requested.

public import Core

extension Store {
  /// The badge: the number that was set last, less the items seen since, not below zero, plus the items that became
  /// unseen since; zero if nothing is unseen.
  ///
  /// Only configured feeds count.
  public func badge(configured: FeedNames) throws(StoreFailure) -> Int {
    let counted = try database.snapshot { () throws(StoreFailure) in try currentTally(configured) }
    tally = counted
    return counted.badge
  }

  /// Sets the badge to a number; items seen later lower it, new items raise it.
  public func setBadge(_ number: Int, configured: FeedNames, at now: Instant) throws(StoreFailure) {
    tally = nil
    try database.transaction { () throws(StoreFailure) in
      try write(badge: number, configured: configured, at: now)
    }
  }

  /// Sets the badge to a number, which makes earlier tallies invalid; within a transaction.
  func write(badge number: Int, configured: FeedNames, at now: Instant) throws(StoreFailure) {
    // The number does not include the items of dormant feeds, even if a feed comes back later.
    try eachFeed { feed, name throws(StoreFailure) in
      try database.run(
        "UPDATE feed SET outside_badge = ?2 WHERE number = ?1 AND outside_badge IS NOT ?2", feed,
        !configured.contains(name))
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

  /// The current tally, counted anew only if the stored one is outdated; within a transaction.
  func currentTally(_ configured: FeedNames) throws(StoreFailure) -> UnseenTally {
    let version = try dataVersion()
    if let taken = tally, taken.isCurrent(dataVersion: version, configured: configured) { return taken }
    return try countUnseen(configured)
  }

  /// Counts all unseen items; within a transaction, so that the setting and the items match.
  func countUnseen(_ configured: FeedNames) throws(StoreFailure) -> UnseenTally {
    var setting = BadgeSetting()
    try database.each("SELECT number, unseen, newest_item FROM badge") { row throws(StoreFailure) in
      setting = BadgeSetting(number: try row.next(), unseen: try row.next(), newestItem: try row.next())
    }
    var tally = UnseenTally(dataVersion: try dataVersion(), configured: configured, setting: setting)
    // Items are counted before feeds are joined: a run does this once, and there may be very many items.
    try database.each(
      """
      SELECT feed.name, iif(outside_badge, 0, before), after
      FROM (
        SELECT feed, count(*) FILTER (WHERE number <= ?1) AS before, count(*) FILTER (WHERE number > ?1) AS after
        FROM item INDEXED BY item_unseen WHERE is_seen = 0 AND is_filtered = 0 GROUP BY feed) AS unseen
      CROSS JOIN feed ON feed.number = unseen.feed
      """, setting.newestItem
    ) { row throws(StoreFailure) in
      let feed: FeedName = try row.next()
      tally.change(feed, from: UnseenCount(), to: UnseenCount(before: try row.next(), after: try row.next()))
    }
    return tally
  }

  /// Counts the unseen items of one feed.
  func countUnseen(feed: Int64) throws(StoreFailure) -> UnseenCount {
    try database.first(
      """
      SELECT count(*) FILTER (WHERE item.number <= newest_item AND NOT outside_badge),
        count(*) FILTER (WHERE item.number > newest_item)
      FROM item JOIN feed ON feed.number = item.feed JOIN badge
      WHERE item.feed = ?1 AND is_seen = 0 AND is_filtered = 0
      """, feed
    ) { row throws(StoreFailure) in
      UnseenCount(before: try row.next(), after: try row.next())
    } ?? UnseenCount()
  }
}

/// The last `badge set`, or the state before the first one.
struct BadgeSetting: Hashable {
  /// The number that was set.
  var number = 0
  /// The number of items that were unseen then.
  var unseen = 0
  /// The number of the newest item then.
  var newestItem: Int64 = 0

  /// The badge for a count of unseen items.
  ///
  /// The items seen since are the difference between the unseen items up to `newestItem` then and now, so an item that
  /// became unseen again, because it was updated, counts in the other direction.
  func badge(_ unseen: UnseenCount) -> Int {
    guard unseen.before + unseen.after > 0 else { return 0 }
    return max(0, number - (self.unseen - unseen.before)) + unseen.after
  }
}

/// The number of unseen items from before and after the last `badge set`.
struct UnseenCount: Hashable {
  var before = 0
  var after = 0

  static func += (left: inout UnseenCount, right: UnseenCount) {
    left.before += right.before
    left.after += right.after
  }

  static func -= (left: inout UnseenCount, right: UnseenCount) {
    left.before -= right.before
    left.after -= right.after
  }
}

/// The number of unseen items of the configured feeds, kept between commits so that each commit counts only its own feed.
struct UnseenTally {
  /// The `data_version` at the time of the count: other connections must not have committed since.
  let dataVersion: Int
  let configured: FeedNames
  let setting: BadgeSetting
  private var total = UnseenCount()

  init(dataVersion: Int, configured: FeedNames, setting: BadgeSetting) {
    self.dataVersion = dataVersion
    self.configured = configured
    self.setting = setting
  }

  var badge: Int { setting.badge(total) }

  func isCurrent(dataVersion: Int, configured: FeedNames) -> Bool {
    // Comparing a set with itself is immediate, and a run uses one set throughout.
    self.dataVersion == dataVersion && self.configured == configured
  }

  /// Records that the count of a feed has changed, if the feed is configured.
  mutating func change(_ feed: FeedName, from former: UnseenCount, to count: UnseenCount) {
    guard configured.contains(feed) else { return }
    total -= former
    total += count
  }
}
