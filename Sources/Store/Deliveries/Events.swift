// Events, their fields and their deliveries as rows; and notifications: their items, their text, which is frozen at the first
// attempt, and the merging of several into one.

public import Core

extension Store {
  /// Adds an event and its deliveries; returns its number, or nil if it was recorded before.
  @discardableResult
  func add(_ record: EventRecord, newItems: [Int64], round: Int64?) throws -> Int64? {
    let event = record.event
    let added: Int64? = try database.value(
      """
      INSERT INTO event (id, kind, feed, time, cause, run, fields) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      ON CONFLICT DO NOTHING RETURNING number
      """, event.id, event.kind, event.feed, event.time, event.cause, round, event.storedFields.text)
    guard let number = added else { return nil }
    let items = record.newItems.filter(newItems.indices.contains).map { newItems[$0] } + record.knownItems
    for item in items {
      try database.run(
        "INSERT INTO event_item (event, item) VALUES (?1, ?2) ON CONFLICT DO NOTHING", number, item)
    }
    // Without files to wait for, the message is ready now; its text still counts missing files.
    var readyBy = record.readyBy
    if let moment = readyBy,
      try database.value("SELECT \(Self.hasUnsettledFiles("?1"))", number) != true
    {
      readyBy = min(moment, event.time)
    }
    for hook in record.hooks {
      let digest = record.digests[hook]
      try database.run(
        """
        INSERT INTO delivery (event, hook, queued, not_before, postponed_until, ready_by, trigger_at)
        VALUES (?1, ?2, max(?3, coalesce(?4, ?3), coalesce(?5, ?3), coalesce(?6, ?3)), ?3, ?4, ?5, ?6)
        ON CONFLICT DO NOTHING
        """, number, hook, event.time,
        digest != nil || record.unpostponed.contains(hook) ? nil : record.postponedUntil,
        digest == nil ? readyBy : nil, digest ?? record.triggerAt)
    }
    return number
  }

  /// The delivery with a number, if it exists.
  func delivery(_ number: Int64) throws -> Delivery? {
    try database.first(
      "\(Self.selectDeliveries) WHERE delivery.number = ?1", number, read: Self.delivery)
  }

  /// Selects deliveries for `delivery(_: inout Row)`; a condition follows.
  static let selectDeliveries = """
    SELECT delivery.number, hook, event.id, kind, feed, time, cause, attempts, status, not_before, last_error,
      postponed_until, ready_by, trigger_at, coalesce(frozen_fields, fields)
    FROM delivery JOIN event ON event.number = delivery.event
    """

  static func delivery(_ row: inout Row) throws -> Delivery {
    let number: Int64 = try row.next()
    let hook: String = try row.next()
    let event = Event(
      id: try row.next(), kind: try row.next(), feed: try row.next(), time: try row.next(),
      cause: try row.next(), fields: .object([]))
    var delivery = Delivery(
      number: number, hook: hook, event: event, attempts: try row.next(), created: event.time,
      status: try row.next(), notBefore: try row.next(), lastError: try row.next())
    delivery.postponedUntil = try row.next()
    delivery.readyBy = try row.next()
    delivery.triggerAt = try row.next()
    delivery.event.restore(try row.next())
    return delivery
  }
}

// MARK: Notifications

extension Store {
  /// The items of a delivery's event as they are now, in the order in which they were first seen.
  ///
  /// - Parameter unseenOnly: whether without items that the person has seen; the ones that a hook marked are unseen here.
  public func notificationItems(
    _ delivery: Int64, unseenOnly: Bool = false
  ) throws -> [StoredItem] {
    try database.all(
      """
      SELECT \(Self.storedItemColumns)
      FROM delivery JOIN event_item USING (event) JOIN item ON item.number = event_item.item \(Self.itemTables)
      WHERE delivery.number = ?1 \(unseenOnly ? "AND is_seen <> 1" : "") ORDER BY item.number
      """, delivery, read: storedItem)
  }

  /// The paths of the downloaded files of a delivery's items, by the number of the item.
  public func notificationFiles(_ delivery: Int64) throws -> [Int64: [String]] {
    var files: [Int64: [String]] = [:]
    try database.each(
      """
      SELECT transfer.item, placed_file.directory, placed_file.name
      FROM delivery JOIN event_item USING (event)
        CROSS JOIN transfer INDEXED BY transfer_by_item ON transfer.item = event_item.item
        JOIN placed_file ON placed_file.transfer = transfer.number
      WHERE delivery.number = ?1 AND placed_file.removed IS NULL ORDER BY transfer.number
      """, delivery
    ) { row in
      files[try row.next(), default: []].append(documentPath(try row.next(), try row.next()))
    }
    return files
  }

