// The end of a transfer, and everything that follows from it, in one transaction.

public import Core

extension Store {
  /// Settles a transfer that is not settled: how it ended, its file, what it says of a feed whose fetch it is, events in
  /// their order, and, if it was the last unsettled one of its session, that the session is finished.
  ///
  /// All of it or nothing; false, and nothing is changed, if somebody else was first. Events already recorded under
  /// their id are left out. `configured` are the feeds that have a part in the badge.
  ///
  /// Of a commit, the first new item becomes the transfer's, where it has none. A file that takes the place of an
  /// earlier one of bgfetch's under the same name is the only one from now on.
  @discardableResult
  public func settle(
    _ settlement: TransferSettlement, run: Int64?, configured: Set<FeedName>
  ) async throws(StoreFailure) -> Bool {
    // Without a commit no item is new, and the badge stays.
    guard settlement.commit != nil else {
      return try await together { store throws(StoreFailure) in
        var tally: UnseenTally?
        return try store.writeSettled(settlement, run: run, tally: &tally)
      }
    }
    var taken: UnseenTally?
    let isSettled = try database.transaction { () throws(StoreFailure) -> Bool in
      taken = try currentTally(configured)
      tally = nil
      return try writeSettled(settlement, run: run, tally: &taken)
    }
    tally = taken
    return isSettled
  }

  /// Writes that a transfer settled, with all that follows; within a transaction.
  func writeSettled(
    _ settlement: TransferSettlement, run: Int64?, tally: inout UnseenTally?
  ) throws(StoreFailure) -> Bool {
    // They were sent, whoever has settled the transfer.
    try add(settlement.requests, of: settlement.number)
    guard settlement.status.isSettled, let place = try close(settlement) else { return false }
    if let file = settlement.file { try write(file, of: settlement.number, feed: place.feed) }
    var newItems: [Int64] = []
    if let (commit, nextDue) = settlement.commit {
      newItems = try write(commit, run: run, nextDue: nextDue, tally: &tally)
      if let item = newItems.first {
        try database.run(
          "UPDATE transfer SET item = ?2 WHERE number = ?1 AND item IS NULL", settlement.number, item)
      }
    }
    for event in settlement.events { try add(event, newItems: newItems, run: run) }
    let totals = try countSettled(
      settlement.status, in: place.session, of: place.name, at: settlement.ended)
    if let totals {
      for event in settlement.sessionFinished(totals) { try add(event, newItems: newItems, run: run) }
    }
    return true
  }

  /// Where a transfer belongs.
  private typealias TransferPlace = (feed: Int64, name: FeedName, session: Int64)

  /// Writes that a transfer is not unsettled any more; nil if it was not before.
  private func close(_ settlement: TransferSettlement) throws(StoreFailure) -> TransferPlace? {
    let partial = settlement.partial
    let place = try database.first(
      """
      UPDATE transfer SET status = ?2, reason = ?3, settled = ?4, bare_since = iif(?5, NULL, ?4), is_held = 0,
        not_before = NULL, (\(TransferRow.partialColumns)) = (?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
      WHERE number = ?1 AND settled IS NULL
      RETURNING feed, session, (SELECT name FROM feed WHERE feed.number = transfer.feed)
      """, settlement.number, settlement.status, settlement.reason, settlement.ended, settlement.file != nil,
      partial.bytes, partial.total, partial.entityTag, partial.lastModified, partial.date,
      partial.acceptsRanges, partial.address, partial.sha256
    ) { row throws(StoreFailure) -> TransferPlace in
      let feed: Int64 = try row.next()
      let session: Int64 = try row.next()
      return (feed: feed, name: try row.next(), session: session)
    }
    if place != nil { try database.run("DELETE FROM intent WHERE transfer = ?1", settlement.number) }
    return place
  }
}
