// The bounds of what is stored of one feed's items, whatever its server sends.

import Core

extension Store {
  /// Prunes the oldest items of a feed beyond those that are listed, and forgets the oldest beyond those that have left
  /// its document and are recognised; within the transaction that added new ones.
  ///
  /// Items of the document are pruned last and never forgotten.
  ///
  /// `shown` are the known items that the document shows, nil where the new ones did not come in a document; `new` is how
  /// many were added.
  func pruneItems(of feed: Int64, shown: [Int64]?, new: Int) throws(StoreFailure) {
    let stored: Int = try database.value("SELECT count(*) FROM item WHERE feed = ?1", feed) ?? 0
    // The count comes from an index alone; few feeds ever get further.
    guard stored > ItemBounds.listed else { return }
    let shownList = Self.list(shown ?? [])
    let listed: Int =
      try database.value(
        "SELECT count(*) FROM item WHERE feed = ?1 AND is_pruned = 0 AND is_filtered = 0", feed) ?? 0
    if listed > ItemBounds.listed {
      try removeTexts(
        of: try database.values(
          """
          SELECT number FROM item WHERE feed = ?1 AND is_pruned = 0 AND is_filtered = 0
          ORDER BY number IN (SELECT value FROM json_each(?2)), number LIMIT ?3
          """, feed, shownList, listed - ItemBounds.listed), feed: feed)
    }
    let departed = stored - new - (shown?.count ?? ParsedFeed.maximumItems)
    if departed > ItemBounds.departed {
      try forget(
        try database.values(
          """
          SELECT number FROM item WHERE feed = ?1 AND number NOT IN (SELECT value FROM json_each(?2))
          ORDER BY number LIMIT ?3
          """, feed, shownList, departed - ItemBounds.departed), feed: feed)
    }
  }

  /// Leaves only what recognises these items, and counts them as seen.
  private func removeTexts(of numbers: [Int64], feed: Int64) throws(StoreFailure) {
    let list = Self.list(numbers)
    try database.run(
      """
      UPDATE item SET (is_pruned, is_seen, held_edit, guid, link, title, author)
        = (1, 1, NULL, NULL, NULL, NULL, NULL)
      WHERE number IN (SELECT value FROM json_each(?1))
      """, list)
    try database.run("DELETE FROM summary WHERE item IN (SELECT value FROM json_each(?1))", list)
    try forgetAssets(of: list, feed: feed)
  }

  private func forget(_ numbers: [Int64], feed: Int64) throws(StoreFailure) {
    let list = Self.list(numbers)
    try forgetAssets(of: list, feed: feed)
    try database.run("DELETE FROM item WHERE number IN (SELECT value FROM json_each(?1))", list)
  }

  /// Forgets which assets items had; no document queues any of theirs any more.
  private func forgetAssets(of items: String, feed: Int64) throws(StoreFailure) {
    try database.run(
      "DELETE FROM asset WHERE feed = ?2 AND item IN (SELECT value FROM json_each(?1))", items, feed)
  }
}
