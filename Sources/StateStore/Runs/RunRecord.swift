// What is remembered of a run.

import Core

extension RunRecord {
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
