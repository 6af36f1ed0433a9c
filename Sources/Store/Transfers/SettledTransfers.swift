// The end of transfers and of their sessions, each with all its consequences in one transaction. A session opens with the
// first transfer that is queued, and closes when the last one settles.

public import Core

extension Store {
  /// Writes how an attempt ended, with its requests, its events, and, for a feed of kind `asset`, the commit of the
  /// fetch; false if another process was first.
  ///
  /// `configured` are the feeds that count towards the badge. An outcome of `lost` only records the requests.
  public func end(
    _ end: TransferEnd, round: Int64?, configured: FeedNames
  ) async throws -> Bool {
    try await batched { store in
      try store.write(store.mayWrite(end) ? end : end.lost, round: round, configured: configured)
    }
  }

  /// Whether a transfer is this process's to end, within a transaction: no other one has taken it over, or made it free.
  private func mayWrite(_ end: TransferEnd) throws -> Bool {
    guard let neighbours else { return true }
    return try database.exists(
      "SELECT 1 FROM transfer WHERE number = ?1 AND held_by IS ?2", end.number, neighbours.holder)
  }

  /// The same, within a transaction, with which this process lets go of the transfer.
  func write(_ end: TransferEnd, round: Int64?, configured: FeedNames) throws -> Bool {
    // The requests were sent, even if another process has settled the transfer.
    try add(end.requests, of: end.number)
    let isWritten = try writeOutcome(end, round: round, configured: configured)
    if isWritten, end.commit != nil { try recordChange() }
    try neighbours?.letGo(end.number, in: .transfer)
    return isWritten
  }

  private func writeOutcome(
    _ end: TransferEnd, round: Int64?, configured: FeedNames
  ) throws -> Bool {
    switch (end.outcome, end.commit) {
    case (.lost, _): return false
    case (.postponed(let transfer, _), let commit):
      if let caused = end.causedAt {
        try database.run(
          "INSERT INTO push_fetch (feed, at) SELECT feed, ?2 FROM transfer WHERE number = ?1", end.number,
          caused)
      }
      guard try write(transfer) else { return false }
      guard let commit else { return true }
      _ = try write(commit.feed, round: round, nextDue: commit.nextDue, configured: configured)
      return true
    case (.unchanged, let (commit, nextDue)?), (.failed, let (commit, nextDue)?):
      guard try forgetBody(end.number) else { return false }
      _ = try write(commit, round: round, nextDue: nextDue, configured: configured)
      return true
    case (.placed, _), (.unchanged, nil), (.failed, nil), (.cancelled, _):
      return try settle(end, round: round, configured: configured)
    case (.omitted(let rule), _):
      guard try settle(end, round: round, configured: configured) else { return false }
      func column(_ name: String) -> String { "\(name) = (SELECT \(name) FROM transfer WHERE number = ?1)" }
      try database.run(
        """
        UPDATE asset SET omitted_by = ?2
        WHERE \(column("feed")) AND \(column("item")) AND \(column("asset_key"))
        """, end.number, rule)
      return true
    }
  }

  /// Settles an unsettled transfer: its status, its file, the commit of the feed if it is a fetch, events in their
  /// order, and the end of its session if it was the last one; within a transaction.
  ///
  /// False, without a change, if another process was first.
  ///
  /// Events that are already recorded under their id are left out. The first new item of the commit becomes the
  /// transfer's item, if it has none. The file replaces an earlier one of the same name in the records.
  private func settle(
    _ end: TransferEnd, round: Int64?, configured: FeedNames
  ) throws -> Bool {
    guard let (status, reason, file) = end.outcome.settlement,
      let place = try close(end, as: status, reason, hasFile: file != nil)
    else { return false }
    if let file { try write(file, of: end.number, feed: place.feed) }
    var newItems: [Int64] = []
    if let (commit, nextDue) = end.commit {
      newItems = try write(commit, round: round, nextDue: nextDue, configured: configured)
      if let item = newItems.first {
        try database.run(
          "UPDATE transfer SET item = ?2 WHERE number = ?1 AND item IS NULL", end.number, item)
      }
    }
    for event in end.events { try add(event, newItems: newItems, round: round) }
    if let totals = try countSettled(status, in: place.session, of: place.name, at: end.ended) {
      for event in end.sessionFinished(totals) { try add(event, newItems: newItems, round: round) }
    }
    return true
  }

