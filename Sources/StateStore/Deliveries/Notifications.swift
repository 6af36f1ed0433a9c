// Notifications: their items, their text, which is frozen at the first attempt, and many that become one.

public import Core

extension Store {
  /// The items that a delivery's event speaks of, with what is known of them now, in the order of first
  /// sight.
  public func notificationItems(_ delivery: Int64) throws(StoreFailure) -> [StoredItem] {
    try database.all(
      """
      SELECT \(Self.storedItemColumns)
      FROM delivery JOIN event_item USING (event) JOIN item ON item.number = event_item.item
        JOIN feed ON feed.number = item.feed
      WHERE delivery.number = ?1 ORDER BY item.number
      """, delivery, read: Self.storedItem)
  }

  /// Whether a delivery's text was made already.
  public func isFrozen(_ delivery: Int64) throws(StoreFailure) -> Bool {
    try database.value("SELECT frozen_fields IS NOT NULL FROM delivery WHERE number = ?1", delivery) ?? false
  }

  /// Freezes a delivery's fields; from now on they stand in the place of the event's own.
  ///
  /// The first ones stay: gives false, and changes nothing, if there were some before.
  @discardableResult
  public func freeze(_ delivery: Int64, fields: [EventField]) throws(StoreFailure) -> Bool {
    try database.run(
      "UPDATE delivery SET frozen_fields = ?2 WHERE number = ?1 AND frozen_fields IS NULL",
      delivery, EventFields.text(fields))
    return database.changes > 0
  }

  /// The notifications with an identifier that were recorded after one and delivered to its hook.
  public func deliveredNotifications(
    after delivery: Int64, identifier: String
  ) throws(StoreFailure) -> [Delivery] {
    try complete(
      try database.all(
        """
        SELECT \(Self.deliveryColumns) FROM delivery JOIN event ON event.number = delivery.event
        WHERE delivery.number > ?1 AND hook = (SELECT hook FROM delivery WHERE number = ?1)
          AND status = 'delivered' AND kind = 'notification'
          AND json_extract(coalesce(frozen_fields, fields), '$.identifier') = ?2
        """, delivery, identifier, read: Self.delivery))
  }

  /// A hook's notifications whose time has come and which nobody tried or made the text of, in the order of
  /// events; where there are any, with those that wait only for their delay to end, as these may be part of them.
  public func pendingNotifications(_ hook: String, at now: Instant) throws(StoreFailure) -> [Delivery] {
    let free = try database.all(
      """
      SELECT \(Self.deliveryColumns) FROM delivery JOIN event ON event.number = delivery.event
      WHERE hook = ?1 AND status = 'pending' AND kind = 'notification' AND attempts = 0
        AND frozen_fields IS NULL AND \(Self.hasComeButForDelay("?2"))
      ORDER BY delivery.number
      """, hook, now, read: Self.delivery)
    guard free.contains(where: { Self.hasTriggered($0.delivery.triggerAt, at: now) }) else { return [] }
    return try complete(free)
  }

  /// Puts one message in the place of several of a hook's: they are dropped, and a new event speaks of all
  /// their items and the `knownItems` of its record.
  ///
  /// Only those still untried are taken. Gives the new delivery; nil, and nothing is changed, if none was
  /// left or the event was recorded before.
  public func merge(
    _ deliveries: [Int64], of hook: String, into record: EventRecord, run: Int64?
  ) throws(StoreFailure) -> Delivery? {
    var record = record
    record.hooks = [hook]
    return try database.transaction { () throws(StoreFailure) -> Delivery? in
      let known: Int64? = try database.value("SELECT number FROM event WHERE id = ?1", record.event.id)
      guard known == nil else { return nil }
      var absorbed: [Int64] = []
      var triggers: [Instant?] = []
      // What stands for held messages was held itself: it is joined with others that were. So with files.
      for number in deliveries {
        let taken = try database.all(
          """
          UPDATE delivery SET status = 'dropped', last_error = 'absorbed'
          WHERE number = ?1 AND hook = ?2 AND status = 'pending' AND attempts = 0
          RETURNING held_until, ready_by, trigger_at
          """, number, hook
        ) { row throws(StoreFailure) in
          (
            heldUntil: try row.next(Instant?.self), readyBy: try row.next(Instant?.self),
            triggerAt: try row.next(Instant?.self)
          )
        }
        guard let taken = taken.first else { continue }
        absorbed.append(number)
        triggers.append(taken.triggerAt)
        record.heldUntil = [record.heldUntil, taken.heldUntil].compactMap(\.self).max()
        record.readyBy = [record.readyBy, taken.readyBy].compactMap(\.self).max()
      }
      guard !absorbed.isEmpty else { return nil }
      // The time of the first of them is that of all, and one without a delay was due at once.
      record.triggerAt = triggers.contains(nil) ? nil : triggers.compactMap(\.self).min()
      record.knownItems += try database.values(
        """
        SELECT DISTINCT item FROM delivery JOIN event_item USING (event)
        WHERE delivery.number IN (SELECT value FROM json_each(?1))
        """, Self.list(absorbed))
      guard let event = try add(record, newItems: [], run: run) else { return nil }
      let made: Int64? = try database.value("SELECT number FROM delivery WHERE event = ?1", event)
      guard let made else { return nil }
      return try delivery(made)
    }
  }
}
