// Deleting old parts of the history.

public import Core

extension Store {
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
      for (table, moment, condition) in Self.numberedTables {
        count += try database.run(
          """
          DELETE FROM \(table) WHERE number IN (SELECT number FROM \(table) ORDER BY number LIMIT ?2)
            AND (\(moment) < ?1 OR \(moment) > ?1 + \(Self.future)) AND \(condition)
          """, before, limit)
      }
      for (table, kept, condition) in Self.countedTables {
        count += try prune(table, beyond: kept, where: condition)
      }
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

  /// The tables whose rows have numbers in the order of their moments, and the condition for deleting an old row.
  private static let numberedTables = [
    ("fetch", "ended", "true"), ("download_request", "started / 1000", "true"),
    ("run", "started", "number < (SELECT max(number) FROM run)"),
    (
      "event", "time",
      """
      NOT EXISTS (SELECT 1 FROM delivery
        WHERE delivery.event = event.number AND (status = 'pending' OR status = 'running'
          OR time >= ?1 AND (status = 'dead' OR status = 'expired')))
      """
    ), ("announced_link", "at", "true"), ("session", "closed", "true"),
  ]

  /// The tables of which a number of rows is kept, and the condition for deleting an older one.
  private static let countedTables = [
    ("fetch", Retention.mostFetches, "true"), ("download_request", Retention.mostFetches, "true"),
    (
      "event", Retention.mostEvents,
      """
      NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.event = event.number
        AND (status = 'pending' OR status = 'running' OR status = 'unread'))
      """
    ), ("announced_link", Retention.mostEvents, "true"),
  ]

  private static let future = Retention.future.seconds

  /// Deletes the oldest rows of a table beyond a number of rows to keep; returns how many.
  ///
  /// The limit of 50,000 rows is more than any run adds, so the table shrinks.
  private func prune(
    _ table: String, beyond kept: Int, where condition: String
  ) throws(StoreFailure) -> Int {
    try database.run(
      """
      DELETE FROM \(table) WHERE number IN (
        SELECT number FROM \(table) WHERE number <= (SELECT max(number) FROM \(table)) - ?1 AND \(condition)
        ORDER BY number LIMIT 50000)
      """, kept)
  }

  /// Deletes transfers that settled and lost their file long ago; returns how many.
  ///
  /// Their assets stay known, so that they are not downloaded again.
  private func pruneTransfers(before: Instant, limit: Int) throws(StoreFailure) -> Int {
    try prune("transfer", by: "bare_since", before: before, limit: limit)
      + database.run(
        """
        DELETE FROM transfer WHERE number IN (
          SELECT number FROM transfer WHERE bare_since IS NOT NULL ORDER BY bare_since
          LIMIT max(0, min(50000, (SELECT count(*) FROM transfer WHERE bare_since IS NOT NULL) - ?1)))
        """, Retention.mostEvents)
  }

  /// Deletes the rows of a table whose moment, an indexed column, is before another one or in the far future; returns how
  /// many.
  private func prune(
    _ table: String, by moment: String, before: Instant, limit: Int
  ) throws(StoreFailure) -> Int {
    var count = 0
    // Two statements: with OR in one, SQLite would read all rows.
    for isOld in ["\(moment) < ?1", "\(moment) > ?1 + \(Self.future)"] {
      count += try database.run(
        "DELETE FROM \(table) WHERE rowid IN (SELECT rowid FROM \(table) WHERE \(isOld) LIMIT ?2)",
        before, limit)
    }
    return count
  }
}
