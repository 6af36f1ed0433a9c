// Deliveries on their way: claimed by whoever runs the hook, one at a time, and finished by it. Whether and
// when a failed one is tried again is decided elsewhere.

public import Core

extension Store {
  /// The hooks that have something to do: a delivery whose time has come, or one that is running, perhaps of
  /// a process that died.
  public func hooksWithWork(at now: Instant) throws(StoreFailure) -> Set<String> {
    Set(
      try database.values(
        """
        SELECT DISTINCT hook FROM delivery
        WHERE (status = 'pending' OR status = 'running') AND (status = 'running' OR \(Self.hasCome("?1")))
        """, now))
  }

  /// Claims a hook's next delivery: the first in the order of events whose time has come.
  ///
  /// It is running from now on and counts one attempt more. A delivery that waits for its retry is overtaken by those
  /// after it.
  ///
  /// - Parameters:
  ///   - hook: the hook's name.
  ///   - now: the present moment.
  ///   - kept: the numbers of deliveries that are passed over for now.
  /// - Returns: the delivery; nil if there is none, and while another one of the hook is running.
  /// - Throws: what the database says.
  public func nextDelivery(
    _ hook: String, at now: Instant, except kept: Set<Int64> = []
  ) throws(StoreFailure) -> Delivery? {
    let next = """
      SELECT number FROM delivery WHERE hook = ?1 AND status = 'pending' AND \(Self.hasCome("?2"))
        AND NOT EXISTS (SELECT 1 FROM delivery WHERE hook = ?1 AND status = 'running')
        AND number NOT IN (SELECT value FROM json_each(?3))
      ORDER BY number LIMIT 1
      """
    let keptList = JSONValue.array(kept.sorted().map { .number($0) }).text
    // Looked at without the write lock first: mostly there is nothing.
    guard try database.value(next, hook, now, keptList, as: Int64.self) != nil else { return nil }
    return try database.transaction { () throws(StoreFailure) -> Delivery? in
      guard let number: Int64 = try database.value(next, hook, now, keptList) else { return nil }
      try database.run(
        "UPDATE delivery SET status = 'running', attempts = attempts + 1 WHERE number = ?1", number)
      return try delivery(number)
    }
  }

  /// Makes a hook's running deliveries pending again: the caller holds the hook's lock, so the process that
  /// ran them is dead.
  ///
  /// Those that are tried only once are dropped.
  public func resetRunning(_ hook: String) throws(StoreFailure) {
    let running = try database.all(
      """
      SELECT \(Self.deliveryColumns) FROM delivery JOIN event ON event.number = delivery.event
      WHERE hook = ?1 AND status = 'running'
      """, hook
    ) { row throws(StoreFailure) in try Self.delivery(&row).delivery }
    guard !running.isEmpty else { return }
    try database.transaction { () throws(StoreFailure) in
      for delivery in running {
        try database.run(
          "UPDATE delivery SET status = ?2, last_error = 'interrupted' WHERE number = ?1 AND status = 'running'",
          delivery.number, delivery.event.kind.isBestEffort ? DeliveryStatus.dropped : .pending)
      }
    }
  }

  /// Records how an attempt ended, so that no power cut takes it back; false if the delivery was not running
  /// any more, and nothing is changed then.
  @discardableResult
  public func finishDelivery(
    _ number: Int64, _ end: DeliveryEnd, at now: Instant
  ) throws(StoreFailure) -> Bool {
    try database.transaction(.survivesPowerCut) { () throws(StoreFailure) -> Bool in
      let hook: String? = try database.value(
        """
        UPDATE delivery SET status = ?2, not_before = coalesce(?3, not_before), last_error = ?4,
          attempts = attempts - ?5, last_ended = ?6
        WHERE number = ?1 AND status = 'running' RETURNING hook
        """, number, end.status, end.notBefore, end.error, end.isCounted ? 0 : 1, now)
      guard let hook else { return false }
      // An event may have very many items, and its text is made.
      try database.run(
        """
        DELETE FROM event_item WHERE event = (SELECT event FROM delivery WHERE number = ?1)
          AND NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.event = event_item.event
            AND status NOT IN ('delivered', 'dropped'))
        """, number)
      if let printed = end.printed { try write(printed, of: hook, at: now) }
      return true
    }
  }
}
