// The facts of a round by which every feed is planned.

/// The facts of one round that are the same for every feed: its start, the zone, the person's orders.
public struct PlanningContext: Sendable {
  /// The round's start, read once; "now" in every rule.
  public private(set) var now: Instant
  /// The zone of cron fields; intervals do not depend on it.
  public let zone: Zone
  /// This machine's permanent name, which together with a feed's name fixes the jitter.
  let machine: String
  /// The feeds named on the command line, or none.
  public let named: Set<FeedName>
  /// Whether `--force` was given.
  let isForced: Bool
  /// The waiting pushes by feed.
  public private(set) var pushes: [FeedName: PushDemand]
  /// The habits of the feeds that adapt to them.
  private var planners: [FeedName: HabitPlanner]
  /// The items of the feeds that adapt to their publishers.
  private var rhythms: [FeedName: RhythmPlanner]
  /// Whether the run comes in the very second in which something is due, as from `run --watch`, so that intervals need no slack
  /// and the run waits for nothing.
  public var isPunctual = false
  /// Looks at the machine, for the first time when a due feed has conditions; by default nothing is known.
  public var surroundings: @Sendable (Conditions) -> Surroundings = { _ in Surroundings() }
  /// The hosts under a rate limit at the round's start, by name in lower case.
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
