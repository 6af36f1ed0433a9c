// Items as a fetch needs and changes them.

public import Core

extension Store {
  /// Every item that is stored of a feed, filtered and pruned ones too, in the order of first sight.
  public func knownItems(_ feed: FeedName) throws(StoreFailure) -> [KnownItem] {
    try database.all(
      """
      SELECT number, guid_key, link_key, title_key, content_key, published, edit_hash, held_edit, updated_at,
        is_filtered, is_pruned
      FROM item WHERE feed = (SELECT number FROM feed WHERE name = ?1) ORDER BY number
      """, feed
    ) { row throws(StoreFailure) in
      var item = KnownItem(
        number: try row.next(),
        keys: IdentityKeys(
          guid: try row.next(), link: try row.next(), title: try row.next(), content: try row.next()),
        published: try row.next(), editHash: try row.next(), heldEdit: try row.next(),
        updatedAt: try row.next(), isFiltered: try row.next())
      item.isPruned = try row.next()
      return item
    }
  }

  /// Adds items in their order; gives their numbers.
  func add(_ items: [ItemRecord], feed: Int64, firstSeen: Instant) throws(StoreFailure) -> [Int64] {
    var numbers: [Int64] = []
    numbers.reserveCapacity(items.count)
    for item in items {
      try database.run(
        """
        INSERT INTO item (feed, first_seen, is_seen, is_filtered, is_pruned, guid_key, link_key, title_key,
          content_key, edit_hash, published, guid, link, title, author)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, iif(?6 IS NULL, ?12, nullif(?12, ?13)), ?13, ?14, ?15)
        """, feed, firstSeen, item.isSeen, item.isFiltered, item.isPruned, item.keys.guid, item.keys.link,
        item.keys.title, item.keys.content, item.editHash, item.published, item.guid, item.link, item.title,
        item.author)
      let number = database.lastInserted
      if let summary = item.summary {
        try database.run("INSERT INTO summary (item, text) VALUES (?1, ?2)", number, summary)
      }
      numbers.append(number)
    }
    return numbers
  }

  /// Gives known items their new form; whether they are seen changes only where they are reported as updated.
  ///
  /// A guid or link that the new form lacks stays, for the item may come back with it.
  func change(_ items: [ChangedItem], feed: Int64) throws(StoreFailure) {
    for item in items {
      if let record = item.record {
        try database.run(
          """
          UPDATE item SET (is_filtered, guid_key, link_key, title_key, content_key, edit_hash, held_edit, published,
              guid, link, title, author)
              = (?3, coalesce(?4, guid_key), coalesce(?5, link_key), ?6, ?7, ?8, ?9, ?10,
                iif(coalesce(?4, guid_key) IS NULL, coalesce(?11, guid),
                  nullif(coalesce(?11, \(Self.guid)), coalesce(?12, link))),
                coalesce(?12, link), ?13, ?14)
          WHERE number = ?1 AND feed = ?2
          """, item.number, feed, record.isFiltered, record.keys.guid, record.keys.link, record.keys.title,
          record.keys.content, record.editHash, item.heldEdit, record.published, record.guid, record.link,
          record.title, record.author)
        try change(record.summary, of: item, isItsTitle: record.title?.isEmpty ?? true)
      } else {
        try database.run(
          """
          UPDATE item SET edit_hash = coalesce(held_edit, edit_hash), held_edit = NULL
          WHERE number = ?1 AND feed = ?2
          """, item.number, feed)
      }
      guard let updatedAt = item.updatedAt else { continue }
      try database.run(
        "UPDATE item SET updated_at = ?3, is_seen = ?4 WHERE number = ?1 AND feed = ?2", item.number, feed,
        updatedAt, item.record?.isSeen ?? false)
    }
  }

  /// Gives an item its new summary; one that has none gets none unless it is reported as updated or has no title.
  private func change(_ summary: String?, of item: ChangedItem, isItsTitle: Bool) throws(StoreFailure) {
    guard let summary else {
      return try database.run("DELETE FROM summary WHERE item = ?1", item.number)
    }
    if item.updatedAt != nil || isItsTitle {
      try database.run(
        "INSERT INTO summary (item, text) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET text = ?2", item.number,
        summary)
    } else {
      try database.run("UPDATE summary SET text = ?2 WHERE item = ?1", item.number, summary)
    }
  }
}
