// Whether a run would find nothing to do, by one look at the store.

public import Core

extension Store {
  /// How many changes of feeds there were; a trigger counts them, whoever makes them.
  public func changes() throws(StoreFailure) -> Int64 {
    try database.value("SELECT changes FROM owner") ?? 0
  }

  /// Notes that no feed is due until a moment, unless a feed has changed since `changes` was asked for.
  ///
  /// - Parameters:
  ///   - note: stands for everything outside the store that this depends on.
  ///   - now: when it was found out.
  ///   - end: the moment.
  ///   - changes: what it was found out from.
  /// - Throws: what the store throws.
  public func noteQuiet(
    _ note: UInt64, from now: Instant, until end: Instant, changes: Int64
  ) throws(StoreFailure) {
    let parts = "(quiet_note, quiet_from, quiet_until, quiet_changes)"
    let isNoted: Int? = try database.value(
      "SELECT 1 FROM owner WHERE \(parts) = (?1, quiet_from, ?2, ?3)", note, end, changes)
    guard isNoted == nil else { return }
    try database.run(
      "UPDATE owner SET \(parts) = (?1, ?2, ?3, ?4) WHERE changes = ?4", note, now, end, changes)
  }

  /// Whether a run at a moment has nothing to do, by the store of a state directory as a reader finds it.
  ///
  /// It begins no thread, as asking a store does: most runs have nothing to do, and that would be most of their work.
  /// - Parameters:
  ///   - note: what `noteQuiet` was given.
  ///   - directory: the state directory.
  ///   - now: the moment.
  /// - Returns: whether there is nothing to do.
  /// - Throws: what `open` throws.
  public static func isQuiet(
    _ note: UInt64, in directory: String, at now: Instant
  ) throws(StoreFailure) -> Bool {
    let path = directory + "/" + fileName
    try refuseWhatIsNoFile(path)
    return try reader(path, steps: Migrations.steps).isQuiet(note, at: now)
  }

  /// Whether a run at a moment has nothing to do.
  func isQuiet(_ note: UInt64, at now: Instant) throws(StoreFailure) -> Bool {
    try database.isQuiet(note, at: now)
  }
}

extension Database {
  /// Whether a run at a moment has nothing to do: no feed is due by the note, none is in flight, no push waits, no
  /// transfer may go on, and no delivery's time has come.
  ///
  /// A note from the future was made under a clock that has been set back since.
  fileprivate func isQuiet(_ note: UInt64, at now: Instant) throws(StoreFailure) -> Bool {
    let found: Int? = try value(
      """
      SELECT 1 FROM owner
      WHERE quiet_note = ?1 AND quiet_changes = changes AND quiet_from <= ?2 AND quiet_until > ?2
        AND NOT EXISTS (SELECT 1 FROM attempt)
        AND NOT EXISTS (SELECT 1 FROM \(Store.pushesThatCount))
        AND NOT EXISTS (SELECT 1 FROM \(Store.transfersThatGoOn) AND \(Store.mayGoOn("?2")))
        AND NOT EXISTS (
          SELECT 1 FROM delivery
          WHERE (status = 'pending' OR status = 'running') AND (status = 'running' OR \(Store.hasCome("?2"))))
      """, note, now)
    return found != nil
  }
}
