// Items as people read them.

public import Core

extension Store {
  /// The columns of `item` and `feed` that make a `StoredItem`, in the order in which `storedItem` takes them.
  static let storedItemColumns = """
    item.number, feed.name, \(guid), item.link, guid_key, link_key, title_key, content_key, edit_hash, item.title, \
    (SELECT text FROM summary WHERE summary.item = item.number), author, published, is_seen, is_filtered, \
    first_seen, updated_at
    """

  /// The guid of a row of `item`: a guid that is the link, as most are, is not stored twice.
  static let guid = "iif(item.guid IS NULL AND item.guid_key IS NOT NULL, item.link, item.guid)"

  /// Reads an item from a row that stands on the first of `storedItemColumns`.
  static func storedItem(_ row: inout Row) throws(StoreFailure) -> StoredItem {
    StoredItem(
      number: try row.next(), feed: try row.next(),
      record: ItemRecord(
        guid: try row.next(), link: try row.next(),
        keys: IdentityKeys(
          guid: try row.next(), link: try row.next(), title: try row.next(), content: try row.next()),
        editHash: try row.next(),
        title: try row.next(), summary: try row.next(), author: try row.next(), published: try row.next(),
        isSeen: try row.next(), isFiltered: try row.next()),
      firstSeen: try row.next(), updatedAt: try row.next())
  }

  /// Items, newest first by their date, then by their number; filtered and pruned ones are not among them.
  ///
  /// Only those of configured feeds, and of these only the ones named in `feeds`, where it is not nil; only
  /// those dated `since` or later. A `limit` of nil gives all.
  public func items(
    feeds: [FeedName]?, unseenOnly: Bool, since: Instant?, limit: Int?, among configured: Set<FeedName>
  ) throws(StoreFailure) -> [StoredItem] {
    let wanted = feeds.map(configured.intersection) ?? configured
    // The rows are chosen by their numbers first: sorting whole rows, summaries included, is much slower.
    // There is no index by date, because it would double the cost of storing items.
    return try database.all(
      """
      WITH chosen AS (
        SELECT number FROM item
        WHERE is_filtered = 0 AND is_pruned = 0 \(unseenOnly ? "AND is_seen = 0" : "")
          AND feed IN (SELECT number FROM feed WHERE name IN (SELECT value FROM json_each(?1)))
          AND (?2 IS NULL OR coalesce(published, first_seen) >= ?2)
        ORDER BY coalesce(published, first_seen) DESC, number DESC LIMIT ?3)
      SELECT \(Self.storedItemColumns)
      FROM chosen JOIN item USING (number) JOIN feed ON feed.number = item.feed
      ORDER BY coalesce(published, first_seen) DESC, item.number DESC
      """, JSONValue.array(wanted.map { .string($0.text) }).text, since, limit ?? -1, read: Self.storedItem)
  }

  /// An item by its number; nil if there is none.
  public func item(_ number: Int64) throws(StoreFailure) -> StoredItem? {
    try database.first(
      "SELECT \(Self.storedItemColumns) FROM item JOIN feed ON feed.number = item.feed WHERE item.number = ?1",
      number, read: Self.storedItem)
  }

  /// How many unseen items each feed has; feeds without any are left out.
  public func unseenCounts() throws(StoreFailure) -> [FeedName: Int] {
    let counts = try database.all(
      """
      SELECT feed.name, count(*)
      FROM item INDEXED BY item_unseen CROSS JOIN feed ON feed.number = item.feed
      WHERE is_seen = 0 AND is_filtered = 0 GROUP BY item.feed
      """
    ) { row throws(StoreFailure) in (try row.next(FeedName.self), try row.next(Int.self)) }
    return Dictionary(counts) { first, _ in first }
  }
}
