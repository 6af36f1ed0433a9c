// Items as people read them and mark them as seen.

public import Core

extension Store {
  /// The columns of `item`, `feed` and `detail` that `storedItem` reads.
  static let storedItemColumns = """
    item.number, feed.name, \(guid), item.link, guid_key, link_key, title_key, content_key, edit_hash, item.title, \
    nullif(summary, '\n'), author, published, is_seen = 1, is_filtered, first_seen, updated_at, \
    iif(summary = '\n', content_size, NULL), \
    iif(summary = '\n' AND length(content) <= \(DetailBounds.contentOfSummary.bytes), content, NULL)
    """

  /// The tables beside `item` with these columns.
  static let itemTables = """
    JOIN feed ON feed.number = item.feed LEFT JOIN detail ON detail.item = item.number
    """

  /// The guid of an item, as SQL: a guid that equals the link, as most do, is not stored twice.
  static let guid = "iif(item.guid IS NULL AND item.guid_key IS NOT NULL, item.link, item.guid)"

  func storedItem(_ row: inout Row) throws(StoreFailure) -> StoredItem {
    var item = StoredItem(
      number: try row.next(), feed: try row.next(),
      record: ItemRecord(
        guid: try row.next(), link: try row.next(),
        keys: IdentityKeys(
          guid: try row.next(), link: try row.next(), title: try row.next(), content: try row.next()),
        editHash: try row.next(),
        title: try row.next(), summary: try row.next(), author: try row.next(), published: try row.next(),
        isSeen: try row.next(), isFiltered: try row.next()),
      firstSeen: try row.next(), updatedAt: try row.next())
    let size: Int64? = try row.next()
    if let content: Blob = try row.next(), let text = PackedText(size: size, bytes: content).text {
      item.record.summary = ItemRecord.summary(of: text)
    }
    return item
  }

  /// Items without filtered and pruned ones, newest first by date, then by number; one link in several of the feeds once.
  ///
  /// `feeds` are the feeds whose items to list, among the configured ones; nil means all of these.
  /// `since` is the earliest date of an item.
  /// `limit` is the maximum number of items.
  /// `numbers` are the only items to list, if it is not nil.
  public func items(
    feeds: [FeedName]?, unseenOnly: Bool, since: Instant?, limit: Int?, among configured: FeedNames,
    only numbers: [Int64]? = nil
  ) throws(StoreFailure) -> [StoredItem] {
    // Only feeds with items: the names of all feeds of a large catalog would take longer than the items.
    let asked: [FeedName] =
      if let feeds { feeds } else {
        try database.rows("SELECT name FROM feed WHERE number IN (SELECT feed FROM item)")
      }
    let wanted = Array(configured.known(among: asked))
    func isListed(_ item: String) -> String {
      """
      \(item).is_filtered = 0 AND \(item).is_pruned = 0 \(unseenOnly ? "AND \(item).is_seen IN (0, 2)" : "")
        AND \(item).feed IN (SELECT number FROM feed WHERE name IN (SELECT value FROM json_each(?1)))
        AND (?2 IS NULL OR coalesce(\(item).published, \(item).first_seen) >= ?2)
        AND (?4 IS NULL OR \(item).number IN (SELECT value FROM json_each(?4)))
      """
    }
    // The numbers are chosen first, because sorting whole rows with their summaries is much slower.
    // There is no index by date: it would double the cost of storing items.
    return try database.all(
      """
      WITH chosen AS (
        SELECT number FROM item
        WHERE \(isListed("item")) AND (is_seen = 0 OR number NOT IN (
          SELECT later.item FROM repeated_item AS later
            JOIN (
              SELECT item, first_item FROM repeated_item UNION SELECT first_item, first_item FROM repeated_item
            ) AS earlier ON earlier.first_item = later.first_item AND earlier.item < later.item
            JOIN item AS other ON other.number = earlier.item
          WHERE \(isListed("other"))))
        ORDER BY coalesce(published, first_seen) DESC, number DESC LIMIT ?3)
      SELECT \(Self.storedItemColumns)
      FROM chosen JOIN item USING (number) \(Self.itemTables)
      ORDER BY coalesce(published, first_seen) DESC, item.number DESC
      """, wanted, since, limit ?? .max, numbers, read: storedItem)
  }

  /// The item with a number, if it exists.
  public func item(_ number: Int64) throws(StoreFailure) -> StoredItem? {
    try database.first(
      "SELECT \(Self.storedItemColumns) FROM item \(Self.itemTables) WHERE item.number = ?1", number,
      read: storedItem)
  }

  /// Keeps items, so that they are not pruned, or no longer.
  public func keep(_ numbers: [Int64], isKept: Bool) throws(StoreFailure) {
    try database.run(
      isKept
        ? "INSERT INTO kept (item) SELECT value FROM json_each(?1) WHERE true ON CONFLICT DO NOTHING"
        : "DELETE FROM kept WHERE item IN (SELECT value FROM json_each(?1))", numbers)
  }

