// The scheduler in virtual time: when each feed would be fetched if runs came regularly and nothing new happened.

/// A fetch that the rules will make due.
public struct ForecastFetch: Hashable, Sendable {
  /// The place of the feed among those that were given.
  public var place: Int
  /// The start of the run that fetches it.
  public var run: Instant
  /// Whether another feed of that run sends the same request, so that none is sent for this one.
  public var isShared: Bool
}

/// Goes through the runs of a stretch of time, and hands over every fetch that is due in them.
///
/// Runs begin at the multiples of a length of time since 1970 in UTC. What is due is decided by `dueDecision`, and what
/// a fetch leaves behind by `stateAfterSuccess`, as in a real run. Assumed is that every fetch is over at the start of
/// its run and brings no data, that the server wishes to be left alone for as long as after its last answer, and that a
/// feed never fetched has a server that gives validators and wishes for nothing. Limits, backoff, pauses, pushes that
/// wait and habits are what they are now. Budgets, delays between requests to one host and openings to come are left out.
///
/// A feed is only looked at when the moment has come that the rules named last, so that the work grows with the number
/// of fetches, not with that of runs. Feeds do not depend on each other, so that each is followed by itself for a while.
///
/// - Parameters:
///   - feeds: the feeds.
///   - states: what is remembered of them, as `stateUnderConfiguration` returns it.
///   - context: a run now that names no feed.
///   - length: how far to look; the runs from now on and before its end count.
///   - tick: the time between two runs, a second at least.
///   - visit: takes the fetches, the earlier first, those of one run in the order of the feeds.
public func forecast(
  _ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ context: PlanningContext, for length: Interval,
  every tick: Interval, _ visit: (ForecastFetch) -> Void
) {
  let tick = max(tick, .seconds(1))
  let end = context.now + length
  var virtual = virtualFeeds(feeds, states, context, every: tick)
  var requests = Array(repeating: Instant?.none, count: feeds.count)
  var found: [(run: Instant, place: Int)] = []
  var beginning = context.now
  while beginning < end {
    // Habits foretell for a day at a time; of runs that come each second fewer would do, too.
    let midnight = Instant(secondsSince1970: (beginning.dayNumber + 1) * 86_400)
    let enough = beginning + .seconds(min(tick.seconds, 86_400) * 1024)
    let pause = min(end, midnight, enough)
    found.removeAll(keepingCapacity: true)
    for place in virtual.indices {
      virtual[place].follow(feeds[place], before: pause, context, every: tick) { found.append(($0, place)) }
    }
    found.sort { ($0.run, $0.place) < ($1.run, $1.place) }
    for (run, place) in found {
      let leader = virtual[place].leader
      visit(ForecastFetch(place: place, run: run, isShared: requests[leader] == run))
      requests[leader] = run
    }
    beginning = pause
  }
}

extension Instant {
  /// This moment, or the next one that is a multiple of a length of time since 1970.
  func roundedUp(to tick: Interval) -> Instant {
    let rest = secondsSince1970 % tick.seconds
    if rest == 0 { return self }
    return rest < 0 ? self + .seconds(-rest) : self + .seconds(tick.seconds - rest)
  }
}

/// A feed as it will have been left by the fetches of a forecast so far.
struct VirtualFeed {
  /// What is remembered of it.
  private var state: FeedState
  /// How long its server wishes to be left alone after each answer.
  private let wish: Interval?
  /// The place of the first feed that sends the same request.
  let leader: Int
  /// The next run in which it is worth a look; nil if it is never due again.
  private var next: Instant?
  private var wasFetched = false
  private var isPushTaken = false

  fileprivate init(
    _ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext, every tick: Interval, leader: Int
  ) {
    self.state = state.forPlanning
    self.leader = leader
    next = context.now.roundedUp(to: tick)
    wish = state.wish.flatMap { wish in state.lastSuccess.map { wish.notBefore.since($0) } }
    // The transfer that is its fetch goes on by itself, and is taken to end well.
    if state.hasTransferUnderWay {
      take(context.now, of: feed, context)
      self.state.hasTransferUnderWay = false
    }
    // The best guess of a server that was never asked.
    if !state.hasBaseline, state.validators.isEmpty { self.state.validators.entityTag = "" }
  }

