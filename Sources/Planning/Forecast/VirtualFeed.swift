// A feed of a forecast: what is remembered of it as fetches that never happen go by.

import Model
import Timing

/// A feed as it will have been left by the fetches of a forecast so far.
struct VirtualFeed {
  /// What is remembered of it.
  private(set) var state: FeedState
  /// How long its server wishes to be left alone after each answer.
  private let wish: Interval?
  /// Its next fetch, but for the time; kept whole, as it is a large value and there may be millions of fetches.
  private var attempt: FetchAttempt
  /// The place of the first feed that sends the same request.
  fileprivate let leader: Int
  /// The last run in which a feed that this one leads sent that request.
  fileprivate var lastRequest: Instant?

  fileprivate init(_ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext, leader: Int) {
    self.state = state.forPlanning
    self.leader = leader
    wish = state.wish.flatMap { wish in state.lastSuccess.map { wish.notBefore.since($0) } }
    attempt = FetchAttempt(
      feed: feed, runStart: context.now, ended: context.now, address: nil, response: nil,
      hostState: HostState(), machine: context.machine, freshnessLimit: feed.network.freshnessLimit)
    // The transfer that is its fetch goes on by itself, and is taken to end well.
    if state.hasTransferUnderWay {
      take(context.now)
      self.state.hasTransferUnderWay = false
    }
    // The best guess of a server that was never asked.
    if !state.hasBaseline, state.validators.isEmpty { self.state.validators.entityTag = "" }
  }

  /// Takes in a fetch that brought no data, and took no time.
  mutating func take(_ run: Instant) {
    attempt.runStart = run
    attempt.ended = run
    state = stateAfterSuccess(state, attempt, result: .noData, reason: "", hints: nil).state
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
  _ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ context: PlanningContext
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
    return VirtualFeed(feed, state, context, leader: leader)
  }
}

extension [VirtualFeed] {
  /// Notes that a feed is fetched in a run, and says whether the request for it was sent already.
  mutating func noteRequest(of place: Int, in run: Instant) -> Bool {
    let leader = self[place].leader
    defer { self[leader].lastRequest = run }
    return self[leader].lastRequest == run
  }
}
