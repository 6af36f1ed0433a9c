// Adding transfers: for the assets that a fetch finds, for assets that the person requests, and for feeds of kind `asset`,
// whose fetch is a transfer.

public import Core

// Assets that a fetch finds.
extension Store {
  /// The known assets of all items of a feed, by item.
  public func knownAssets(_ feed: FeedName) throws -> [KnownAsset] {
    try database.all(
      """
      SELECT item, asset_key FROM asset WHERE feed = (SELECT number FROM feed WHERE name = ?1)
      ORDER BY item, asset_key
      """, feed
    ) { row in KnownAsset(item: try row.next(), key: try row.next()) }
  }

  /// The known assets of a feed that were left out because of what the document said about them, as it said it.
  public func omittedAssets(_ feed: FeedName) throws -> [KnownAsset: Asset] {
    let found = try database.all(
      """
      SELECT item, asset_key, url, type, length, place FROM asset
      WHERE feed = (SELECT number FROM feed WHERE name = ?1) AND omitted_by IN (?2, ?3)
      """, feed, OmissionRule.types, OmissionRule.maxSize
    ) { row in
      (known: KnownAsset(item: try row.next(), key: try row.next()), asset: try TransferRow.asset(&row))
    }
    return Dictionary(found.map { ($0.known, $0.asset) }) { first, _ in first }
  }

  /// The number of files that each rule has left out, by feed.
  public func omittedCounts() throws -> [FeedName: [OmissionRule: Int]] {
    var counts: [FeedName: [OmissionRule: Int]] = [:]
    try database.each(
      """
      SELECT feed.name, omitted_by, count(*) FROM asset JOIN feed ON feed.number = asset.feed
      WHERE omitted_by IS NOT NULL GROUP BY feed.name, omitted_by
      """
    ) { row in
      counts[try row.next(), default: [:]][try row.next()] = try row.next()
    }
    return counts
  }

  /// Stores the assets of a document and queues the wanted ones in their order; within the transaction of its items.
  ///
  /// A feed with too many unsettled transfers gets no more: the surplus becomes known and is not queued later. An asset
  /// that has become known since the findings were made is not queued again.
  func add(
    _ findings: AssetFindings, feed: Int64, newItems: [Int64], at now: Instant
  ) throws {
    guard !findings.isEmpty else { return }
    var unknown: Set<KnownAsset> = []
    for found in findings.known {
      guard let known = found.known(newItems) else { continue }
      if try remember(found, as: known, feed: feed) { unknown.insert(known) }
    }
    var room = findings.wanted.isEmpty ? 0 : ItemBounds.transfers - (try unsettledCount(of: feed))
    for found in findings.wanted {
      guard let known = found.known(newItems) else { continue }
      // Each wanted asset should be in `known`; a missing one becomes known now.
      if unknown.remove(known) == nil {
        guard try remember(found, as: known, feed: feed) else { continue }
      }
      guard room > 0 else {
        try record(.queue, for: known, feed: feed)
        continue
      }
      room -= 1
      try queue(
        found.asset, key: known.key, item: known.item, description: found.description, feed: feed, at: now)
    }
    for found in findings.shown {
      guard let known = found.known(newItems) else { continue }
      try renew(found.asset.url, of: known, feed: feed)
    }
  }

  private func unsettledCount(of feed: Int64) throws -> Int {
    try database.value(
      "SELECT count(*) FROM \(Self.unsettledTransfers) WHERE session = ?1 AND settled IS NULL",
      try openSession(of: feed)) ?? 0
  }

  /// Updates the URL of an asset without a file: the earlier one may have been signed, and expired.
  private func renew(_ url: String, of known: KnownAsset, feed: Int64) throws {
    let changed = try database.run(
      """
      UPDATE asset SET url = ?4, is_pushed = iif(url = ?4, is_pushed, 0), inner_address = \(Self.innerAddress)
      WHERE feed = ?1 AND item = ?2 AND asset_key = ?3
        AND (url <> ?4 OR inner_address IS NOT coalesce(\(Self.innerAddress), inner_address)) AND NOT EXISTS (
        SELECT 1 FROM transfer WHERE transfer.item = ?2 AND transfer.asset_key = ?3 AND status = 'finished')
      """, feed, known.item, known.key, url)
    guard changed > 0 else { return }
    try database.run(
      """
      UPDATE transfer SET url = ?3 WHERE item = ?1 AND asset_key = ?2 AND status IN ('queued', 'suspended', 'failed')
      """, known.item, known.key, url)
  }

  /// Records the rule by which an asset is not queued; nil if it is.
  private func record(_ rule: OmissionRule?, for known: KnownAsset, feed: Int64) throws {
    try database.run(
      "UPDATE asset SET omitted_by = ?4 WHERE feed = ?1 AND item = ?2 AND asset_key = ?3", feed, known.item,
      known.key, rule)
  }

  /// Stores an asset; false if it was known and not left out, or the feed has no such item.
  private func remember(
    _ found: FoundAsset, as known: KnownAsset, feed: Int64
  ) throws -> Bool {
    let asset = found.asset
    return try database.run(
      """
      INSERT INTO asset (feed, item, asset_key, place, url, type, length, description, is_pushed, inner_address,
        omitted_by)
      SELECT feed, number, ?3, ?4, ?5, ?6, ?7, nullif(?8, title), ?9, \(Self.innerAddress), ?10
      FROM item WHERE number = ?2 AND feed = ?1
      ON CONFLICT (feed, item, asset_key) DO UPDATE SET place = excluded.place, url = excluded.url, type = excluded.type,
        length = excluded.length, omitted_by = excluded.omitted_by
      WHERE asset.omitted_by IS NOT NULL
      """, feed, known.item, known.key, asset.index, asset.url, asset.type, asset.length, found.description,
      found.isPushed, asset.omittedBy) > 0
  }

