// When feeds are fetched. Pure decisions with reasons: the run, `bgfetch why` and the forecast all use the same ones.
//
// Doors: `RoundPlan` and `duePlan` (the feeds of a run), `dueDecision` (one feed), `nextDue` and `DueOutlook` (what comes next),
// `stateAfterSuccess` and `stateAfterFailure` (what a fetch changes), `whyReport` (the decision in words), `HostQueue`
// (the order of requests) and `WatchScheduler` (the daemon). Never here: clocks, files, network, and what a document
// contains.
//
// Three backoff rules exist, because they protect different things:
//   feeds      `backoffWait` in Scheduling/Backoff.swift: the server of a feed; 5 min or more doubling to 24 h, never ends.
//   downloads  Downloads/TransferOutcome.swift: the server of a file; 5 min doubling to 6 h, ends after 8 attempts or 7 d.
//   hooks      `deliveryEnd` in Messages/Delivery.swift: a program of the user; 1 min tripling to 6 h, ends after `retries`.

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

/// The share of due feeds that one machine claims: the feeds of a few hosts, which are its own meanwhile.
public struct RoundShare: Hashable, Sendable {
  /// The most hosts.
  public var hosts: Int
  /// The most feeds.
  public var feeds: Int
}

extension Settings {
  /// The share of this machine; nil if it has the state for itself.
  ///
  /// While the first of its hosts wait for their delays, the next ones have something to do.
  public var share: RoundShare? {
    guard isFleet else { return nil }
    return RoundShare(hosts: 8 * network.connections, feeds: 2000)
  }
}

/// The feeds of a round: the rest of the feeds that were read so far.
public struct RoundPlan: Sendable {
  /// The feeds to fetch; after `sort`, in the order of `DuePlan.due`.
  public private(set) var due: [QueuedFeed] = []
  /// The feeds among them that a push makes due.
  public private(set) var byPush: Set<FeedName> = []
  /// The pushes that announce a file of their own, with their feeds.
  public private(set) var files: [(push: StoredPush, feed: FeedSpec)] = []
  /// The feeds that the person named and that are not fetched.
  public private(set) var skippedNamed: [SkippedFeed] = []
  /// How many feeds are not fetched because the person paused them.
  public private(set) var paused = 0
  /// The earliest moment after now at which a skipped feed becomes due.
  public private(set) var nextDue: Instant?

  public init() {}

  /// Plans further feeds.
  ///
  /// - Parameters:
  ///   - feeds: in the order of the configuration, after those of earlier calls.
  ///   - states: their states, as `stateUnderConfiguration` returns them.
  ///   - context: the run, with the habits of these feeds.
  ///   - mayStart: whether the round may fetch a due feed, which it says nothing about if not.
  /// - Returns: the skipped feeds.
  public mutating func add(
    _ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ context: PlanningContext,
    where mayStart: (_ feed: QueuedFeed, _ isByPush: Bool) -> Bool = { _, _ in true }
  ) -> [SkippedFeed] {
    let plan = duePlan(feeds, states, context)
    let unknown = FeedState()
    for planned in plan.due {
      let feed = QueuedFeed(planned, states[planned.feed.name] ?? unknown)
      let isByPush = planned.decision.isByPush
      guard mayStart(feed, isByPush) else { continue }
      due.append(feed)
      if isByPush { byPush.insert(feed.name) }
    }
    files += filePushes(feeds, states, context)
    for feed in plan.skipped {
      if feed.isPaused { paused += 1 }
      if context.named.contains(feed.name) { skippedNamed.append(feed) }
      if let moment = feed.decision.dueAt, moment > context.now { nextDue = min(nextDue ?? moment, moment) }
    }
    return plan.skipped
  }

  /// Leaves out all due feeds but a machine's share of them, and feeds that pushes ask for.
  public mutating func keep(_ share: RoundShare) {
    var hosts: Set<String> = []
    var kept: [QueuedFeed] = []
    for feed in due {
      let hasRoom = kept.count < share.feeds && (hosts.contains(feed.host) || hosts.count < share.hosts)
      guard hasRoom || byPush.contains(feed.name) else { continue }
      hosts.insert(feed.host)
      kept.append(feed)
    }
    due = kept
  }

  /// Sorts the due feeds of all parts; each part is sorted already.
  public mutating func sort() {
    guard !zip(due, due.dropFirst()).allSatisfy({ $0.rank <= $1.rank }) else { return }
    // The standard library does not promise a stable sort.
    let order = due.indices.sorted { (due[$0].rank, $0) < (due[$1].rank, $1) }
    due = order.map { due[$0] }
  }
}

