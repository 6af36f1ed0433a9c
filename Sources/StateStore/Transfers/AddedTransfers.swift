// Transfers that the person asks for, of items that are known.

public import Core

extension Store {
  /// Queues the assets of known items of a feed, but for those that have an unsettled transfer or their file.
  ///
  /// What was removed is queued, too: the person asks for it. So is what no document wanted; filtered items are not.
  ///
  /// - Parameters:
  ///   - feed: the feed.
  ///   - items: which of its items.
  ///   - now: the time.
  ///   - isWanted: which of their assets.
  /// - Returns: the numbers of the new transfers, those of the oldest item first.
  /// - Throws: what the store throws.
  @discardableResult
  public func addTransfers(
    _ feed: FeedName, _ items: WantedItems, at now: Instant,
    where isWanted: @Sendable (Asset) -> Bool = { _ in true }
  ) throws(StoreFailure) -> [Int64] {
    try database.transaction { () throws(StoreFailure) -> [Int64] in
      let number: Int64? = try database.value("SELECT number FROM feed WHERE name = ?1", feed)
      guard let number else { return [] }
      var added: [Int64] = []
      for item in try itemNumbers(items, feed: number) {
        for (asset, description) in try missingAssets(of: item, feed: number) where isWanted(asset) {
          added.append(
            try queue(asset, key: asset.key, item: item, description: description, feed: number, at: now))
        }
      }
      return added
    }
  }

  /// The items that are wanted, the oldest first.
  private func itemNumbers(_ wanted: WantedItems, feed: Int64) throws(StoreFailure) -> [Int64] {
    let newest = "ORDER BY coalesce(published, first_seen) DESC, number DESC"
    let found: [Int64] =
      switch wanted {
      case .latest(let count):
        try database.values(
          """
          SELECT number FROM item WHERE feed = ?1 AND is_filtered = 0 AND is_pruned = 0
            AND EXISTS (SELECT 1 FROM asset WHERE asset.feed = ?1 AND asset.item = item.number)
          \(newest) LIMIT ?2
          """, feed, max(0, count))
      case .numbers(let numbers):
        try database.values(
          """
          SELECT number FROM item WHERE feed = ?1 AND is_filtered = 0 AND is_pruned = 0
            AND number IN (SELECT value FROM json_each(?2)) \(newest)
          """, feed, Self.list(numbers))
      }
    return found.reversed()
  }

  /// The assets of an item that have neither an unsettled transfer nor a file, and what people call them.
  private func missingAssets(
    of item: Int64, feed: Int64
  ) throws(StoreFailure) -> [(asset: Asset, description: String)] {
    try database.all(
      """
      SELECT url, type, length, place, coalesce(description, title, url)
      FROM asset JOIN item ON item.number = asset.item
      WHERE asset.feed = ?1 AND asset.item = ?2 AND NOT EXISTS (
        SELECT 1 FROM transfer LEFT JOIN placed_file ON placed_file.transfer = transfer.number
        WHERE transfer.item = asset.item AND transfer.asset_key = asset.asset_key
          AND (settled IS NULL OR (placed_file.transfer IS NOT NULL AND removed IS NULL)))
      ORDER BY place
      """, feed, item
    ) { row throws(StoreFailure) in
      let asset = Asset(
        url: try row.next(), type: try row.next(), length: try row.optionalSize(), index: try row.next())
      return (asset: asset, description: try row.next())
    }
  }

  /// Numbers as SQLite takes them.
  static func list(_ numbers: [Int64]) -> String { JSONValue.array(numbers.map(JSONValue.number)).text }
}
