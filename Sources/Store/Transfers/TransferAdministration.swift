// Listing and changing transfers, for commands. A process that works on a transfer notices a change, because the transfer is
// no longer running when the process updates it.

public import Core

extension Store {
  /// Transfers: first the unsettled ones in the order in which they were queued, then the settled ones, newest first.
  public func transfers(_ filter: TransferFilter) throws -> [Transfer] {
    let order =
      "settled IS NOT NULL, iif(settled IS NULL, transfer.number, 0), settled DESC, transfer.number DESC"
    // The numbers are chosen first, because sorting whole rows is much slower.
    return try database.all(
      """
      WITH chosen AS (
        SELECT number AS chosen_number FROM transfer
        WHERE (?1 IS NULL OR feed IN (
            SELECT number FROM feed WHERE name IN (SELECT value FROM json_each(?1))))
          AND (?2 IS NULL OR status IN (SELECT value FROM json_each(?2)))
        ORDER BY \(order) LIMIT ?3)
      SELECT \(TransferRow.columns) FROM chosen JOIN transfer ON transfer.number = chosen_number
      \(TransferRow.joins) ORDER BY \(order)
      """, filter.feeds, filter.statuses.map(Array.init), filter.limit ?? .max, read: TransferRow.read)
  }

  /// The transfer with a number, if it exists.
  public func transfer(_ number: Int64) throws -> Transfer? {
    try database.first(
      "\(TransferRow.select) WHERE transfer.number = ?1", number, read: TransferRow.read)
  }

  /// The transfers with numbers in a range, in order.
  public func transfers(in range: ClosedRange<Int64>) throws -> [Transfer] {
    try database.all(
      "\(TransferRow.select) WHERE transfer.number BETWEEN ?1 AND ?2 ORDER BY transfer.number",
      range.lowerBound, range.upperBound, read: TransferRow.read)
  }

  /// The transfers of items, by the items' numbers, in the order in which they were queued.
  public func transfersOf(_ items: [Int64]) throws -> [Int64: [Transfer]] {
    let found = try database.all(
      """
      \(TransferRow.select) WHERE transfer.item IN (SELECT value FROM json_each(?1)) ORDER BY transfer.number
      """, items, read: TransferRow.read)
    return Dictionary(grouping: found.filter { $0.item != nil }) { $0.item?.number ?? 0 }
  }

  /// The known assets of items, by the items' numbers, in their order in the item.
  public func assetsOf(_ items: [Int64]) throws -> [Int64: [Asset]] {
    var assets: [Int64: [Asset]] = [:]
    try database.each(
      """
      SELECT item.number, url, asset.type, length, place, omitted_by
      FROM json_each(?1) JOIN item ON item.number = json_each.value
        JOIN asset ON asset.feed = item.feed AND asset.item = item.number
      ORDER BY place
      """, items
    ) { row in
      let item: Int64 = try row.next()
      var asset = try TransferRow.asset(&row)
      asset.omittedBy = try row.next()
      assets[item, default: []].append(asset)
    }
    return assets
  }

  /// The numbers of transfers of each feed that has unsettled or failed ones.
  public func transferCounts() throws -> [FeedName: TransferCounts] {
    var counts: [FeedName: TransferCounts] = [:]
    try database.each(
      """
      SELECT feed.name, count(*) FILTER (WHERE settled IS NULL), count(*) FILTER (WHERE status = 'running'),
        count(*) FILTER (WHERE status = 'failed')
      FROM (
        SELECT number FROM \(Self.unsettledTransfers) WHERE settled IS NULL
        UNION ALL SELECT number FROM transfer INDEXED BY transfer_failed WHERE status = 'failed') AS counted
      JOIN transfer USING (number) JOIN feed ON feed.number = transfer.feed GROUP BY feed.name
      """
    ) { row in
      let feed: FeedName = try row.next()
      var count = TransferCounts()
      count.unsettled = try row.next()
      count.running = try row.next()
      count.failed = try row.next()
      counts[feed] = count
    }
    return counts
  }
}

