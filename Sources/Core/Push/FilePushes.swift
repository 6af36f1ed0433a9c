// The pushes that bring files of their own and may be taken now.

/// The pushes that a run takes which bring a file of their own, as their feed's `push.url` says; they do not make the feed
/// due.
///
/// - Parameters:
///   - feeds: all configured feeds.
///   - states: what is remembered of them, as `stateUnderConfiguration` returns it.
///   - context: the run, with the pushes that wait.
/// - Returns: those that rules and limits allow, by feed in the order of the configuration, the oldest first.
public func filePushes(
  _ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ context: PlanningContext
) -> [(push: StoredPush, feed: FeedSpec)] {
  // None waits, mostly: then the feeds are not even looked through.
  guard !context.pushes.isEmpty else { return [] }
  return feeds.filter { $0.push.url != nil }.flatMap { feed -> [(push: StoredPush, feed: FeedSpec)] in
    guard let demand = context.pushes[feed.name],
      context.named.isEmpty || context.named.contains(feed.name),
      pushDecision(feed, states[feed.name] ?? FeedState(), context).isDue
    else { return [] }
    let allowance = demand.allowance(feed.push.limit, at: context.now)
    return demand.ready(at: context.now).prefix(allowance).map { ($0, feed) }
  }
}
