// Searching items by their words.

public import Core

extension Store {
  /// The items with all of these words in title, author, summary or content, newest first, without filtered and pruned ones.
  ///
  /// The last word may be the beginning of a word; `"two words"` is a phrase. The other parameters are those of
  /// `items`.
  ///
  /// - Throws: `noFullTextSearch` if SQLite was built without FTS5.
  public func items(
    matching words: String, feeds: [FeedName]?, unseenOnly: Bool, since: Instant?, limit: Int?,
    among configured: FeedNames
  ) throws(StoreFailure) -> [StoredItem] {
    guard let query = SearchQuery(words) else { return [] }
    let found: [Int64]
    do throws(StoreFailure) {
      found = try search(query)
    } catch {
      guard case .corrupt(let path, _) = error, path.hasSuffix(SearchIndex.fileName) else { throw error }
      SearchIndex.remove(from: directory)
      found = try search(query)
    }
    return try items(
      feeds: feeds, unseenOnly: unseenOnly, since: since, limit: limit, among: configured, only: found)
  }

  /// The numbers of the items that match a query, after the index is updated.
  private func search(_ query: SearchQuery) throws(StoreFailure) -> [Int64] {
    let stored: [(Int64, Int64)] = try database.rows(
      // While an item waits for its page, the number of tries stands for its form: the page changes only the content.
      """
      SELECT number, coalesce(
        (SELECT page_tries FROM detail WHERE item = number AND page_tries IS NOT NULL), postponed_edit, edit_hash)
      FROM item WHERE is_filtered = 0 AND is_pruned = 0
      """)
    guard !stored.isEmpty else { return [] }
    let hashes = Dictionary(stored) { first, _ in first }
    let index = try SearchIndex(in: directory)
    let missing = try index.removeOutdated(present: hashes)
    // The contents of all items may not fit into memory. What was added stays in the index even if the search is
    // interrupted.
    for start in stride(from: 0, to: missing.count, by: 500) {
      let numbers = Array(missing[start..<min(start + 500, missing.count)])
      let details = try detailsOf(numbers)
      let items = try database.all(
        """
        SELECT \(Self.storedItemColumns) FROM item \(Self.itemTables)
        WHERE item.number IN (SELECT value FROM json_each(?1))
        """, numbers, read: storedItem)
      try index.add(
        items.map { item in
          var item = item
          item.record.details = details[item.number]
          return (item, hashes[item.number] ?? 0)
        })
    }
    return try index.items(matching: query)
  }
}
