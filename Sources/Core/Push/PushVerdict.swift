// What a fetch means for the pushes that it took along.

/// What becomes of the pushes that a fetch took along.
public struct PushVerdict: Hashable, Sendable {
  /// What is written with the fetch.
  public var settlement = PushSettlement()
  /// The pushes whose alert is shown now, the oldest first.
  public var shown: [StoredPush] = []

  /// Nothing becomes of any.
  public init() {}
}

/// Says what becomes of pushes.
///
/// One that brought data is done with. One that brought none is tried once more after `PushDemand.lateness`, as the data
/// may be late, and is shown all the same then. A fetch that says nothing about the feed (the machine was offline) leaves
/// them waiting.
///
/// - Parameters:
///   - pushes: the feed's, as they were when the fetch was planned.
///   - result: what the fetch came to.
///   - isCounted: whether it says something about the feed.
///   - isCaused: whether it was a push that made the feed due, so that the fetch counts against the limit; the second
///     try of a push belongs to the first.
///   - now: when the fetch ended.
/// - Returns: what is written, and what is shown.
public func pushVerdict(
  _ pushes: [StoredPush], _ result: FetchResult, isCounted: Bool, isCaused: Bool, at now: Instant
) -> PushVerdict {
  var verdict = PushVerdict()
  guard isCounted, !pushes.isEmpty else { return verdict }
  for push in pushes {
    if result != .newData, push.tries == 0 {
      verdict.settlement.late[push.number] = now + PushDemand.lateness
    } else {
      verdict.settlement.settled.append(push.number)
      verdict.shown.append(push)
    }
  }
  if isCaused, pushes.contains(where: { $0.tries == 0 }) { verdict.settlement.causedAt = now }
  return verdict
}
