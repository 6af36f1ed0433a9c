// A feed of a forecast: what is remembered of it as fetches that never happen go by.

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
