// The history of fetches and requests: writing them in the transaction of what they changed, and reading them in
// portions, because the history may be large.

public import Core

extension FetchRecord: Record {
  static let blank = FetchRecord(
    started: Instant(secondsSince1970: 0), ended: Instant(secondsSince1970: 0), result: .failed, reason: "")
  static let columns = ColumnList(Self.self)

  /// The columns of `fetch`; the requests are rows of their own.
  mutating func visit(_ column: inout ColumnVisitor) {
    column("started", &started)
    column("ended", &ended)
    column("result", &result)
    column("reason", &reason)
    column("count", &count)
    column("is_counted", &isCounted)
  }
}

extension RequestRecord: Record {
  static let blank = RequestRecord(started: Timestamp(millisecondsSince1970: 0), address: "")
  static let columns = ColumnList(Self.self)

  /// The columns of both `request` and `download_request`.
  mutating func visit(_ column: inout ColumnVisitor) {
    column("started", &started)
    column("milliseconds", &milliseconds)
    column("address", &address)
    column("sent_entity_tag", &sentEntityTag)
    column("sent_modification_date", &sentModificationDate)
    column("status", &status)
    column("failure", &failure)
    column.size("bytes", &bytes)
  }
}

// Writing.
extension Store {
  /// Adds the record of a fetch with its requests.
  func add(
    _ record: FetchRecord, feed: Int64, round: Int64?, nextDue: Instant?
  ) throws {
    let fetch = try database.insert(Self.fetchInsertion, feed, round, nextDue, record)
    for (hop, request) in record.requests.enumerated() {
      try database.run(Self.requestInsertion, fetch, hop, request)
    }
  }

  private static let fetchInsertion = """
    INSERT INTO fetch (feed, run, next_due, \(FetchRecord.columns))
    VALUES (?, ?, ?, \(FetchRecord.columns.placeholders))
    """

  private static let requestInsertion = """
    INSERT INTO request (fetch, hop, \(RequestRecord.columns))
    VALUES (?, ?, \(RequestRecord.columns.placeholders))
    """

  /// Adds the requests of an attempt at a download; within a transaction.
  func add(_ requests: [RequestRecord], of transfer: Int64) throws {
    for (hop, request) in requests.enumerated() {
      try database.run(
        """
        INSERT INTO download_request (feed, transfer, fetch_before, hop, \(RequestRecord.columns))
        SELECT feed, number, coalesce((SELECT max(number) FROM fetch), 0), ?2,
          \(RequestRecord.columns.placeholders)
        FROM transfer WHERE number = ?1
        """, transfer, hop, request)
    }
  }
}

// Reading fetches.
extension Store {
  /// The position in the history at which a part of it begins, for `fetches(_:after:atMost:)`; its limit counts fetches.
  public func beginning(of part: HistoryPart) throws -> Int64 {
    guard let limit = part.limit else { return -1 }
    let first: Int64? = try database.value(
      """
      SELECT min(number) FROM (
        SELECT number FROM fetch WHERE \(Self.isPart("fetch")) ORDER BY number DESC LIMIT ?3) AS latest
      """, part.feeds, part.since, limit)
    return max(first ?? 0, 0) - 1
  }

  /// A portion of the fetches of a part of the history, oldest first, with their requests.
  ///
  /// `position` is the number of the last fetch of the portion before.
  public func fetches(
    _ part: HistoryPart, after position: Int64, atMost count: Int
  ) throws -> [PastFetch] {
    try fetches(
      where: "fetch.number > ?3 AND \(Self.isPart("fetch")) ORDER BY fetch.number LIMIT ?4", part.feeds,
      part.since, position, count)
  }

  /// The latest fetches of one feed, newest first; this uses the feed's index instead of reading the whole history.
  public func fetches(of feed: FeedName, limit: Int) throws -> [FetchRecord] {
    try fetches(
      where: "fetch.feed = (SELECT number FROM feed WHERE name = ?1) ORDER BY fetch.number DESC LIMIT ?2",
      feed, limit
    ).map(\.record)
  }

  /// The fetches that meet a condition, with their requests.
  private func fetches(
    where condition: String, _ values: any Bindable...
  ) throws -> [PastFetch] {
    try database.snapshot {
      var fetches = try database.all(
        """
        SELECT fetch.number, feed.name, \(FetchRecord.columns.of("fetch")), fetch.next_due, fetch.run, cause,
          coalesce(was_named, 0), coalesce(was_forced, 0)
        FROM fetch JOIN feed ON feed.number = fetch.feed LEFT JOIN run ON run.number = fetch.run
        WHERE \(condition)
        """, Values(list: values)
      ) { row in
        PastFetch(
          number: try row.next(), feed: try row.next(), record: try row.next(FetchRecord.self),
          nextDue: try row.next(),
          round: try row.next(), cause: try row.next(), wasNamed: try row.next(), wasForced: try row.next())
      }
      for index in fetches.indices {
        fetches[index].record.requests = try requests(of: fetches[index].number)
      }
      return fetches
    }
  }

  /// The requests of a fetch, in the order in which they were sent.
  private func requests(of fetch: Int64) throws -> [RequestRecord] {
    try database.all("SELECT \(RequestRecord.columns) FROM request WHERE fetch = ?1 ORDER BY hop", fetch) {
      row in try row.next(RequestRecord.self)
    }
  }

  /// Whether a row of a table belongs to a part of the history, as SQL: ?1 holds the feeds and ?2 the beginning.
  ///
  /// `unit` is the number of units of the table's moments in a second.
  private static func isPart(_ table: String, unit: Int = 1) -> String {
    """
    (?1 IS NULL OR \(table).feed IN (SELECT number FROM feed WHERE name IN (SELECT value FROM json_each(?1))))
    AND (?2 IS NULL OR \(table).started >= ?2 * \(unit))
    """
  }
}

// Requests of fetches and of downloads.
extension Store {
  /// A portion of the fetches and download requests of a part of the history, oldest first, and the position after it; nil at the end.
  ///
  /// - Parameters:
  ///   - position: as of `fetches(_:after:atMost:)`.
  ///   - count: the most fetches; the downloads after each belong to it.
  public func requestEntries(
    _ part: HistoryPart, after position: Int64, atMost count: Int
  ) throws -> (requestEntries: [RequestEntry], end: Int64?) {
    let fetches = try fetches(part, after: position, atMost: count)
    let end = fetches.count < count ? nil : fetches.last?.number
    let downloads = try database.all(
      """
      SELECT download_request.number, feed.name, transfer, hop, fetch_before, \(RequestRecord.columns)
      FROM download_request JOIN feed ON feed.number = download_request.feed
      WHERE fetch_before > ?3 AND fetch_before <= ?4 AND \(Self.isPart("download_request", unit: 1000))
      ORDER BY download_request.number
      """, part.feeds, part.since, position, end ?? .max
    ) { row in
      DownloadRequest(
        number: try row.next(), feed: try row.next(), transfer: try row.next(), hop: try row.next(),
        fetchBefore: try row.next(), record: try row.next(RequestRecord.self))
    }
    var entries: [RequestEntry] = []
    var left = downloads[...]
    for fetch in fetches {
      let before = left.prefix { $0.fetchBefore < fetch.number }
      entries += before.map(RequestEntry.download)
      entries.append(.fetch(fetch))
      left = left.dropFirst(before.count)
    }
    return (entries + left.map(RequestEntry.download), end)
  }
}
