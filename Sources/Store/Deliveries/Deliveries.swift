// Deliveries on their way: a process claims them one at a time for a hook, and finishes them. Core decides whether and
// when a failed one is tried again, and which moments a delivery waits for: its retry, the feed's hours, its delay and the
// files of its items.

public import Core

extension Store {
  /// The hooks with work: a delivery that is due, or one that is running in a process that may have died.
  ///
  /// Nobody has work for a hook that another machine runs.
  public func hooksWithWork(at now: Instant) throws -> Set<String> {
    let hooks: [String] = try database.rows(
      """
      SELECT DISTINCT hook FROM delivery
      WHERE (status = 'pending' OR status = 'running') AND (\(isLapsed(.delivery)) OR status = 'pending' AND \(Self.isDue("?1"))
        AND NOT EXISTS (SELECT 1 FROM delivery AS running
          WHERE running.hook = delivery.hook AND running.status = 'running' AND \(isAlive("running.held_by"))))
      """, now)
    return Set(hooks)
  }

  /// Claims deliveries of a hook and makes their texts in one transaction; nil if nothing is due.
  ///
  /// `body` claims by `nextDelivery`, and calls other functions of the store for the texts, which it freezes. It may be called
  /// again, on a server.
  public func claiming<Output: Sendable>(
    for hook: String, at now: Instant, _ body: @Sendable (isolated Store) throws -> Output
  ) throws -> Output? {
    // First without the write lock: usually there is nothing.
    guard
      try database.exists(
        "SELECT 1 FROM delivery WHERE hook = ?1 AND status = 'pending' AND \(Self.isDue("?2"))", hook, now)
    else { return nil }
    try neighbours?.beginHolding()
    return try database.transaction(durabilityOfNotice) { try body(self) }
  }

  /// Claims the next delivery of a hook: the first due one, in the order of events.
  ///
  /// It becomes running and counts one more attempt. Deliveries after one that waits for its retry overtake it.
  ///
  /// - Parameters:
  ///   - kept: the deliveries to skip.
  /// - Returns: nil if there is none, or one is running.
  public func nextDelivery(
    _ hook: String, at now: Instant, except kept: Set<Int64> = []
  ) throws -> Delivery? {
    let next = """
      SELECT delivery.number FROM delivery WHERE hook = ?1 AND status = 'pending' AND \(Self.isDue("?2"))
        AND NOT EXISTS (SELECT 1 FROM delivery AS running WHERE hook = ?1 AND status = 'running')
        AND delivery.number NOT IN (SELECT value FROM json_each(?3))
      ORDER BY delivery.number LIMIT 1
      """
    try neighbours?.beginHolding()
    return try database.transaction(durabilityOfNotice) {
      guard let number: Int64 = try database.value(next, hook, now, kept.sorted()) else {
        return nil
      }
      try database.run(
        "UPDATE delivery SET status = 'running', attempts = attempts + 1 WHERE number = ?1", number)
      try neighbours?.hold(number, in: .delivery)
      return try delivery(number)
    }
  }

  /// Makes the running deliveries of a hook, or of all, whose process is dead pending again, or drops them if they are tried only
  /// once.
  ///
  /// In a file the caller has the hook's lock, so they are those of no other process.
  public func resetRunning(_ hook: String?) throws {
    let running = try database.all(
      "\(Self.selectDeliveries) WHERE (?1 IS NULL OR hook = ?1) AND \(isLapsed(.delivery))", hook,
      read: Self.delivery)
    guard !running.isEmpty else { return }
    try database.transaction {
      for delivery in running {
        try database.run(
          "UPDATE delivery SET status = ?2, last_error = 'interrupted' WHERE number = ?1 AND \(isLapsed(.delivery))",
          delivery.number, delivery.event.kind.isBestEffort ? DeliveryStatus.dropped : .pending)
      }
    }
  }

