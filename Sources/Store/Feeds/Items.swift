// Items as a fetch reads and writes them, and the limits on what is stored for one feed; and their long parts, in a table of
// their own, which lists do not read: summaries, contents, categories and files.

public import Core

extension Store {
  /// All stored items of a feed, including filtered and pruned ones, in the order in which they were first seen.
  public func knownItems(_ feed: FeedName) throws -> [KnownItem] {
    try database.all(
      """
      SELECT number, guid_key, link_key, title_key, content_key, published, edit_hash, postponed_edit, updated_at,
        is_filtered, is_pruned
      FROM item WHERE feed = (SELECT number FROM feed WHERE name = ?1)
      """, feed
    ) { row in
      var item = KnownItem(
        number: try row.next(),
        keys: IdentityKeys(
          guid: try row.next(), link: try row.next(), title: try row.next(), content: try row.next()),
        published: try row.next(), editHash: try row.next(), postponedEdit: try row.next(),
        updatedAt: try row.next(), isFiltered: try row.next())
      item.isPruned = try row.next()
      return item
    }
    // The index has unseen items first, and each part is in this order.
    .sorted { $0.number < $1.number }
  }

  /// Adds items in their order; returns their numbers.
  ///
  /// - Parameter byPerson: whether the person saw the seen ones, in another program.
  func add(
    _ items: [ItemRecord], feed: Int64, firstSeen: Instant, byPerson: Bool = false
  ) throws -> [Int64] {
    guard !items.isEmpty else { return [] }
    let rows = items.lazy.map { item -> [ColumnValue] in
      let keys = item.keys
      return [
        feed.columnValue, firstSeen.columnValue, .integer(!item.isSeen ? 0 : byPerson ? 1 : 4),
        item.isFiltered.columnValue, item.isPruned.columnValue, keys.guid.columnValue, keys.link.columnValue,
        keys.title.columnValue, keys.content.columnValue, item.editHash.columnValue,
        item.published.columnValue, item.ownGuid.columnValue, item.link.columnValue, item.title.columnValue,
        item.author.columnValue,
      ]
    }
    let numbers = try database.addNumbered(rows, by: Self.itemInsertion)
    try addDetails(zip(numbers, items))
    return numbers
  }

  private static let itemInsertion = Insertion(
    into: "item",
    """
    feed, first_seen, is_seen, is_filtered, is_pruned, guid_key, link_key, title_key, content_key, edit_hash, published, guid, \
    link, title, author
    """)

  /// Updates known items.
  ///
  /// Their seen state changes only if they are reported as updated. A guid or link that is missing in the new version
  /// is kept, because the item may get it back.
  func change(_ items: [ChangedItem], feed: Int64) throws {
    for item in items {
      let record = item.record
      try database.run(
        """
        UPDATE item SET (is_filtered, is_pruned, guid_key, link_key, title_key, content_key, edit_hash, postponed_edit, published,
            guid, link, title, author)
            = (?3, ?15, coalesce(?4, guid_key), coalesce(?5, link_key), ?6, ?7, ?8, ?9, ?10,
              iif(coalesce(?4, guid_key) IS NULL, coalesce(?11, guid),
                nullif(coalesce(?11, \(Self.guid)), coalesce(?12, link))),
              coalesce(?12, link), ?13, ?14)
        WHERE number = ?1 AND feed = ?2
        """, item.number, feed, record.isFiltered, record.keys.guid, record.keys.link, record.keys.title,
        record.keys.content, record.editHash, item.postponedEdit, record.published, record.guid, record.link,
        record.title, record.author, record.isPruned)
      if item.hasNewDetails {
        try database.run("DELETE FROM detail WHERE item = ?1", item.number)
        try addDetails([(item.number, record)])
      }
      guard let updatedAt = item.updatedAt else { continue }
      try database.run(
        "UPDATE item SET updated_at = ?3, is_seen = ?4 WHERE number = ?1 AND feed = ?2", item.number, feed,
        updatedAt, record.isSeen)
    }
  }
}

