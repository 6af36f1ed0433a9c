// Deleting old parts of the history.

public import Core

extension Store {
  /// Deletes rows that are old, and in a file those beyond the maximum numbers; returns how many.
  ///
  /// Fetches, requests and runs are old before `history`, and events before `events`; transfers without files, sessions, openings,
  /// printed identifiers and hosts before a third moment. Rows of a server that are dropped with their day are not counted.
  ///
  /// Events with pending deliveries stay, and dead and expired deliveries at least until `before`.
  ///
  /// Rows from half a year or more after that moment were written before the clock was set back, and are deleted too.
  ///
  /// `limit` is the maximum number of old rows to check in each table, which limits the work of one run.
  @discardableResult
  public func prune(
    before: Instant, history: Instant, events: Instant, limit: Int
  ) throws -> Int {
    let needed = min(before, events)
    try neighbours?.dropDays(history: history, events: events, needed: needed)
    return try database.transaction {
      var count = 0
      for (table, moment, condition) in Self.numberedTables {
        let ages = ["event": events, "announced_link": before, "session": before]
        let old = try database.run(
          """
          DELETE FROM \(stored(table)) AS old WHERE number IN (SELECT number FROM \(stored(table)) ORDER BY number LIMIT ?2)
            AND (\(moment) < ?1 OR \(moment) > ?1 + \(Self.future)) AND \(condition)
          """, ages[table] ?? history, limit, needed)
        if old > 0, stored(table) != table { try neighbours?.deleteOrphans() }
        count += old
      }
      for (table, kept, condition) in Self.countedTables where stored(table) == table {
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
      return try count + (neighbours?.prune(before: before) ?? 0)
    }
  }

  /// The table with the rows that are deleted one by one.
  private func stored(_ table: String) -> String { neighbours?.rest(of: table) ?? table }

  /// The tables whose rows have numbers in the order of their moments, and the condition for deleting an old row; ?3 is the moment
  /// before which lost deliveries go, too.
  private static let numberedTables = [
    ("fetch", "ended", "?3 IS NOT NULL"), ("download_request", "started / 1000", "?3 IS NOT NULL"),
    ("run", "started", "?3 IS NOT NULL AND number < (SELECT max(number) FROM run)"),
    (
      "event", "time",
      """
      NOT EXISTS (SELECT 1 FROM delivery
        WHERE delivery.event = old.number AND (status = 'pending' OR status = 'running'
          OR time >= ?3 AND (status = 'dead' OR status = 'expired')))
      """
    ), ("announced_link", "at", "?3 IS NOT NULL"), ("session", "closed", "?3 IS NOT NULL"),
  ]

  /// The tables of which a number of rows is kept, and the condition for deleting an older one.
  private static let countedTables = [
    ("fetch", Retention.mostFetches, "true"), ("download_request", Retention.mostFetches, "true"),
    (
      "event", Retention.mostEvents,
      """
      NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.event = event.number
        AND (status = 'pending' OR status = 'running'))
      """
    ), ("announced_link", Retention.mostEvents, "true"),
  ]

  private static let future = Retention.future.seconds

  /// Deletes the oldest rows of a table beyond a number of rows to keep; returns how many.
  ///
  /// The limit of 50,000 rows is more than any run adds, so the table shrinks. Numbers have gaps, as in a copy from a server, so
  /// the rows are counted, but only if their numbers are far enough apart.
  private func prune(
    _ table: String, beyond kept: Int, where condition: String
  ) throws -> Int {
    try database.run(
      """
      DELETE FROM \(table) WHERE number IN (
        SELECT number FROM \(table) WHERE number <= (SELECT max(number) FROM \(table)) - ?1 AND \(condition)
        ORDER BY number
        LIMIT CASE WHEN (SELECT max(number) FROM \(table)) - (SELECT min(number) FROM \(table)) >= ?1
          THEN max(0, min(50000, (SELECT count(*) FROM \(table)) - ?1)) ELSE 0 END)
      """, kept)
  }

  /// Deletes transfers that settled and lost their file long ago; returns how many.
  ///
  /// Their assets stay known, so that they are not downloaded again.
  private func pruneTransfers(before: Instant, limit: Int) throws -> Int {
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
  ) throws -> Int {
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
