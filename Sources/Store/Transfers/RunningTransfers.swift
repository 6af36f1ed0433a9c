// The queue of transfers, as a run downloads them. Each change checks that the transfer still has the status
// that its caller assumes. Core decides which transfer is next and what happens to one that stops.

public import Core

extension Store {
  /// The unsettled transfers, through an index that contains no others.
  static let unsettledTransfers = "transfer INDEXED BY transfer_unsettled"

  static let unsettledQuery = """
    \(TransferRow.select(from: unsettledTransfers)) WHERE settled IS NULL ORDER BY transfer.number
    """

  /// All unsettled transfers in the order in which they were queued, including those of dormant feeds.
  public func unsettled() throws -> [Transfer] {
    // To prepare the long statement takes as long as to fetch an unchanged feed, and most runs have no transfers.
    guard try database.exists("SELECT 1 FROM \(Self.unsettledTransfers) WHERE settled IS NULL")
    else { return [] }
    return try database.all(Self.unsettledQuery, read: TransferRow.read)
  }

  /// The transfers that may have a partial file: unsettled ones, and failed ones, which can be retried.
  public func transfersWithPartialFiles() throws -> Set<Int64> {
    let numbers: [Int64] = try database.rows(
      """
      SELECT number FROM \(Self.unsettledTransfers) WHERE settled IS NULL
      UNION ALL SELECT number FROM transfer INDEXED BY transfer_failed WHERE status = 'failed' AND bytes > 0
      """)
    return Set(numbers)
  }

  /// Starts a queued or suspended transfer in a directory; false if it has another status, the person suspended it, or a process
  /// still works on it.
  public func begin(_ transfer: Int64, in directory: String) async throws -> Bool {
    try neighbours?.beginHolding()
    return try await batched(durabilityOfNotice) { store -> Bool in
      let isBegun =
        try store.database.run(
          """
          UPDATE transfer SET status = 'running', directory = ?2, reason = NULL, not_before = NULL
          WHERE number = ?1 AND status IN ('queued', 'suspended') AND is_suspended_by_user = 0
            AND \(store.isFree(.transfer))
          """, transfer, directory) > 0
      if isBegun { try store.neighbours?.hold(transfer, in: .transfer) }
      return isBegun
    }
  }

  /// Suspends a transfer that waits for a condition since the moment of its queueing; false if another process has begun or settled it.
  public func recordWait(_ transfer: Transfer) throws -> Bool {
    try database.run(
      """
      UPDATE transfer SET status = ?2, reason = ?3, not_before = ?4, queued = ?5
      WHERE number = ?1 AND status IN ('queued', 'suspended') AND is_suspended_by_user = 0
      """, transfer.number, transfer.status, transfer.reason, transfer.notBefore, transfer.queued) > 0
  }

  /// The transfers that wait for a condition.
  public func waitingTransfers() throws -> [Transfer] {
    try database.all(
      "\(TransferRow.select(from: Self.unsettledTransfers)) WHERE settled IS NULL AND \(Self.isWaiting)",
      read: TransferRow.read)
  }

  /// Whether a transfer waits for a condition, as SQL.
  static let isWaiting =
    "transfer.status = 'suspended' AND transfer.reason LIKE '\(Conditions.waitBeginning)%'"

  /// Records the partial file of a running transfer; false if it is no longer running.
  ///
  /// `isProgress` says whether a later attempt can continue from here, which resets the failures.
  public func checkpoint(
    _ transfer: Int64, _ partial: PartialDownload, isProgress: Bool = false
  ) async throws -> Bool {
    try await batched { store in
      guard try store.write(partial, ofRunning: transfer) else { return false }
      if isProgress {
        try store.database.run(
          "UPDATE transfer SET failures = 0 WHERE number = ?1 AND failures > 0", transfer)
      }
      return true
    }
  }

  /// Writes how a running transfer waits for its next attempt, within a transaction; false if it is no longer running.
  ///
  /// For a transfer that is no longer running but not settled, only the partial file is written: the person suspended
  /// it, and may have resumed it since. Its placement intent is deleted, because no file has that name. A machine that has taken it
  /// over continues the partial file.
  func write(_ transfer: Transfer) throws -> Bool {
    guard try stillHolds(transfer.number, in: .transfer) else { return false }
    let changed = try database.run(
      """
      UPDATE transfer SET status = ?2, reason = ?3, not_before = ?4, failures = ?5, failing_since = ?6, cuts = ?7,
        crashes = ?8
      WHERE number = ?1 AND status = 'running'
      """, transfer.number, transfer.status, transfer.reason, transfer.notBefore, transfer.failures,
      transfer.failingSince, transfer.cuts, transfer.crashes)
    if changed > 0 { try database.run("DELETE FROM intent WHERE transfer = ?1", transfer.number) }
    _ = try write(transfer.partial, of: transfer.number, where: "settled IS NULL AND status <> 'running'")
    return changed > 0
  }

