// How old parts of the history go.

public import Core

extension Store {
  /// How many events are kept whatever their age, but for those that a hook is still to hear of; and how many transfers that
  /// settled and have no file.
  static let eventsKept = 100_000

  /// How many fetches are kept whatever their age: about 75 MB with their requests, measured.
  ///
  /// 1,000 feeds asked every hour fill that in three weeks, at 3.5 MB a day.
  static let fetchesKept = 500_000

  /// Half a year, in seconds.
  private static let halfYear = Interval.days(180).seconds

  /// Deletes fetches with their requests, requests of downloads, runs, events, transfers without files, sessions, fetches that pushes
  /// caused, openings, printed identifiers, hosts and summaries of items from before a moment, and what is more than is
  /// kept whatever its age; events with a delivery that is still to be made stay.
  ///
  /// What lies half a year or more after that moment was recorded under a clock that has been set back since, and
  /// goes too, but for what was lost on the way to a hook: a person is to hear of that.
  ///
  /// Looks for old rows at no more than `limit` of each table, the oldest ones, so that the work of one run is
  /// bounded. Gives how many rows went.
  @discardableResult
  public func prune(before: Instant, limit: Int) throws(StoreFailure) -> Int {
    try database.transaction { () throws(StoreFailure) -> Int in
      var count = 0
      try database.run(
        """
        DELETE FROM fetch WHERE number IN (SELECT number FROM fetch ORDER BY number LIMIT ?2)
          AND (ended < ?1 OR ended > ?1 + \(Self.halfYear))
        """, before, limit)
      count += database.changes
      count += try prune("fetch", beyond: Self.fetchesKept)
      try database.run(
        """
        DELETE FROM download_request WHERE number IN (SELECT number FROM download_request ORDER BY number LIMIT ?2)
          AND (started < ?1 * 1000 OR started > (?1 + \(Self.halfYear)) * 1000)
        """, before, limit)
      count += database.changes
      count += try prune("download_request", beyond: Self.fetchesKept)
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
      count += try prune(
        "event", beyond: Self.eventsKept,
        where: """
          NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.event = event.number
            AND (status = 'pending' OR status = 'running'))
          """)
      count += try pruneTransfers(before: before, limit: limit)
      for (table, moment) in [("push_fetch", "at"), ("opening", "last"), ("opening_day", "last")] {
        count += try prune(table, by: moment, before: before, limit: limit)
      }
      try database.run(
        """
        DELETE FROM summary WHERE item IN (
          SELECT item FROM (SELECT item FROM summary ORDER BY item LIMIT ?2) JOIN item ON number = item
          WHERE coalesce(updated_at, first_seen) < ?1)
        """, before, limit)
      count += database.changes
      try database.run("DELETE FROM printed WHERE at < ?1", before)
      count += database.changes
      try database.run(
        "DELETE FROM host WHERE coalesce(last_request, 0) < ?1 AND coalesce(limited_until, 0) < ?1", before)
      return count + database.changes
    }
  }

  /// Deletes the oldest rows of a table beyond those that are kept whatever their age; gives how many went.
  ///
  /// As many as any run adds, or the table would grow faster than it shrinks. Within a transaction.
  private func prune(_ table: String, beyond kept: Int, where mayGo: String = "true") throws(StoreFailure)
    -> Int
  {
    try database.run(
      """
      DELETE FROM \(table) WHERE \(mayGo) AND number IN (
        SELECT number FROM \(table) WHERE number <= (SELECT max(number) FROM \(table)) - ?1
        ORDER BY number LIMIT 50000)
      """, kept)
    return database.changes
  }

  /// Deletes transfers that are settled and have had no file for long, and sessions that were closed long ago; within
  /// a transaction.
  ///
  /// Their assets stay known, so that nothing comes back.
  private func pruneTransfers(before: Instant, limit: Int) throws(StoreFailure) -> Int {
    var count = try prune("transfer", by: "bare_since", before: before, limit: limit)
    try database.run(
      """
      DELETE FROM transfer WHERE number IN (
        SELECT number FROM transfer WHERE bare_since IS NOT NULL ORDER BY bare_since
        LIMIT max(0, min(50000, (SELECT count(*) FROM transfer WHERE bare_since IS NOT NULL) - ?1)))
      """, Self.eventsKept)
    count += database.changes
    try database.run(
      """
      DELETE FROM session WHERE number IN (SELECT number FROM session ORDER BY number LIMIT ?2)
        AND (closed < ?1 OR closed > ?1 + \(Self.halfYear))
      """, before, limit)
    return count + database.changes
  }

  /// Deletes the rows of a table whose moment, which has an index, lies before another one or in the far future; gives how
  /// many went.
  ///
  /// Within a transaction.
  private func prune(
    _ table: String, by moment: String, before: Instant, limit: Int
  ) throws(StoreFailure) -> Int {
    var count = 0
    // Two statements: with OR in one SQLite would look at all of them.
    for isOld in ["\(moment) < ?1", "\(moment) > ?1 + \(Self.halfYear)"] {
      try database.run(
        "DELETE FROM \(table) WHERE rowid IN (SELECT rowid FROM \(table) WHERE \(isOld) LIMIT ?2)",
        before, limit)
      count += database.changes
    }
    return count
  }
}
