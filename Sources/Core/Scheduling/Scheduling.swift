// When feeds are fetched. Pure decisions with reasons: the run, `bgfetch why` and the forecast all use the same ones.
//
// Doors: `duePlan` (the feeds of a run), `dueDecision` (one feed), `nextDue` and `quietTime` (when to look again),
// `stateAfterSuccess` and `stateAfterFailure` (what a fetch changes), `whyReport` (the decision in words), `FetchQueues`
// (the order of requests) and `WatchBooks` (the daemon). Never here: clocks, files, network, and what a document contains.
//
// Three backoff rules exist, because three different things are spared:
//   feeds      `backoffWait` in Scheduling/Backoff.swift: the server of a feed that failed; minutes to a day, 410 longer.
//   downloads  `TransferVerdict` in Downloads/TransferOutcome.swift: the server of a file; ends when the transfer expires.
//   hooks      `DeliveryRules` in Messages/HookCall.swift: a program of the user; ends when the delivery is dead.

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
