// When the rules allow the next fetch, as the store keeps it after each fetch.

/// The moment from which on the rules allow a feed to be fetched again, whether it has come already or not.
///
/// What the person asked of this run does not count: it is about the next one.
///
/// - Parameters:
///   - feed: the feed as configured.
///   - state: what is remembered of it from now on.
///   - context: the present, and the hosts under a limit.
/// - Returns: the moment; nil where only naming makes the feed due.
public func nextDue(_ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext) -> Instant? {
  dueDecision(feed, state, context).dueAt
}
