// Items as people read them and mark them as seen.

public import Core

extension Store {
  /// The columns of `item`, `feed` and `detail` that `storedItem` reads.
  static let storedItemColumns = """
    item.number, feed.name, \(guid), item.link, guid_key, link_key, title_key, content_key, edit_hash, item.title, \
    nullif(summary, '\n'), author, published, is_seen NOT IN (0, 2), is_filtered, first_seen, updated_at, \
    iif(summary = '\n', content_size, NULL), \
    iif(summary = '\n' AND length(content) <= \(DetailBounds.contentOfSummary.bytes), content, NULL)
    """

  /// The tables beside `item` with these columns.
  static let itemTables = """
    JOIN feed ON feed.number = item.feed LEFT JOIN detail ON detail.item = item.number
    """

  /// The guid of an item, as SQL: a guid that equals the link, as most do, is not stored twice.
  static let guid = "iif(item.guid IS NULL AND item.guid_key IS NOT NULL, item.link, item.guid)"

  func storedItem(_ row: inout Row) throws -> StoredItem {
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

  /// The numbers of items without filtered and pruned ones, newest first by date, then by number; one link in several of the feeds
  /// once.
  ///
  /// - Parameter configured: the feeds that are configured; of others only starred items are listed, and none as unseen.
  /// - Throws: `noFullTextSearch` if the query has words, and SQLite was built without FTS5.
  public func itemNumbers(
    _ query: ItemQuery, among configured: FeedNames
  ) throws -> [Int64] {
    var numbers = query.numbers
    if let words = query.words {
      let found = try search(words)
      numbers = numbers.map { Array(Set(found).intersection($0)) } ?? found
    }
    // Only feeds with items: the names of all feeds of a large catalog would take longer than the items.
    let asked: [FeedName] =
      if let feeds = query.feeds { feeds } else {
        try database.rows("SELECT name FROM feed WHERE number IN (SELECT feed FROM item)")
      }
    let starred: [FeedName] =
      query.unseenOnly
      ? []
      : try database.rows(
        """
        SELECT name FROM feed WHERE number IN (SELECT feed FROM item WHERE number IN (SELECT item FROM starred))
        """)
    let known = configured.known(among: asked)
    let left = Set(starred).intersection(asked).subtracting(known)
    let wanted = Array(known.union(left))
    let starredOnly: [FeedName]? = left.isEmpty ? nil : Array(left)
    func isListed(_ item: String) -> String {
      let hasFile =
        "EXISTS (SELECT 1 FROM asset WHERE asset.feed = \(item).feed AND asset.item = \(item).number)"
      return """
        \(item).is_filtered = 0 AND \(item).is_pruned = 0 \(query.unseenOnly ? "AND \(item).is_seen IN (0, 2)" : "")
          AND \(item).feed IN (SELECT number FROM feed WHERE name IN (SELECT value FROM json_each(?1)))
          AND (?6 IS NULL OR \(item).number IN (SELECT item FROM starred)
            OR \(item).feed NOT IN (SELECT number FROM feed WHERE name IN (SELECT value FROM json_each(?6))))
          AND (?2 IS NULL OR coalesce(\(item).published, \(item).first_seen) >= ?2)
          AND (?5 IS NULL OR coalesce(\(item).published, \(item).first_seen) < ?5)
          AND (?4 IS NULL OR \(item).number IN (SELECT value FROM json_each(?4)))
          \(query.starredOnly ? "AND \(item).number IN (SELECT item FROM starred)" : "")
          \(query.withFilesOnly ? "AND \(hasFile)" : "")
        """
    }
    // There is no index by date: it would double the cost of storing items.
    return try database.rows(
      """
      SELECT number FROM item
      WHERE \(isListed("item")) AND (is_seen = 0 OR number NOT IN (
        SELECT later.item FROM repeated_item AS later
          JOIN (
            SELECT item, first_item FROM repeated_item UNION SELECT first_item, first_item FROM repeated_item
          ) AS earlier ON earlier.first_item = later.first_item AND earlier.item < later.item
          JOIN item AS other ON other.number = earlier.item
        WHERE \(isListed("other"))))
      ORDER BY coalesce(published, first_seen) DESC, number DESC LIMIT ?3
      """, wanted, query.since, query.limit ?? .max, numbers, query.before, starredOnly)
  }

  /// The numbers of the items in a range, in order; without filtered and pruned ones, and of feeds that are not configured only
  /// starred ones.
  ///
  /// A single number finds every stored item, so that a star which was taken by mistake can be given back.
  public func itemNumbers(
    in range: ClosedRange<Int64>, among configured: FeedNames
  ) throws -> [Int64] {
    let isOne = range.lowerBound == range.upperBound
    let found = try database.all(
      """
      SELECT item.number, name, item.number IN (SELECT item FROM starred) FROM item JOIN feed ON feed.number = item.feed
      WHERE item.number BETWEEN ?1 AND ?2 \(isOne ? "" : "AND is_filtered = 0 AND is_pruned = 0") ORDER BY item.number
      """, range.lowerBound, range.upperBound
    ) { row in
      (
        number: try row.next(Int64.self), feed: try row.next(FeedName.self),
        isStarred: try row.next(Bool.self)
      )
    }
    let known = configured.known(among: found.map(\.feed))
    return found.filter { isOne || $0.isStarred || known.contains($0.feed) }.map(\.number)
  }

  /// The items with these numbers, in their order; numbers without an item are left out.
  public func items(numbered numbers: [Int64]) throws -> [StoredItem] {
    let found = try database.all(
      """
      SELECT \(Self.storedItemColumns) FROM item \(Self.itemTables)
      WHERE item.number IN (SELECT value FROM json_each(?1))
      """, numbers, read: storedItem)
    let byNumber = Dictionary(found.map { ($0.number, $0) }) { first, _ in first }
    return numbers.compactMap { byNumber[$0] }
  }

  /// The items whose numbers `itemNumbers` returns.
  public func items(
    _ query: ItemQuery, among configured: FeedNames
  ) throws -> [StoredItem] {
    try items(numbered: try itemNumbers(query, among: configured))
  }

  /// The item with a number, if it exists.
  public func item(_ number: Int64) throws -> StoredItem? {
    try items(numbered: [number]).first
  }

  /// Stars items, so that they are not pruned, or takes their stars; returns how many items changed.
  public func star(_ numbers: [Int64], isStarred: Bool) throws -> Int {
    try database.run(
      isStarred
        ? """
        INSERT INTO starred (item) SELECT number FROM item WHERE number IN (SELECT value FROM json_each(?1))
        ON CONFLICT DO NOTHING
        """ : "DELETE FROM starred WHERE item IN (SELECT value FROM json_each(?1))", numbers)
  }

  /// The number of unseen items of each feed that has any.
  public func unseenCounts() throws -> [FeedName: Int] {
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
  /// Marks items as seen, and the items of other feeds with their links; returns how many of them were unseen.
  ///
  /// - Parameters:
  ///   - byHook: whether a hook got them. Other hooks still get them, and no undo takes back these marks.
  ///   - isContinued: whether one undo takes back these marks and the last ones.
  @discardableResult
  public func markSeen(
    _ numbers: [Int64], byHook: Bool = false, configured: FeedNames, isContinued: Bool = false
  ) throws -> Int {
    let mark = byHook ? 3 : 1
    return try database.transaction {
      let first: [Int64] = try database.rows(
        """
        SELECT first_item FROM repeated_item CROSS JOIN item ON item.number = repeated_item.item
        WHERE is_seen = 2 AND number IN (SELECT value FROM json_each(?1))
        """, numbers)
      let all = Array(Set(numbers + first))
      return try changingUnseen(of: try feeds(of: all), configured: configured) {
        let marked: [Int64] = try database.rows(
          """
          UPDATE item SET is_seen = \(mark)
          WHERE is_seen = 0 AND is_filtered = 0 AND number IN (SELECT value FROM json_each(?1)) RETURNING number
          """, all)
        let repeated: [Int64] = try database.rows(
          """
          UPDATE item SET is_seen = \(mark) WHERE is_seen = 2 AND number IN (
            SELECT repeated_item.item FROM repeated_item JOIN item AS first ON first.number = first_item
            WHERE first.is_seen NOT IN (0, 2)) RETURNING number
          """)
        guard !byHook else { return marked.count }
        try database.run(
          "UPDATE item SET is_seen = 1 WHERE is_seen = 4 AND number IN (SELECT value FROM json_each(?1))",
          numbers)
        guard !marked.isEmpty else { return 0 }
        if !isContinued { try database.run("DELETE FROM marked") }
        for (numbers, former) in [(marked, 0), (repeated, 2)] {
          try database.run(
            "INSERT INTO marked (item, former) SELECT value, \(former) FROM json_each(?1) WHERE true ON CONFLICT DO NOTHING",
            numbers)
        }
        return marked.count
      }
    }
  }

  /// Makes the items unseen again that were marked as seen last; returns the feed of each.
  ///
  /// Items that were marked again otherwise, or pruned, stay as they are.
  public func undoSeen(configured: FeedNames) throws -> [FeedName] {
    try database.transaction {
      let marked: [Int64] = try database.rows("SELECT item FROM marked")
      guard !marked.isEmpty else { return [] }
      return try changingUnseen(of: try feeds(of: marked), configured: configured) {
        let unseen = try restoreMarked(0)
        _ = try restoreMarked(2)
        try database.run("DELETE FROM marked")
        return unseen
      }
    }
  }

  /// Gives marked items their `is_seen` from before; returns the feed of each.
  private func restoreMarked(_ former: Int) throws -> [FeedName] {
    try database.rows(
      """
      UPDATE item SET is_seen = \(former) WHERE is_seen = 1 AND is_filtered = 0 AND is_pruned = 0
        AND number IN (SELECT item FROM marked WHERE former = \(former))
      RETURNING (SELECT name FROM feed WHERE feed.number = item.feed)
      """)
  }

  /// Marks items as unseen; returns how many of them were seen.
  ///
  /// Pruned and filtered items stay seen, because no list shows them.
  public func markUnseen(_ numbers: [Int64], configured: FeedNames) throws -> Int {
    try database.transaction {
      try changingUnseen(of: try feeds(of: numbers), configured: configured) {
        try database.run(
          """
          UPDATE item SET is_seen = 0
          WHERE number IN (SELECT value FROM json_each(?1)) AND is_seen NOT IN (0, 2) AND is_filtered = 0 AND is_pruned = 0
          """, numbers)
      }
    }
  }

  /// The feeds of items.
  private func feeds(of items: [Int64]) throws -> [FeedName] {
    try database.rows(
      """
      SELECT name FROM feed
      WHERE number IN (SELECT feed FROM item WHERE number IN (SELECT value FROM json_each(?1)))
      """, items)
  }
}
