// The files that bgfetch placed, and the directories they are in. Which of them go, and what they are called, is
// Planning's to say.

public import Core

extension Store {
  /// The directories that were used before, so that one that is gone is not made anew.
  public func usedDirectories() throws(StoreFailure) -> Set<String> {
    Set(try database.values("SELECT path FROM directory"))
  }

  /// Remembers that a directory is used; writes only the first time.
  public func noteDirectory(_ path: String, at now: Instant) throws(StoreFailure) {
    let known = try database.value("SELECT 1 FROM directory WHERE path = ?1", path, as: Int.self)
    guard known == nil else { return }
    try database.run("INSERT OR IGNORE INTO directory (path, first_used) VALUES (?1, ?2)", path, now)
  }

  /// A feed's placed files that were not removed, the oldest item first.
  public func placedFiles(_ feed: FeedName) throws(StoreFailure) -> [PlacedTransfer] {
    try database.all(
      """
      SELECT transfer, directory, name, size, sha256, placed, removed, date FROM (
        SELECT placed_file.transfer, placed_file.directory, placed_file.name, placed_file.size, placed_file.sha256,
          placed, removed, coalesce(item.published, item.first_seen, placed) AS date
        FROM placed_file JOIN transfer ON transfer.number = placed_file.transfer
          LEFT JOIN item ON item.number = transfer.item
        WHERE placed_file.feed = (SELECT number FROM feed WHERE feed.name = ?1) AND removed IS NULL)
      ORDER BY date, transfer
      """, feed
    ) { row throws(StoreFailure) in
      let transfer: Int64 = try row.next()
      return PlacedTransfer(
        transfer: transfer, file: try TransferRow.placedFile(&row), date: try row.next())
    }
  }

  /// The feeds that have placed files that were not removed, by name; dormant ones too.
  public func feedsWithFiles() throws(StoreFailure) -> [FeedName] {
    try database.values(
      """
      SELECT name FROM feed
      WHERE EXISTS (SELECT 1 FROM placed_file WHERE placed_file.feed = feed.number AND removed IS NULL)
      ORDER BY name
      """)
  }

  /// Which feed's placed file has a name in a directory, in any mixture of cases; nil if bgfetch has placed none there, or
  /// removed it.
  public func owner(_ directory: String, name: String) throws(StoreFailure) -> FeedName? {
    try database.value(
      """
      SELECT feed.name FROM placed_file JOIN feed ON feed.number = placed_file.feed
      WHERE folded_name = ?1 AND directory = ?2 AND removed IS NULL LIMIT 1
      """, caseless(name), directory)
  }

  /// Remembers that placed files were removed, or were found to be gone.
  public func markRemoved(_ transfers: [Int64], at now: Instant) throws(StoreFailure) {
    guard !transfers.isEmpty else { return }
    try database.transaction { () throws(StoreFailure) in
      for transfer in transfers { try writeRemoved(transfer, at: now) }
    }
  }

  /// A feed's last finished transfer of the very same URL; nil if there is none.
  public func lastFinished(_ feed: FeedName, url: String) throws(StoreFailure) -> Transfer? {
    try database.first(
      """
      \(TransferRow.select)
      WHERE transfer.feed = (SELECT number FROM feed WHERE feed.name = ?1) AND asset_key = ?2 AND url = ?3
        AND status = 'finished'
      ORDER BY transfer.number DESC LIMIT 1
      """, feed, Asset(url: url).key, url, read: TransferRow.read)
  }

  /// Writes the file that a transfer placed; within a transaction.
  func write(_ file: PlacedFile, of transfer: Int64, feed: Int64) throws(StoreFailure) {
    let foldedName = caseless(file.name)
    let replaced: [Int64] = try database.values(
      """
      SELECT transfer FROM placed_file
      WHERE folded_name = ?1 AND directory = ?2 AND name = ?3 AND removed IS NULL
      """, foldedName, file.directory, file.name)
    for earlier in replaced { try writeRemoved(earlier, at: file.placed) }
    try database.run(
      """
      INSERT OR REPLACE INTO placed_file (transfer, feed, directory, name, folded_name, size, sha256, placed, removed)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
      """, transfer, feed, file.directory, file.name, foldedName, file.size, file.sha256,
      file.placed, file.removed)
  }

  private func writeRemoved(_ transfer: Int64, at now: Instant) throws(StoreFailure) {
    try database.run(
      "UPDATE placed_file SET removed = ?2 WHERE transfer = ?1 AND removed IS NULL", transfer, now)
    guard database.changes > 0 else { return }
    try database.run("UPDATE transfer SET bare_since = ?2 WHERE number = ?1", transfer, now)
  }
}
