// Transfers as people read them.

public import Core

extension Store {
  /// Transfers: first the unsettled ones in the order in which they were queued, then those that settled, newest first.
  public func transfers(_ filter: TransferFilter = TransferFilter()) throws(StoreFailure) -> [Transfer] {
    let order =
      "settled IS NOT NULL, iif(settled IS NULL, transfer.number, 0), settled DESC, transfer.number DESC"
    // The rows are chosen by their numbers first: sorting whole rows is much slower.
    return try database.all(
      """
      WITH chosen AS (
        SELECT number AS chosen_number FROM transfer
        WHERE (?1 IS NULL OR feed IN (
            SELECT number FROM feed WHERE name IN (SELECT value FROM json_each(?1))))
          AND (?2 IS NULL OR status IN (SELECT value FROM json_each(?2)))
          AND (?3 IS NULL OR settled IS NULL OR settled >= ?3)
        ORDER BY \(order) LIMIT ?4)
      SELECT \(TransferRow.columns) FROM chosen JOIN transfer ON transfer.number = chosen_number
      \(TransferRow.joins) ORDER BY \(order)
      """, filter.feeds.map { JSONValue.array($0.map { .string($0.text) }).text },
      filter.statuses.map { JSONValue.array($0.map { .string($0.rawValue) }).text }, filter.settledSince,
      filter.limit ?? -1, read: TransferRow.read)
  }

  /// One transfer; nil if there is none of this number.
  public func transfer(_ number: Int64) throws(StoreFailure) -> Transfer? {
    try database.first(
      "\(TransferRow.select) WHERE transfer.number = ?1", number, read: TransferRow.read)
  }

  /// The transfers of items by the items' numbers, each in the order in which they were queued; items without any are
  /// left out.
  public func transfersOf(_ items: [Int64]) throws(StoreFailure) -> [Int64: [Transfer]] {
    let found = try database.all(
      """
      \(TransferRow.select) WHERE transfer.item IN (SELECT value FROM json_each(?1)) ORDER BY transfer.number
      """, Self.list(items), read: TransferRow.read)
    return Dictionary(grouping: found.filter { $0.item != nil }) { $0.item?.number ?? 0 }
  }

  /// The known assets of items by the items' numbers, each in their order in the item; items without any are left out.
  public func assetsOf(_ items: [Int64]) throws(StoreFailure) -> [Int64: [Asset]] {
    let found = try database.all(
      """
      SELECT item.number, url, asset.type, length, place
      FROM json_each(?1) JOIN item ON item.number = json_each.value
        JOIN asset ON asset.feed = item.feed AND asset.item = item.number
      ORDER BY place
      """, Self.list(items)
    ) { row throws(StoreFailure) in
      let item: Int64 = try row.next()
      return (
        item: item,
        asset: Asset(
          url: try row.next(), type: try row.next(), length: try row.optionalSize(), index: try row.next())
      )
    }
    return Dictionary(grouping: found, by: \.item).mapValues { $0.map(\.asset) }
  }

  /// The transfers of each feed in numbers; feeds without unsettled or failed ones are left out.
  public func transferCounts() throws(StoreFailure) -> [FeedName: TransferCounts] {
    var counts: [FeedName: TransferCounts] = [:]
    try database.each(
      """
      SELECT feed.name, count(*), count(*) FILTER (WHERE status = 'running'), count(*) FILTER (WHERE is_held)
      FROM \(Self.unsettledTransfers) JOIN feed ON feed.number = transfer.feed
      WHERE settled IS NULL GROUP BY transfer.feed
      """
    ) { row throws(StoreFailure) in
      let feed: FeedName = try row.next()
      var count = TransferCounts()
      count.unsettled = try row.next()
      count.running = try row.next()
      count.held = try row.next()
      counts[feed] = count
    }
    try database.each(
      """
      SELECT feed.name, count(*)
      FROM transfer INDEXED BY transfer_failed JOIN feed ON feed.number = transfer.feed
      WHERE status = 'failed' GROUP BY transfer.feed
      """
    ) { row throws(StoreFailure) in
      counts[try row.next(FeedName.self), default: TransferCounts()].failed = try row.next()
    }
    return counts
  }
}
