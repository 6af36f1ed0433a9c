// The note that a run would find nothing to do, so that one can end without looking at the feeds.

public import Core

extension Store {
  /// The number of changes of feeds so far, by any process.
  public func changes() throws -> Int64 {
    try database.value("SELECT changes FROM owner") ?? 0
  }

  /// Counts a change of feeds; within the transaction that makes it, and that sets their `due_at` to NULL.
  ///
  /// Triggers did this, and took more than half of the time of writing a feed. On a server nobody asks (`recordQuiet`), and
  /// the commits of all machines would have to change the same row.
  ///
  /// - Parameter latest: when a feed was looked at whose moment is recorded (DueIndex.swift).
  func recordChange(lookedAt latest: Instant = toScan) throws {
    guard neighbours == nil else { return }
    try database.run("UPDATE owner SET changes = changes + 1, due_latest = max(due_latest, ?1)", latest)
  }

  /// Records that no feed is due until a moment, unless a feed has changed since `changes` was read.
  ///
  /// - Parameters:
  ///   - fingerprint: the fingerprint of the quiet note, which lists everything outside the store that this depends on.
  ///   - now: when this was computed.
  ///   - changes: the value of `changes()` before that.
  public func recordQuiet(
    _ fingerprint: UInt64, from now: Instant, until end: Instant, changes: Int64
  ) throws {
    let parts = "(quiet_note, quiet_from, quiet_until, quiet_changes)"
    let isNoted = try database.exists(
      "SELECT 1 FROM owner WHERE \(parts) = (?1, quiet_from, ?2, ?3)", fingerprint, end, changes)
    guard !isNoted else { return }
    try database.run(
      "UPDATE owner SET \(parts) = (?1, ?2, ?3, ?4) WHERE changes = ?4", fingerprint, now, end, changes)
  }

  /// Whether a run has nothing to do, according to the store in a state directory.
  ///
  /// It calls no actor, and so starts no thread: for most runs, that would be most of the work.
  ///
  /// - Parameter fingerprint: as `recordQuiet` received it.
  public static func isQuiet(
    _ fingerprint: UInt64, in directory: String, at now: Instant
  ) throws -> Bool {
    let path = directory + "/" + fileName
    try requireFile(path)
    return try reader(path).isQuiet(fingerprint, at: now)
  }
}

extension Database {
  /// Whether no feed is due by the quiet note, none is in flight, no push waits, no transfer can continue, and no delivery is
  /// due.
  ///
  /// A note from the future was written before the clock was set back.
  func isQuiet(_ fingerprint: UInt64, at now: Instant) throws -> Bool {
    try exists(
      """
      SELECT 1 FROM owner
      WHERE quiet_note = ?1 AND quiet_changes = changes AND quiet_from <= ?2 AND quiet_until > ?2
        AND NOT EXISTS (SELECT 1 FROM attempt)
        AND NOT EXISTS (SELECT 1 FROM \(Store.pushesThatCount))
        AND NOT EXISTS (SELECT 1 FROM \(Store.activeTransfers) AND (\(Store.canContinue("?2")) OR \(Store.isWaiting)))
        AND NOT EXISTS (
          SELECT 1 FROM delivery
          WHERE (status = 'pending' OR status = 'running') AND (status = 'running' OR \(Store.isDue("?2"))))
      """, fingerprint, now)
  }
}
