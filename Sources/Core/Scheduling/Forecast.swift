// The scheduler in virtual time: when each feed would be fetched if runs came regularly and nothing new happened.

/// A fetch in a forecast.
public struct ForecastFetch: Hashable, Sendable {
  /// The index of the feed.
  public var index: Int
  /// The start of its run.
  public var run: Instant
  /// Whether another feed in that run sends the same request, so that none is sent for this one.
  public var isShared: Bool
}

/// Calls `visit` for every fetch that will be due in a time to come.
///
/// Runs begin at the multiples of `tick` since 1970 in UTC. `dueDecision` and `stateAfterSuccess` decide, as in a real
/// run. Budgets, delays per host and future openings are ignored. Assumptions:
///
/// - Every fetch takes no time and finds no data.
/// - The server's freshness lasts as long as after its last response. A feed never fetched has a server with validators and
///   without freshness.
/// - Limits, backoff, pauses, waiting pushes, habits and the state of the machine are the present ones.
///
/// The work grows with the number of fetches, not of runs, because a feed is decided only at the moment that the rules
/// gave at its last decision. Feeds do not affect each other, so each is followed alone for a while.
///
/// - Parameters:
///   - feeds: the feeds.
///   - states: their states, as `stateUnderConfiguration` returns them.
///   - context: a run now that names no feed.
///   - length: how far to look ahead; its end is excluded.
///   - tick: the time between two runs, at least a second.
///   - visit: receives the fetches by time; those of one run in the order of the feeds.
public func forecast(
  _ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ context: PlanningContext, for length: Interval,
  every tick: Interval, _ visit: (ForecastFetch) -> Void
) {
  let tick = max(tick, .seconds(1))
  let end = context.now + length
  var virtual = virtualFeeds(feeds, states, context, every: tick)
  var requests = Array(repeating: Instant?.none, count: feeds.count)
  var found: [(run: Instant, index: Int)] = []
  var beginning = context.now
  while beginning < end {
    // Habits are planned a day at a time. The other bound keeps `found` small if runs come each second.
    let midnight = Instant(secondsSince1970: (beginning.dayNumber + 1) * 86_400)
    let enough = beginning + .seconds(min(tick.seconds, 86_400) * 1024)
    let pause = min(end, midnight, enough)
    found.removeAll(keepingCapacity: true)
    for index in virtual.indices {
      virtual[index].follow(feeds[index], before: pause, context, every: tick) { found.append(($0, index)) }
    }
    found.sort { ($0.run, $0.index) < ($1.run, $1.index) }
    for (run, index) in found {
      let leader = virtual[index].leader
      visit(ForecastFetch(index: index, run: run, isShared: requests[leader] == run))
      requests[leader] = run
    }
    beginning = pause
  }
}

extension Instant {
  /// This moment, or the next multiple of a duration since 1970.
  func roundedUp(to tick: Interval) -> Instant {
    let rest = secondsSince1970.flooredDivision(by: tick.seconds).remainder
    return rest == 0 ? self : self + .seconds(tick.seconds - rest)
  }
}

/// A feed as the fetches of a forecast have left it so far.
struct VirtualFeed {
  private var state: FeedState
  /// How long its server's freshness lasts after each response.
  private let freshness: Interval?
  /// The index of the first feed that sends the same request.
  let leader: Int
  /// The next run in which to decide whether the feed is due; nil if it is never due again.
  private var next: Instant?
  private var wasFetched = false
  private var isPushTaken = false

  fileprivate init(
    _ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext, every tick: Interval, leader: Int
  ) {
    self.state = state.forPlanning
    self.leader = leader
    next = context.now.roundedUp(to: tick)
    freshness = state.lastSuccess.flatMap { success in state.freshness?.notBefore.since(success) }
    // The transfer that serves as its fetch is assumed to succeed now.
    if state.hasTransferUnderWay {
      apply(context.now, of: feed, context)
      self.state.hasTransferUnderWay = false
    }
    // Assume validators of a server that was never requested.
    if !state.hasBaseline, state.validators.isEmpty { self.state.validators.entityTag = "" }
  }

