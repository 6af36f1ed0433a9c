// Pushes from the moment they are taken. What one asks for, and when it may cause a fetch, is decided elsewhere; what a
// fetch means for them is in PushSettlements.swift.

public import Core

extension Store {
  /// The pushes of feeds that were not dormant when that was noted last.
  static let pushesThatCount = "push CROSS JOIN feed ON feed.number = push.feed WHERE \(isConfigured)"

  /// Takes a push, so that no power cut takes it back: its events, the badge if it sets it, and, where there is something
  /// to fetch, the push itself, which waits from now on.
  ///
  /// It takes the place of one of the same feed with the same content-id, also where both have none. Of a feed's pushes
  /// the newest `NewPush.mostOfFeed` wait; older ones are dropped. `configured` are the feeds that have a part in the
  /// badge.
  @discardableResult
  public func takePush(
    _ push: NewPush, configured: Set<FeedName>, at now: Instant
  ) throws(StoreFailure) -> PushReceipt {
    if push.badge != nil { tally = nil }
    return try database.transaction(.survivesPowerCut) { () throws(StoreFailure) -> PushReceipt in
      var receipt = PushReceipt()
      if let payload = push.payload {
        let feed = try number(of: push.feed, configured: now)
        // A feed that came back to the configuration may not have been noted as such yet, and its push counts.
        try database.run(
          "UPDATE feed SET last_configured = ?2 WHERE number = ?1 AND last_configured < ?2", feed, now)
        receipt = try add(payload, contentID: push.contentID, to: feed, at: now)
      }
      for event in push.events { try add(event, newItems: [], run: nil) }
      if let badge = push.badge { try write(badge: badge, configured: configured, at: now) }
      return receipt
    }
  }

  /// The pushes that wait, the oldest first; those of dormant feeds too.
  public func waitingPushes() throws(StoreFailure) -> [StoredPush] {
    try database.all(
      """
      SELECT push.number, feed.name, payload, received, tries, not_before
      FROM push JOIN feed ON feed.number = push.feed ORDER BY push.number
      """
    ) { row throws(StoreFailure) in
      StoredPush(
        number: try row.next(), feed: try row.next(), payload: try row.next(), received: try row.next(),
        tries: try row.next(), notBefore: try row.next())
    }
  }

  /// When pushes caused fetches, from a moment on, by feed.
  public func pushFetches(since: Instant) throws(StoreFailure) -> [FeedName: [Instant]] {
    var fetches: [FeedName: [Instant]] = [:]
    try database.each(
      """
      SELECT feed.name, push_fetch.at FROM push_fetch JOIN feed ON feed.number = push_fetch.feed
      WHERE push_fetch.at >= ?1 ORDER BY push_fetch.at
      """, since
    ) { row throws(StoreFailure) in
      let feed: FeedName = try row.next()
      fetches[feed, default: []].append(try row.next())
    }
    return fetches
  }

  /// Drops pushes that nobody is to be told of any more.
  public func dropPushes(_ numbers: [Int64]) throws(StoreFailure) {
    guard !numbers.isEmpty else { return }
    try database.run(
      "DELETE FROM push WHERE number IN (SELECT value FROM json_each(?1))", Self.list(numbers))
  }

  /// Adds a push that waits; within a transaction.
  private func add(
    _ payload: String, contentID: String?, to feed: Int64, at now: Instant
  ) throws(StoreFailure) -> PushReceipt {
    var receipt = PushReceipt()
    try database.run("DELETE FROM push WHERE feed = ?1 AND content_id IS ?2", feed, contentID)
    receipt.hasReplaced = database.changes > 0
    try database.run(
      "INSERT INTO push (feed, content_id, payload, received) VALUES (?1, ?2, ?3, ?4)",
      feed, contentID, payload, now)
    try database.run(
      """
      DELETE FROM push WHERE number IN (
        SELECT number FROM push WHERE feed = ?1 ORDER BY number DESC LIMIT -1 OFFSET ?2)
      """, feed, NewPush.mostOfFeed)
    receipt.dropped = database.changes
    return receipt
  }
}
