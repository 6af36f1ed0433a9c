// For how long nothing will be due, so that a run can be over before it has read anything.

/// Until when a run would find nothing due, as long as neither configuration nor states change.
///
/// It counts the time that a run waits for a server's wish, and is a day at most.
///
/// - Parameters:
///   - feeds: all configured feeds.
///   - states: what is remembered of them, as `stateUnderConfiguration` returns it.
///   - context: a run that names no feed.
/// - Returns: nil if something is due.
public func quietTime(
  _ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ context: PlanningContext
) -> Instant? {
  let unknown = FeedState()
  var end = context.now + .days(1)
  for feed in feeds {
    let decision = dueDecision(feed, states[feed.name] ?? unknown, context)
    guard !decision.isDue else { return nil }
    if let due = decision.dueAt { end = min(end, due - DueDecision.longestWait) }
  }
  return end > context.now ? end : nil
}
