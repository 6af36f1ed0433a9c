// Past runs and fetches, to be read. Writing them is a part of commits; how they go is Pruning's business.

public import Core

extension Store {
  /// The runs of a part of the history, oldest first; its feeds do not matter.
  public func runs(_ part: HistoryPart) throws(StoreFailure) -> [RunRecord] {
    try database.all(
      """
      SELECT \(RunRecord.columns) FROM (
        SELECT * FROM run WHERE ?1 IS NULL OR started >= ?1 ORDER BY number DESC LIMIT ?2)
      ORDER BY number
      """, part.since, part.limit ?? -1, read: RunRecord.read)
  }

  /// The place in the history at which a part of it begins: what `fetches(_:after:atMost:)` goes on from.
  public func beginning(of part: HistoryPart) throws(StoreFailure) -> Int64 {
    guard let limit = part.limit else { return 0 }
    let first: Int64? = try database.value(
      """
      SELECT min(number) FROM (
        SELECT number FROM fetch WHERE \(Self.isPart("?1", "?2")) ORDER BY number DESC LIMIT ?3)
      """, part.feedList, part.since, limit)
    return max(first ?? 1, 1) - 1
  }

  /// The fetches of a part of the history that come after a place in it, oldest first, with their requests.
  ///
  /// The history may be large, so it is read in portions: each goes on after the number of the last fetch of the one
  /// before.
  public func fetches(
    _ part: HistoryPart, after place: Int64, atMost count: Int
  ) throws(StoreFailure) -> [PastFetch] {
    try database.snapshot { () throws(StoreFailure) in
      var fetches = try database.all(
        """
        SELECT fetch.number, feed.name, \(Self.fetchColumns), fetch.next_due, fetch.run, cause,
          coalesce(was_named, 0), coalesce(was_forced, 0)
        FROM fetch JOIN feed ON feed.number = fetch.feed LEFT JOIN run ON run.number = fetch.run
        WHERE fetch.number > ?3 AND \(Self.isPart("?1", "?2")) ORDER BY fetch.number LIMIT ?4
        """, part.feedList, part.since, place, count
      ) { row throws(StoreFailure) in
        PastFetch(
          number: try row.next(), feed: try row.next(), record: try Self.fetchRecord(&row),
          nextDue: try row.next(),
          run: try row.next(), cause: try row.next(), wasNamed: try row.next(), wasForced: try row.next())
      }
      for index in fetches.indices {
        fetches[index].record.requests = try requests(of: fetches[index].number)
      }
      return fetches
    }
  }

  /// The last fetches of a feed, newest first.
  ///
  /// By the feed's index: a portion of the whole history would be looked through for each of many feeds.
  public func fetches(of feed: FeedName, limit: Int) throws(StoreFailure) -> [FetchRecord] {
    try database.snapshot { () throws(StoreFailure) in
      let found = try database.all(
        """
        SELECT fetch.number, \(Self.fetchColumns) FROM fetch
        WHERE feed = (SELECT number FROM feed WHERE name = ?1) ORDER BY fetch.number DESC LIMIT ?2
        """, feed, limit
      ) { row throws(StoreFailure) in (number: try row.next(Int64.self), record: try Self.fetchRecord(&row)) }
      var records: [FetchRecord] = []
      for (number, record) in found {
        var record = record
        record.requests = try requests(of: number)
        records.append(record)
      }
      return records
    }
  }

  /// Whether a row belongs to a part of the history, as SQL over parameters that hold feeds and beginning; the unit is that
  /// of the row's moment, as a part of a second.
  static func isPart(
    _ feeds: String, _ since: String, of table: String = "fetch", unit: Int = 1
  ) -> String {
    """
    (\(feeds) IS NULL OR \(table).feed IN (
      SELECT number FROM feed WHERE name IN (SELECT value FROM json_each(\(feeds)))))
    AND (\(since) IS NULL OR \(table).started >= \(since) * \(unit))
    """
  }
}