  /// Records the result of an attempt so that it survives a power cut; false, without a change, if the delivery is no
  /// longer running, or another machine has taken it over.
  ///
  /// - Parameter seen: the items that then count as seen, among the configured feeds.
  @discardableResult
  public func finishDelivery(
    _ number: Int64, _ end: DeliveryEnd, seen: (items: [Int64], configured: FeedNames)? = nil,
    at now: Instant
  ) throws -> Bool {
    try database.transaction(.survivesPowerCut) {
      guard try stillHolds(number, in: .delivery) else { return false }
      let hook: String? = try database.value(
        """
        UPDATE delivery SET status = ?2, not_before = coalesce(?3, not_before), last_error = ?4,
          attempts = attempts - ?5, last_ended = ?6, held_by = NULL,
          frozen_fields = iif(?2 = 'delivered', json_remove(frozen_fields, '$.items', '$.body'), frozen_fields)
        WHERE number = ?1 AND status = 'running' RETURNING hook
        """, number, end.status, end.notBefore, end.error, end.isCounted ? 0 : 1, now)
      guard let hook else { return false }
      if end.status == .delivered {
        try recordLinks(of: number, to: hook, at: now)
        if let seen { try markSeen(seen.items, byHook: true, configured: seen.configured) }
      }
      try removeItems(ofEnded: number)
      if let printed = end.printed { try write(printed, of: hook, at: now) }
      return true
    }
  }

  /// Removes the items of the event of a delivery if no other delivery needs them.
  ///
  /// An event may have thousands of items; they are needed only to make its text.
  private func removeItems(ofEnded delivery: Int64) throws {
    try database.run(
      """
      DELETE FROM event_item WHERE event = (SELECT event FROM delivery WHERE number = ?1)
        AND NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.event = event_item.event
          AND status NOT IN ('delivered', 'dropped'))
      """, delivery)
  }

  /// The line that a hook printed last for an identifier; nil if that was in another login session, whose notification
  /// daemon is gone.
  public func printedIdentifier(
    _ hook: String, identifier: String, session: String
  ) throws -> String? {
    try database.value(
      "SELECT text FROM printed WHERE hook = ?1 AND identifier = ?2 AND session = ?3",
      hook, identifier, session)
  }

  private func write(
    _ printed: PrintedIdentifier, of hook: String, at now: Instant
  ) throws {
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
    _ statuses: Set<DeliveryStatus>, hook: String? = nil, limit: Int
  ) throws -> [Delivery] {
    try database.all(
      """
      \(Self.selectDeliveries)
      WHERE status IN (SELECT value FROM json_each(?1)) AND (?2 IS NULL OR hook = ?2)
      ORDER BY delivery.number DESC LIMIT ?3
      """, Array(statuses), hook, limit, read: Self.delivery)
  }

  /// Drops pending, dead and expired deliveries of a hook (nil means all); returns how many.
  @discardableResult
  public func dropDeliveries(hook: String?) throws -> Int {
    try database.run(
      """
      UPDATE delivery SET status = 'dropped'
      WHERE status IN ('pending', 'dead', 'expired') AND (?1 IS NULL OR hook = ?1)
      """, hook)
  }

  /// Makes dead and expired deliveries pending again, with all their retries, and deliveries that wait for their next
  /// attempt due at once; returns how many.
  @discardableResult
  public func retryDeliveries(hook: String?, at now: Instant) throws -> Int {
    try database.run(
      """
      UPDATE delivery SET status = 'pending', attempts = iif(status = 'pending', attempts, 0),
        queued = iif(status = 'pending', queued, ?2), not_before = ?2
      WHERE (status IN ('dead', 'expired') OR status = 'pending' AND attempts > 0 AND not_before > ?2)
        AND (?1 IS NULL OR hook = ?1)
      """, hook, now)
  }
}

// MARK: Moments

extension Store {
  private typealias Moment = (column: String, longest: Interval)

  /// The columns with the moments of a delivery, those of its files and its delay last.
  private static let moments: [Moment] = [
    ("not_before", Delivery.Longest.retry), ("postponed_until", Delivery.Longest.postponement), files,
    ("trigger_at", Delivery.Longest.delay),
  ]
  private static let files: Moment = ("ready_by", Delivery.Longest.files)

  /// Whether a delivery is due, as SQL over a parameter with the present moment.
  static func isDue(_ now: String) -> String { areOver(moments[...], now) }