  /// The private address of the feed's server, which the same commit has just written.
  private static let innerAddress = "(SELECT inner_address FROM feed WHERE number = ?1)"

  /// Queues a transfer in the feed's open session, or a new one; returns its number.
  ///
  /// Within a transaction.
  @discardableResult
  private func queue(
    _ asset: Asset, key: UInt64, item: Int64?, description: String, feed: Int64, isAskedFor: Bool = false,
    at now: Instant
  ) throws -> Int64 {
    try database.insert(
      """
      INSERT INTO transfer (
        feed, session, item, asset_key, place, url, type, length, description, queued, is_asked_for)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
      """, feed, try openSession(of: feed, at: now), item, key, asset.index, asset.url, asset.type,
      asset.length, description, now, isAskedFor)
  }
}

extension FoundAsset {
  /// The asset with the number of its item; nil if the commit has no such item.
  fileprivate func known(_ newItems: [Int64]) -> KnownAsset? {
    switch item {
    case .new(let place):
      newItems.indices.contains(place) ? KnownAsset(item: newItems[place], key: asset.key) : nil
    case .known(let number): KnownAsset(item: number, key: asset.key)
    }
  }
}

// Assets that a person or a push requests.
extension Store {
  /// Queues assets of known items, except those with an unsettled transfer or a file; returns the numbers of the transfers,
  /// beginning with the oldest item.
  ///
  /// Removed files and assets that no rule selected are queued too. Assets of filtered items are not. If the person asks for
  /// them, `keep` ignores the files of these items from now on, even if they are queued or downloaded already.
  ///
  /// `isWanted` selects assets.
  @discardableResult
  public func addTransfers(
    _ feed: FeedName, _ items: [Int64], isAskedFor: Bool, at now: Instant,
    where isWanted: @Sendable (Asset, _ item: ParsedItem) -> Bool = { _, _ in true }
  ) throws -> [Int64] {
    try database.transaction {
      guard let number = try number(of: feed) else { return [] }
      var added: [Int64] = []
      for item in try oldestFirst(items, feed: number) {
        if isAskedFor { try database.run("UPDATE transfer SET is_asked_for = 1 WHERE item = ?1", item) }
        guard let stored = try self.item(item) else { continue }
        let known = ParsedItem(stored.record, try detailsOf([item])[item] ?? ItemDetails())
        for (asset, description) in try missingAssets(of: item, feed: number) where isWanted(asset, known) {
          try record(nil, for: KnownAsset(item: item, key: asset.key), feed: number)
          // Instead of another transfer beside one that failed.
          if isAskedFor, let former = try endedTransfer(of: item, asset.key),
            try retryTransfer(former, at: now)
          {
            added.append(former)
            continue
          }
          added.append(
            try queue(
              asset, key: asset.key, item: item, description: description, feed: number,
              isAskedFor: isAskedFor, at: now))
        }
      }
      return added
    }
  }

  /// The failed or cancelled transfer of an asset, the latest of several.
  private func endedTransfer(of item: Int64, _ key: UInt64) throws -> Int64? {
    try database.value(
      """
      SELECT max(number) FROM transfer WHERE item = ?1 AND asset_key = ?2 AND status IN ('failed', 'cancelled')
      """, item, key)
  }

  /// The items that the feed has among these, oldest first.
  private func oldestFirst(_ items: [Int64], feed: Int64) throws -> [Int64] {
    try database.rows(
      """
      SELECT number FROM item WHERE feed = ?1 AND is_filtered = 0 AND is_pruned = 0
        AND number IN (SELECT value FROM json_each(?2)) ORDER BY coalesce(published, first_seen), number
      """, feed, items)
  }

  /// The assets of an item with neither an unsettled transfer nor a file, and the descriptions for their transfers.
  private func missingAssets(
    of item: Int64, feed: Int64
  ) throws -> [(asset: Asset, description: String)] {
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
    ) { row in (asset: try TransferRow.asset(&row), description: try row.next()) }
  }
}

// Feeds of kind `asset`.
extension Store {
  /// Queues the body of a feed of kind `asset` and returns the transfer's number.
  ///
  /// If the feed has an unsettled body, returns nil; that one can continue at once, unless the person suspended it. In
  /// both cases the feed is no longer in flight: from now on a crash concerns the transfer, not the feed.
  @discardableResult
  public func queueFeedBody(
    _ feed: FeedName, description: String, round: Int64?, at now: Instant
  ) throws -> Int64? {
    try database.transaction {
      let number = try row(of: feed, configured: now).number
      try database.run("DELETE FROM attempt WHERE feed = ?1 AND run IS ?2", number, round)
      let unsettled: Int64? = try database.value("SELECT \(Self.bodyUnderWay("?1"))", number)
      if let unsettled {
        try database.run("UPDATE transfer SET not_before = NULL WHERE number = ?1", unsettled)
        return nil
      }
      let body = Asset.feedBody
      return try queue(body, key: body.key, item: nil, description: description, feed: number, at: now)
    }
  }

  /// The number of the unsettled body of a feed, or NULL, as SQL.
  static func bodyUnderWay(_ feed: String) -> String {
    """
    (SELECT transfer.number FROM session
      JOIN transfer INDEXED BY transfer_unsettled ON transfer.session = session.number AND settled IS NULL
    WHERE session.feed = \(feed) AND closed IS NULL AND url = '' LIMIT 1)
    """
  }
}
