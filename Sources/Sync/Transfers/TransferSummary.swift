// What the transfers of a run came to, as parts of its summary.

/// What the transfers of a run came to, for example `4 transfers (2 resumed)`, `1 transfer failed`, `3 transfers wait`.
///
/// - Parameters:
///   - finished: transfers that finished.
///   - resumed: those of them that went on where an earlier attempt had stopped.
///   - failed: transfers that failed for good.
///   - unsettled: transfers that wait for a later run.
/// - Returns: the parts in this order; what there is nothing to say of is left out.
func transferSummary(finished: Int, resumed: Int, failed: Int, unsettled: Int) -> [String] {
  func counted(_ count: Int) -> String { "\(count) \(count == 1 ? "transfer" : "transfers")" }
  var parts: [String] = []
  if finished > 0 { parts.append(counted(finished) + (resumed > 0 ? " (\(resumed) resumed)" : "")) }
  if failed > 0 { parts.append("\(counted(failed)) failed") }
  if unsettled > 0 { parts.append("\(counted(unsettled)) \(unsettled == 1 ? "waits" : "wait")") }
  return parts
}