  /// Whether a delivery is due, or waits only for its delay to end, as SQL.
  static func isDueApartFromDelay(_ now: String) -> String { areOver(moments.dropLast(), now) }

  /// Whether a delivery waits only for files, and perhaps its delay, as SQL.
  static func awaitsFiles(_ now: String) -> String {
    areOver(moments.dropLast(2), now) + " AND NOT " + isOver(files, now)
  }

  private static func areOver(_ moments: ArraySlice<Moment>, _ now: String) -> String {
    "(" + moments.map { isOver($0, now) }.joined(separator: " AND ") + ")"
  }

  /// Whether a delivery does not wait for one of its moments, as SQL: it is not set, has passed or cannot be right, or the files
  /// are there.
  private static func isOver(_ moment: Moment, _ now: String) -> String {
    let (column, limit) = (moment.column, "\(now) + \(moment.longest.seconds)")
    let other =
      switch column {
      case "ready_by": " OR NOT " + hasUnsettledFiles("delivery.event")
      // As `Delivery.hasTriggered`.
      case "trigger_at":
        """
         OR EXISTS (SELECT 1 FROM event WHERE event.number = delivery.event AND trigger_at >= event.time
          AND event.time > \(now) + \(PlanningContext.clockCorrection.seconds))
        """
      default: ""
      }
    return "(\(column) IS NULL OR \(column) <= \(now) OR \(column) > \(limit)\(other))"
  }

  /// The next moment at which a pending delivery becomes due, if any.
  ///
  /// A message that waits for files counts with the end of its wait: a run notices by itself when the files are ready
  /// earlier.
  ///
  /// `hooks` are the configured hooks; nil means all.
  public func nextDeliveryMoment(
    after now: Instant, hooks: Set<String>? = nil
  ) throws -> Instant? {
    guard hooks?.isEmpty != true else { return nil }
    return try database.value(Self.nextMomentQuery, now, hooks.map { $0.sorted() })
  }

  static let nextMomentQuery = """
    SELECT min(moment) FROM (
      SELECT max(\(moments.map { "iif(\(isOver($0, "?1")), 0, \($0.column))" }.joined(separator: ", "))) AS moment
      FROM delivery
      WHERE status = 'pending' AND (?2 IS NULL OR hook IN (SELECT value FROM json_each(?2)))) AS pending
    WHERE moment > ?1
    """
}

// Messages that their feed's hours postpone.
extension Store {
  /// The feeds with pending messages, with the moment until which these are postponed.
  ///
  /// `hooks` are those whose messages no hours postpone.
  public func waitingMessages(except hooks: Set<String> = []) throws -> [WaitingMessages] {
    try database.all(
      """
      SELECT DISTINCT feed, postponed_until FROM delivery JOIN event ON event.number = delivery.event
      WHERE status = 'pending' AND kind = 'notification' AND feed IS NOT NULL
        AND hook NOT IN (SELECT value FROM json_each(?1))
      ORDER BY feed, postponed_until NULLS FIRST
      """, hooks.sorted()
    ) { row in
      WaitingMessages(feed: try row.next(), postponedUntil: try row.next())
    }
  }

  /// Postpones pending messages until a moment, which may have passed: they are due then.
  ///
  /// Their age counts from that moment, or from the end of their delay if that is later. It is not reset for messages
  /// that were due before, so that messages postponed every night still grow old.
  public func postpone(
    _ messages: WaitingMessages, until moment: Instant, at now: Instant, except hooks: Set<String> = []
  ) throws {
    try database.run(
      """
      UPDATE delivery SET postponed_until = ?3,
        queued = iif(postponed_until IS NULL OR postponed_until > ?4, max(?3, coalesce(ready_by, ?3), coalesce(trigger_at, ?3)),
          queued)
      WHERE status = 'pending' AND postponed_until IS ?2
        AND EXISTS (
          SELECT 1 FROM event WHERE number = delivery.event AND kind = 'notification' AND feed = ?1)
        AND hook NOT IN (SELECT value FROM json_each(?5))
      """, messages.feed, messages.postponedUntil, moment, now, hooks.sorted())
  }

