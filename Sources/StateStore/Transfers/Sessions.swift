// Sessions: opened by the first transfer that is queued, closed by the last one that settles.

import Core

extension Store {
  /// The session of a feed that is open, opened now if there is none; within a transaction.
  func openSession(of feed: Int64, at now: Instant) throws(StoreFailure) -> Int64 {
    if let open = try openSession(of: feed) { return open }
    try database.run("INSERT INTO session (feed, opened) VALUES (?1, ?2)", feed, now)
    return database.lastInserted
  }

  /// The session of a feed that is open; nil if there is none.
  func openSession(of feed: Int64) throws(StoreFailure) -> Int64? {
    try database.value("SELECT number FROM session WHERE feed = ?1 AND closed IS NULL", feed)
  }

  /// Counts a transfer that settled in its session, and closes that if it was the last one.
  ///
  /// Gives what the session came to if this closed it: of all that try only one does. Within a transaction.
  func countSettled(
    _ status: TransferStatus, in session: Int64, of feed: FeedName, at now: Instant
  ) throws(StoreFailure) -> SessionTotals? {
    try count(status, by: 1, in: session)
    return try database.first(
      """
      UPDATE session SET closed = ?2 WHERE number = ?1 AND closed IS NULL
        AND NOT EXISTS (
          SELECT 1 FROM transfer INDEXED BY transfer_unsettled WHERE session = ?1 AND settled IS NULL)
      RETURNING finished, failed, cancelled
      """, session, now
    ) { row throws(StoreFailure) in
      SessionTotals(
        session: session, feed: feed, finished: try row.next(), failed: try row.next(),
        cancelled: try row.next())
    }
  }

  /// Takes back that a transfer settled in a session, where it is still open: it is tried again in the same one.
  func uncountSettled(_ status: TransferStatus, in session: Int64) throws(StoreFailure) {
    try count(status, by: -1, in: session)
  }

  private func count(_ status: TransferStatus, by step: Int, in session: Int64) throws(StoreFailure) {
    try database.run(
      """
      UPDATE session SET finished = finished + iif(?2 = 'finished', ?3, 0),
        failed = failed + iif(?2 = 'failed', ?3, 0), cancelled = cancelled + iif(?2 = 'cancelled', ?3, 0)
      WHERE number = ?1 AND closed IS NULL
      """, session, status, step)
  }
}
