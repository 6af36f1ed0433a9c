// The assets of items, as a fetch finds them: remembered, and those that are wanted queued.

public import Core

extension Store {
  /// The assets known of all items of a feed, by item.
  public func knownAssets(_ feed: FeedName) throws(StoreFailure) -> [KnownAsset] {
    try database.all(
      """
      SELECT item, asset_key FROM asset WHERE feed = (SELECT number FROM feed WHERE name = ?1)
      ORDER BY item, asset_key
      """, feed
    ) { row throws(StoreFailure) in KnownAsset(item: try row.next(), key: try row.next()) }
  }

  /// Remembers what a document says about assets and queues those that are wanted, in their order; within the
  /// transaction of its items.
  ///
  /// A feed that has very many unsettled transfers gets no more: what is left out is known, and does not come later by
  /// itself. What was known before is not queued again, whatever the findings say: they were made before the transaction.
  func add(
    _ findings: AssetFindings, feed: Int64, newItems: [Int64], at now: Instant
  ) throws(StoreFailure) {
    guard !findings.isEmpty else { return }
    var unknown: Set<KnownAsset> = []
    for found in findings.known {
      guard let known = found.known(newItems) else { continue }
      if try remember(found, as: known, feed: feed) { unknown.insert(known) }
    }
    var room = findings.wanted.isEmpty ? 0 : ItemBounds.transfers - (try unsettledCount(of: feed))
    for found in findings.wanted {
      guard let known = found.known(newItems) else { continue }
      // Each is among the known ones, too; one that is not is remembered now.
      if unknown.remove(known) == nil {
        guard try remember(found, as: known, feed: feed) else { continue }
      }
      guard room > 0 else { continue }
      room -= 1
      try queue(
        found.asset, key: known.key, item: known.item, description: found.description, feed: feed, at: now)
    }
    for found in findings.shown {
      guard let known = found.known(newItems) else { continue }
      try renew(found.asset.url, of: known, feed: feed)
    }
  }

  private func unsettledCount(of feed: Int64) throws(StoreFailure) -> Int {
    try database.value(
      "SELECT count(*) FROM \(Self.unsettledTransfers) WHERE session = ?1 AND settled IS NULL",
      try openSession(of: feed)) ?? 0
  }

  /// Has an asset whose file is not there yet asked at the address that the feed gives now: that of before may be signed,
  /// and good for a while only.
  private func renew(_ url: String, of known: KnownAsset, feed: Int64) throws(StoreFailure) {
    try database.run(
      """
      UPDATE asset SET url = ?4, is_pushed = is_pushed AND url = ?4, inner_address = \(Self.innerAddress)
      WHERE feed = ?1 AND item = ?2 AND asset_key = ?3
        AND (url <> ?4 OR inner_address IS NOT coalesce(\(Self.innerAddress), inner_address)) AND NOT EXISTS (
        SELECT 1 FROM transfer WHERE transfer.item = ?2 AND transfer.asset_key = ?3 AND status = 'finished')
      """, feed, known.item, known.key, url)
    guard database.changes > 0 else { return }
    try database.run(
      """
      UPDATE transfer SET url = ?3 WHERE item = ?1 AND asset_key = ?2 AND status IN ('queued', 'suspended', 'failed')
      """, known.item, known.key, url)
  }

  /// Remembers an asset; false if it was known, or the feed has no such item.
  private func remember(
    _ found: FoundAsset, as known: KnownAsset, feed: Int64
  ) throws(StoreFailure) -> Bool {
    let asset = found.asset
    try database.run(
      """
      INSERT OR IGNORE INTO asset (feed, item, asset_key, place, url, type, length, description, is_pushed, inner_address)
      SELECT feed, number, ?3, ?4, ?5, ?6, ?7, nullif(?8, title), ?9, \(Self.innerAddress)
      FROM item WHERE number = ?2 AND feed = ?1
      """, feed, known.item, known.key, asset.index, asset.url, asset.type, asset.length, found.description,
      found.isPushed)
    return database.changes > 0
  }

  /// The address that the feed of a document was connected to, as its commit has just written it.
  private static let innerAddress = "(SELECT inner_address FROM feed WHERE number = ?1)"

  /// Queues a transfer in the feed's session, which is opened if need be; gives its number.
  ///
  /// Within a transaction.
  @discardableResult
  func queue(
    _ asset: Asset, key: UInt64, item: Int64?, isFeedBody: Bool = false, description: String, feed: Int64,
    at now: Instant
  ) throws(StoreFailure) -> Int64 {
    try database.run(
      """
      INSERT INTO transfer (feed, session, item, asset_key, place, url, type, length, is_feed_body, description, queued)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
      """, feed, try openSession(of: feed, at: now), item, key, asset.index, asset.url, asset.type,
      asset.length, isFeedBody, description, now)
    return database.lastInserted
  }
}

extension FoundAsset {
  /// What it is known by; nil where a commit has no item at its place.
  fileprivate func known(_ newItems: [Int64]) -> KnownAsset? {
    switch item {
    case .new(let place):
      newItems.indices.contains(place) ? KnownAsset(item: newItems[place], key: asset.key) : nil
    case .known(let number): KnownAsset(item: number, key: asset.key)
    }
  }
}
