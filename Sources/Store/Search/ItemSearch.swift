// Searching items by their words.

import Core

extension Store {
  /// The numbers of the items with all of these words in title, author, summary or content.
  ///
  /// - Throws: `noFullTextSearch` if SQLite was built without FTS5.
  func search(_ words: String) throws -> [Int64] {
    guard let query = SearchQuery(words) else { return [] }
    do {
      return try search(query)
    } catch {
      guard case StoreFailure.corrupt(let path, _) = error, path.hasSuffix(SearchIndex.fileName) else {
        throw error
      }
      SearchIndex.remove(from: directory)
      return try search(query)
    }
  }

  /// The numbers of the items that match a query, after the index is updated.
  private func search(_ query: SearchQuery) throws -> [Int64] {
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
      let items = try withDetails(try items(numbered: numbers))
      try index.add(items.map { ($0, hashes[$0.number] ?? 0) })
    }
    return try index.items(matching: query)
  }
}
