// Deleting old parts of the history.

public import Core

extension Store {
  /// The maximum number of events to keep, apart from those with pending deliveries; also that of settled transfers
  /// without a file.
  static let eventsKept = 100_000

  /// The maximum number of fetches to keep: about 75 MB with their requests (measured).
  ///
  /// 1,000 feeds requested every hour fill that in three weeks, at 3.5 MB a day.
  static let fetchesKept = 500_000

  private static let halfYear = Interval.days(180).seconds

  /// Deletes fetches, requests, runs, events, transfers without files, sessions, openings, printed identifiers and
  /// hosts from before a moment, and rows beyond the maximum numbers; returns how many rows.
  ///
  /// Events with pending deliveries stay. Events that a consumer has not read are deleted only for their age.
  ///
  /// Rows from half a year or more after that moment were written before the clock was set back, and are deleted too,
  /// except for dead and expired deliveries, which the person should see.
  ///
  /// `limit` is the maximum number of old rows to check in each table, which limits the work of one run.
  @discardableResult
  public func prune(before: Instant, limit: Int) throws(StoreFailure) -> Int {
    try database.transaction { () throws(StoreFailure) -> Int in
      var count = 0
      count += try database.run(
        """
        DELETE FROM fetch WHERE number IN (SELECT number FROM fetch ORDER BY number LIMIT ?2)
          AND (ended < ?1 OR ended > ?1 + \(Self.halfYear))
        """, before, limit)
      count += try prune("fetch", beyond: Self.fetchesKept)
      count += try database.run(
        """
        DELETE FROM download_request WHERE number IN (SELECT number FROM download_request ORDER BY number LIMIT ?2)
          AND (started < ?1 * 1000 OR started > (?1 + \(Self.halfYear)) * 1000)
        """, before, limit)
      count += try prune("download_request", beyond: Self.fetchesKept)
      count += try database.run(
        """
        DELETE FROM run WHERE number IN (SELECT number FROM run ORDER BY number LIMIT ?2)
          AND (started < ?1 OR started > ?1 + \(Self.halfYear)) AND number < (SELECT max(number) FROM run)
        """, before, limit)
      count += try database.run(
        """
        DELETE FROM event WHERE number IN (SELECT number FROM event ORDER BY number LIMIT ?2)
          AND (time < ?1 OR time > ?1 + \(Self.halfYear))
          AND NOT EXISTS (
            SELECT 1 FROM delivery
            WHERE delivery.event = event.number AND (status = 'pending' OR status = 'running'
              OR time >= ?1 AND (status = 'dead' OR status = 'expired')))
        """, before, limit)
      count += try prune(
        "event", beyond: Self.eventsKept,
        where: """
          NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.event = event.number
            AND (status = 'pending' OR status = 'running' OR status = 'unread'))
          """)
      count += try database.run(
        """
        DELETE FROM announced_link WHERE number IN (SELECT number FROM announced_link ORDER BY number LIMIT ?2)
          AND (at < ?1 OR at > ?1 + \(Self.halfYear))
        """, before, limit)
      count += try prune("announced_link", beyond: Self.eventsKept)
      count += try pruneTransfers(before: before, limit: limit)
      count += try pruneCatalog(before: before)
      for (table, moment) in [("push_fetch", "at"), ("opening", "last"), ("opening_day", "last")] {
        count += try prune(table, by: moment, before: before, limit: limit)
      }
      count += try database.run("DELETE FROM printed WHERE at < ?1", before)
      count += try database.run(
        """
        DELETE FROM host WHERE coalesce(last_request, 0) < ?1 AND coalesce(limited_until, 0) < ?1
          AND coalesce(reserved, 0) < ?1 * 1000
        """, before)
      return count
    }
  }

  /// Deletes the oldest rows of a table beyond a number of rows to keep; returns how many.
  ///
  /// The limit of 50,000 rows is more than any run adds, so the table shrinks.
  private func prune(
    _ table: String, beyond kept: Int, where condition: String = "true"
  ) throws(StoreFailure) -> Int {
    try database.run(
      """
      DELETE FROM \(table) WHERE number IN (
        SELECT number FROM \(table) WHERE number <= (SELECT max(number) FROM \(table)) - ?1 AND \(condition)
        ORDER BY number LIMIT 50000)
      """, kept)
  }

  /// Deletes transfers that settled and lost their file long ago, and sessions that were closed long ago; returns how many.
  ///
  /// Their assets stay known, so that they are not downloaded again.
  private func pruneTransfers(before: Instant, limit: Int) throws(StoreFailure) -> Int {
    var count = try prune("transfer", by: "bare_since", before: before, limit: limit)
    count += try database.run(
      """
      DELETE FROM transfer WHERE number IN (
        SELECT number FROM transfer WHERE bare_since IS NOT NULL ORDER BY bare_since
        LIMIT max(0, min(50000, (SELECT count(*) FROM transfer WHERE bare_since IS NOT NULL) - ?1)))
      """, Self.eventsKept)
    count += try database.run(
      """
      DELETE FROM session WHERE number IN (SELECT number FROM session ORDER BY number LIMIT ?2)
        AND (closed < ?1 OR closed > ?1 + \(Self.halfYear))
      """, before, limit)
    return count
  }

  /// Deletes the rows of a table whose moment, an indexed column, is before another one or in the far future; returns how
  /// many.
  private func prune(
    _ table: String, by moment: String, before: Instant, limit: Int
  ) throws(StoreFailure) -> Int {
    var count = 0
    // Two statements: with OR in one, SQLite would read all rows.
    for isOld in ["\(moment) < ?1", "\(moment) > ?1 + \(Self.halfYear)"] {
      count += try database.run(
        "DELETE FROM \(table) WHERE rowid IN (SELECT rowid FROM \(table) WHERE \(isOld) LIMIT ?2)",
        before, limit)
    }
    return count
  }
}
