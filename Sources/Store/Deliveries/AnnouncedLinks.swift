// One link in several feeds: it counts as one item, and the links that delivered messages have named are not named again.

public import Core

/// How many of the newest items of a store, or of a message, may be those whose links new ones repeat.
private let mostLinks = 5000

extension Store {
  /// Lets the unseen items of other feeds count instead of new ones with their links; within a transaction.
  func recordRepeated(
    _ items: some Sequence<(Int64, ItemRecord)>, of feed: Int64, _ configured: FeedNames
  ) throws {
    let fresh = items.filter { !$1.isSeen && !$1.isFiltered && $1.keys.link != nil }
    guard let first = fresh.first?.0 else { return }
    try readUnseenLinks(before: first)
    for (number, record) in fresh {
      guard let key = record.keys.link, let link = record.link else { continue }
      if let earlier = unseenLinks[key], earlier < number,
        let other = try unseenFeed(of: earlier, key, configured),
        try isRepetition(key, link, in: feed, of: other, configured)
      {
        try database.run("UPDATE item SET is_seen = 2 WHERE number = ?1", number)
        try database.run(
          "INSERT INTO repeated_item (item, first_item) VALUES (?1, ?2)", number, earlier)
      } else {
        unseenLinks[key] = number
      }
    }
  }

  /// Reads the newest unseen items before the first look, and on a server those of other machines.
  private func readUnseenLinks(before number: Int64) throws {
    if unseenLinks.count > 4 * mostLinks { unseenLinks = [:] }
    guard unseenLinks.isEmpty || neighbours != nil else { return }
    let last = unseenLinks.values.max() ?? 0
    let found: [(UInt64, Int64)] = try database.rows(
      """
      SELECT link_key, number FROM item
      WHERE number > ?1 AND number < ?2 AND is_seen = 0 AND is_filtered = 0 AND link_key IS NOT NULL ORDER BY number
      """, max(last, number - Int64(mostLinks)), number)
    for (key, number) in found { unseenLinks[key] = number }
  }

  /// The feed of an item with a link that is still unseen; nil if it is not, or the feed is not configured.
  private func unseenFeed(
    of item: Int64, _ link: UInt64, _ configured: FeedNames
  ) throws -> Int64? {
    let found: [(Int64, FeedName)] = try database.rows(
      """
      SELECT feed.number, name FROM item JOIN feed ON feed.number = item.feed
      WHERE item.number = ?1 AND link_key = ?2 AND is_seen = 0
      """, item, link)
    return found.first { configured.contains($0.1) }?.0
  }

  /// The items whose link an item of another feed also has: one of these items that came earlier, as lists have it, or one
  /// that a message to the hook has named.
  ///
  /// The front page of a site, and a link that several items of a feed have, do not identify an item. A feed that is at home
  /// on the link's host is not silenced by one that is not (`FeedHome`).
  public func repeatedItems(
    _ items: [Int64], to hook: String, among configured: FeedNames, at now: Instant
  ) throws -> Set<Int64> {
    var earlier: [UInt64: Int64] = [:]
    var repeated: Set<Int64> = []
    let found: [(Int64, Int64, UInt64, String)] = try database.rows(
      """
      SELECT number, feed, link_key, link FROM json_each(?1) JOIN item ON number = value
      WHERE link_key IS NOT NULL AND link IS NOT NULL ORDER BY number
      """, items)
    for (number, feed, key, link) in found {
      var other = earlier[key]
      if other == nil { other = try announcer(of: key, to: hook, apartFrom: feed, at: now) }
      if let other, try isRepetition(key, link, in: feed, of: other, configured) {
        repeated.insert(number)
      } else if earlier[key] == nil {
        earlier[key] = feed
      }
    }
    return repeated
  }

  /// Another feed for which a message to the hook has named a link.
  private func announcer(
    of link: UInt64, to hook: String, apartFrom feed: Int64, at now: Instant
  ) throws -> Int64? {
    try database.value(
      "SELECT feed FROM announced_link WHERE link = ?1 AND hook = ?2 AND feed <> ?3 AND at BETWEEN ?4 AND ?5",
      link, hook, feed, now - Retention.announcedLinks, now + Retention.announcedLinks)
  }

  /// Whether a link identifies one item of each of two feeds, of which the other one's may count for both.
  private func isRepetition(
    _ key: UInt64, _ link: String, in feed: Int64, of other: Int64, _ configured: FeedNames
  ) throws -> Bool {
    guard feed != other, !isFrontPage(link),
      try home(of: feed, configured).repeats(link, of: home(of: other, configured))
    else { return false }
    return try !database.exists(
      "SELECT 1 FROM item WHERE feed IN (?1, ?2) AND link_key = ?3 GROUP BY feed HAVING count(*) > 1", feed,
      other,
      key)
  }

  private func home(of feed: Int64, _ configured: FeedNames) throws -> FeedHome {
    let home = try database.first("SELECT name, link FROM feed WHERE number = ?1", feed) {
      row in
      FeedHome(address: configured.address(of: try row.next()), link: try row.next())
    }
    return home ?? FeedHome(address: nil, link: nil)
  }

  /// Notes the links of all items of a delivered message or digest, also of items that it only counts.
  func recordLinks(of delivery: Int64, to hook: String, at now: Instant) throws {
    let found: [(Int64, EventKind)] = try database.rows(
      "SELECT event.number, kind FROM delivery JOIN event ON event.number = delivery.event WHERE delivery.number = ?1",
      delivery)
    guard let (event, kind) = found.first, kind == .notification || kind == .digest else { return }
    let links = """
      FROM item WHERE number IN (SELECT item FROM event_item WHERE event = ?1 ORDER BY item DESC LIMIT \(mostLinks))
        AND link_key IS NOT NULL AND link IS NOT NULL
      """
    // New rows, because rows are pruned in the order of their numbers.
    try database.run(
      "DELETE FROM announced_link WHERE hook = ?2 AND link IN (SELECT link_key \(links))", event, hook)
    try database.run(
      """
      INSERT INTO announced_link (link, hook, feed, at) SELECT link_key, ?2, min(feed), ?3 \(links) GROUP BY link_key
      """, event, hook, now)
  }
}
