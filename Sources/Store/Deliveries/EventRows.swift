// Events, their fields and their deliveries as rows.

import Core

extension Store {
  /// Adds an event and its deliveries; returns its number, or nil if it was recorded before.
  @discardableResult
  func add(_ record: EventRecord, newItems: [Int64], run: Int64?) throws(StoreFailure) -> Int64? {
    let event = record.event
    let added: Int64? = try database.value(
      """
      INSERT INTO event (id, kind, feed, time, cause, run, fields) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      ON CONFLICT (id) DO NOTHING RETURNING number
      """, event.id, event.kind, event.feed, event.time, event.cause, run, Self.text(event.storedFields))
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
        INSERT INTO delivery (event, hook, queued, not_before, postponed_until, ready_by, trigger_at, status)
        VALUES (?1, ?2, max(?3, coalesce(?4, ?3), coalesce(?5, ?3), coalesce(?6, ?3)), ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT DO NOTHING
        """, number, hook, event.time, digest == nil ? record.postponedUntil : nil,
        digest == nil ? readyBy : nil,
        digest ?? record.triggerAt, record.consumers.contains(hook) ? DeliveryStatus.unread : .pending)
    }
    return number
  }

  /// The delivery with a number, if it exists.
  func delivery(_ number: Int64) throws(StoreFailure) -> Delivery? {
    let found = try database.first(
      "\(Self.selectDeliveries) WHERE delivery.number = ?1", number, read: Self.delivery)
    return try found.map { stored throws(StoreFailure) in try complete(stored) }
  }

  /// A delivery without the fields of its event, and the JSON text of these.
  typealias StoredDelivery = (delivery: Delivery, fields: String)

  /// Selects deliveries for `delivery(_: inout Row)`; a condition follows.
  static let selectDeliveries = """
    SELECT delivery.number, hook, event.id, kind, feed, time, cause, attempts, status, not_before, last_error,
      postponed_until, ready_by, trigger_at, coalesce(frozen_fields, fields)
    FROM delivery JOIN event ON event.number = delivery.event
    """

  static func delivery(_ row: inout Row) throws(StoreFailure) -> StoredDelivery {
    let number: Int64 = try row.next()
    let hook: String = try row.next()
    let event = Event(
      id: try row.next(), kind: try row.next(), feed: try row.next(), time: try row.next(),
      cause: try row.next(), fields: [])
    var delivery = Delivery(
      number: number, hook: hook, event: event, attempts: try row.next(), created: event.time,
      status: try row.next(), notBefore: try row.next(), lastError: try row.next())
    delivery.postponedUntil = try row.next()
    delivery.readyBy = try row.next()
    delivery.triggerAt = try row.next()
    return (delivery, try row.next())
  }

  /// Reads the fields of deliveries, after the rows: they need a statement of their own.
  func complete(_ stored: [StoredDelivery]) throws(StoreFailure) -> [Delivery] {
    try stored.map { stored throws(StoreFailure) in try complete(stored) }
  }

  private func complete(_ stored: StoredDelivery) throws(StoreFailure) -> Delivery {
    var delivery = stored.delivery
    delivery.event.restore(try fields(in: stored.fields))
    return delivery
  }
}

// The fields of an event are one JSON object of dotted names: {"feed.title": "Planet", "count": 3}; a moment is
// {"time": seconds}, and items are an array of objects.
extension Store {
  static func text(_ fields: [EventField]) -> String {
    JSONValue.object(
      fields.map { field in
        let value: JSONValue =
          switch field.value {
          case .text(let text): .string(text)
          case .number(let number): .number(number)
          case .time(let instant): .object([("time", .number(instant.secondsSince1970))])
          case .items(let items): .array(items.map(Self.json))
          case .none: .null
          }
        return (field.name, value)
      }
    ).text
  }

  private func fields(in text: String) throws(StoreFailure) -> [EventField] {
    try database.all(
      """
      SELECT key, type, iif(type = 'text' OR type = 'array', value, NULL),
        CAST(iif(type = 'object', json_extract(value, '$.time'), iif(type = 'integer', value, NULL)) AS INTEGER)
      FROM json_each(?1)
      """, text
    ) { row throws(StoreFailure) in
      let (name, type) = (try row.next(String.self), try row.next(String.self))
      let text: String? = try row.next()
      let number: Int64? = try row.next()
      let value: EventField.Value =
        switch (type, text, number) {
        case ("text", let text?, _): .text(text)
        case ("array", let text?, _): .items(try items(in: text))
        case ("integer", _, let number?): .number(number)
        case ("object", _, let seconds?): .time(Instant(secondsSince1970: seconds))
        default: .none
        }
      return EventField(name, value)
    }
  }

  private static func json(_ item: EventItem) -> JSONValue {
    .object([
      ("title", .string(item.title)), ("link", .string(item.link)), ("id", .string(item.id)),
      ("feed", .string(item.feed.text)), ("feed-title", .string(item.feedTitle)),
      ("published", item.published.map { .number($0.secondsSince1970) } ?? .null),
      ("files", .array(item.files.map(JSONValue.string))),
    ])
  }

  private func items(in text: String) throws(StoreFailure) -> [EventItem] {
    let found: [(item: EventItem, files: String)] = try database.all(
      """
      SELECT json_extract(value, '$.title'), json_extract(value, '$.link'), json_extract(value, '$.id'),
        json_extract(value, '$.feed'), json_extract(value, '$.feed-title'),
        CAST(json_extract(value, '$.published') AS INTEGER), json_extract(value, '$.files')
      FROM json_each(?1)
      """, text
    ) { row throws(StoreFailure) in
      let item = EventItem(
        title: try row.next(), link: try row.next(), id: try row.next(), feed: try row.next(),
        feedTitle: try row.next(), published: try row.next())
      return (item, try row.next())
    }
    return try found.map { item, files throws(StoreFailure) in
      var item = item
      if files != "[]" { item.files = try database.rows("SELECT value FROM json_each(?1)", files) }
      return item
    }
  }
}
