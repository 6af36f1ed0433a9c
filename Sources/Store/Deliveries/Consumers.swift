// Events for consumers: hooks without a program, whose events wait until `bgfetch events` prints them.

public import Core

extension Store {
  /// The first events that a consumer has not read, in the order in which they were recorded.
  ///
  /// They stay unread until `markRead`; the caller holds the consumer's lock.
  public func unreadEvents(of consumer: String, limit: Int) throws(StoreFailure) -> [Delivery] {
    let first = "SELECT number FROM delivery WHERE hook = ?1 AND status = 'unread' ORDER BY number LIMIT ?2"
    // First without the write lock: usually there is nothing.
    guard try database.exists(first, consumer, limit) else { return [] }
    return try database.transaction(database.durabilityOfNotice) { () throws(StoreFailure) -> [Delivery] in
      let numbers: [Int64] = try database.rows(first, consumer, limit)
      try database.run(
        "UPDATE delivery SET attempts = attempts + 1 WHERE number IN (SELECT value FROM json_each(?1))",
        numbers)
      return try database.all(
        """
        \(Self.selectDeliveries) WHERE delivery.number IN (SELECT value FROM json_each(?1))
        ORDER BY delivery.number
        """, numbers, read: Self.delivery)
    }
  }

  /// Records that a consumer has read events.
  ///
  /// A power cut may undo it; the events are then read twice.
  public func markRead(_ deliveries: [Int64], at now: Instant) throws(StoreFailure) {
    try database.transaction { () throws(StoreFailure) in
      try database.run(
        """
        UPDATE delivery SET status = 'delivered', last_ended = ?2
        WHERE number IN (SELECT value FROM json_each(?1)) AND status = 'unread'
        """, deliveries, now)
      try removeItemsOfEnded(deliveries)
    }
  }

  /// The number of unread events of each consumer that has any, and when the oldest of them was recorded.
  public func unreadEventCounts() throws(StoreFailure) -> [String: UnreadEvents] {
    let found: [(String, UnreadEvents)] = try database.all(
      """
      SELECT hook, unread, (SELECT time FROM delivery JOIN event ON event.number = event WHERE delivery.number = oldest)
      FROM (
        SELECT hook, count(*) AS unread, min(number) AS oldest FROM delivery WHERE status = 'unread' GROUP BY hook
      ) AS consumer
      """
    ) { row throws(StoreFailure) in
      (try row.next(), UnreadEvents(count: try row.next(), since: try row.next()))
    }
    return Dictionary(found) { first, _ in first }
  }
}
