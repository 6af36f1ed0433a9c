// The requests of downloads: written with the end of each attempt, and read with those of fetches.

public import Core

/// A request of a download of the past.
public struct DownloadRequest: Hashable, Sendable {
  /// The store's number for it, ascending.
  public var number: Int64
  /// The feed.
  public var feed: FeedName
  /// The transfer.
  public var transfer: Int64
  /// Which of its attempt it is; 0 is the first one, further ones are redirects and second tries.
  public var hop: Int
  /// The number of the last fetch that had ended before it was recorded; 0 if there was none.
  public var fetchBefore: Int64
  /// What was sent, and what came of it.
  public var record: RequestRecord
}

/// What sent requests: a fetch or a download.
public enum PastAsking: Hashable, Sendable {
  /// A fetch with all its requests.
  case fetch(PastFetch)
  /// One request of a download.
  case download(DownloadRequest)
}

/// A place in the history of requests, between two of them.
public struct RequestPlace: Hashable, Sendable {
  /// The last fetch before it.
  var fetch: Int64
  /// The last request of a download before it.
  var download: Int64
}

extension Store {
  /// Adds the requests of an attempt at a download; within a transaction.
  func add(_ requests: [RequestRecord], of transfer: Int64) throws(StoreFailure) {
    for (hop, request) in requests.enumerated() {
      try database.run(
        """
        INSERT INTO download_request (feed, transfer, hop, fetch_before, started, milliseconds, address,
          sent_entity_tag, sent_modification_date, status, failure, bytes)
        SELECT feed, number, ?2, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'fetch'), 0), ?3, ?4, ?5, ?6,
          ?7, ?8, ?9, ?10
        FROM transfer WHERE number = ?1
        """, transfer, hop, request.started, request.milliseconds, request.address, request.sentEntityTag,
        request.sentModificationDate, request.status, request.failure, request.bytes)
    }
  }

  /// Adds the requests of an attempt at a download that somebody else has ended.
  func noteRequests(_ requests: [RequestRecord], of transfer: Int64) throws(StoreFailure) {
    try database.transaction { () throws(StoreFailure) in try add(requests, of: transfer) }
  }

  /// The place at which a part of the history of requests begins; its limit counts fetches and attempts at downloads.
  public func beginningOfRequests(of part: HistoryPart) throws(StoreFailure) -> RequestPlace {
    let all = RequestPlace(fetch: 0, download: 0)
    guard let limit = part.limit else { return all }
    let first = try database.first(
      """
      SELECT fetch, download FROM (
        SELECT * FROM (
          SELECT number AS fetch, 0 AS download FROM fetch WHERE \(Self.isPart("?1", "?2"))
          ORDER BY number DESC LIMIT ?3)
        UNION ALL
        SELECT * FROM (
          SELECT fetch_before, number FROM download_request
          WHERE hop = 0 AND \(Self.isPart("?1", "?2", of: "download_request", unit: 1000))
          ORDER BY number DESC LIMIT ?3))
      ORDER BY fetch DESC, download DESC LIMIT 1 OFFSET ?3 - 1
      """, part.feedList, part.since, limit
    ) { row throws(StoreFailure) in RequestPlace(fetch: try row.next(), download: try row.next()) }
    guard var first else { return all }
    guard first.download == 0 else {
      first.download = max(first.download, 1) - 1
      return first
    }
    // A fetch is the first: what downloads sent before it comes before it.
    first.fetch = max(first.fetch, 1) - 1
    first.download =
      try database.value("SELECT max(number) FROM download_request WHERE fetch_before <= ?1", first.fetch)
      ?? 0
    return first
  }

  /// Fetches and requests of downloads of a part of the history after a place in it, oldest first, with the place behind
  /// them; at most so many of each.
  ///
  /// None are there where there are no more.
  public func askings(
    _ part: HistoryPart, after place: RequestPlace, atMost count: Int
  ) throws(StoreFailure) -> (askings: [PastAsking], end: RequestPlace) {
    let fetches = try fetches(part, after: place.fetch, atMost: count)
    let downloads = try database.all(
      """
      SELECT download_request.number, feed.name, transfer, hop, fetch_before, \(Self.requestColumns)
      FROM download_request JOIN feed ON feed.number = download_request.feed
      WHERE download_request.number > ?3
        AND \(Self.isPart("?1", "?2", of: "download_request", unit: 1000))
      ORDER BY download_request.number LIMIT ?4
      """, part.feedList, part.since, place.download, count
    ) { row throws(StoreFailure) in
      DownloadRequest(
        number: try row.next(), feed: try row.next(), transfer: try row.next(), hop: try row.next(),
        fetchBefore: try row.next(), record: try Self.requestRecord(&row))
    }
    var (askings, end) = ([PastAsking](), place)
    var (fetch, download) = (0, 0)
    while fetch < fetches.count || download < downloads.count {
      // Of what was cut off by the count it is not known what comes next.
      if fetch == fetches.count, fetches.count == count { break }
      if download == downloads.count, downloads.count == count { break }
      if download < downloads.count,
        fetch == fetches.count || downloads[download].fetchBefore < fetches[fetch].number
      {
        askings.append(.download(downloads[download]))
        end.download = downloads[download].number
        download += 1
      } else {
        askings.append(.fetch(fetches[fetch]))
        end.fetch = fetches[fetch].number
        fetch += 1
      }
    }
    return (askings, end)
  }
}
