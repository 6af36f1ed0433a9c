// Messages that wait for the files of their items.

public import Core

extension Store {
  /// Whether a delivery waits for no file, as SQL over a parameter that holds the present moment.
  ///
  /// A moment further away than any message waits was written under a clock that has been set back.
  static func isReady(_ now: String) -> String {
    """
    (ready_by IS NULL OR ready_by <= \(now)
      OR ready_by > \(now) + \(NotificationMoment.longestWait.seconds)
      OR NOT \(hasUnsettledFiles("delivery.event")))
    """
  }

  /// Whether a transfer of the items of an event is unsettled, as SQL over the event's number.
  static func hasUnsettledFiles(_ event: String) -> String {
    """
    EXISTS (
      SELECT 1 FROM event_item CROSS JOIN transfer INDEXED BY transfer_by_item ON transfer.item = event_item.item
      WHERE event_item.event = \(event) AND settled IS NULL)
    """
  }

  /// How far the files of the items are that a delivery's event speaks of.
  ///
  /// An asset whose transfers were several counts once.
  public func readyCounts(_ delivery: Int64) throws(StoreFailure) -> ReadyCounts {
    try database.first(
      """
      SELECT count(*) FILTER (WHERE is_placed), count(*) FILTER (WHERE is_settled), count(*) FROM (
        SELECT max(placed_file.transfer IS NOT NULL) AS is_placed, min(settled IS NOT NULL) AS is_settled
        FROM delivery JOIN event_item USING (event) JOIN transfer ON transfer.item = event_item.item
          LEFT JOIN placed_file ON placed_file.transfer = transfer.number
        WHERE delivery.number = ?1 GROUP BY transfer.item, transfer.asset_key)
      """, delivery
    ) { row throws(StoreFailure) in
      var counts = ReadyCounts()
      counts.placed = try row.next()
      counts.settled = try row.next()
      counts.all = try row.next()
      return counts
    } ?? ReadyCounts()
  }

  /// Lets the age of a hook's messages that waited for files, and are ready by now, count from now.
  ///
  /// Before that it counts from the last moment to which they may wait. That they waited is kept: their text says how many
  /// files are missing.
  func countAgesFromReadiness(_ hook: String, at now: Instant) throws(StoreFailure) {
    try database.run(
      """
      UPDATE delivery SET ready_by = ?2, queued = min(queued, ?2)
      WHERE hook = ?1 AND status = 'pending' AND ready_by > ?2 AND \(Self.hasCome("?2"))
      """, hook, now)
  }
}
