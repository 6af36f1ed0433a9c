// Messages that their feed's hours hold back. Whether they do, and until when, is decided elsewhere.

public import Core

extension Store {
  /// Which feeds have messages that wait, apart by how long they are held back.
  public func waitingMessages() throws(StoreFailure) -> [WaitingMessages] {
    try database.all(
      """
      SELECT DISTINCT feed, held_until FROM delivery JOIN event ON event.number = delivery.event
      WHERE status = 'pending' AND kind = 'notification' AND feed IS NOT NULL ORDER BY feed, held_until
      """
    ) { row throws(StoreFailure) in
      WaitingMessages(feed: try row.next(), heldUntil: try row.next())
    }
  }

  /// Holds messages that wait back until a moment, or, where that has come, lets them go.
  ///
  /// Their age counts from that moment, or the end of their delay if that is later, unless they were let go before: what is held back again every night
  /// grows old all the same.
  public func hold(
    _ messages: WaitingMessages, until moment: Instant, at now: Instant
  ) throws(StoreFailure) {
    try database.run(
      """
      UPDATE delivery SET held_until = ?3,
        queued = iif(held_until IS NULL OR held_until > ?4, max(?3, coalesce(ready_by, ?3), coalesce(trigger_at, ?3)),
          queued)
      WHERE status = 'pending' AND held_until IS ?2
        AND EXISTS (
          SELECT 1 FROM event WHERE number = delivery.event AND kind = 'notification' AND feed = ?1)
      """, messages.feed, messages.heldUntil, moment, now)
  }
}
