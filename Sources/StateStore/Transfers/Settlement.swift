// The end of an attempt at a transfer, and everything that follows from it, in one transaction.

public import Core

extension Store {
  /// Writes how an attempt ended, with its requests, its events, and the fetch that it was for a feed of kind `asset`;
  /// returns false if another process was first.
  ///
  /// `configured` are the feeds that count for the badge. An outcome of `lost` only records the requests.
  public func end(
    _ end: TransferEnd, run: Int64?, configured: Set<FeedName>
  ) async throws(StoreFailure) -> Bool {
    switch (end.outcome, end.commit) {
    case (.lost, _):
      try noteRequests(end.requests, of: end.number)
      return false
    case (.postponed(let transfer, _), nil): return try leave(transfer, end.requests)
    case (.postponed(let transfer, _), let (commit, nextDue)?):
      return try leaveBody(transfer, commit, run: run, nextDue: nextDue, configured: configured)
    case (.unchanged, let (commit, nextDue)?), (.failed, let (commit, nextDue)?):
      return try forgetBody(end.number, commit, run: run, nextDue: nextDue, configured: configured)
    case (.placed, _), (.unchanged, nil), (.failed, nil), (.cancelled, _):
      return try await settle(end, run: run, configured: configured)
    }
  }

  /// Settles a transfer that is not settled: how it ended, its file, its fetch, its events in their order, and, if it was
  /// the last unsettled one of its session, the end of the session.
  ///
  /// Returns false, and changes nothing but the log of requests, if another process was first. Events already recorded
  /// under their id are left out. The first new item of a commit becomes the transfer's if it has none. A file that
  /// replaces an earlier one of bgfetch's under the same name is the only one from now on.
  @discardableResult
  func settle(
    _ end: TransferEnd, run: Int64?, configured: Set<FeedName>
  ) async throws(StoreFailure) -> Bool {
    // Without a commit no item is new, and the badge stays.
    guard end.commit != nil else {
      return try await together { store throws(StoreFailure) in
        var tally: UnseenTally?
        return try store.writeSettled(end, run: run, tally: &tally)
      }
    }
    var taken: UnseenTally?
    let isSettled = try database.transaction { () throws(StoreFailure) -> Bool in
      taken = try currentTally(configured)
      tally = nil
      return try writeSettled(end, run: run, tally: &taken)
    }
    tally = taken
    return isSettled
  }

  /// Writes that a transfer settled, with all that follows; within a transaction.
  func writeSettled(
    _ end: TransferEnd, run: Int64?, tally: inout UnseenTally?
  ) throws(StoreFailure) -> Bool {
    // They were sent, whoever has settled the transfer.
    try add(end.requests, of: end.number)
    guard let (status, reason, file) = end.outcome.settlement,
      let place = try close(end, as: status, reason, hasFile: file != nil)
    else { return false }
    if let file { try write(file, of: end.number, feed: place.feed) }
    var newItems: [Int64] = []
    if let (commit, nextDue) = end.commit {
      newItems = try write(commit, run: run, nextDue: nextDue, tally: &tally)
      if let item = newItems.first {
        try database.run(
          "UPDATE transfer SET item = ?2 WHERE number = ?1 AND item IS NULL", end.number, item)
      }
    }
    for event in end.events { try add(event, newItems: newItems, run: run) }
    let totals = try countSettled(status, in: place.session, of: place.name, at: end.ended)
    if let totals {
      for event in end.sessionFinished(totals) { try add(event, newItems: newItems, run: run) }
    }
    return true
  }

  /// Where a transfer belongs.
  private typealias TransferPlace = (feed: Int64, name: FeedName, session: Int64)

  /// Writes that a transfer is not unsettled any more; nil if it was not before.
  private func close(
    _ end: TransferEnd, as status: TransferStatus, _ reason: String?, hasFile: Bool
  ) throws(StoreFailure) -> TransferPlace? {
    let partial = end.partial
    let place = try database.first(
      """
      UPDATE transfer SET status = ?2, reason = ?3, settled = ?4, bare_since = iif(?5, NULL, ?4), is_held = 0,
        not_before = NULL, (\(TransferRow.partialColumns)) = (?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
      WHERE number = ?1 AND settled IS NULL
      RETURNING feed, session, (SELECT name FROM feed WHERE feed.number = transfer.feed)
      """, end.number, status, reason, end.ended, hasFile,
      partial.bytes, partial.total, partial.entityTag, partial.lastModified, partial.date,
      partial.acceptsRanges, partial.address, partial.sha256
    ) { row throws(StoreFailure) -> TransferPlace in
      let feed: Int64 = try row.next()
      let session: Int64 = try row.next()
      return (feed: feed, name: try row.next(), session: session)
    }
    if place != nil { try database.run("DELETE FROM intent WHERE transfer = ?1", end.number) }
    return place
  }
}
