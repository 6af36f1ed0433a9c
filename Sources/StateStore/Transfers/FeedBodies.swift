// The bodies of feeds of kind `asset`: their fetch is a transfer.

public import Model
public import Timing

extension Store {
  /// Queues the body of a feed of kind `asset`; gives the transfer's number, nil if one of its is unsettled already.
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
      guard unsettled == nil else { return nil }
      return try queue(
        Asset(url: ""), item: nil, isFeedBody: true, description: description, feed: number, at: now)
    }
  }
}
