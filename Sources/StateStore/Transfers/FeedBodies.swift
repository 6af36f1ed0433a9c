// The bodies of feeds of kind `asset`: their fetch is a transfer.

public import Core

extension Store {
  /// Queues the body of a feed of kind `asset`; gives the transfer's number, nil if one of its is unsettled already, which
  /// then goes on at once unless the person suspended it.
  ///
  /// Either way the feed is not in flight in this run any more: what comes now is the transfer's, and a process that
  /// dies before it says nothing about the feed.
  @discardableResult
  public func queueFeedBody(
    _ feed: FeedName, description: String, run: Int64?, at now: Instant
  ) throws(StoreFailure) -> Int64? {
    try database.transaction { () throws(StoreFailure) -> Int64? in
      let number = try number(of: feed, configured: now)
      try database.run("DELETE FROM attempt WHERE feed = ?1 AND run IS ?2", number, run)
      let unsettled: Int64? = try database.value(
        """
        SELECT transfer.number FROM session
          JOIN transfer INDEXED BY transfer_unsettled ON transfer.session = session.number AND settled IS NULL
        WHERE session.feed = ?1 AND closed IS NULL AND is_feed_body = 1 LIMIT 1
        """, number)
      if let unsettled {
        try database.run("UPDATE transfer SET not_before = NULL WHERE number = ?1", unsettled)
        return nil
      }
      let body = Asset(url: "")
      return try queue(
        body, key: body.key, item: nil, isFeedBody: true, description: description, feed: number, at: now)
    }
  }

  /// The feeds that have an unsettled body.
  func feedsWithBodyUnderWay() throws(StoreFailure) -> [FeedName] {
    try database.values(
      """
      SELECT DISTINCT feed.name FROM \(Self.unsettledTransfers) JOIN feed ON feed.number = transfer.feed
      WHERE settled IS NULL AND is_feed_body = 1
      """)
  }

  /// Takes a running body out of the queue as if it had never been in it, and writes what the fetch that it was came to;
  /// false, and nothing is changed, if it is not running any more.
  func forgetBody(
    _ transfer: Int64, _ commit: FeedCommit, run: Int64?, nextDue: Instant?, configured: Set<FeedName>
  ) throws(StoreFailure) -> Bool {
    try end(commit, run: run, nextDue: nextDue, configured: configured) { () throws(StoreFailure) -> Bool in
      let session: Int64? = try database.value(
        "DELETE FROM transfer WHERE number = ?1 AND status = 'running' AND is_feed_body = 1 RETURNING session",
        transfer)
      guard let session else { return false }
      // Nothing was transferred, so there is nothing that finished.
      try database.run(
        """
        DELETE FROM session WHERE number = ?1 AND closed IS NULL
          AND NOT EXISTS (SELECT 1 FROM transfer WHERE session = ?1)
        """, session)
      return true
    }
  }

  /// Leaves a running body for the feed's next fetch, and writes what this one came to; false, and nothing is changed, if
  /// it is not running any more.
  func leaveBody(
    _ transfer: Transfer, _ commit: FeedCommit, run: Int64?, nextDue: Instant?, configured: Set<FeedName>
  ) throws(StoreFailure) -> Bool {
    try end(commit, run: run, nextDue: nextDue, configured: configured) { () throws(StoreFailure) -> Bool in
      try write(transfer)
    }
  }

  /// Writes what a fetch came to, if what has to be done with its transfer can be done.
  private func end(
    _ commit: FeedCommit, run: Int64?, nextDue: Instant?, configured: Set<FeedName>,
    ifPossible change: () throws(StoreFailure) -> Bool
  ) throws(StoreFailure) -> Bool {
    var taken = tally
    let isDone = try database.transaction { () throws(StoreFailure) -> Bool in
      taken = try currentTally(configured)
      tally = nil
      guard try change() else { return false }
      _ = try write(commit, run: run, nextDue: nextDue, tally: &taken)
      return true
    }
    tally = taken
    return isDone
  }
}