// Limits on what is stored for one feed, whatever its server sends.
extension Store {
  /// Prunes the oldest listed items of a feed beyond `ItemBounds.listed`, and forgets the oldest items beyond
  /// `ItemBounds.departed` that left its document.
  ///
  /// Items in the document are pruned last and never forgotten, starred ones neither. Within the transaction that added new items.
  ///
  /// `shown` are the known items in the document; nil if the new ones came without a document.
  /// `new` is the number of items that were added.
  func pruneItems(of feed: Int64, shown: [Int64]?, new: Int, at now: Instant) throws {
    let stored: Int = try database.value("SELECT count(*) FROM item WHERE feed = ?1", feed) ?? 0
    if let shown, stored > shown.count + new { try pruneDetails(of: feed, shown: shown, at: now) }
    // This count needs only an index, and few feeds get further.
    guard stored > ItemBounds.listed else { return }
    let listed: Int =
      try database.value(
        "SELECT count(*) FROM item WHERE feed = ?1 AND is_pruned = 0 AND is_filtered = 0", feed) ?? 0
    if listed > ItemBounds.listed {
      try removeTexts(
        of: try database.rows(
          """
          SELECT number FROM item
          WHERE feed = ?1 AND is_pruned = 0 AND is_filtered = 0 AND number NOT IN (SELECT item FROM starred)
          ORDER BY number IN (SELECT value FROM json_each(?2)), number LIMIT ?3
          """, feed, shown ?? [], listed - ItemBounds.listed), feed: feed)
    }
    let departed = stored - new - (shown?.count ?? ParsedFeed.maximumItems)
    if departed > ItemBounds.departed {
      let old: [Int64] = try database.rows(
        """
        SELECT number FROM item WHERE feed = ?1 AND number NOT IN (SELECT value FROM json_each(?2))
          AND number NOT IN (SELECT item FROM starred)
        ORDER BY number LIMIT ?3
        """, feed, shown ?? [], departed - ItemBounds.departed)
      try forgetAssets(of: old, feed: feed)
      try database.run("DELETE FROM item WHERE number IN (SELECT value FROM json_each(?1))", old)
    }
  }

  /// Marks items as seen and keeps only the keys that identify them.
  private func removeTexts(of numbers: [Int64], feed: Int64) throws {
    try database.run(
      """
      UPDATE item SET (is_pruned, is_seen, postponed_edit, guid, link, title, author)
        = (1, 1, NULL, NULL, NULL, NULL, NULL)
      WHERE number IN (SELECT value FROM json_each(?1))
      """, numbers)
    try database.run("DELETE FROM detail WHERE item IN (SELECT value FROM json_each(?1))", numbers)
    try forgetAssets(of: numbers, feed: feed)
  }

  private func forgetAssets(of items: [Int64], feed: Int64) throws {
    try database.run(
      "DELETE FROM asset WHERE feed = ?2 AND item IN (SELECT value FROM json_each(?1))", items, feed)
  }
}

extension ItemRecord {
  /// The guid; nil if it equals the link, as the key says that there is one.
  fileprivate var ownGuid: String? {
    guard keys.guid != nil, let guid, let link else { return guid }
    return guid.utf8.elementsEqual(link.utf8) ? nil : guid
  }
}

// MARK: Details

extension Store {
  /// The details of items, by the items' numbers; items without any are missing.
  ///
  /// Unreadable content is left out: one damaged row must not hide other items.
  public func detailsOf(_ items: [Int64]) throws -> [Int64: ItemDetails] {
    guard !items.isEmpty else { return [:] }
    var found: [Int64: ItemDetails] = [:]
    try database.each(
      """
      SELECT item, comments, image, duration, season, episode, page_tries, content_rest, content_size,
        iif(length(content) <= \(DetailBounds.mostContent.bytes), content, NULL), categories, enclosures
      FROM detail WHERE item IN (SELECT value FROM json_each(?1))
      """, items
    ) { row in
      let number: Int64 = try row.next()
      var details = ItemDetails()
      details.comments = try row.next()
      details.image = try row.next()
      details.duration = try row.next()
      details.season = try row.next()
      details.episode = try row.next()
      details.pageTries = try row.next()
      let rest: Int64? = try row.next()
      details.rest = rest.map { ByteCount($0) }
      let size: Int64? = try row.next()
      let content: Blob? = try row.next()
      details.content = content.flatMap { PackedText(size: size, bytes: $0).text }
      details.categories = Self.list(try row.next()).compactMap(\.string)
      details.enclosures = Self.list(try row.next()).compactMap { file in
        guard let url = file["url"]?.string else { return nil }
        return Enclosure(url: url, type: file["type"]?.string, length: file["length"]?.whole)
      }
      found[number] = details
    }
    return found.filter { !$0.value.isEmpty }
  }