// Changes by a person; false if they do not apply to the transfer, because it has changed meanwhile.
extension Store {
  /// Tries a failed, cancelled or waiting transfer again at once; its failures no longer count.
  ///
  /// A settled transfer moves to the feed's open session, or a new one, and `keep` ignores its file. It is left alone if another
  /// transfer downloads the same asset or has its file.
  @discardableResult
  public func retryTransfer(_ number: Int64, at now: Instant) throws -> Bool {
    try database.transaction {
      let found: [(TransferStatus, Int64, Int64)] = try database.rows(
        "SELECT status, session, feed FROM transfer WHERE number = ?1", number)
      guard let (status, session, feed) = found.first, status != .running, status != .finished else {
        return false
      }
      if status.isSettled {
        guard try !hasRival(number) else { return false }
        try count(status, by: -1, in: session)
        try database.run(
          "UPDATE transfer SET session = ?2, settled = NULL, bare_since = NULL, is_asked_for = 1 WHERE number = ?1",
          number, try openSession(of: feed, at: now))
      }
      try database.run(
        """
        UPDATE transfer SET status = 'queued', is_suspended_by_user = 0, reason = ?2, not_before = NULL, failures = 0,
          failing_since = NULL, crashes = 0
        WHERE number = ?1
        """, number, Transfer.askedFor)
      return true
    }
  }

  /// Suspends an unsettled transfer until the person resumes it.
  @discardableResult
  public func suspendTransfer(_ number: Int64) throws -> Bool {
    try database.run(
      """
      UPDATE transfer SET status = 'suspended', is_suspended_by_user = 1, reason = NULL, not_before = NULL
      WHERE number = ?1 AND is_suspended_by_user = 0 AND settled IS NULL AND \(Self.isNotBeingPlaced)
      """, number) > 0
  }

  /// Resumes a suspended transfer at once, even if bgfetch suspended it.
  @discardableResult
  public func resumeTransfer(_ number: Int64) throws -> Bool {
    try database.run(
      """
      UPDATE transfer SET status = 'queued', is_suspended_by_user = 0, reason = ?2, not_before = NULL
      WHERE number = ?1 AND status = 'suspended' AND \(Self.isNotBeingPlaced)
      """, number, Transfer.askedFor) > 0
  }

  /// Whether the file of a transfer is not being placed; after a crash, the next process finishes that.
  private static let isNotBeingPlaced = "NOT EXISTS (SELECT 1 FROM intent WHERE transfer = ?1)"

  /// Cancels an unsettled transfer, which settles it.
  ///
  /// A failed transfer only stops counting as failed.
  ///
  /// `sessionFinished` returns the events to add if this was the last unsettled transfer of its session.
  @discardableResult
  public func cancelTransfer(
    _ number: Int64, at now: Instant,
    sessionFinished: @escaping @Sendable (SessionTotals) -> [EventRecord]
  ) throws -> Bool {
    try database.transaction {
      guard let transfer = try transfer(number) else { return false }
      if transfer.status == .failed {
        try database.run("UPDATE transfer SET status = 'cancelled' WHERE number = ?1", number)
        return true
      }
      guard !transfer.status.isSettled, transfer.intent == nil else { return false }
      // This counts as a fetch of the feed, or the next run would begin it again.
      if transfer.isFeedBody {
        try database.run(
          "UPDATE feed SET last_counted = ?2, due_at = NULL WHERE name = ?1", transfer.feed, now)
        try recordChange()
      }
      let end = TransferEnd(number, .cancelled, ended: now, sessionFinished: sessionFinished)
      // Without a commit it does not matter which feeds are configured.
      return try write(end, round: nil, configured: [])
    }
  }

  /// Whether another transfer of the same asset is unsettled or has its file; for the body of a feed, whether one is unsettled.
  private func hasRival(_ number: Int64) throws -> Bool {
    try database.exists(
      """
      SELECT 1 FROM transfer AS mine JOIN transfer AS other
        ON other.feed = mine.feed AND other.asset_key = mine.asset_key AND other.number <> mine.number
          AND (other.item = mine.item OR mine.url = '')
        LEFT JOIN placed_file ON placed_file.transfer = other.number
      WHERE mine.number = ?1 AND (other.settled IS NULL
        OR (mine.url <> '' AND placed_file.transfer IS NOT NULL AND placed_file.removed IS NULL))
      LIMIT 1
      """, number)
  }
}