  /// Goes through the runs before a moment, and hands over those that fetch it.
  mutating func follow(
    _ feed: FeedSpec, before end: Instant, _ context: PlanningContext, every tick: Interval,
    _ visit: (Instant) -> Void
  ) {
    guard next.map({ $0 < end }) ?? false else { return }
    var context = isPushTaken ? context.withoutPushes(of: feed.name) : context
    while let run = next, run < end {
      context.move(to: run)
      let decision = dueDecision(feed, state, context)
      var dueAt = decision.dueAt
      if decision.isDue {
        visit(run)
        take(run, of: feed, context)
        if decision.isByPush {
          isPushTaken = true
          context = context.withoutPushes(of: feed.name)
        }
        dueAt = nextDue(feed, state, context)
      }
      // A run may take a feed a little before the end of a server's wish.
      next = dueAt.map { max($0 - DueDecision.longestWait, run + .seconds(1)).roundedUp(to: tick) }
    }
  }

  /// Takes in a fetch that brought no data, and took no time.
  private mutating func take(_ run: Instant, of feed: FeedSpec, _ context: PlanningContext) {
    if wasFetched {
      // Nothing but time has passed since the last one; there may be millions.
      (state.lastAsked, state.lastCounted, state.lastSuccess) = (run, run, run)
    } else {
      let attempt = FetchAttempt(
        feed: feed, runStart: run, ended: run, address: nil, response: nil, hostState: HostState(),
        machine: context.machine, freshnessLimit: feed.network.freshnessLimit)
      state = stateAfterSuccess(state, attempt, result: .noData, reason: "", hints: nil).state
      wasFetched = true
    }
    state.wish = wish.map { ServerWish(notBefore: run + $0, source: "") }
  }
}

extension FeedState {
  /// The same without the words that no rule reads: a state is copied with each of perhaps millions of fetches.
  fileprivate var forPlanning: FeedState {
    var state = self
    (state.title, state.link, state.lastReason) = (nil, nil, nil)
    if !validators.isEmpty {
      state.validators = Validators()
      state.validators.entityTag = ""
    }
    return state
  }
}

/// The feeds of a forecast as they are now.
func virtualFeeds(
  _ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ context: PlanningContext, every tick: Interval
) -> [VirtualFeed] {
  var leaders: [RequestSource: Int] = [:]
  return feeds.enumerated().map { place, feed in
    let state = states[feed.name] ?? FeedState()
    var leader = place
    if feed.sharesRequests {
      let source = RequestSource(feed, state)
      leader = leaders[source] ?? place
      leaders[source] = leader
    }
    return VirtualFeed(feed, state, context, every: tick, leader: leader)
  }
}

/// The fetches of one feed in a forecast.
public struct FeedForecast: Hashable, Sendable {
  /// How many they are.
  public private(set) var fetches = 0
  /// How many of them another feed's request answers, too.
  public private(set) var shared = 0
  /// The runs of the first two.
  public private(set) var next: [Instant] = []
  /// The run of the last one.
  public private(set) var last: Instant?

  /// No fetches.
  public init() {}

  /// The requests that they take, redirects not counted.
  public var requests: Int { fetches - shared }

  /// Adds the next fetch.
  public mutating func add(_ fetch: ForecastFetch) {
    fetches += 1
    if fetch.isShared { shared += 1 }
    if next.count < 2 { next.append(fetch.run) }
    last = fetch.run
  }
}

/// The requests to one host in a forecast.
public struct HostForecast: Hashable, Sendable {
  /// The host; nil where the address is a secret.
  public var host: String?
  /// How many feeds it has.
  public var feeds: Int
  /// How many requests it gets.
  public var requests: Int

  /// A host with its feeds and requests.
  public init(host: String?, feeds: Int, requests: Int) {
    self.host = host
    self.feeds = feeds
    self.requests = requests
  }
}

/// What the hosts of some feeds get, the most requests first; files of this machine have none.
public func hostForecasts(
  _ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ forecasts: [FeedForecast]
) -> [HostForecast] {
  var hosts: [String?: HostForecast] = [:]
  for (feed, forecast) in zip(feeds, forecasts) where feed.file == nil {
    let host = feed.addressToAsk(states[feed.name] ?? FeedState())?.host
    hosts[host, default: HostForecast(host: host, feeds: 0, requests: 0)].feeds += 1
    hosts[host]?.requests += forecast.requests
  }
  return hosts.values.sorted { left, right in
    (right.requests, left.host ?? "") < (left.requests, right.host ?? "")
  }
}