  /// Items with their details.
  ///
  /// Their contents are large, so read only as many at a time as fit into memory.
  public func withDetails(_ items: [StoredItem]) throws -> [StoredItem] {
    let details = try detailsOf(items.map(\.number))
    return items.map { item in
      var item = item
      item.record.details = details[item.number]
      return item
    }
  }

  private static func list(_ text: String?) -> [JSONValue] {
    text.flatMap { JSONValue(parsing: $0) }?.elements ?? []
  }

  /// The stored summary of an item whose summary is the text of its content; no other summary is a line break.
  ///
  /// Most items have only one text, which would take twice the space.
  static let textOfContent = "\n"

  /// Writes the long parts of new items that have any, by the items' numbers.
  func addDetails(_ items: some Sequence<(Int64, ItemRecord)>) throws {
    // Lazily, because all contents of a document once more would take much memory.
    let rows = items.lazy.compactMap { number, record -> [ColumnValue]? in
      let summary = record.isSummaryOfContent ? Self.textOfContent : record.summary
      guard summary != nil || record.details != nil else { return nil }
      let details = record.details ?? ItemDetails()
      let content = details.content.map { PackedText($0) }
      return [
        number.columnValue, summary.columnValue, details.comments.columnValue, details.image.columnValue,
        details.duration.columnValue, details.season.columnValue, details.episode.columnValue,
        details.pageTries.columnValue, details.categoriesText.columnValue, details.enclosuresText.columnValue,
        (details.rest?.bytes).columnValue, (content?.size).columnValue, (content?.bytes).columnValue,
      ]
    }
    try database.add(rows, by: Self.detailInsertion)
  }

  private static let detailInsertion = Insertion(
    into: "detail",
    """
    item, summary, comments, image, duration, season, episode, page_tries, categories, enclosures, content_rest, content_size, \
    content
    """)

  /// Replaces the details of items, unless the items are gone or pruned.
  func replaceDetails(_ items: [Int64: ItemRecord]) throws {
    guard !items.isEmpty else { return }
    let present: [Int64] = try database.rows(
      "DELETE FROM detail WHERE item IN (SELECT value FROM json_each(?1)) RETURNING item", Array(items.keys))
    try addDetails(present.compactMap { number in items[number].map { (number, $0) } })
  }

  /// The items of a feed that wait for their pages and were tried fewer times, with their details, the least tried and newest first.
  public func itemsWithoutPages(
    of feed: FeedName, tries: Int, limit: Int
  ) throws -> [StoredItem] {
    try withDetails(
      try database.all(
        """
        SELECT \(Self.storedItemColumns) FROM item \(Self.itemTables)
        WHERE feed.name = ?1 AND page_tries < ?2 ORDER BY page_tries, item.number DESC LIMIT ?3
        """, feed, tries, limit, read: storedItem))
  }

  /// Deletes the details of a feed's seen items that are older than `DetailBounds.age` and are not in its document.
  ///
  /// `shown` are the known items in the document. They must have been that old at the fetch before this one too, because the
  /// clock may be wrong in one run.
  func pruneDetails(of feed: Int64, shown: [Int64], at now: Instant) throws {
    let asked: Instant? = try database.value(
      "SELECT started FROM fetch WHERE feed = ?1 ORDER BY number DESC LIMIT 1", feed)
    try database.run(
      """
      DELETE FROM detail WHERE item IN (
        SELECT number FROM item WHERE feed = ?1 AND is_seen IN (1, 3, 4) AND coalesce(updated_at, first_seen) < ?3
          AND number NOT IN (SELECT value FROM json_each(?2)) AND number NOT IN (SELECT item FROM starred))
      """, feed, shown, min(now, asked ?? now) - DetailBounds.age)
  }
}

extension ItemDetails {
  /// The categories as a JSON array; nil without any.
  fileprivate var categoriesText: String? {
    categories.isEmpty ? nil : JSONValue.array(categories.map(JSONValue.string)).text
  }

  /// The files as a JSON array of objects; nil without any.
  fileprivate var enclosuresText: String? {
    enclosures.isEmpty ? nil : JSONValue.array(enclosures.map(enclosureJSON)).text
  }
}
