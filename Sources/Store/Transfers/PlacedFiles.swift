// The files that bgfetch placed, and their directories. Core decides their names and which ones to remove.

public import Core

extension Store {
  /// The documents directories that were used before.
  ///
  /// A directory that is missing now is not created again.
  public func usedDirectories() throws -> Set<String> {
    let paths: [String] = try database.rows("SELECT path FROM directory")
    return Set(paths)
  }

  /// Records that a directory is used; writes only the first time.
  public func recordDirectory(_ path: String, at now: Instant) throws {
    guard try !database.exists("SELECT 1 FROM directory WHERE path = ?1", path) else { return }
    try database.run(
      "INSERT INTO directory (path, first_used) VALUES (?1, ?2) ON CONFLICT DO NOTHING", path, now)
  }

  /// A feed's placed files that were not removed, the oldest first.
  public func placedFiles(_ feed: FeedName) throws -> [PlacedTransfer] {
    try database.all(
      """
      SELECT transfer.number, item.published, iif(transfer.item IS NULL, placed, transfer.queued),
        coalesce(transfer.item, 0), transfer.place, \(Self.isExempt), \(PlacedFile.columns.of("placed_file"))
      FROM placed_file JOIN transfer ON transfer.number = placed_file.transfer
        LEFT JOIN item ON item.number = transfer.item
      WHERE placed_file.feed = (SELECT number FROM feed WHERE feed.name = ?1) AND removed IS NULL
      """, feed
    ) { row in
      var counted = try countedFile(&row)
      let file = try row.next(PlacedFile.self)
      counted.size = file.size
      return PlacedTransfer(counted, file: file)
    }.sorted { $0.counted < $1.counted }
  }

  /// The files of a feed's unsettled transfers.
  public func queuedFiles(_ feed: FeedName) throws -> [CountedFile] {
    try database.all(
      """
      SELECT transfer.number, item.published, transfer.queued, coalesce(transfer.item, 0), transfer.place,
        \(Self.isExempt), transfer.total, transfer.length
      FROM \(Self.unsettledTransfers) LEFT JOIN item ON item.number = transfer.item
      WHERE session IN (SELECT number FROM session WHERE feed = (SELECT number FROM feed WHERE name = ?1)
        AND closed IS NULL) AND settled IS NULL
      """, feed
    ) { row in
      var counted = try countedFile(&row)
      counted.size = try row.size()
      counted.claimedSize = Asset(url: "", length: try row.size()).plausibleLength
      return counted
    }
  }

  private func countedFile(_ row: inout Row) throws -> CountedFile {
    var file = CountedFile(
      transfer: try row.next(), published: try row.next(), arrived: try row.next())
    file.item = try row.next()
    file.index = try row.next()
    file.isExempt = try row.next()
    return file
  }

  /// Whether `keep` ignores the file of a transfer, as SQL.
  private static let isExempt =
    "iif(is_asked_for = 1 OR EXISTS (SELECT 1 FROM starred WHERE starred.item = transfer.item), 1, 0)"

  /// The feeds with placed files that were not removed, by name, including dormant ones.
  public func feedsWithFiles() throws -> [FeedName] {
    let feeds: [FeedName] = try database.rows(Self.feedsWithFilesQuery)
    // Not by the statement, which would read the names of all feeds in order.
    return feeds.sorted()
  }

  static let feedsWithFilesQuery =
    "SELECT name FROM feed WHERE number IN (SELECT feed FROM placed_file WHERE removed IS NULL)"

  /// The feed of the placed file with a name in a directory, ignoring case; nil if bgfetch placed none, or removed it.
  public func owner(_ directory: String, name: String) throws -> FeedName? {
    try database.value(
      """
      SELECT feed.name FROM placed_file JOIN feed ON feed.number = placed_file.feed
      WHERE folded_name = ?1 AND directory = ?2 AND removed IS NULL LIMIT 1
      """, caseless(name), directory)
  }

  /// Records that placed files were removed, or are missing.
  public func markRemoved(_ transfers: [Int64], at now: Instant) throws {
    guard !transfers.isEmpty else { return }
    try database.transaction {
      for transfer in transfers { try writeRemoved(transfer, at: now) }
    }
  }

  /// A feed's last finished transfer of exactly this URL.
  public func lastFinished(_ feed: FeedName, url: String) throws -> Transfer? {
    try database.first(
      """
      \(TransferRow.select)
      WHERE transfer.feed = (SELECT number FROM feed WHERE feed.name = ?1) AND asset_key = ?2 AND url = ?3
        AND status = 'finished'
      ORDER BY transfer.number DESC LIMIT 1
      """, feed, Asset(url: url).key, url, read: TransferRow.read)
  }

  /// Records the file that a transfer placed; within a transaction.
  func write(_ file: PlacedFile, of transfer: Int64, feed: Int64) throws {
    let foldedName = caseless(file.name)
    let replaced: [Int64] = try database.rows(
      """
      SELECT transfer FROM placed_file
      WHERE folded_name = ?1 AND directory = ?2 AND name = ?3 AND removed IS NULL
      """, foldedName, file.directory, file.name)
    for earlier in replaced { try writeRemoved(earlier, at: file.placed) }
    try database.run(
      """
      INSERT INTO placed_file (transfer, feed, folded_name, \(PlacedFile.columns))
      VALUES (?, ?, ?, \(PlacedFile.columns.placeholders))
      ON CONFLICT (transfer) DO UPDATE SET feed = excluded.feed, folded_name = excluded.folded_name,
        \(PlacedFile.columns.replacements)
      """, transfer, feed, foldedName, file)
  }

  private func writeRemoved(_ transfer: Int64, at now: Instant) throws {
    let changed = try database.run(
      "UPDATE placed_file SET removed = ?2 WHERE transfer = ?1 AND removed IS NULL", transfer, now)
    guard changed > 0 else { return }
    try database.run("UPDATE transfer SET bare_since = ?2 WHERE number = ?1", transfer, now)
  }
}
