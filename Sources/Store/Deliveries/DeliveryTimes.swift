// The moments that a delivery waits for: its retry, the feed's hours, its delay and the files of its items. It is due
// when all of them have passed. Core decides what these moments are, and how far ahead they can be.

public import Core

extension Store {
  /// The columns with the moments of a delivery, the delay last.
  private static let moments: [(column: String, longest: Interval)] = [
    ("not_before", Delivery.Longest.retry), ("postponed_until", Delivery.Longest.postponement),
    ("ready_by", Delivery.Longest.files), ("trigger_at", Delivery.Longest.delay),
  ]

  /// Whether a delivery is due, as SQL over a parameter with the present moment.
  static func isDue(_ now: String) -> String { areOver(moments, now) }

  /// Whether a delivery is due, or waits only for its delay to end, as SQL.
  static func isDueApartFromDelay(_ now: String) -> String { areOver(moments.dropLast(), now) }

  private static func areOver(
    _ moments: some Sequence<(column: String, longest: Interval)>, _ now: String
  ) -> String {
    "(" + moments.map { isOver($0, now) }.joined(separator: " AND ") + ")"
  }

  /// Whether a delivery does not wait for one of its moments, as SQL: it is not set, has passed or cannot be right, or the files
  /// are there.
  private static func isOver(_ moment: (column: String, longest: Interval), _ now: String) -> String {
    let (column, limit) = (moment.column, "\(now) + \(moment.longest.seconds)")
    let isReady = column == "ready_by" ? " OR NOT " + hasUnsettledFiles("delivery.event") : ""
    return "(\(column) IS NULL OR \(column) <= \(now) OR \(column) > \(limit)\(isReady))"
  }

  /// The next moment at which a pending delivery becomes due, if any.
  ///
  /// A message that waits for files counts with the end of its wait: a run notices by itself when the files are ready
  /// earlier.
  ///
  /// `hooks` are the configured hooks; nil means all.
  public func nextDeliveryMoment(
    after now: Instant, hooks: Set<String>? = nil
  ) throws(StoreFailure) -> Instant? {
    try database.value(Self.nextMomentQuery, now, hooks.map { $0.sorted() })
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
  /// `digests` are the hooks with `digest`, which no hours postpone.
  public func waitingMessages(except digests: Set<String> = []) throws(StoreFailure) -> [WaitingMessages] {
    try database.all(
      """
      SELECT DISTINCT feed, postponed_until FROM delivery JOIN event ON event.number = delivery.event
      WHERE status = 'pending' AND kind = 'notification' AND feed IS NOT NULL
        AND hook NOT IN (SELECT value FROM json_each(?1))
      ORDER BY feed, postponed_until NULLS FIRST
      """, digests.sorted()
    ) { row throws(StoreFailure) in
      WaitingMessages(feed: try row.next(), postponedUntil: try row.next())
    }
  }

  /// Postpones pending messages until a moment, which may have passed: they are due then.
  ///
  /// Their age counts from that moment, or from the end of their delay if that is later. It is not reset for messages
  /// that were due before, so that messages postponed every night still grow old.
  public func postpone(
    _ messages: WaitingMessages, until moment: Instant, at now: Instant, except digests: Set<String> = []
  ) throws(StoreFailure) {
    try database.run(
      """
      UPDATE delivery SET postponed_until = ?3,
        queued = iif(postponed_until IS NULL OR postponed_until > ?4, max(?3, coalesce(ready_by, ?3), coalesce(trigger_at, ?3)),
          queued)
      WHERE status = 'pending' AND postponed_until IS ?2
        AND EXISTS (
          SELECT 1 FROM event WHERE number = delivery.event AND kind = 'notification' AND feed = ?1)
        AND hook NOT IN (SELECT value FROM json_each(?5))
      """, messages.feed, messages.postponedUntil, moment, now, digests.sorted())
  }

  /// Makes the messages of a hook that wait beyond a moment due at that moment: the schedule of its digest was changed.
  public func collect(_ hook: String, until moment: Instant) throws(StoreFailure) {
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

  /// The progress of the files of a message's items; an asset with several transfers counts once.
  public func readyCounts(_ delivery: Int64) throws(StoreFailure) -> ReadyCounts {
    var counts = ReadyCounts()
    try database.each(
      """
      SELECT count(*) FILTER (WHERE is_placed = 1), count(*) FILTER (WHERE is_settled = 1), count(*) FROM (
        SELECT max(iif(placed_file.transfer IS NULL, 0, 1)) AS is_placed, min(iif(settled IS NULL, 0, 1)) AS is_settled
        FROM delivery JOIN event_item USING (event) JOIN transfer ON transfer.item = event_item.item
          LEFT JOIN placed_file ON placed_file.transfer = transfer.number
        WHERE delivery.number = ?1 GROUP BY transfer.item, transfer.asset_key) AS file
      """, delivery
    ) { row throws(StoreFailure) in
      counts.placed = try row.next()
      counts.settled = try row.next()
      counts.all = try row.next()
    }
    return counts
  }
}

// The age of deliveries.
extension Store {
  /// Expires the pending deliveries of a hook that were queued, or retried by hand, before a moment; returns how many.
  ///
  /// Best-effort deliveries are dropped without being counted, because their loss does not matter.
  @discardableResult
  public func expireDeliveries(_ hook: String, before: Instant) throws(StoreFailure) -> Int {
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
  public func resetAges(_ hook: String, at now: Instant) throws(StoreFailure) {
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