  /// Calls `visit` for the runs before `end` that fetch the feed.
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
        apply(run, of: feed, context)
        if decision.isByPush {
          isPushTaken = true
          context = context.withoutPushes(of: feed.name)
        }
        dueAt = nextDue(feed, state, context)
      }
      // A run may take a feed a little before the end of a server's limit.
      next = dueAt.map { max($0 - DueDecision.longestWait, run + .seconds(1)).roundedUp(to: tick) }
    }
  }

  /// Applies a fetch that found no data and took no time.
  private mutating func apply(_ run: Instant, of feed: FeedSpec, _ context: PlanningContext) {
    if wasFetched {
      // A shortcut: a forecast may have millions of fetches, and only the time differs from the last one.
      state.lastAsked = run
      state.lastCounted = run
      state.lastSuccess = run
      state.planned = nil
    } else {
      let attempt = FetchAttempt(
        feed: feed, runStart: run, ended: run, address: nil, response: nil, hostState: HostState(),
        machine: context.machine)
      state = stateAfterSuccess(state, attempt, result: .noData, reason: "", hints: nil).state
      wasFetched = true
    }
    state.freshness = freshness.map { ServerFreshness(notBefore: run + $0, source: "") }
  }
}

extension FeedState {
  /// The state without texts that no rule reads, because it is copied with every fetch.
  fileprivate var forPlanning: FeedState {
    var state = self
    state.title = nil
    state.link = nil
    state.lastReason = nil
    if !validators.isEmpty {
      state.validators = Validators()
      state.validators.entityTag = ""
    }
    return state
  }
}

func virtualFeeds(
  _ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ context: PlanningContext, every tick: Interval
) -> [VirtualFeed] {
  var leaders: [RequestSource: Int] = [:]
  return feeds.enumerated().map { index, feed in
    let state = states[feed.name] ?? FeedState()
    var leader = index
    if feed.sharesRequests {
      let source = RequestSource(feed, state)
      leader = leaders[source] ?? index
      leaders[source] = leader
    }
    return VirtualFeed(feed, state, context, every: tick, leader: leader)
  }
}

/// The fetches of one feed in a forecast.
public struct FeedForecast: Hashable, Sendable {
  /// The number of fetches.
  public private(set) var fetches = 0
  /// How many of them need no request, because another feed's response serves them.
  public private(set) var shared = 0
  /// The runs of the first two.
  public private(set) var next: [Instant] = []
  /// The run of the last one.
  public private(set) var last: Instant?

  public init() {}

  /// The number of requests, not counting redirects.
  public var requests: Int { fetches - shared }

  public mutating func add(_ fetch: ForecastFetch) {
    fetches += 1
    if fetch.isShared { shared += 1 }
    if next.count < 2 { next.append(fetch.run) }
    last = fetch.run
  }
}

/// The requests to one host in a forecast.
public struct HostForecast: Hashable, Sendable {
  /// The host; nil if the address is a secret.
  public var host: String?
  /// The number of its feeds.
  public var feeds: Int
  public var requests: Int
}

/// The hosts of some feeds, the most requests first; files of this machine have none.
public func hostForecasts(
  _ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ forecasts: [FeedForecast]
) -> [HostForecast] {
  var hosts: [String?: HostForecast] = [:]
  for (feed, forecast) in zip(feeds, forecasts) where !feed.isLocal {
    let host = feed.addressToAsk(states[feed.name] ?? FeedState())?.host
    hosts[host, default: HostForecast(host: host, feeds: 0, requests: 0)].feeds += 1
    hosts[host]?.requests += forecast.requests
  }
  return hosts.values.sorted { left, right in
    (right.requests, left.host ?? "") < (left.requests, right.host ?? "")
  }
}