  /// Writes the status of a settled transfer; returns its feed and session, or nil if it was settled before.
  private func close(
    _ end: TransferEnd, as status: TransferStatus, _ reason: String?, hasFile: Bool
  ) throws -> (feed: Int64, session: Int64, name: FeedName)? {
    let found: [(Int64, Int64, FeedName)] = try database.rows(
      """
      UPDATE transfer SET status = ?2, reason = ?3, settled = ?4, bare_since = iif(?5 = 1, NULL, ?4), is_suspended_by_user = 0,
        not_before = NULL, (\(PartialDownload.columns)) = (\(PartialDownload.columns.placeholders))
      WHERE number = ?1 AND settled IS NULL
      RETURNING feed, session, (SELECT name FROM feed WHERE feed.number = transfer.feed)
      """, end.number, status, reason, end.ended, hasFile, end.partial)
    guard let (feed, session, name) = found.first else { return nil }
    try database.run("DELETE FROM intent WHERE transfer = ?1", end.number)
    return (feed, session, name)
  }

  /// Deletes the transfer of a running body of a feed of kind `asset` as if it had never been queued; false if it is no
  /// longer running.
  private func forgetBody(_ transfer: Int64) throws -> Bool {
    guard try stillHolds(transfer, in: .transfer) else { return false }
    let session: Int64? = try database.value(
      "DELETE FROM transfer WHERE number = ?1 AND status = 'running' AND url = '' RETURNING session",
      transfer)
    guard let session else { return false }
    // A session without transfers has nothing to finish.
    try database.run(
      """
      DELETE FROM session WHERE number = ?1 AND closed IS NULL
        AND NOT EXISTS (SELECT 1 FROM transfer WHERE session = ?1)
      """, session)
    return true
  }
}

// Sessions; all of these within a transaction.
extension Store {
  /// The open session of a feed, opened now if there is none.
  func openSession(of feed: Int64, at now: Instant) throws -> Int64 {
    if let open = try openSession(of: feed) { return open }
    return try database.insert("INSERT INTO session (feed, opened) VALUES (?1, ?2)", feed, now)
  }

  /// The open session of a feed, if there is one.
  func openSession(of feed: Int64) throws -> Int64? {
    try database.value("SELECT number FROM session WHERE feed = ?1 AND closed IS NULL", feed)
  }

  /// Counts a settled transfer in its session, and closes the session after the last one; returns the totals if this call
  /// closed it.
  private func countSettled(
    _ status: TransferStatus, in session: Int64, of feed: FeedName, at now: Instant
  ) throws -> SessionTotals? {
    try count(status, by: 1, in: session)
    return try database.first(
      """
      UPDATE session SET closed = ?2 WHERE number = ?1 AND closed IS NULL
        AND NOT EXISTS (
          SELECT 1 FROM transfer INDEXED BY transfer_unsettled WHERE session = ?1 AND settled IS NULL)
      RETURNING finished, failed, cancelled
      """, session, now
    ) { row in
      SessionTotals(
        session: session, feed: feed, finished: try row.next(), failed: try row.next(),
        cancelled: try row.next())
    }
  }

  /// Adds to a counter of an open session; -1 for a transfer that is tried again.
  func count(_ status: TransferStatus, by step: Int, in session: Int64) throws {
    try database.run(
      """
      UPDATE session SET finished = finished + iif(?2 = 'finished', ?3, 0),
        failed = failed + iif(?2 = 'failed', ?3, 0), cancelled = cancelled + iif(?2 = 'cancelled', ?3, 0)
      WHERE number = ?1 AND closed IS NULL
      """, session, status, step)
  }
}

extension TransferEnd {
  /// The same end of a transfer that is another process's now.
  fileprivate var lost: TransferEnd {
    var end = self
    end.outcome = .lost
    return end
  }
}
