// Transfers as the transfer phase works them off. Which one is next, and what becomes of one that stops, is Planning's to
// say. Every change looks whether the transfer is still what its caller takes it for.

public import Core

extension Store {
  /// The transfers that are not settled, by an index that has no others.
  static let unsettledTransfers = "transfer INDEXED BY transfer_unsettled"

  static let unsettledQuery = """
    \(TransferRow.select(from: unsettledTransfers)) WHERE settled IS NULL ORDER BY transfer.number
    """

  /// Every transfer that is not settled, in the order in which they were queued; those of dormant feeds too.
  public func unsettled() throws(StoreFailure) -> [Transfer] {
    try database.all(Self.unsettledQuery, read: TransferRow.read)
  }

  /// Makes a queued or suspended transfer running, in a directory; false if it is neither any more, or held.
  public func begin(_ transfer: Int64, in directory: String) async throws(StoreFailure) -> Bool {
    try await together { store throws(StoreFailure) -> Bool in
      try store.database.run(
        """
        UPDATE transfer SET status = 'running', directory = ?2, reason = NULL, not_before = NULL
        WHERE number = ?1 AND status IN ('queued', 'suspended') AND is_held = 0
        """, transfer, directory)
      return store.database.changes > 0
    }
  }

  /// Keeps what is safely there of a running transfer; false if it is not running any more.
  ///
  /// With `isProgress` a later attempt can continue from it, and the failures so far no longer count.
  public func checkpoint(
    _ transfer: Int64, _ partial: PartialDownload, isProgress: Bool = false
  ) async throws(StoreFailure) -> Bool {
    try await together { store throws(StoreFailure) in
      guard try store.write(partial, of: transfer, where: "status = 'running'") else { return false }
      if isProgress {
        try store.database.run(
          "UPDATE transfer SET failures = 0 WHERE number = ?1 AND failures > 0", transfer)
      }
      return true
    }
  }

  /// Writes how a running transfer waits for its next attempt; false if it is not running any more.
  ///
  /// Of a transfer that is not running any more, but not settled, only the partial file is written: the person suspended
  /// it, and may have resumed it since. An intent is given up: there is no file under its name.
  @discardableResult
  func leave(_ transfer: Transfer, _ requests: [RequestRecord] = []) throws(StoreFailure) -> Bool {
    try database.transaction { () throws(StoreFailure) -> Bool in try write(transfer, requests) }
  }

  /// Writes how a running transfer waits for its next attempt; within a transaction.
  func write(_ transfer: Transfer, _ requests: [RequestRecord] = []) throws(StoreFailure) -> Bool {
    try database.run(
      """
      UPDATE transfer SET status = ?2, reason = ?3, not_before = ?4, failures = ?5, failing_since = ?6, cuts = ?7,
        crashes = ?8
      WHERE number = ?1 AND status = 'running'
      """, transfer.number, transfer.status, transfer.reason, transfer.notBefore, transfer.failures,
      transfer.failingSince, transfer.cuts, transfer.crashes)
    let isOurs = database.changes > 0
    if isOurs { try database.run("DELETE FROM intent WHERE transfer = ?1", transfer.number) }
    _ = try write(transfer.partial, of: transfer.number, where: "settled IS NULL")
    try add(requests, of: transfer.number)
    return isOurs
  }

  /// Records under which name a running transfer is placed, and what is there of it, so that no power cut takes it back;
  /// false if it is not running any more.
  public func intend(
    _ transfer: Int64, _ intent: PlacementIntent, _ partial: PartialDownload
  ) async throws(StoreFailure) -> Bool {
    try await together(.survivesPowerCut) { store throws(StoreFailure) -> Bool in
      guard try store.write(partial, of: transfer, where: "status = 'running'") else { return false }
      try store.database.run(
        """
        INSERT OR REPLACE INTO intent (transfer, directory, name, size, sha256, modified, device, inode, replaces)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        """, transfer, intent.directory, intent.name, intent.size, intent.sha256, intent.modified,
        intent.identity.device, intent.identity.inode, intent.replaces)
      return true
    }
  }

  /// Makes what a dead process left running suspended, but for what was being placed, which it gives.
  ///
  /// Each that is suspended has one failed attempt and one crash more.
  ///
  /// Only under the transfer lock: what is running then is nobody's. Writes nothing where nothing was left.
  public func takeInterrupted() throws(StoreFailure) -> [Transfer] {
    let running =
      "SELECT 1 FROM \(Self.unsettledTransfers) WHERE settled IS NULL AND status = 'running' LIMIT 1"
    guard try database.value(running, as: Int.self) != nil else { return [] }
    return try database.transaction { () throws(StoreFailure) -> [Transfer] in
      try database.run(
        """
        UPDATE \(Self.unsettledTransfers) SET status = 'suspended', reason = ?1, failures = failures + 1,
          crashes = crashes + 1
        WHERE settled IS NULL AND status = 'running' AND number NOT IN (SELECT transfer FROM intent)
        """, FetchRecord.interrupted)
      return try database.all(
        """
        \(TransferRow.select(from: Self.unsettledTransfers))
        WHERE settled IS NULL AND transfer.status = 'running' AND intent.transfer IS NOT NULL
        ORDER BY transfer.number
        """, read: TransferRow.read)
    }
  }

  /// Writes what is there of a transfer, if it is as a condition says; false if it is not.
  private func write(
    _ partial: PartialDownload, of transfer: Int64, where condition: String
  ) throws(StoreFailure) -> Bool {
    try database.run(
      """
      UPDATE transfer SET (\(TransferRow.partialColumns)) = (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
      WHERE number = ?1 AND \(condition)
      """, transfer, partial.bytes, partial.total, partial.entityTag, partial.lastModified, partial.date,
      partial.acceptsRanges, partial.address, partial.sha256)
    return database.changes > 0
  }
}