  /// Records the final name and the partial file of a running transfer before the file is placed, so that both survive a
  /// power cut; false if the transfer is no longer running.
  public func recordIntent(
    _ transfer: Int64, _ intent: PlacementIntent, _ partial: PartialDownload
  ) async throws -> Bool {
    try await batched(.survivesPowerCut) { store -> Bool in
      guard try store.write(partial, ofRunning: transfer) else { return false }
      try store.database.run(
        """
        INSERT INTO intent (transfer, \(PlacementIntent.columns))
        VALUES (?, \(PlacementIntent.columns.placeholders))
        ON CONFLICT (transfer) DO UPDATE SET \(PlacementIntent.columns.replacements)
        """, transfer, intent)
      return true
    }
  }

  /// Suspends the transfers that a dead process left running, each with one more failure and one more crash, and ends its holds;
  /// returns transfers that were being placed, which stay running, and are this process's now.
  ///
  /// Writes nothing if there are none.
  ///
  /// The caller holds the transfer lock of this machine, so no other process here works on them.
  public func reclaimInterrupted() throws -> [Transfer] {
    let isLeft = try database.exists(
      """
      SELECT 1 FROM \(Self.unsettledTransfers)
      WHERE settled IS NULL AND (\(isLapsed(.transfer)) OR held_by IS NOT NULL AND \(isFree(.transfer))) LIMIT 1
      """)
    guard isLeft else { return [] }
    try neighbours?.beginHolding()
    return try database.transaction {
      try suspendInterrupted()
      let placing = try database.all(
        """
        \(TransferRow.select(from: Self.unsettledTransfers))
        WHERE settled IS NULL AND \(isLapsed(.transfer)) AND intent.transfer IS NOT NULL
        ORDER BY transfer.number
        """, read: TransferRow.read)
      for transfer in placing { try neighbours?.hold(transfer.number, in: .transfer) }
      return placing
    }
  }

  /// Suspends the transfers that a dead process left running, unless they were being placed, and ends its holds.
  public func suspendInterrupted() throws {
    try database.run(
      """
      UPDATE \(Self.unsettledTransfers) SET status = 'suspended', reason = ?1, not_before = NULL, failures = failures + 1,
        crashes = crashes + 1
      WHERE settled IS NULL AND \(isLapsed(.transfer)) AND number NOT IN (SELECT transfer FROM intent)
      """, FetchRecord.interrupted)
    try database.run(
      "UPDATE \(Self.unsettledTransfers) SET held_by = NULL WHERE settled IS NULL AND \(isFree(.transfer)) AND held_by IS NOT NULL"
    )
  }

  /// Records the partial file of a running transfer; false if it is no longer running, or another machine's.
  private func write(_ partial: PartialDownload, ofRunning transfer: Int64) throws -> Bool {
    try stillHolds(transfer, in: .transfer)
      && write(partial, of: transfer, where: "status = 'running'")
  }

  /// Records the partial file of a transfer that meets a condition; false if it does not.
  private func write(
    _ partial: PartialDownload, of transfer: Int64, where condition: String
  ) throws -> Bool {
    try database.run(
      """
      UPDATE transfer SET (\(PartialDownload.columns)) = (\(PartialDownload.columns.placeholders))
      WHERE number = ? AND \(condition)
      """, partial, transfer) > 0
  }
}

extension Store {
  /// Whether a transfer can continue, as SQL over a parameter with the present moment.
  ///
  /// A running one counts, because its process may be dead. A moment beyond the maximum was written before the clock was set back,
  /// and counts as past.
  static func canContinue(_ now: String) -> String {
    """
    (not_before IS NULL OR not_before <= \(now)
      OR not_before > \(now) + \(TransferQueue.longestWait.seconds))
    """
  }

  /// Until when the process counts as alive that works on a transfer, as SQL; NULL if none does.
  static let heldUntil = "(SELECT alive_until FROM worker WHERE worker.number = transfer.held_by)"

  /// The unsettled transfers that the person did not suspend, of feeds configured at the last `recordConfigured`.
  static let activeTransfers = """
    \(unsettledTransfers) CROSS JOIN feed ON feed.number = transfer.feed
    WHERE settled IS NULL AND is_suspended_by_user = 0
      AND \(isConfigured)
    """

  /// The next moment at which a transfer can continue, now at the earliest; nil if there is none.
  ///
  /// Transfers of dormant feeds and transfers that the person suspended do not count. One that a machine holds counts from the end
  /// of its hold.
  public func nextTransferMoment(at now: Instant) throws -> Instant? {
    try database.value(
      """
      SELECT min(max(iif(\(Self.canContinue("?1")), ?1, not_before), coalesce(\(Self.heldUntil) + 1, 0)))
      FROM \(Self.activeTransfers)
      """, now)
  }
}
