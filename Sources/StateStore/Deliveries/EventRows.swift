// Events and deliveries as they are written and read.

import Core

extension Store {
  /// The columns of `delivery` and `event` that make a `Delivery`, in the order in which `delivery` takes
  /// them.
  static let deliveryColumns = """
    delivery.number, hook, attempts, status, not_before, held_until, ready_by, trigger_at, last_error, event.id, kind, feed, \
    time, cause, coalesce(frozen_fields, fields)
    """

  /// Adds an event and its deliveries; gives its number, nil if it was recorded before.
  @discardableResult
  func add(_ record: EventRecord, newItems: [Int64], run: Int64?) throws(StoreFailure) -> Int64? {
    let event = record.event
    try database.run(
      """
      INSERT INTO event (id, kind, feed, time, cause, run, fields) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      ON CONFLICT (id) DO NOTHING
      """, event.id, event.kind, event.feed, event.time, event.cause, run, EventFields.text(event.storedFields))
    guard database.changes > 0 else { return nil }
    let number = database.lastInserted
    let items = record.newItems.filter(newItems.indices.contains).map { newItems[$0] } + record.knownItems
    for item in items {
      try database.run("INSERT OR IGNORE INTO event_item (event, item) VALUES (?1, ?2)", number, item)
    }
    // What has no files to wait for is ready for good; some of those that it waited for may be missing.
    let readyBy: Instant? = try record.readyBy.map { moment throws(StoreFailure) in
      try database.value("SELECT \(Self.hasUnsettledFiles("?1"))", number) == true
        ? moment : min(moment, event.time)
    }
    for hook in record.hooks {
      try database.run(
        """
        INSERT INTO delivery (event, hook, queued, not_before, held_until, ready_by, trigger_at)
        VALUES (?1, ?2, max(?3, coalesce(?4, ?3), coalesce(?5, ?3), coalesce(?6, ?3)), ?3, ?4, ?5, ?6)
        ON CONFLICT DO NOTHING
        """, number, hook, event.time, record.heldUntil, readyBy, record.triggerAt)
    }
    return number
  }

  /// A delivery by its number.
  func delivery(_ number: Int64) throws(StoreFailure) -> Delivery? {
    let found = try database.first(
      """
      SELECT \(Self.deliveryColumns) FROM delivery JOIN event ON event.number = delivery.event
      WHERE delivery.number = ?1
      """, number, read: Self.delivery)
    guard let found else { return nil }
    return try complete(found)
  }

  /// A delivery whose event still lacks its fields, and the text they are in.
  typealias StoredDelivery = (delivery: Delivery, fields: String)

  /// Reads a delivery from a row that stands on the first of `deliveryColumns`.
  static func delivery(_ row: inout Row) throws(StoreFailure) -> StoredDelivery {
    let number: Int64 = try row.next()
    let hook: String = try row.next()
    let attempts: Int = try row.next()
    let status: DeliveryStatus = try row.next()
    let notBefore: Instant = try row.next()
    let heldUntil: Instant? = try row.next()
    let readyBy: Instant? = try row.next()
    let triggerAt: Instant? = try row.next()
    let lastError: String? = try row.next()
    let event = Event(
      id: try row.next(), kind: try row.next(), feed: try row.next(), time: try row.next(),
      cause: try row.next(), fields: [])
    var delivery = Delivery(
      number: number, hook: hook, event: event, attempts: attempts, created: event.time, status: status,
      notBefore: notBefore, lastError: lastError)
    delivery.heldUntil = heldUntil
    delivery.readyBy = readyBy
    delivery.triggerAt = triggerAt
    return (delivery, try row.next())
  }

  /// Reads the fields that deliveries lack.
  func complete(_ stored: [StoredDelivery]) throws(StoreFailure) -> [Delivery] {
    var deliveries: [Delivery] = []
    for stored in stored { deliveries.append(try complete(stored)) }
    return deliveries
  }

  /// Reads the fields that a delivery lacks.
  func complete(_ stored: StoredDelivery) throws(StoreFailure) -> Delivery {
    var delivery = stored.delivery
    delivery.event.restore(try EventFields.read(stored.fields, in: database))
    return delivery
  }
}
