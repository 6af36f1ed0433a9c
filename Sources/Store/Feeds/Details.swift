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
      SELECT item, comments, image, duration, season, episode, page_tries, content_size,
        iif(length(content) <= \(DetailBounds.mostContent.bytes), content, NULL), categories, enclosures
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
      details.pageTries = try row.next()
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

  private static func list(_ text: String?) -> [JSONValue] {
    text.flatMap { JSONValue(parsing: $0) }?.elements ?? []
  }

  /// The stored summary of an item whose summary is the text of its content; no other summary is a line break.
  ///
  /// Most items have only one text, which would take twice the space.
  static let textOfContent = "\n"

  /// Writes the long parts of new items that have any, by the items' numbers.
  func addDetails(_ items: some Sequence<(Int64, ItemRecord)>) throws(StoreFailure) {
    let rows = items.compactMap { number, record -> NewDetails? in
      let summary = record.isSummaryOfContent ? Self.textOfContent : record.summary
      guard summary != nil || record.details != nil else { return nil }
      let details = record.details ?? ItemDetails()
      return NewDetails(
        item: number, summary: summary, details: details, content: details.content.map { PackedText($0) })
    }
    try database.add(rows)
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
    try addDetails([(number, record)])
  }

  /// Replaces the details of items, unless the items are gone or pruned.
  func replaceDetails(_ items: [Int64: ItemRecord]) throws(StoreFailure) {
    guard !items.isEmpty else { return }
    let present: [Int64] = try database.rows(
      "DELETE FROM detail WHERE item IN (SELECT value FROM json_each(?1)) RETURNING item", Array(items.keys))
    try addDetails(present.compactMap { number in items[number].map { (number, $0) } })
  }

  /// The items of a feed that wait for their pages and were tried fewer times, with their details, the least tried and newest first.
  public func itemsWithoutPages(
    of feed: FeedName, tries: Int, limit: Int
  ) throws(StoreFailure) -> [StoredItem] {
    var items = try database.all(
      """
      SELECT \(Self.storedItemColumns) FROM item \(Self.itemTables)
      WHERE feed.name = ?1 AND page_tries < ?2 ORDER BY page_tries, item.number DESC LIMIT ?3
      """, feed, tries, limit, read: storedItem)
    let details = try detailsOf(items.map(\.number))
    for index in items.indices { items[index].record.details = details[items[index].number] }
    return items
  }

  /// Deletes the details of a feed's seen items that are older than `DetailBounds.age` and are not in its document.
  ///
  /// `shown` are the known items in the document. They must have been that old at the fetch before this one too, because the
  /// clock may be wrong in one run.
  func pruneDetails(of feed: Int64, shown: [Int64], at now: Instant) throws(StoreFailure) {
    let asked: Instant? = try database.value(
      "SELECT started FROM fetch WHERE feed = ?1 ORDER BY number DESC LIMIT 1", feed)
    try database.run(
      """
      DELETE FROM detail WHERE item IN (
        SELECT number FROM item WHERE feed = ?1 AND is_seen = 1 AND coalesce(updated_at, first_seen) < ?3
          AND number NOT IN (SELECT value FROM json_each(?2)) AND number NOT IN (SELECT item FROM kept))
      """, feed, shown, min(now, asked ?? now) - DetailBounds.age)
  }
}

/// The long parts of a new item.
private struct NewDetails: NewRow {
  let item: Int64
  let summary: String?
  let details: ItemDetails
  let content: PackedText?

  static let insertion = Insertion(
    into: "detail",
    [
      "item", "summary", "comments", "image", "duration", "season", "episode", "page_tries", "categories",
      "enclosures",
      "content_size", "content",
    ])

  func bind(to parameters: inout Parameters) {
    parameters.bind(item)
    parameters.bind(summary)
    parameters.bind(details.comments)
    parameters.bind(details.image)
    parameters.bind(details.duration)
    parameters.bind(details.season)
    parameters.bind(details.episode)
    parameters.bind(details.pageTries)
    parameters.bind(details.categoriesText)
    parameters.bind(details.enclosuresText)
    parameters.bind(content?.size)
    parameters.bind(content?.bytes)
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