  /// Makes the messages of a hook that wait beyond a moment due at that moment: the schedule of its digest was changed.
  public func collect(_ hook: String, until moment: Instant) throws {
    let late = "hook = ?1 AND status = 'pending' AND attempts = 0 AND trigger_at > ?2"
    guard try database.exists("SELECT 1 FROM delivery WHERE \(late)", hook, moment) else { return }
    try database.run(
      "UPDATE delivery SET trigger_at = ?2, queued = min(queued, ?2) WHERE \(late)", hook, moment)
  }
}

// Messages that wait for the files of their items.
extension Store {
  /// Whether a transfer of the items of an event is unsettled, as SQL over the event's number.
  static func hasUnsettledFiles(_ event: String) -> String {
    """
    EXISTS (
      SELECT 1 FROM event_item CROSS JOIN transfer INDEXED BY transfer_by_item ON transfer.item = event_item.item
      WHERE event_item.event = \(event) AND settled IS NULL)
    """
  }

  /// How many files of a message's items are placed, and how many were wanted; an asset with several transfers counts once.
  public func readyCounts(_ delivery: Int64) throws -> (placed: Int, all: Int) {
    let counts: [(Int, Int)] = try database.rows(
      """
      SELECT count(*) FILTER (WHERE is_placed = 1), count(*) FROM (
        SELECT max(iif(placed_file.transfer IS NULL, 0, 1)) AS is_placed
        FROM delivery JOIN event_item USING (event) JOIN transfer ON transfer.item = event_item.item
          LEFT JOIN placed_file ON placed_file.transfer = transfer.number
        WHERE delivery.number = ?1 GROUP BY transfer.item, transfer.asset_key) AS file
      """, delivery)
    return counts.first ?? (0, 0)
  }
}

// The age of deliveries.
extension Store {
  /// Makes the deliveries of a hook ready to be tried: what a dead process was running waits again, and what is too old expires;
  /// returns how many expired.
  ///
  /// - Parameter age: the age from which on they are too old, as far as the clock is believed.
  @discardableResult
  public func prepareDeliveries(_ hook: String, expiringAt age: Interval, at now: Instant) throws -> Int {
    try database.transaction {
      try resetRunning(hook)
      let trust = try clockTrust(at: now)
      if trust.isPossible { try resetAges(hook, at: now) }
      return try expireDeliveries(hook, before: trust.ageMoment(now) - age)
    }
  }

  /// Expires the pending deliveries of a hook that were queued, or retried by hand, before a moment; returns how many.
  ///
  /// Best-effort deliveries are dropped without being counted, because their loss does not matter.
  @discardableResult
  func expireDeliveries(_ hook: String, before: Instant) throws -> Int {
    try database.run(
      """
      UPDATE delivery SET status = 'dropped' WHERE hook = ?1 AND status = 'pending' AND queued < ?2
        AND (SELECT kind FROM event WHERE number = delivery.event) IN (SELECT value FROM json_each(?3))
      """, hook, before, EventKind.allCases.filter(\.isBestEffort))
    return try database.run(
      "UPDATE delivery SET status = 'expired' WHERE hook = ?1 AND status = 'pending' AND queued < ?2",
      hook, before)
  }

  /// Restarts the age of pending deliveries that would never grow old, because the clock was set back since they were
  /// queued; of messages that a clock from before this program queued, which would be too old at once; and of messages that
  /// waited for files and are now ready, whose age counted from the end of the wait.
  func resetAges(_ hook: String, at now: Instant) throws {
    // `ready_by` stays set: the text of the message counts the missing files.
    try database.run(
      """
      UPDATE delivery SET ready_by = ?2, queued = min(queued, ?2)
      WHERE hook = ?1 AND status = 'pending' AND ready_by > ?2 AND \(Self.isDue("?2"))
      """, hook, now)
    try database.run(
      "UPDATE delivery SET queued = ?2 WHERE hook = ?1 AND status = 'pending' AND (queued > ?2 + ?3 OR queued < ?4)",
      hook, now, max(Delivery.Longest.postponement, Delivery.Longest.delay), ClockTrust.oldest)
  }
}
