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
      ON CONFLICT DO NOTHING RETURNING number
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
    try database.first(
      "\(Self.selectDeliveries) WHERE delivery.number = ?1", number, read: Self.delivery)
  }

  /// Selects deliveries for `delivery(_: inout Row)`; a condition follows.
  static let selectDeliveries = """
    SELECT delivery.number, hook, event.id, kind, feed, time, cause, attempts, status, not_before, last_error,
      postponed_until, ready_by, trigger_at, coalesce(frozen_fields, fields)
    FROM delivery JOIN event ON event.number = delivery.event
    """

  static func delivery(_ row: inout Row) throws(StoreFailure) -> Delivery {
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
    delivery.event.restore(fields(in: try row.next()))
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
          case .time(let instant): JSONValue(["time": instant.secondsSince1970])
          case .items(let items): .array(items.map(Self.json))
          case .none: .null
          }
        return (field.name, value)
      }
    ).text
  }

  private static func fields(in text: String) -> [EventField] {
    (JSONValue(parsing: text)?.members ?? []).map { name, value in
      let field: EventField.Value =
        switch value {
        case .string(let text): .text(text)
        case .number(let number): .number(number)
        case .array(let items): .items(items.compactMap(item))
        default: value["time"]?.whole.map { .time(Instant(secondsSince1970: $0)) } ?? .none
        }
      return EventField(name, field)
    }
  }

  private static func json(_ item: EventItem) -> JSONValue {
    JSONValue([
      "title": item.title, "link": item.link, "id": item.id, "feed": item.feed, "feed-title": item.feedTitle,
      "published": item.published?.secondsSince1970, "files": item.files, "number": item.number,
    ])
  }

  private static func item(_ json: JSONValue) -> EventItem? {
    func text(_ name: String) -> String { json[name]?.string ?? "" }
    guard let feed = FeedName(text("feed")) else { return nil }
    return EventItem(
      title: text("title"), link: text("link"), id: text("id"), feed: feed, feedTitle: text("feed-title"),
      published: json["published"]?.whole.map(Instant.init(secondsSince1970:)),
      files: (json["files"]?.elements ?? []).compactMap(\.string), number: json["number"]?.whole ?? 0)
  }
}
