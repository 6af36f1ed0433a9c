// Pushes that wait for a fetch. Core decides what a push requests and when it may cause a fetch.

public import Core

extension Store {
  /// The pushes of feeds that were configured at the last `recordConfigured`, as SQL.
  static let pushesThatCount = "push CROSS JOIN feed ON feed.number = push.feed WHERE \(isConfigured)"

  /// Stores a push so that it survives a power cut: its events, and, if it causes a fetch, the push itself,
  /// which waits for the fetch.
  ///
  /// It replaces a push of the same feed with the same content-id, or without one if it has none. At most
  /// `NewPush.mostOfFeed` pushes of a feed wait; the oldest ones are dropped.
  @discardableResult
  public func acceptPush(
    _ push: NewPush, at now: Instant
  ) throws -> PushReceipt {
    try database.transaction(.survivesPowerCut) {
      var receipt = PushReceipt()
      if let payload = push.payload {
        let feed = try row(of: push.feed, configured: now).number
        // A feed that is back in the configuration may not have been noted yet, and its push counts.
        try database.run(
          "UPDATE feed SET last_configured = ?2 WHERE number = ?1 AND last_configured < ?2", feed, now)
        let replaced = try database.run(
          "DELETE FROM push WHERE feed = ?1 AND content_id IS ?2", feed, push.contentID)
        receipt.hasReplaced = replaced > 0
        try database.run(
          """
          INSERT INTO push (feed, content_id, received, \(PushPayload.columns))
          VALUES (?, ?, ?, \(PushPayload.columns.placeholders))
          """, feed, push.contentID, now, payload)
        receipt.dropped = try database.run(
          """
          DELETE FROM push WHERE number IN (
            SELECT number FROM push WHERE feed = ?1 ORDER BY number DESC LIMIT \(Int.max) OFFSET ?2)
          """, feed, NewPush.mostOfFeed)
      }
      for event in push.events { try add(event, newItems: [], round: nil) }
      return receipt
    }
  }

  /// The waiting pushes, oldest first, including those of dormant feeds.
  public func waitingPushes() throws -> [StoredPush] {
    try database.all(
      """
      SELECT push.number, feed.name, \(PushPayload.columns.of("push")), received, tries, not_before
      FROM push JOIN feed ON feed.number = push.feed ORDER BY push.number
      """
    ) { row in
      StoredPush(
        number: try row.next(), feed: try row.next(), payload: try row.next(PushPayload.self),
        received: try row.next(), tries: try row.next(), notBefore: try row.next())
    }
  }

  /// The moments at which pushes caused fetches since a moment, by feed.
  public func pushFetches(since: Instant) throws -> [FeedName: [Instant]] {
    var fetches: [FeedName: [Instant]] = [:]
    try database.each(
      """
      SELECT feed.name, push_fetch.at FROM push_fetch JOIN feed ON feed.number = push_fetch.feed
      WHERE push_fetch.at >= ?1 ORDER BY push_fetch.at
      """, since
    ) { row in fetches[try row.next(), default: []].append(try row.next()) }
    return fetches
  }

  /// Drops waiting pushes.
  public func dropPushes(_ numbers: [Int64]) throws {
    guard !numbers.isEmpty else { return }
    try database.run("DELETE FROM push WHERE number IN (SELECT value FROM json_each(?1))", numbers)
  }

  /// Writes the effects of a fetch on the feed's pushes; within a transaction.
  ///
  /// A number without a push means that a newer push has replaced it; the newer push continues to wait.
  func write(
    _ pushes: PushSettlement, of feed: Int64, at now: Instant
  ) throws {
    guard !pushes.isEmpty else { return }
    try dropPushes(pushes.settled)
    for (number, moment) in pushes.late {
      try database.run(
        "UPDATE push SET tries = tries + 1, not_before = ?2 WHERE number = ?1", number, moment)
    }
    if let caused = pushes.causedAt {
      try database.run("INSERT INTO push_fetch (feed, at) VALUES (?1, ?2)", feed, caused)
    }
  }
}

/// The columns of `push` for what a fetch may still need of a payload, which was parsed when it came.
extension PushPayload: Record {
  static var blank: PushPayload {
    var payload = PushPayload(text: "")
    payload.isContentAvailable = true
    return payload
  }
  static let columns = ColumnList(Self.self)

  mutating func visit(_ column: inout ColumnVisitor) {
    var (title, body) = (alert?.title, alert?.body)
    column("alert_title", &title)
    column("alert_body", &body)
    alert = body.map { PushAlert(title: title, body: $0) }
    column("sound", &sound)
    column("urgency", &urgency)
    var fields = JSONValue.object(values.map { ($0.name, .string($0.text)) }).text
    column("fields", &fields)
    values = (JSONValue(parsing: fields)?.members ?? []).map {
      PushValue(name: $0.name, text: $0.value.string ?? "")
    }
  }
}
