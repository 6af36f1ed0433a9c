// The long parts of items, in a table of their own, which lists do not read: summaries, contents, categories and files.

public import Core

extension Store {
  /// The details of items, by the items' numbers; items without any are missing.
  ///
  /// Unreadable content is left out: one damaged row must not hide other items.
  public func detailsOf(_ items: [Int64]) throws(StoreFailure) -> [Int64: ItemDetails] {
    guard !items.isEmpty else { return [:] }
    var found: [Int64: ItemDetails] = [:]
    try database.each(
      """
      SELECT item, comments, image, duration, season, episode, content_size,
        iif(length(content) <= \(DetailBounds.mostContent.bytes), content, NULL)
      FROM detail WHERE item IN (SELECT value FROM json_each(?1))
      """, items
    ) { row throws(StoreFailure) in
      let number: Int64 = try row.next()
      var details = ItemDetails()
      details.comments = try row.next()
      details.image = try row.next()
      details.duration = try row.next()
      details.season = try row.next()
      details.episode = try row.next()
      let size: Int64? = try row.next()
      let content: Blob? = try row.next()
      details.content = content.flatMap { packer.unpack(PackedText(size: size, bytes: $0)) }
      found[number] = details
    }
    try database.each(
      """
      SELECT item, value FROM detail, json_each(detail.categories)
      WHERE item IN (SELECT value FROM json_each(?1)) AND type = 'text'
      """, items
    ) { row throws(StoreFailure) in
      found[try row.next()]?.categories.append(try row.next())
    }
    try database.each(
      """
      SELECT item, value ->> 'url', value ->> 'type', value ->> 'length' FROM detail, json_each(detail.enclosures)
      WHERE item IN (SELECT value FROM json_each(?1)) AND type = 'object'
      """, items
    ) { row throws(StoreFailure) in
      let number: Int64 = try row.next()
      let file = Enclosure(url: try row.next(), type: try row.next(), length: try row.next())
      found[number]?.enclosures.append(file)
    }
    return found.filter { !$0.value.isEmpty }
  }

  /// Writes the long parts of a new item, if it has any.
  func addDetails(of record: ItemRecord, to item: Int64) throws(StoreFailure) {
    guard record.summary != nil || record.details != nil else { return }
    let details = record.details ?? ItemDetails()
    let content = details.content.map(packer.pack)
    try database.run(
      """
      INSERT INTO detail (item, summary, comments, image, duration, season, episode, categories, enclosures,
        content_size, content)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
      """, item, record.summary, details.comments, details.image, details.duration, details.season,
      details.episode, details.categoriesText, details.enclosuresText, content?.size, content?.bytes)
  }

  /// Updates the long parts of an item.
  ///
  /// A summary that was dropped because the item is seen comes back only if the item is reported as updated, or has no
  /// title.
  func changeDetails(of item: ChangedItem, to record: ItemRecord) throws(StoreFailure) {
    let number = item.number
    let returns = item.updatedAt != nil || record.title?.isEmpty ?? true
    var record = record
    if !returns, try !database.exists("SELECT 1 FROM detail WHERE item = ?1 AND summary IS NOT NULL", number)
    {
      record.summary = nil
    }
    try database.run("DELETE FROM detail WHERE item = ?1", number)
    try addDetails(of: record, to: number)
  }

  /// Deletes the details of a feed's seen items that are older than `DetailBounds.age` and are not in its document.
  ///
  /// `shown` are the known items in the document.
  func pruneDetails(of feed: Int64, shown: [Int64], at now: Instant) throws(StoreFailure) {
    try database.run(
      """
      DELETE FROM detail WHERE item IN (
        SELECT number FROM item WHERE feed = ?1 AND is_seen = 1 AND coalesce(updated_at, first_seen) < ?3
          AND number NOT IN (SELECT value FROM json_each(?2)))
      """, feed, shown, now - DetailBounds.age)
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
