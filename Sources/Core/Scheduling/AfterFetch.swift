// How a fetch changes the state that decides when the feed is due next. Validators and items are changed elsewhere.

/// The changes that a fetch makes to the state of its feed and host.
public struct StateChange: Sendable {
  /// The new state of the feed; validators, title and link are still the old ones.
  public var state: FeedState
  /// The new state of the host; nil if it has not changed.
  public var host: HostState?
  /// Whether the fetch counts for the feed; being offline or suspended does not.
  public var isCounted = true
  /// The change of the feed's health to report, if any.
  var health: HealthChange?
  /// The change of the feed's address to report, if any.
  public var move: MoveChange?
}

/// The state after a fetch that found a readable document or a 304.
///
/// Interval and schedule count from the start of its round; failures, limits and reports about them end.
///
/// - Parameters:
///   - before: the state before the fetch.
///   - attempt: the fetch; its response sets the freshness.
///   - result: new-data or no-data.
///   - reason: the reason in words.
///   - hints: those of the document; nil after a 304, which keeps the last ones.
/// - Returns: the new states, and `recovered` if `failing` was reported before.
public func stateAfterSuccess(
  _ before: FeedState, _ attempt: FetchAttempt, result: FetchResult, reason: String, hints: FeedHints?
) -> StateChange {
  var state = before.after(attempt, result: result, reason: reason)
  state.lastCounted = attempt.started
  state.lastSuccess = attempt.ended
  state.planned = nil
  state.waitsSince = nil
  if let hints { state.hints = hints }
  if let response = attempt.response { state.innerAddress = response.innerAddress }
  state.freshness = attempt.response.flatMap {
    serverFreshness(after: $0, hints: state.hints, receivedAt: attempt.ended)
  }
  // Seldom sent with a success, and meant all the same.
  state.rateLimit = attempt.response.flatMap { response in
    retryAfter(of: response, receivedAt: attempt.ended).map {
      RateLimit(until: attempt.end(of: $0), withoutRetryAfter: 0, status: response.status)
    }
  }
  state.clearBackoff()
  state.failingAnnounced = false
  state.hasBaseline = true
  var route = attempt.route
  // After a 304 without a redirect, the document that named a new address is still the same.
  if attempt.response?.status == 304, route?.permanentTarget == nil {
    route?.permanentTarget = state.seenMove.flatMap { WebAddress($0.address) }
  }
  let move = route.flatMap { state.follow($0, at: attempt.started) }
  let host = attempt.hostState.afterSuccess(of: attempt.started)
  return StateChange(
    state: state, host: host == attempt.hostState ? nil : host,
    health: before.failingAnnounced ? .recovered : nil, move: move)
}

/// The state after a fetch that failed.
///
/// A failure uses up neither interval nor schedule. A rate limit counts as one of several failures in a row, so that it is
/// reported in the end, but the server's own time replaces the growing waits.
///
/// - Parameters:
///   - before: the state before the fetch.
///   - attempt: the fetch, with the response if there was one.
///   - failure: the failure; offline and suspended do not count.
///   - reason: the reason in words.
/// - Returns: the new states, and what to report.
public func stateAfterFailure(
  _ before: FeedState, _ attempt: FetchAttempt, failure: FetchFailure, reason: String
) -> StateChange {
  let kind = before.kind(of: failure, attempt)
  if kind == .uncounted {
    return StateChange(state: stateAfterUncounted(before, reason: reason), isCounted: false)
  }
  var change = StateChange(state: before.after(attempt, result: .failed, reason: reason))
  change.state.failures = min(before.failures, Int.max - 1) + 1
  // The first of two 410 counts only if no other response came between them.
  if attempt.response != nil, kind != .backoff(.gone) { change.state.goneSince = nil }
  switch kind {
  case .rateLimit:
    let limiting = rateLimiting(
      status: failure.status ?? 429, wait: failure.wait(in: attempt), previous: before.rateLimit,
      attempt: attempt)
    change.state.rateLimit = limiting.feed
    change.state.backoffClass = nil
    change.state.backoffFailures = 0
    change.host = limiting.host
  case .backoff(let backoff):
    let isSameClass = before.backoffClass == backoff
    change.state.backoffFailures = (isSameClass ? min(before.backoffFailures, Int.max - 1) : 0) + 1
    change.state.backoffClass = backoff
    // A file or command has no server to spare, so the wait does not grow.
    if attempt.feed.isLocal { (change.state.backoffClass, change.state.backoffFailures) = (nil, 0) }
    if let wait = failure.wait(in: attempt), let status = attempt.response?.status {
      let limiting = rateLimiting(status: status, wait: wait, previous: nil, attempt: attempt)
      change.state.rateLimit = limiting.feed
    }
    if let route = attempt.route { change.state.doubt(route) }
    if backoff == .gone { change.countGone(at: attempt.started) }
  case .uncounted: break
  }
  // A person is told once it is clear that the feed is at fault, and not the network.
  if !attempt.mayBeOffline {
    change.announceFailing(after: attempt.feed.notify?.failures ?? NotifySpec().failures)
  }
  return change
}

