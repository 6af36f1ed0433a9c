// The due and the skipped feeds of a run.

/// The feeds of a run: the due ones and the skipped ones.
public struct DuePlan: Sendable {
  /// The feeds to fetch: first those never fetched or last fetched under a clock that was set back since, then the most
  /// overdue, then feeds that crashed two runs.
  public var due: [PlannedFeed]
  /// The other feeds, in the order of the configuration.
  public var skipped: [SkippedFeed]
}

/// A feed that is not fetched in this run; only its name is kept, because there may be thousands.
public struct SkippedFeed: Hashable, Sendable {
  public var name: FeedName
  public var decision: DueDecision

  /// Whether a pause is the reason.
  public var isPaused: Bool {
    switch decision.reason {
    case .paused, .postponed(.pause, until: _): true
    default: false
    }
  }
}

public struct PlannedFeed: Sendable {
  public var feed: FeedSpec
  public var decision: DueDecision
  /// Whether it was being fetched in two crashes in a row, so that it is fetched last and alone.
  public var comesLast: Bool
}

/// Splits feeds into those due now and those skipped, each with its reason.
///
/// - Parameters:
///   - feeds: in the order of the configuration, which also decides between feeds equally overdue.
///   - states: the remembered states; a feed without one was never fetched.
///   - context: the run.
/// - Returns: both lists; together they contain each feed exactly once.
public func duePlan(
  _ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ context: PlanningContext
) -> DuePlan {
  let unknown = FeedState()
  var plan = DuePlan(due: [], skipped: [])
  for feed in feeds {
    let state = states[feed.name] ?? unknown
    let decision = dueDecision(feed, state, context)
    if decision.isDue {
      plan.due.append(PlannedFeed(feed: feed, decision: decision, comesLast: state.crashes >= 2))
    } else {
      plan.skipped.append(SkippedFeed(name: feed.name, decision: decision))
    }
  }
  // The standard library does not promise a stable sort.
  let order = plan.due.indices.sorted { left, right in
    (plan.due[left].rank, left) < (plan.due[right].rank, right)
  }
  plan.due = order.map { plan.due[$0] }
  return plan
}

extension PlannedFeed {
  /// Its place among the due feeds: the lowest comes first.
  var rank: Int64 {
    if comesLast { return .max }
    switch decision.reason {
    // Their waiting time is unknown; sorted last, they could wait forever.
    case .neverFetched, .clockSetBack: return .min
    default: return -decision.overdueBy.seconds
    }
  }
}

/// The moment from which on the rules allow the next fetch, past or future; nil if only naming makes the feed due.
///
/// This is about the next run, so `context` must not have the orders for this one: named feeds and `--force`.
public func nextDue(_ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext) -> Instant? {
  dueDecision(feed, state, context).dueAt
}
