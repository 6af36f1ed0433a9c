// Transfers as a person deals with them: trying again, suspending, resuming, cancelling. A process that is at one of them
// notices, because the transfer is not running any more when it wants to change it.

public import Core

/// What came of asking for a change of a transfer.
public enum TransferAnswer: Hashable, Sendable {
  /// It is changed.
  case done
  /// It was so already.
  case unchanged
  /// There is no such transfer.
  case unknown
  /// Nothing of this kind happens to a transfer of this status.
  case refused(TransferStatus)
  /// Its file is whole and gets its name at this moment; if a process died at it, the next one ends it.
  case beingPlaced
  /// Another transfer, whose number is given, downloads the same or has its file.
  case superseded(by: Int64)
}

extension Store {
  /// Tries a transfer again at once, with all its attempts: one that failed, was cancelled or waits.
  ///
  /// One that had settled goes on in the feed's open session, which is opened if need be. One that is running is left
  /// alone; one that finished is refused: its file is there, or was removed and can be added again.
  @discardableResult
  public func retryTransfer(_ number: Int64, at now: Instant) throws(StoreFailure) -> TransferAnswer {
    try database.transaction { () throws(StoreFailure) -> TransferAnswer in
      guard let place = try place(of: number) else { return .unknown }
      switch place.status {
      case .finished: return .refused(.finished)
      case .running: return .unchanged
      case .queued, .suspended: break
      case .failed, .cancelled:
        if let other = try rival(of: number) { return .superseded(by: other) }
        try uncountSettled(place.status, in: place.session)
        try database.run(
          "UPDATE transfer SET session = ?2, settled = NULL, bare_since = NULL WHERE number = ?1", number,
          try openSession(of: place.feed, at: now))
      }
      try database.run(
        """
        UPDATE transfer SET status = 'queued', is_held = 0, reason = NULL, not_before = NULL, failures = 0,
          failing_since = NULL, crashes = 0
        WHERE number = ?1
        """, number)
      return .done
    }
  }

  /// Suspends an unsettled transfer until the person resumes it; a process that is at it stops.
  @discardableResult
  public func suspendTransfer(_ number: Int64) throws(StoreFailure) -> TransferAnswer {
    try change(
      number,
      """
      UPDATE transfer SET status = 'suspended', is_held = 1, reason = NULL, not_before = NULL
      WHERE number = ?1 AND is_held = 0
      """)
  }

  /// Lets a suspended transfer go on at once, whoever suspended it.
  @discardableResult
  public func resumeTransfer(_ number: Int64) throws(StoreFailure) -> TransferAnswer {
    try change(
      number,
      """
      UPDATE transfer SET status = 'queued', is_held = 0, reason = NULL, not_before = NULL
      WHERE number = ?1 AND status = 'suspended'
      """)
  }

  /// Cancels an unsettled transfer, which settles it; a process that is at it stops.
  ///
  /// One that failed is only not counted among those any more.
  ///
  /// - Parameters:
  ///   - number: the transfer.
  ///   - now: the time.
  ///   - run: the run whose events these are; nil for none.
  ///   - events: what is to be told of the transfer.
  ///   - sessionFinished: what is to be told if it was the last unsettled one of its session.
  /// - Returns: what came of it.
  /// - Throws: what the store throws.
  @discardableResult
  public func cancelTransfer(
    _ number: Int64, at now: Instant, run: Int64? = nil,
    events: @Sendable (Transfer) -> [EventRecord] = { _ in [] },
    sessionFinished: @escaping @Sendable (SessionTotals) -> [EventRecord]
  ) throws(StoreFailure) -> TransferAnswer {
    try database.transaction { () throws(StoreFailure) -> TransferAnswer in
      guard let transfer = try transfer(number) else { return .unknown }
      if transfer.status == .failed {
        // It has settled, and was told of; now nobody wants it any more.
        try database.run("UPDATE transfer SET status = 'cancelled' WHERE number = ?1", number)
        return .done
      }
      if transfer.status.isSettled {
        return transfer.status == .cancelled ? .unchanged : .refused(transfer.status)
      }
      if transfer.intent != nil { return .beingPlaced }
      // The fetch that it is counts as made, or the next run would begin it again.
      if transfer.isFeedBody {
        try database.run("UPDATE feed SET last_counted = ?2 WHERE name = ?1", transfer.feed, now)
      }
      var end = TransferEnd(number, .cancelled, ended: now, sessionFinished: sessionFinished)
      end.events = events(transfer)
      // Nothing of it bears on the badge.
      var tally: UnseenTally?
      return try writeSettled(end, run: run, tally: &tally) ? .done : .unknown
    }
  }

  /// Runs a statement that changes an unsettled transfer that is not being placed.
  private func change(_ number: Int64, _ sql: String) throws(StoreFailure) -> TransferAnswer {
    try database.transaction { () throws(StoreFailure) -> TransferAnswer in
      guard let place = try place(of: number) else { return .unknown }
      if place.status.isSettled { return .refused(place.status) }
      let intent = try database.value("SELECT 1 FROM intent WHERE transfer = ?1", number, as: Int.self)
      if intent != nil { return .beingPlaced }
      try database.run(sql, number)
      return database.changes > 0 ? .done : .unchanged
    }
  }

  private func place(
    of number: Int64
  ) throws(StoreFailure) -> (status: TransferStatus, session: Int64, feed: Int64)? {
    try database.first("SELECT status, session, feed FROM transfer WHERE number = ?1", number) {
      row throws(StoreFailure) in
      (status: try row.next(), session: try row.next(), feed: try row.next())
    }
  }

  /// Another transfer of the same asset that is unsettled or has its file; for the body of a feed, only an unsettled one.
  private func rival(of number: Int64) throws(StoreFailure) -> Int64? {
    try database.value(
      """
      SELECT other.number FROM transfer AS mine JOIN transfer AS other
        ON other.feed = mine.feed AND other.asset_key = mine.asset_key AND other.number <> mine.number
          AND (other.item = mine.item OR (mine.is_feed_body = 1 AND other.is_feed_body = 1))
        LEFT JOIN placed_file ON placed_file.transfer = other.number
      WHERE mine.number = ?1 AND (other.settled IS NULL
        OR (mine.is_feed_body = 0 AND placed_file.transfer IS NOT NULL AND placed_file.removed IS NULL))
      LIMIT 1
      """, number)
  }
}
