// The links that delivered messages have named, so that one link in several feeds is one message.

public import Core

extension Store {
  /// The items whose link an item of another feed also has: an earlier one of these items, or one that a message to the
  /// hook has named.
  ///
  /// The front page of a site, and a link that several items of a feed have, do not identify an item.
  public func repeatedItems(
    _ items: [Int64], to hook: String, at now: Instant
  ) throws(StoreFailure) -> Set<Int64> {
    var earlier: [UInt64: Int64] = [:]
    var repeated: Set<Int64> = []
    for number in items {
      let found: [(Int64, UInt64, String)] = try database.rows(
        "SELECT feed, link_key, link FROM item WHERE number = ?1 AND link_key IS NOT NULL AND link IS NOT NULL",
        number)
      guard let (feed, key, link) = found.first else { continue }
      var other = earlier[key]
      if other == nil { other = try announcer(of: key, to: hook, apartFrom: feed, at: now) }
      if let other, other != feed,
        !isFrontPage(link), try isOfOneItem(key, in: feed), try isOfOneItem(key, in: other)
      {
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
  ) throws(StoreFailure) -> Int64? {
    try database.value(
      "SELECT feed FROM announced_link WHERE link = ?1 AND hook = ?2 AND feed <> ?3 AND at BETWEEN ?4 AND ?5",
      link, hook, feed, now - Retention.announcedLinks, now + Retention.announcedLinks)
  }

  private func isOfOneItem(_ link: UInt64, in feed: Int64) throws(StoreFailure) -> Bool {
    let count: Int? = try database.value(
      "SELECT count(*) FROM (SELECT 1 FROM item WHERE feed = ?1 AND link_key = ?2 LIMIT 2) AS two", feed, link
    )
    return count ?? 0 < 2
  }

  /// Notes the links that a delivered message has named: those of its newest items, because a long message ends with
  /// the number of the others; a digest names all.
  func noteLinks(of delivery: Int64, to hook: String, at now: Instant) throws(StoreFailure) {
    let found: [(Int64, EventKind)] = try database.rows(
      "SELECT event.number, kind FROM delivery JOIN event ON event.number = delivery.event WHERE delivery.number = ?1",
      delivery)
    guard let (event, kind) = found.first, kind == .notification || kind == .digest else { return }
    let named: [(link: Int64, feed: Int64)] = try database.all(
      """
      SELECT link_key, feed FROM item
      WHERE number IN (SELECT item FROM event_item WHERE event = ?1) AND link_key IS NOT NULL AND link IS NOT NULL
      ORDER BY coalesce(published, first_seen) DESC, number DESC LIMIT ?2
      """, event, kind == .digest ? 1000 : 10
    ) { row throws(StoreFailure) in (try row.next(), try row.next()) }
    for (link, feed) in named {
      // A new row, because rows are pruned in the order of their numbers.
      try database.run("DELETE FROM announced_link WHERE link = ?1 AND hook = ?2", link, hook)
      try database.run(
        "INSERT INTO announced_link (link, hook, feed, at) VALUES (?1, ?2, ?3, ?4)", link, hook, feed, now)
    }
  }
}
