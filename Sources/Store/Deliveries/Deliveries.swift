// Deliveries on their way: a process claims them one at a time for a hook, and finishes them. Core decides whether and
// when a failed one is tried again. Adding events, their rows and the times of deliveries are in files beside this one.

public import Core

extension Store {
  /// The hooks with work: a delivery that is due, or one that is running in a process that may have died.
  public func hooksWithWork(at now: Instant) throws(StoreFailure) -> Set<String> {
    let hooks: [String] = try database.rows(
      """
      SELECT DISTINCT hook FROM delivery
      WHERE (status = 'pending' OR status = 'running') AND (\(isLapsed(.delivery)) OR status = 'pending' AND \(Self.isDue("?1")))
      """, now)
    return Set(hooks)
  }

  /// Claims deliveries of a hook and makes their texts in one transaction; nil if nothing is due.
  ///
  /// `body` claims by `nextDelivery`, and calls other functions of the store for the texts, which it freezes. It may be called
  /// again, on a server.
  public func claiming<Output: Sendable>(
    for hook: String, at now: Instant, _ body: @Sendable (isolated Store) throws(StoreFailure) -> Output
  ) throws(StoreFailure) -> Output? {
    // First without the write lock: usually there is nothing.
    guard
      try database.exists(
        "SELECT 1 FROM delivery WHERE hook = ?1 AND status = 'pending' AND \(Self.isDue("?2"))", hook, now)
    else { return nil }
    return try database.transaction(database.durabilityOfNotice) { () throws(StoreFailure) in try body(self) }
  }

  /// Claims the next delivery of a hook: the first due one, in the order of events.
  ///
  /// It becomes running and counts one more attempt. Deliveries after one that waits for its retry overtake it.
  ///
  /// - Parameters:
  ///   - kept: the deliveries to skip.
  ///   - parallel: how many deliveries of the hook may run at the same time, of each feed only one.
  /// - Returns: nil if there is none, or none may run beside the running ones.
  public func nextDelivery(
    _ hook: String, at now: Instant, except kept: Set<Int64> = [], parallel: Int = 1
  ) throws(StoreFailure) -> Delivery? {
    let next = """
      SELECT delivery.number FROM delivery JOIN event ON event.number = delivery.event
      WHERE hook = ?1 AND status = 'pending' AND \(Self.isDue("?2"))
        AND (SELECT count(*) FROM delivery WHERE hook = ?1 AND status = 'running') < ?4
        AND NOT EXISTS (
          SELECT 1 FROM delivery AS running JOIN event AS other ON other.number = running.event
          WHERE running.hook = ?1 AND running.status = 'running'
            AND coalesce(other.feed, '') = coalesce(event.feed, ''))
        AND delivery.number NOT IN (SELECT value FROM json_each(?3))
      ORDER BY delivery.number LIMIT 1
      """
    return try database.transaction(database.durabilityOfNotice) { () throws(StoreFailure) -> Delivery? in
      guard let number: Int64 = try database.value(next, hook, now, kept.sorted(), parallel) else {
        return nil
      }
      try database.run(
        "UPDATE delivery SET status = 'running', attempts = attempts + 1 WHERE number = ?1", number)
      try hold(number, in: .delivery)
      return try delivery(number)
    }
  }

  /// Makes the running deliveries of a hook whose process is dead pending again, or drops them if they are tried only once.
  ///
  /// The caller has the hook's lock of this machine, so they are those of no other process here.
  public func resetRunning(_ hook: String) throws(StoreFailure) {
    let running = try database.all(
      "\(Self.selectDeliveries) WHERE hook = ?1 AND \(isLapsed(.delivery))", hook, read: Self.delivery)
    guard !running.isEmpty else { return }
    try database.transaction { () throws(StoreFailure) in
      for delivery in running {
        try database.run(
          "UPDATE delivery SET status = ?2, last_error = 'interrupted' WHERE number = ?1 AND \(isLapsed(.delivery))",
          delivery.number, delivery.event.kind.isBestEffort ? DeliveryStatus.dropped : .pending)
      }
    }
  }

