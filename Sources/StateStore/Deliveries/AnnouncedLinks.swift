// The links that messages have named, so that one link in several feeds is one message.

import Core

extension Store {
  /// How long a link counts as announced.
  private static let announcedFor = Interval.days(7)

  /// An event without the new items whose link a message of another feed has named to all of its hooks.
  ///
  /// Nil if the event is a message about such items only. The links of its other items are noted. A link that several items of a feed have identifies none of them. Within the transaction that added the items.
  func withoutAnnouncedLinks(
    _ record: EventRecord, of items: [ItemRecord], feed: Int64
  ) throws(StoreFailure) -> EventRecord? {
    guard record.event.kind == .notification, !record.newItems.isEmpty else { return record }
    var announced: Set<Int> = []
    for place in record.newItems where items.indices.contains(place) {
      guard let link = items[place].linkAcrossFeeds else { continue }
      if !record.repeatsLinks, try isAnnounced(link, to: record.hooks, apartFrom: feed, at: record.event.time)
      {
        announced.insert(place)
      } else {
        try note(link, to: record.hooks, of: feed, at: record.event.time)
      }
    }
    guard !announced.isEmpty else { return record }
    var rest = record
    rest.newItems.removeAll(where: announced.contains)
    return rest.newItems.isEmpty && rest.knownItems.isEmpty ? nil : rest
  }

  private func isAnnounced(
    _ link: UInt64, to hooks: [String], apartFrom feed: Int64, at now: Instant
  ) throws(StoreFailure) -> Bool {
    for hook in hooks {
      let other: Int64? = try database.value(
        "SELECT feed FROM announced_link WHERE link = ?1 AND hook = ?2 AND feed <> ?3 AND at BETWEEN ?4 AND ?5",
        link, hook, feed, now - Self.announcedFor, now + Self.announcedFor)
      guard let other, try isOfOneItem(link, in: feed), try isOfOneItem(link, in: other) else { return false }
    }
    return true
  }

  private func isOfOneItem(_ link: UInt64, in feed: Int64) throws(StoreFailure) -> Bool {
    let count: Int? = try database.value(
      "SELECT count(*) FROM (SELECT 1 FROM item WHERE feed = ?1 AND link_key = ?2 LIMIT 2)", feed, link)
    return count ?? 0 < 2
  }

  private func note(_ link: UInt64, to hooks: [String], of feed: Int64, at now: Instant) throws(StoreFailure)
  {
    for hook in hooks {
      try database.run(
        "INSERT OR REPLACE INTO announced_link (link, hook, feed, at) VALUES (?1, ?2, ?3, ?4)", link, hook,
        feed,
        now)
    }
  }
}
