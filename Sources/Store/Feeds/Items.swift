// Items as a fetch reads and writes them, and the limits on what is stored for one feed.

public import Core

extension Store {
  /// All stored items of a feed, including filtered and pruned ones, in the order in which they were first seen.
  public func knownItems(_ feed: FeedName) throws(StoreFailure) -> [KnownItem] {
    try database.all(
      """
      SELECT number, guid_key, link_key, title_key, content_key, published, edit_hash, postponed_edit, updated_at,
        is_filtered, is_pruned
      FROM item WHERE feed = (SELECT number FROM feed WHERE name = ?1)
      """, feed
    ) { row throws(StoreFailure) in
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
  func add(_ items: [ItemRecord], feed: Int64, firstSeen: Instant) throws(StoreFailure) -> [Int64] {
    guard !items.isEmpty else { return [] }
    let numbers = try database.addNumbered(
      items.map { NewItem(feed: feed, firstSeen: firstSeen, record: $0) })
    try addDetails(zip(numbers, items))
    return numbers
  }

  /// Updates known items.
  ///
  /// Their seen state changes only if they are reported as updated. A guid or link that is missing in the new version
  /// is kept, because the item may get it back.
  func change(_ items: [ChangedItem], feed: Int64) throws(StoreFailure) {
    for item in items {
      if let record = item.record {
        try database.run(
          """
          UPDATE item SET (is_filtered, guid_key, link_key, title_key, content_key, edit_hash, postponed_edit, published,
              guid, link, title, author)
              = (?3, coalesce(?4, guid_key), coalesce(?5, link_key), ?6, ?7, ?8, ?9, ?10,
                iif(coalesce(?4, guid_key) IS NULL, coalesce(?11, guid),
                  nullif(coalesce(?11, \(Self.guid)), coalesce(?12, link))),
                coalesce(?12, link), ?13, ?14)
          WHERE number = ?1 AND feed = ?2
          """, item.number, feed, record.isFiltered, record.keys.guid, record.keys.link, record.keys.title,
          record.keys.content, record.editHash, item.postponedEdit, record.published, record.guid,
          record.link,
          record.title, record.author)
        if item.hasNewDetails { try changeDetails(of: item, to: record) }
      } else {
        try database.run(
          """
          UPDATE item SET edit_hash = coalesce(postponed_edit, edit_hash), postponed_edit = NULL
          WHERE number = ?1 AND feed = ?2
          """, item.number, feed)
      }
      guard let updatedAt = item.updatedAt else { continue }
      try database.run(
        "UPDATE item SET updated_at = ?3, is_seen = ?4 WHERE number = ?1 AND feed = ?2", item.number, feed,
        updatedAt, item.record?.isSeen ?? false)
    }
  }
}

// Limits on what is stored for one feed, whatever its server sends.
extension Store {
  /// Prunes the oldest listed items of a feed beyond `ItemBounds.listed`, and forgets the oldest items beyond
  /// `ItemBounds.departed` that left its document.
  ///
  /// Items in the document are pruned last and never forgotten, kept ones neither. Within the transaction that added new items.
  ///
  /// `shown` are the known items in the document; nil if the new ones came without a document.
  /// `new` is the number of items that were added.
  func pruneItems(of feed: Int64, shown: [Int64]?, new: Int, at now: Instant) throws(StoreFailure) {
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
          WHERE feed = ?1 AND is_pruned = 0 AND is_filtered = 0 AND number NOT IN (SELECT item FROM kept)
          ORDER BY number IN (SELECT value FROM json_each(?2)), number LIMIT ?3
          """, feed, shown ?? [], listed - ItemBounds.listed), feed: feed)
    }
    let departed = stored - new - (shown?.count ?? ParsedFeed.maximumItems)
    if departed > ItemBounds.departed {
      let old: [Int64] = try database.rows(
        """
        SELECT number FROM item WHERE feed = ?1 AND number NOT IN (SELECT value FROM json_each(?2))
          AND number NOT IN (SELECT item FROM kept)
        ORDER BY number LIMIT ?3
        """, feed, shown ?? [], departed - ItemBounds.departed)
      try forgetAssets(of: old, feed: feed)
      try database.run("DELETE FROM item WHERE number IN (SELECT value FROM json_each(?1))", old)
    }
  }

  /// Marks items as seen and keeps only the keys that identify them.
  private func removeTexts(of numbers: [Int64], feed: Int64) throws(StoreFailure) {
    try database.run(
      """
      UPDATE item SET (is_pruned, is_seen, postponed_edit, guid, link, title, author)
        = (1, 1, NULL, NULL, NULL, NULL, NULL)
      WHERE number IN (SELECT value FROM json_each(?1))
      """, numbers)
    try database.run("DELETE FROM detail WHERE item IN (SELECT value FROM json_each(?1))", numbers)
    try forgetAssets(of: numbers, feed: feed)
  }

  private func forgetAssets(of items: [Int64], feed: Int64) throws(StoreFailure) {
    try database.run(
      "DELETE FROM asset WHERE feed = ?2 AND item IN (SELECT value FROM json_each(?1))", items, feed)
  }
}

/// A new item, without its details.
private struct NewItem: NewRow {
  let feed: Int64
  let firstSeen: Instant
  let record: ItemRecord

  static let insertion = Insertion(
    into: "item",
    [
      "feed", "first_seen", "is_seen", "is_filtered", "is_pruned", "guid_key", "link_key", "title_key",
      "content_key", "edit_hash", "published", "guid", "link", "title", "author",
    ])

  func bind(to parameters: inout Parameters) {
    parameters.bind(feed)
    parameters.bind(firstSeen)
    parameters.bind(record.isSeen)
    parameters.bind(record.isFiltered)
    parameters.bind(record.isPruned)
    parameters.bind(record.keys.guid)
    parameters.bind(record.keys.link)
    parameters.bind(record.keys.title)
    parameters.bind(record.keys.content)
    parameters.bind(record.editHash)
    parameters.bind(record.published)
    parameters.bind(ownGuid)
    parameters.bind(record.link)
    parameters.bind(record.title)
    parameters.bind(record.author)
  }

  /// The guid; nil if it equals the link, as the key says that there is one.
  private var ownGuid: String? {
    guard record.keys.guid != nil, let guid = record.guid, let link = record.link else { return record.guid }
    return guid.utf8.elementsEqual(link.utf8) ? nil : guid
  }
}
