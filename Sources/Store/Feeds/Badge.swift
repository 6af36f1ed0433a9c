// The badge, computed from the number of unseen items and the last `badge set` whenever it is requested.

public import Core

extension Store {
  /// The badge: the number that was set last, less the items seen since, not below zero, plus the items that became
  /// unseen since; zero if nothing is unseen.
  ///
  /// Only configured feeds count.
  public func badge(configured: FeedNames) throws(StoreFailure) -> Int {
    try database.snapshot { () throws(StoreFailure) in
      let setting = try badgeSetting()
      if let kept = try keptCount(configured) { return setting.badge(kept) }
      return setting.badge(try countUnseen(configured, since: setting))
    }
  }

  /// Sets the badge to a number; items seen later lower it, new items raise it.
  public func setBadge(_ number: Int, configured: FeedNames, at now: Instant) throws(StoreFailure) {
    try database.transaction { () throws(StoreFailure) in
      try write(badge: number, configured: configured, at: now)
    }
  }

  /// Sets the badge to a number; within a transaction.
  func write(badge number: Int, configured: FeedNames, at now: Instant) throws(StoreFailure) {
    // The number does not include the items of dormant feeds, even if a feed comes back later.
    let all: [(Int64, FeedName, Bool)] = try database.rows("SELECT number, name, outside_badge FROM feed")
    let known = configured.known(among: all.map(\.1))
    let changed = all.filter { $0.2 == known.contains($0.1) }
    try database.run(
      "UPDATE feed SET outside_badge = 1 - outside_badge WHERE number IN (SELECT value FROM json_each(?1))",
      changed.map(\.0))
    var setting = BadgeSetting(number: max(0, number))
    setting.newestItem = try database.value("SELECT max(number) FROM item") ?? 0
    // The kept number leaves out what was outside the last one.
    if !changed.isEmpty { try forgetUnseenCount() }
    let kept = try keptCount(configured)
    let unseen = if let kept { kept } else { try countUnseen(configured, since: setting) }
    setting.unseen = unseen.before + unseen.after
    try database.run(
      "UPDATE badge SET at = ?1, number = ?2, unseen = ?3, newest_item = ?4", now, setting.number,
      setting.unseen, setting.newestItem)
    try keep(UnseenCount(before: setting.unseen), configured)
  }

  private func badgeSetting() throws(StoreFailure) -> BadgeSetting {
    try database.first("SELECT number, unseen, newest_item FROM badge") { row throws(StoreFailure) in
      BadgeSetting(number: try row.next(), unseen: try row.next(), newestItem: try row.next())
    } ?? BadgeSetting()
  }
}

// The number of unseen items is kept, because there may be millions. It belongs to one set of configured feeds; whatever
// changes which items are unseen corrects it in the same transaction. On a server it is not kept: the commits of all
// machines would have to change the same row.
extension Store {
  /// Makes a change of items of some feeds, and corrects the kept number of unseen items; within a transaction.
  func changingUnseen<Result>(
    of feeds: some Collection<FeedName>, configured: FeedNames, _ change: () throws(StoreFailure) -> Result
  ) throws(StoreFailure) -> Result {
    guard database.isFile else { return try change() }
    guard try keptCount(configured) != nil else {
      let result = try change()
      try keep(try countUnseen(configured, since: try badgeSetting()), configured)
      return result
    }
    let counted = Array(configured.known(among: Array(feeds)))
    let former = try countUnseen(of: counted)
    let result = try change()
    let count = try countUnseen(of: counted)
    if count != former {
      try database.run(
        "UPDATE badge SET kept_before = kept_before + ?1, kept_after = kept_after + ?2",
        count.before - former.before, count.after - former.after)
    }
    return result
  }

  /// Makes the kept number unknown; within a transaction.
  func forgetUnseenCount() throws(StoreFailure) {
    guard database.isFile else { return }
    try database.run("UPDATE badge SET kept_of = NULL")
  }

  /// The kept number of unseen items of these feeds; nil if none is kept for them.
  private func keptCount(_ configured: FeedNames) throws(StoreFailure) -> UnseenCount? {
    try database.first(
      "SELECT kept_before, kept_after FROM badge WHERE kept_of = ?1", configured.fingerprint
    ) { row throws(StoreFailure) in UnseenCount(before: try row.next(), after: try row.next()) }
  }

  private func keep(_ count: UnseenCount, _ configured: FeedNames) throws(StoreFailure) {
    guard database.isFile else { return }
    try database.run(
      "UPDATE badge SET kept_of = ?1, kept_before = ?2, kept_after = ?3", configured.fingerprint,
      count.before,
      count.after)
  }

  /// Counts all unseen items; within a transaction, so that the setting and the items match.
  private func countUnseen(
    _ configured: FeedNames, since setting: BadgeSetting
  ) throws(StoreFailure) -> UnseenCount {
    // Feed by feed: seen items, of which there may be very many, are not read.
    let counts: [(FeedName, Int, Int)] = try database.rows(
      """
      SELECT name, iif(outside_badge = 1, 0, count(*) FILTER (WHERE item.number <= ?1)),
        count(*) FILTER (WHERE item.number > ?1)
      FROM feed CROSS JOIN item INDEXED BY item_by_feed ON item.feed = feed.number
      WHERE is_seen = 0 AND is_filtered = 0 GROUP BY feed.number
      """, setting.newestItem)
    let known = configured.known(among: counts.map(\.0))
    return counts.reduce(into: UnseenCount()) { total, count in
      if known.contains(count.0) { total += UnseenCount(before: count.1, after: count.2) }
    }
  }

  /// Counts the unseen items of some feeds.
  private func countUnseen(of feeds: [FeedName]) throws(StoreFailure) -> UnseenCount {
    var total = UnseenCount()
    for feed in feeds {
      try database.each(
        """
        SELECT count(*) FILTER (WHERE item.number <= newest_item AND outside_badge = 0),
          count(*) FILTER (WHERE item.number > newest_item)
        FROM feed JOIN item ON item.feed = feed.number JOIN badge ON true
        WHERE name = ?1 AND is_seen = 0 AND is_filtered = 0
        """, feed
      ) { row throws(StoreFailure) in
        total += UnseenCount(before: try row.next(), after: try row.next())
      }
    }
    return total
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
}
