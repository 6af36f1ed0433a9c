// Fetches and their requests as rows, as they are written within the transaction of what they changed, and read.

import Core

extension Store {
  /// Adds the one record of a fetch, and one of each of its requests.
  func add(
    _ record: FetchRecord, feed: Int64, run: Int64?, nextDue: Instant?
  ) throws(StoreFailure) {
    try database.run(
      """
      INSERT INTO fetch (feed, run, started, ended, result, reason, count, is_counted, next_due)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
      """, feed, run, record.started, record.ended, record.result, record.reason, record.count,
      record.isCounted, nextDue)
    let fetch = database.lastInserted
    for (hop, request) in record.requests.enumerated() {
      try database.run(
        """
        INSERT INTO request (fetch, hop, started, milliseconds, address, sent_entity_tag, sent_modification_date,
          status, failure, bytes)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
        """, fetch, hop, request.started, request.milliseconds, request.address, request.sentEntityTag,
        request.sentModificationDate, request.status, request.failure, request.bytes)
    }
  }

  /// The columns of `fetch` that make a `FetchRecord` without its requests, in the order in which `fetchRecord` takes them.
  static let fetchColumns = "fetch.started, fetch.ended, result, reason, count, is_counted"

  /// Reads a fetch from a row that stands on the first of `fetchColumns`.
  static func fetchRecord(_ row: inout Row) throws(StoreFailure) -> FetchRecord {
    var record = FetchRecord(
      started: try row.next(), ended: try row.next(), result: try row.next(), reason: try row.next(),
      count: try row.next())
    record.isCounted = try row.next()
    return record
  }

  /// The requests of a fetch, in the order they were sent.
  func requests(of fetch: Int64) throws(StoreFailure) -> [RequestRecord] {
    try database.all(
      "SELECT \(Self.requestColumns) FROM request WHERE fetch = ?1 ORDER BY hop", fetch,
      read: Self.requestRecord)
  }

  /// The columns that make a `RequestRecord`, in the order in which `requestRecord` takes them.
  static let requestColumns =
    "started, milliseconds, address, sent_entity_tag, sent_modification_date, status, failure, bytes"

  /// Reads a request from a row that stands on the first of `requestColumns`.
  static func requestRecord(_ row: inout Row) throws(StoreFailure) -> RequestRecord {
    var request = RequestRecord(started: try row.next(), address: "")
    request.milliseconds = try row.next()
    request.address = try row.next()
    request.sentEntityTag = try row.next()
    request.sentModificationDate = try row.next()
    request.status = try row.next()
    request.failure = try row.next()
    request.bytes = try row.optionalSize()
    return request
  }
}
