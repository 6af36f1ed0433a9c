// What is kept of past fetches and runs, and how old parts of it go.

public import Model
public import Timing

extension Store {
  /// How many fetches are kept whatever their age: about 60 MB.
  ///
  /// 10,000 feeds asked every hour would otherwise be 3 GB in 90 days.
  static let fetchesKept = 500_000

  /// Half a year, in seconds.
  private static let halfYear = Interval.days(180).seconds

  /// The last fetches of a feed, newest first.
  public func fetches(of feed: FeedName, limit: Int) throws(StoreFailure) -> [FetchRecord] {
    try database.all(
      """
      SELECT started, ended, result, reason, status, address, was_conditional, bytes, count
      FROM fetch WHERE feed = (SELECT number FROM feed WHERE name = ?1) ORDER BY number DESC LIMIT ?2
      """, feed, limit
    ) { row throws(StoreFailure) in
      FetchRecord(
        started: try row.next(), ended: try row.next(), result: try row.next(), reason: try row.next(),
        status: try row.next(), address: try row.next(), wasConditional: try row.next(),
        bytes: try row.next(), count: try row.next())
    }
  }

  /// Adds the one record of a fetch.
  func add(_ record: FetchRecord, feed: Int64, run: Int64?) throws(StoreFailure) {
    try database.run(
      """
      INSERT INTO fetch (feed, run, started, ended, result, reason, status, address, was_conditional, bytes, count)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
      """, feed, run, record.started, record.ended, record.result, record.reason, record.status,
      record.address, record.wasConditional, record.bytes, record.count)
  }

  /// Deletes fetches, runs, events, printed identifiers and hosts from before a moment, and fetches beyond
  /// the half million that is kept; events with a delivery that is still to be made stay.
  ///
  /// What lies half a year or more after that moment was recorded under a clock that has been set back since, and
  /// goes too, but for what was lost on the way to a hook: a person is to hear of that.
  ///
  /// Looks at no more than `limit` rows of each table, the oldest ones, so that the work of one run is
  /// bounded. Gives how many rows went.
  @discardableResult
  public func prune(before: Instant, limit: Int) throws(StoreFailure) -> Int {
    try database.transaction { () throws(StoreFailure) -> Int in
      var count = 0
      try database.run(
        """
        DELETE FROM fetch WHERE number IN (SELECT number FROM fetch ORDER BY number LIMIT ?2)
          AND (ended < ?1 OR ended > ?1 + \(Self.halfYear) OR number <= (SELECT max(number) FROM fetch) - ?3)
        """, before, limit, Self.fetchesKept)
      count += database.changes
      try database.run(
        """
        DELETE FROM run WHERE number IN (SELECT number FROM run ORDER BY number LIMIT ?2)
          AND (started < ?1 OR started > ?1 + \(Self.halfYear)) AND number < (SELECT max(number) FROM run)
        """, before, limit)
      count += database.changes
      try database.run(
        """
        DELETE FROM event WHERE number IN (SELECT number FROM event ORDER BY number LIMIT ?2)
          AND (time < ?1 OR time > ?1 + \(Self.halfYear))
          AND NOT EXISTS (
            SELECT 1 FROM delivery
            WHERE delivery.event = event.number AND (status = 'pending' OR status = 'running'
              OR time >= ?1 AND (status = 'dead' OR status = 'expired')))
        """, before, limit)
      count += database.changes
      try database.run("DELETE FROM printed WHERE at < ?1", before)
      count += database.changes
      try database.run(
        "DELETE FROM host WHERE coalesce(last_request, 0) < ?1 AND coalesce(limited_until, 0) < ?1", before)
      return count + database.changes
    }
  }
}
