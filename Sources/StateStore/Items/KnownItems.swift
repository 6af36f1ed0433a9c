// Items as a fetch needs and changes them.

public import Model
import Timing

extension Store {
  /// Every item ever stored of a feed, filtered ones too, in the order of first sight.
  public func knownItems(_ feed: FeedName) throws(StoreFailure) -> [KnownItem] {
    try database.all(
      """
      SELECT number, guid, link, content_hash, edit_hash, updated_at, is_filtered
      FROM item WHERE feed = (SELECT number FROM feed WHERE name = ?1) ORDER BY number
      """, feed
    ) { row throws(StoreFailure) in
      KnownItem(
        number: try row.next(), guid: try row.next(), link: try row.next(), contentHash: try row.next(),
        editHash: try row.next(), updatedAt: try row.next(), isFiltered: try row.next())
    }
  }

  /// Adds items in their order; gives their numbers.
  func add(_ items: [ItemRecord], feed: Int64, firstSeen: Instant) throws(StoreFailure) -> [Int64] {
    var numbers: [Int64] = []
    numbers.reserveCapacity(items.count)
    for item in items {
      try database.run(
        """
        INSERT INTO item (feed, first_seen, is_seen, is_filtered, content_hash, edit_hash, guid, link, published,
          title, author, summary)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
        """, feed, firstSeen, item.isSeen, item.isFiltered, item.contentHash, item.editHash, item.guid,
        item.link, item.published, item.title, item.author, item.summary)
      numbers.append(database.lastInserted)
    }
    return numbers
  }

  /// Gives known items their new form; whether they are seen changes only where they are reported as updated.
  func change(_ items: [ChangedItem], feed: Int64) throws(StoreFailure) {
    for item in items {
      let record = item.record
      try database.run(
        """
        UPDATE item SET (is_filtered, content_hash, edit_hash, guid, link, published, title, author, summary)
            = (?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11),
          updated_at = coalesce(?12, updated_at), is_seen = iif(?12 IS NULL, is_seen, ?13)
        WHERE number = ?1 AND feed = ?2
        """, item.number, feed, record.isFiltered, record.contentHash, record.editHash, record.guid,
        record.link, record.published, record.title, record.author, record.summary, item.updatedAt,
        record.isSeen)
    }
  }
}