  /// Freezes the fields of a delivery, which replace those of its event; false, without a change, if they are frozen
  /// already.
  @discardableResult
  public func freeze(_ delivery: Int64, fields: JSONValue) throws -> Bool {
    try database.run(
      "UPDATE delivery SET frozen_fields = ?2 WHERE number = ?1 AND frozen_fields IS NULL",
      delivery, fields.text) > 0
  }

  /// The delivered notifications of the same hook with an identifier that were recorded after a delivery.
  public func deliveredNotifications(
    after delivery: Int64, identifier: String
  ) throws -> [Delivery] {
    try database.all(
      """
      \(Self.selectDeliveries)
      WHERE delivery.number > ?1 AND hook = (SELECT hook FROM delivery WHERE number = ?1)
        AND status = 'delivered' AND kind = 'notification'
        AND json_extract(coalesce(frozen_fields, fields), '$.identifier') = ?2
      """, delivery, identifier, read: Self.delivery)
  }

  /// The due notifications of a hook that were never tried and are not frozen, in the order of events.
  ///
  /// If there are any, messages that wait only for their delay or their files are included, because they may be merged with
  /// them.
  public func pendingNotifications(_ hook: String, at now: Instant) throws -> [Delivery] {
    func untried(_ condition: String) throws -> [Delivery] {
      try database.all(
        """
        \(Self.selectDeliveries)
        WHERE hook = ?1 AND status = 'pending' AND kind = 'notification' AND attempts = 0
          AND frozen_fields IS NULL AND \(condition)
        """, hook, now, read: Self.delivery)
    }
    let free = try untried(Self.isDueApartFromDelay("?2"))
    guard free.contains(where: { $0.hasTriggered(at: now) }) else { return [] }
    var awaiting = try untried(Self.awaitsFiles("?2"))
    for index in awaiting.indices { awaiting[index].awaitsFiles = true }
    return (free + awaiting).sorted { $0.number < $1.number }
  }

  /// Replaces several messages of a hook by one about all their items and the `knownItems` of its record.
  ///
  /// Only untried messages are replaced, and dropped. Returns the new delivery; nil, without a change, if none
  /// was left or the event was recorded before.
  public func merge(
    _ deliveries: [Int64], of hook: String, into record: EventRecord, round: Int64?
  ) throws -> Delivery? {
    var record = record
    record.hooks = [hook]
    return try database.transaction {
      guard try !database.exists("SELECT 1 FROM event WHERE id = ?1", record.event.id) else { return nil }
      var absorbed: [Int64] = []
      var triggers: [Instant?] = []
      // A message that replaces postponed ones counts as postponed, and may be merged with others. The same applies to
      // files.
      for number in deliveries {
        let taken: [(Instant?, Instant?, Instant?)] = try database.rows(
          """
          UPDATE delivery SET status = 'dropped', last_error = 'absorbed'
          WHERE number = ?1 AND hook = ?2 AND status = 'pending' AND attempts = 0
          RETURNING postponed_until, ready_by, trigger_at
          """, number, hook)
        guard let (postponedUntil, readyBy, triggerAt) = taken.first else { continue }
        absorbed.append(number)
        triggers.append(triggerAt)
        record.postponedUntil = [record.postponedUntil, postponedUntil].compactMap(\.self).max()
        record.readyBy = [record.readyBy, readyBy].compactMap(\.self).max()
      }
      guard !absorbed.isEmpty else { return nil }
      // The merged message is due with the first of them; one without a delay is due at once.
      record.triggerAt = triggers.contains(nil) ? nil : triggers.compactMap(\.self).min()
      record.knownItems += try database.rows(
        """
        SELECT DISTINCT item FROM delivery JOIN event_item USING (event)
        WHERE delivery.number IN (SELECT value FROM json_each(?1))
        """, absorbed)
      guard let event = try add(record, newItems: [], round: round),
        let made: Int64 = try database.value("SELECT number FROM delivery WHERE event = ?1", event)
      else { return nil }
      return try delivery(made)
    }
  }
}