/// The state after a page of an item was refused; it changes only if the server asks to wait.
///
/// No further page of the feed is requested for as long. A rate limit applies to the page's host as it does after a fetch.
///
/// - Parameters:
///   - before: the state before the request.
///   - attempt: the request for the page, with the response if there was one.
///   - failure: the failure.
/// - Returns: the new states.
public func stateAfterPage(
  _ before: FeedState, _ attempt: FetchAttempt, failure: FetchFailure
) -> StateChange {
  var change = StateChange(state: before)
  let wait = failure.wait(in: attempt)
  guard wait != nil || failure.kind == .rateLimit else { return change }
  let status = failure.status ?? attempt.response?.status ?? 429
  let limiting = rateLimiting(status: status, wait: wait, previous: nil, attempt: attempt)
  change.state.pagesNotBefore = limiting.feed.until
  if failure.kind == .rateLimit { change.host = limiting.host }
  return change
}

extension FeedState {
  /// Whether a server asked not to request pages of the feed's items now.
  public func mustSparePages(at now: Instant) -> Bool {
    isInForce(rateLimitEnd: pagesNotBefore, at: now)
  }
}

/// The state after a fetch that does not count: offline, or cut by the budget or a signal.
///
/// It derives from the state before the fetch, so that not even its start counts.
func stateAfterUncounted(_ before: FeedState, reason: String) -> FeedState {
  var state = before
  state.lastResult = .failed
  state.lastReason = reason
  state.crashes = 0
  return state
}

extension FeedState {
  /// The kind of a failure; a 410 at a learned address counts only after the configured address has sent one, too.
  fileprivate func kind(of failure: FetchFailure, _ attempt: FetchAttempt) -> FailureKind {
    guard failure.kind == .backoff(.gone), goneSince == nil, !isGone, let route = attempt.route,
      startsAtLearnedAddress(route)
    else { return failure.kind }
    return .backoff(.refused)
  }

  fileprivate func after(_ attempt: FetchAttempt, result: FetchResult, reason: String) -> FeedState {
    var state = self
    // Times in the future come from a clock that was set back since. Kept, they would disable every rule, and a failing
    // feed would be requested at every run.
    if let counted = lastCounted, counted > attempt.started + PlanningContext.clockCorrection {
      state.lastCounted = nil
      state.freshness = nil
    }
    state.lastAsked = attempt.started
    state.lastResult = result
    state.lastReason = reason
    state.crashes = 0
    return state
  }
}

extension StateChange {
  /// Counts a 410; a second one, a day or more after the first, is believed and reported once.
  fileprivate mutating func countGone(at now: Instant) {
    // A time in the future comes from a wrong clock.
    guard let first = state.goneSince, first <= now else {
      state.goneSince = now
      return
    }
    guard !state.isGone, now.since(first) >= .hours(24) else { return }
    state.isGone = true
    state.failingAnnounced = true
    health = .gone
  }

  fileprivate mutating func announceFailing(after threshold: Int) {
    guard threshold > 0, state.failures >= threshold, !state.failingAnnounced else { return }
    state.failingAnnounced = true
    health = .failing
  }
}

extension FetchFailure {
  fileprivate var status: Int? {
    switch self {
    case .rateLimited(let status, _), .status(let status): status
    default: nil
    }
  }

  /// How long the server asks to wait: by its response, or by the failure.
  fileprivate func wait(in attempt: FetchAttempt) -> Interval? {
    if let wait = attempt.response.flatMap({ retryAfter(of: $0, receivedAt: attempt.ended) }) { return wait }
    if case .rateLimited(_, let wait?) = self, wait > .zero { return wait }
    return nil
  }
}

/// One fetch of one feed, as far as it affects the next one.
public struct FetchAttempt: Sendable {
  var feed: FeedSpec
  /// The start of its round, or of its download, from which intervals count.
  var started: Instant
  /// When the response was read or the fetch failed.
  var ended: Instant
  /// The last requested address; nil if a missing secret prevented the request.
  var address: WebAddress?
  /// The last response, if any.
  var response: Response?
  /// The redirects up to that address; nil without a request.
  public var route: RequestRoute?
  /// The state of that address's host before.
  var hostState: HostState
  /// Whether the response belongs to another feed's request, which this feed shares.
  public var isShared = false
  /// Whether the machine may have been offline, because no other host was reached since the feed's last attempt either.
  public var mayBeOffline = false
  /// This machine's permanent name, which fixes the jitter.
  var machine: String

  public init(
    feed: FeedSpec, started: Instant, ended: Instant, address: WebAddress?, response: Response?,
    hostState: HostState, machine: String
  ) {
    (self.feed, self.started, self.ended, self.address) = (feed, started, ended, address)
    (self.response, self.hostState, self.machine) = (response, hostState, machine)
  }
}