  /// Records the result of an attempt so that it survives a power cut; false, without a change, if the delivery is no
  /// longer running, or another machine has taken it over.
  @discardableResult
  public func finishDelivery(
    _ number: Int64, _ end: DeliveryEnd, at now: Instant
  ) throws(StoreFailure) -> Bool {
    defer { holds[.delivery]?[number] = nil }
    return try database.transaction(.survivesPowerCut) { () throws(StoreFailure) -> Bool in
      guard try stillHolds(number, in: .delivery) else { return false }
      let hook: String? = try database.value(
        """
        UPDATE delivery SET status = ?2, not_before = coalesce(?3, not_before), last_error = ?4,
          attempts = attempts - ?5, last_ended = ?6,
          frozen_fields = iif(?2 = 'delivered', json_remove(frozen_fields, '$.items', '$.body'), frozen_fields)
        WHERE number = ?1 AND status = 'running' RETURNING hook
        """, number, end.status, end.notBefore, end.error, end.isCounted ? 0 : 1, now)
      guard let hook else { return false }
      if end.status == .delivered { try recordLinks(of: number, to: hook, at: now) }
      try removeItemsOfEnded([number])
      if let printed = end.printed { try write(printed, of: hook, at: now) }
      return true
    }
  }

  /// Removes the items of the events of these deliveries if no other delivery needs them.
  ///
  /// An event may have thousands of items; they are needed only to make its text.
  func removeItemsOfEnded(_ deliveries: [Int64]) throws(StoreFailure) {
    try database.run(
      """
      DELETE FROM event_item
      WHERE event IN (SELECT event FROM delivery WHERE number IN (SELECT value FROM json_each(?1)))
        AND NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.event = event_item.event
          AND status NOT IN ('delivered', 'dropped'))
      """, deliveries)
  }

  /// The line that a hook printed last for an identifier; nil if that was in another login session, whose notification
  /// daemon is gone.
  public func printedIdentifier(
    _ hook: String, identifier: String, session: String
  ) throws(StoreFailure) -> String? {
    try database.value(
      "SELECT text FROM printed WHERE hook = ?1 AND identifier = ?2 AND session = ?3",
      hook, identifier, session)
  }

  private func write(
    _ printed: PrintedIdentifier, of hook: String, at now: Instant
  ) throws(StoreFailure) {
    if let text = printed.text {
      try database.run(
        """
        INSERT INTO printed (hook, identifier, session, text, at) VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (hook, identifier) DO UPDATE SET session = excluded.session, text = excluded.text, at = excluded.at
        """, hook, printed.identifier, printed.session, text, now)
    } else {
      try database.run(
        "DELETE FROM printed WHERE hook = ?1 AND identifier = ?2", hook, printed.identifier)
    }
  }
}

// Deliveries for `hooks` and `status`.
extension Store {
  /// Deliveries by status and hook (nil means all hooks), newest first.
  public func deliveries(
    _ statuses: Set<DeliveryStatus>, hook: String?, limit: Int
  ) throws(StoreFailure) -> [Delivery] {
    try database.all(
      """
      \(Self.selectDeliveries)
      WHERE status IN (SELECT value FROM json_each(?1)) AND (?2 IS NULL OR hook = ?2)
      ORDER BY delivery.number DESC LIMIT ?3
      """, Array(statuses), hook, limit, read: Self.delivery)
  }

  /// Drops pending, dead and expired deliveries of a hook (nil means all), or what a named consumer has not read; returns how
  /// many.
  @discardableResult
  public func dropDeliveries(hook: String?) throws(StoreFailure) -> Int {
    try database.run(
      """
      UPDATE delivery SET status = 'dropped'
      WHERE status IN ('pending', 'dead', 'expired') AND (?1 IS NULL OR hook = ?1) OR status = 'unread' AND hook = ?1
      """, hook)
  }

  /// Makes dead and expired deliveries pending again, with all their retries, and deliveries that wait for their next
  /// attempt due at once; returns how many.
  @discardableResult
  public func retryDeliveries(hook: String?, at now: Instant) throws(StoreFailure) -> Int {
    try database.transaction { () throws(StoreFailure) in
      let waiting = try database.run(
        """
        UPDATE delivery SET not_before = ?2
        WHERE status = 'pending' AND attempts > 0 AND not_before > ?2 AND (?1 IS NULL OR hook = ?1)
        """, hook, now)
      let ended = try database.run(
        """
        UPDATE delivery SET status = 'pending', attempts = 0, queued = ?2, not_before = ?2
        WHERE status IN ('dead', 'expired') AND (?1 IS NULL OR hook = ?1)
        """, hook, now)
      return waiting + ended
    }
  }
}