  /// The numbers of the items that are kept.
  public func keptItems() throws(StoreFailure) -> [Int64] {
    try database.rows("SELECT item FROM kept ORDER BY item")
  }

  /// The number of unseen items of each feed that has any.
  public func unseenCounts() throws(StoreFailure) -> [FeedName: Int] {
    let counts: [(FeedName, Int)] = try database.rows(
      """
      SELECT feed.name, count(*)
      FROM feed CROSS JOIN item INDEXED BY item_by_feed ON item.feed = feed.number
      WHERE is_seen = 0 AND is_filtered = 0 GROUP BY feed.number
      """)
    return Dictionary(counts) { first, _ in first }
  }
}

extension Store {
  /// Marks items as seen; returns how many of them were unseen, or nil if the feed has no such item.
  @discardableResult
  public func markSeen(_ scope: SeenScope, configured: FeedNames) throws(StoreFailure) -> Int? {
    try database.transaction { () throws(StoreFailure) -> Int? in
      switch scope {
      case .all(let feeds):
        return try markSeen(
          where: "feed IN (SELECT number FROM feed WHERE name IN (SELECT value FROM json_each(?1)))",
          Array(feeds),
          in: Array(feeds), configured)
      case .item(let feed, let id):
        let numbers = try itemNumbers(feed, id: id)
        return numbers.isEmpty ? nil : try markSeen(numbers, configured)
      case .numbers(let numbers):
        return try markSeen(numbers, configured)
      case .through(let feed, let id):
        guard let newest = try itemNumbers(feed, id: id).first else { return nil }
        return try markSeen(
          where: """
            feed = (SELECT feed FROM item WHERE number = ?1) AND (coalesce(published, first_seen), number)
              <= (SELECT coalesce(published, first_seen), number FROM item WHERE number = ?1)
            """, newest, in: [feed], configured)
      }
    }
  }

  private func markSeen(_ numbers: [Int64], _ configured: FeedNames) throws(StoreFailure) -> Int {
    try markSeen(
      where: "number IN (SELECT value FROM json_each(?1))", numbers, in: try feeds(of: numbers), configured)
  }

  /// Marks the items of some feeds that meet a condition, and the items of other feeds with their links.
  private func markSeen(
    where condition: String, _ value: some Bindable, in feeds: [FeedName], _ configured: FeedNames
  ) throws(StoreFailure) -> Int {
    let first: [Int64] = try database.rows(
      "SELECT first_item FROM repeated_item CROSS JOIN item ON item.number = repeated_item.item WHERE is_seen = 2 AND \(condition)",
      value)
    return try changingUnseen(of: feeds + self.feeds(of: first), configured: configured) {
      () throws(StoreFailure) -> Int in
      let unseen = "UPDATE item SET is_seen = 1 WHERE is_seen = 0 AND is_filtered = 0 AND "
      let count =
        try database.run(unseen + condition, value)
        + database.run(unseen + "number IN (SELECT value FROM json_each(?1))", first)
      try database.run(
        """
        UPDATE item SET is_seen = 1 WHERE is_seen = 2 AND number IN (
          SELECT repeated_item.item FROM repeated_item JOIN item AS first ON first.number = first_item
          WHERE first.is_seen = 1)
        """)
      return count
    }
  }

  /// Marks items as unseen; returns how many of them were seen.
  ///
  /// Pruned and filtered items stay seen, because no list shows them.
  public func markUnseen(_ numbers: [Int64], configured: FeedNames) throws(StoreFailure) -> Int {
    try database.transaction { () throws(StoreFailure) -> Int in
      try changingUnseen(of: try feeds(of: numbers), configured: configured) {
        () throws(StoreFailure) -> Int in
        try database.run(
          """
          UPDATE item SET is_seen = 0
          WHERE number IN (SELECT value FROM json_each(?1)) AND is_seen = 1 AND is_filtered = 0 AND is_pruned = 0
          """, numbers)
      }
    }
  }

  /// The feeds of items.
  private func feeds(of items: [Int64]) throws(StoreFailure) -> [FeedName] {
    try database.rows(
      """
      SELECT name FROM feed
      WHERE number IN (SELECT feed FROM item WHERE number IN (SELECT value FROM json_each(?1)))
      """, items)
  }

  /// The items of a feed with an id as people write it, newest first.
  private func itemNumbers(_ feed: FeedName, id: String) throws(StoreFailure) -> [Int64] {
    let number = id.hasPrefix("#") ? Int64(id.dropFirst()) : nil
    let found: [(number: Int64, rank: Int)] = try database.all(
      """
      SELECT item.number, iif(\(Self.guid) IS ?2, 0, iif(item.link IS ?2, 1, 2)) AS rank
      FROM item JOIN feed ON feed.number = item.feed
      WHERE feed.name = ?1 AND (guid = ?2 OR item.link = ?2 OR item.number = ?3)
      ORDER BY rank, coalesce(published, first_seen) DESC, item.number DESC
      """, feed, id, number
    ) { row throws(StoreFailure) in (try row.next(), try row.next()) }
    return found.filter { $0.rank == found.first?.rank }.map(\.number)
  }
}
