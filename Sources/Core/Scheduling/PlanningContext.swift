// What a scheduling decision depends on besides the feed and its state. The caller reads clock and zone.

/// What is the same for every feed of one run: its start, the zone, what the person asked for.
public struct PlanningContext: Sendable {
  /// The run's start, read once; "now" in every rule.
  public private(set) var now: Instant
  /// Where cron fields are read; intervals do not depend on it.
  public let zone: Zone
  /// A name of this machine that stays the same; together with a feed's name it fixes the jitter.
  public let machine: String
  /// The feeds named on the command line; empty if none were.
  public let named: Set<FeedName>
  /// Whether `--force` was given.
  public let isForced: Bool
  /// What pushes ask for, by feed.
  public private(set) var pushes: [FeedName: PushDemand]
  /// When the person will look, of the feeds that adapt to it.
  private let foresights: [FeedName: HabitForesight]
  /// Whether the run comes at the very second at which something is due, so that no interval needs slack and nothing is
  /// to be waited for.
  public var isPunctual = false
  /// The hosts under a rate limit at the run's start, by name in lower case.
  private(set) var limitedHosts: [String: HostState]

  /// A context; of the hosts only those under a limit are kept.
  public init(
    now: Instant, zone: Zone, machine: String, hosts: [String: HostState] = [:], named: Set<FeedName> = [],
    isForced: Bool = false, pushes: [FeedName: PushDemand] = [:], habits: [FeedName: Habit] = [:]
  ) {
    self.now = now
    self.zone = zone
    self.machine = machine
    self.named = named
    self.isForced = isForced
    self.pushes = pushes
    foresights = Core.foresights(of: habits)
    limitedHosts = hosts.limited(at: now)
  }

  /// Makes it that of another moment, and changes nothing else.
  public mutating func move(to now: Instant) {
    self.now = now
    if !limitedHosts.isEmpty { limitedHosts = limitedHosts.limited(at: now) }
  }

  /// The same when the pushes of a feed are settled.
  func withoutPushes(of feed: FeedName) -> PlanningContext {
    var context = self
    context.pushes[feed] = nil
    return context
  }

  /// The same where no feed was named, no push waits and no host has a limit.
  var withHabitsAlone: PlanningContext {
    PlanningContext(now: now, zone: zone, machine: machine, foresights: foresights)
  }

  private init(now: Instant, zone: Zone, machine: String, foresights: [FeedName: HabitForesight]) {
    self.now = now
    self.zone = zone
    self.machine = machine
    named = []
    isForced = false
    pushes = [:]
    limitedHosts = [:]
    self.foresights = foresights
  }

  /// What is foreseen of when the person looks at a feed; nil where openings are not known.
  func foresight(of feed: FeedName) -> HabitForesight? {
    foresights.isEmpty ? nil : foresights[feed]
  }

  /// When the person looked at a feed.
  func habit(of feed: FeedName) -> Habit { foresight(of: feed)?.habit ?? Habit() }

  /// How much the person insists on a feed.
  func insistence(on feed: FeedName) -> Insistence {
    if named.isEmpty { return isForced ? .allForced : .none }
    guard named.contains(feed) else { return .others }
    return isForced ? .forced : .named
  }

  /// The latest moment that may count as past: a clock that was corrected by seconds is not one that was set
  /// back.
  var latestPast: Instant { now + Self.clockCorrection }

  /// How far a clock may step back without everything being computed anew.
  ///
  /// Without it a correction by one second between two runs would make all feeds of the earlier run due
  /// again.
  static let clockCorrection = Interval.minutes(2)
}

extension [String: HostState] {
  /// Those under a limit.
  fileprivate func limited(at now: Instant) -> [String: HostState] {
    filter { host in
      host.value.limitedUntil.map { $0 > now && isPlausible(rateLimitEnd: $0, at: now) } ?? false
    }
  }
}

/// How much the person insists on fetching a feed now.
enum Insistence {
  /// Other feeds were named, so this one is not wanted.
  case others
  /// No feed was named: the rules alone decide.
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
