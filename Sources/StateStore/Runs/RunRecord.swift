// What is remembered of a run.

public import Core

/// One run as the store knows it.
public struct RunRecord: Hashable, Sendable {
  /// The store's number for it; ascending with time.
  public var number: Int64
  /// What woke it.
  public var cause: RunCause
  /// Whether feeds were named: it was they alone, whatever their intervals.
  public var wasNamed = false
  /// Whether it was forced: rate limits did not hold either.
  public var wasForced = false
  /// Its process.
  public var process: Int32
  /// When it began.
  public var started: Instant
  /// When its fetch phase ended; nil while that lasts, and for ever if the process died in it.
  public var ended: Instant?
  /// Whether the process died in its fetch phase, found out by the run that came after; or in its transfer phase, which
  /// nobody needs to find out: it is so from the beginning of that phase until its end.
  public var wasCut: Bool
  /// When its transfer phase ended; nil while that lasts, if the process died in it, and where there was none.
  public var transfersEnded: Instant?
  /// What it came to; nil as long as `ended` is.
  public var totals: RunTotals?
}

extension RunRecord {
  /// Whether its transfer phase began and has not ended: it is under way, or its process died in it.
  public var isInTransfers: Bool { ended != nil && wasCut }

  /// The columns of `run` in the order in which `read` takes them.
  static let columns = """
    number, cause, was_named, was_forced, process, started, ended, was_cut, due, new_data, no_data, failed, items, \
    left_over, exit_status, ending, transfers, resumed, failed_transfers, unsettled_transfers, transfers_ended
    """

  /// Reads a run from a row that stands on the first of `columns`.
  static func read(_ row: inout Row) throws(StoreFailure) -> RunRecord {
    var run = RunRecord(
      number: try row.next(), cause: try row.next(), wasNamed: try row.next(), wasForced: try row.next(),
      process: try row.next(), started: try row.next(), ended: try row.next(), wasCut: try row.next())
    // Without the end of the fetch phase there was no transfer phase.
    guard run.ended != nil else { return run }
    var totals = RunTotals()
    totals.due = try row.next()
    totals.newData = try row.next()
    totals.noData = try row.next()
    totals.failed = try row.next()
    totals.items = try row.next()
    totals.left = try row.next()
    totals.exitStatus = try row.next()
    totals.ending = try row.next()
    totals.transfers = try row.next()
    totals.resumed = try row.next()
    totals.failedTransfers = try row.next()
    totals.unsettledTransfers = try row.next()
    run.transfersEnded = try row.next()
    run.totals = totals
    return run
  }
}