/// The facts of one run that are the same for every feed: its start, the zone, the person's orders.
public struct PlanningContext: Sendable {
  /// The run's start, read once; "now" in every rule.
  public private(set) var now: Instant
  /// The zone of cron fields; intervals do not depend on it.
  public let zone: Zone
  /// This machine's permanent name, which together with a feed's name fixes the jitter.
  public let machine: String
  /// The feeds named on the command line, or none.
  public let named: Set<FeedName>
  /// Whether `--force` was given.
  public let isForced: Bool
  /// The waiting pushes by feed.
  public private(set) var pushes: [FeedName: PushDemand]
  /// The habits of the feeds that adapt to them.
  private var planners: [FeedName: HabitPlanner]
  /// The items of the feeds that adapt to their publishers.
  private var rhythms: [FeedName: RhythmPlanner]
  /// Whether the run comes at the very second at which something is due, as in the daemon, so that intervals need no slack
  /// and the run waits for nothing.
  public var isPunctual = false
  /// Looks at the machine, for the first time when a due feed has conditions; by default nothing is known.
  public var surroundings: @Sendable (Conditions) -> Surroundings = { _ in Surroundings() }
  /// The hosts under a rate limit at the run's start, by name in lower case.
  private(set) var limitedHosts: [String: HostState]

  /// A context; `hosts` may include hosts without a limit.
  public init(
    now: Instant, zone: Zone, machine: String, hosts: [String: HostState] = [:], named: Set<FeedName> = [],
    isForced: Bool = false, pushes: [FeedName: PushDemand] = [:], learned: Learned = Learned()
  ) {
    (self.now, self.zone, self.machine, self.named, self.isForced) = (now, zone, machine, named, isForced)
    self.pushes = pushes
    planners = Core.planners(of: learned.habits)
    rhythms = learned.news.mapValues(RhythmPlanner.init)
    limitedHosts = hosts.limited(at: now)
  }

  /// Changes the time and nothing else.
  public mutating func move(to now: Instant) {
    self.now = now
    if !limitedHosts.isEmpty { limitedHosts = limitedHosts.limited(at: now) }
  }

  /// A copy with these habits and times alone.
  public func adapting(to learned: Learned) -> PlanningContext {
    guard !learned.isEmpty else { return self }
    var context = self
    context.planners = Core.planners(of: learned.habits)
    context.rhythms = learned.news.mapValues(RhythmPlanner.init)
    return context
  }

  /// A copy in which the pushes of a feed are done.
  func withoutPushes(of feed: FeedName) -> PlanningContext {
    var context = self
    context.pushes[feed] = nil
    return context
  }

  /// A copy without named feeds, pushes and host limits.
  var withHabitsAlone: PlanningContext {
    var context = PlanningContext(now: now, zone: zone, machine: machine)
    (context.planners, context.rhythms) = (planners, rhythms)
    return context
  }

  /// The habits of a feed; nil without openings.
  func planner(of feed: FeedName) -> HabitPlanner? {
    planners.isEmpty ? nil : planners[feed]
  }

  /// The looks and news to expect of a feed, as far as it adapts to them.
  func expectedWeek(of feed: FeedSpec, every interval: Interval) -> ExpectedWeek {
    ExpectedWeek(
      looks: feed.adapt.toHabits ? planner(of: feed.name)?.rates(at: now) : nil,
      news: feed.adapt.toPublisher ? rhythm(of: feed.name, every: interval) : nil)
  }

  /// The rhythm of a feed's publisher; nil if it has none.
  func rhythm(of feed: FeedName, every interval: Interval) -> Rhythm? {
    rhythms.isEmpty ? nil : rhythms[feed]?.rhythm(every: interval, in: zone)
  }

  func habit(of feed: FeedName) -> Habit { planner(of: feed)?.habit ?? Habit() }

  /// How much the person insists on a feed.
  func insistence(on feed: FeedName) -> Insistence {
    if named.isEmpty { return isForced ? .allForced : .none }
    guard named.contains(feed) else { return .others }
    return isForced ? .forced : .named
  }

  /// The latest moment that counts as past, for a clock that was only corrected.
  var latestPast: Instant { now + Self.clockCorrection }

  /// How far a clock may step back without counting as set back.
  ///
  /// Otherwise a correction by one second between two runs would make all feeds of the earlier run due again.
  public static let clockCorrection = Interval.minutes(2)
}

extension [String: HostState] {
  fileprivate func limited(at now: Instant) -> [String: HostState] {
    filter { $0.value.isLimited(at: now) }
  }
}

/// How much the person insists on fetching a feed now.
enum Insistence {
  /// Other feeds were named, so this one is not wanted.
  case others
  /// No feed was named: the rules decide.
  case none
  /// A push asks for it.
  case pushed
  /// The feed was named.
  case named
  /// The feed was named with `--force`.
  case forced
  /// `--force` was given without names.
  case allForced
}
