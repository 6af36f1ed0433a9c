// Which feeds a run fetches and in which order. In which order they reach their hosts is HostQueue's
// business.

/// The feeds of a run, due ones and skipped ones.
public struct DuePlan: Sendable {
  /// The feeds to fetch: those never fetched or last fetched under a clock that was set back since, then the most
  /// overdue first, then those that crashed two runs.
  public var due: [PlannedFeed]
  /// The others, in the order of the configuration.
  public var skipped: [SkippedFeed]

  /// The due feeds without those that come last.
  public var firstDue: [PlannedFeed] { due.filter { !$0.comesLast } }

  /// The due feeds that come last, when all else is committed and delivered.
  public var lastDue: [PlannedFeed] { due.filter(\.comesLast) }
}

/// A feed that is not fetched; of many thousands only the names are kept.
public struct SkippedFeed: Hashable, Sendable {
  /// The feed.
  public var name: FeedName
  /// The decision.
  public var decision: DueDecision

  /// Whether it is left out because the person paused it.
  public var isPaused: Bool {
    switch decision.reason {
    case .paused, .held(.pause, until: _): true
    default: false
    }
  }
}

/// A feed that is fetched.
public struct PlannedFeed: Sendable {
  /// The feed.
  public var feed: FeedSpec
  /// The decision.
  public var decision: DueDecision
  /// Whether it was in flight in two crashes in a row, so that it is fetched last and alone.
  public var comesLast: Bool
}

/// Splits feeds into those due now and those skipped, each with its reason.
///
/// - Parameters:
///   - feeds: in the order of the configuration, which also decides between feeds equally overdue.
///   - states: what is remembered, by feed; a missing feed was never fetched.
///   - context: the run, the same for every feed.
/// - Returns: both lists; together they hold each feed exactly once.
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
  // The place decides last: the standard library does not promise that its sort keeps the order of equals.
  let order = plan.due.indices.sorted { left, right in
    (plan.due[left].rank, left) < (plan.due[right].rank, right)
  }
  plan.due = order.map { plan.due[$0] }
  return plan
}

extension PlannedFeed {
  /// Smaller is earlier.
  fileprivate var rank: Int64 {
    if comesLast { return .max }
    switch decision.reason {
    // After a step of the clock nobody knows how long these have waited; behind the others they could wait for ever.
    case .neverFetched, .clockSetBack: return .min
    default: return -decision.overdueBy.seconds
    }
  }
}
