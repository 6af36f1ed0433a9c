// How a fetch changes the state that decides when the feed is due next. Validators and items are changed elsewhere.

/// What a fetch changes about when its feed is due.
public struct StateChange: Hashable, Sendable {
  /// The feed's state from now on; its validators, title and link are those from before.
  public var state: FeedState
  /// What is known of the host from now on.
  public var host: HostState
  /// Whether that is another than before.
  public var isHostChanged = false
  /// Whether the fetch says something about the feed.
  public var isCounted = true
  /// What is now to be said about the feed's health, if anything.
  public var health: HealthChange?
  /// What is now to be said about where the feed is, if anything.
  public var move: MoveChange?
}

/// The state after a fetch that brought a readable document or a 304.
///
/// The interval and the schedule count from the start of its run; failures, limits and what was said of
/// them are over.
///
/// - Parameters:
///   - before: the state before the attempt.
///   - attempt: the fetch; its answer is what the server's wish is read from.
///   - result: new-data or no-data.
///   - reason: the same in words.
///   - hints: those of the document, nil after a 304, which keeps the last ones.
/// - Returns: the state, the host's, and `recovered` if `failing` was said before.
public func stateAfterSuccess(
  _ before: FeedState, _ attempt: FetchAttempt, result: FetchResult, reason: String, hints: FeedHints?
) -> StateChange {
  var state = before.after(attempt, result: result, reason: reason)
  state.lastCounted = attempt.runStart
  state.lastSuccess = attempt.ended
  if let hints { state.hints = hints }
  if let response = attempt.response { state.innerAddress = response.innerAddress }
  state.wish = attempt.response.flatMap {
    serverWish(
      after: $0, hints: state.hints, receivedAt: attempt.ended, limit: attempt.freshnessLimit)
  }
  state.rateLimit = nil
  state.failures = 0
  state.backoffClass = nil
  state.backoffFailures = 0
  state.goneSince = nil
  state.isGone = false
  state.failingAnnounced = false
  state.hasBaseline = true
  let move = attempt.route.flatMap { state.follow($0, at: attempt.runStart) }
  let host = attempt.hostState.afterSuccess(of: attempt.runStart)
  return StateChange(
    state: state, host: host, isHostChanged: host != attempt.hostState,
    health: before.failingAnnounced ? .recovered : nil, move: move)
}

/// The state after a fetch that failed.
///
/// A failure uses up neither interval nor schedule. A rate limit counts as a failure in a row, so that it
/// is announced in the end, but the server's own time takes the place of longer and longer waits.
///
/// - Parameters:
///   - before: the state before the attempt.
///   - attempt: the fetch, with the answer if there was one.
///   - failure: why; offline and suspended count nothing.
///   - reason: the same in words.
/// - Returns: the state, the host's, and what is now to be said.
public func stateAfterFailure(
  _ before: FeedState, _ attempt: FetchAttempt, failure: FetchFailure, reason: String
) -> StateChange {
  let kind = before.kind(of: failure, attempt)
  if kind == .uncounted {
    return StateChange(
      state: stateAfterUncounted(before, reason: reason), host: attempt.hostState, isCounted: false)
  }
  var change = StateChange(
    state: before.after(attempt, result: .failed, reason: reason), host: attempt.hostState)
  change.state.failures = min(before.failures, Int.max - 1) + 1
  // A 410 counts as the first of two only as long as no other answer came between.
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
    change.isHostChanged = limiting.host != attempt.hostState
  case .backoff(let backoff):
    let isSameClass = before.backoffClass == backoff
    change.state.backoffFailures = (isSameClass ? min(before.backoffFailures, Int.max - 1) : 0) + 1
    change.state.backoffClass = backoff
    // A file has no server to spare: it is looked for again after the first wait, however often it was not there.
    if attempt.feed.file != nil { (change.state.backoffClass, change.state.backoffFailures) = (nil, 0) }
    if let route = attempt.route { change.state.doubt(route) }
    if backoff == .gone { change.countGone(at: attempt.runStart) }
  case .uncounted: break
  }
  change.announceFailing(after: attempt.feed.notify?.failures ?? NotifySpec().failures)
  return change
}

/// The state after a fetch that does not count: the machine was offline, the budget ended, a signal came.
///
/// It is made from the state before the attempt, so that not even its beginning counts.
public func stateAfterUncounted(_ before: FeedState, reason: String) -> FeedState {
  var state = before
  state.lastResult = .failed
  state.lastReason = reason
  state.crashes = 0
  return state
}

extension FeedState {
  /// The kind of a failure; a 410 at a learned address counts only once the configured one has said so, too.
  fileprivate func kind(of failure: FetchFailure, _ attempt: FetchAttempt) -> FailureKind {
    guard failure.kind == .backoff(.gone), goneSince == nil, !isGone, let route = attempt.route,
      startsAtLearnedAddress(route)
    else { return failure.kind }
    return .backoff(.refused)
  }

  fileprivate func after(_ attempt: FetchAttempt, result: FetchResult, reason: String) -> FeedState {
    var state = self
    // What lies ahead was stored under a clock that was set back since. Left there, it would make nothing else count,
    // and a feed that fails would be asked at every run.
    if let counted = lastCounted, counted > attempt.runStart + PlanningContext.clockCorrection {
      state.lastCounted = nil
      state.wish = nil
    }
    state.lastAsked = attempt.runStart
    state.lastResult = result
    state.lastReason = reason
    state.crashes = 0
    return state
  }
}

extension StateChange {
  /// Counts a 410: the second one, a day or more after the first, is believed and told once.
  fileprivate mutating func countGone(at now: Instant) {
    // One that lies in the future was stored under another clock.
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

  /// How long the server asks to wait, by its answer or, without one, by what was read from it.
  fileprivate func wait(in attempt: FetchAttempt) -> Interval? {
    if let wait = attempt.response.flatMap({ retryAfter(of: $0, receivedAt: attempt.ended) }) { return wait }
    if case .rateLimited(_, let wait?) = self, wait > .zero { return wait }
    return nil
  }
}

/// One fetch of one feed: who was asked, when, and what came back.
public struct FetchAttempt: Sendable {
  /// The feed.
  public var feed: FeedSpec
  /// The start of the run.
  public var runStart: Instant
  /// When the fetch was over, its answer read.
  public var ended: Instant
  /// The last address asked; nil where none was, for want of a secret.
  public var address: WebAddress?
  /// The last answer; nil if none came.
  public var response: Response?
  /// The way to that address; nil where none was asked.
  public var route: RequestRoute?
  /// What was known of that address's host before.
  public var hostState: HostState
  /// Whether the answer is one to another feed's request, which this feed shares.
  public var isShared = false
  /// This machine's lasting name, which fixes the jitter.
  public var machine: String
  /// The longest freshness that is obeyed.
  public var freshnessLimit: Interval

  /// A fetch.
  public init(
    feed: FeedSpec, runStart: Instant, ended: Instant, address: WebAddress?, response: Response?,
    hostState: HostState, machine: String, freshnessLimit: Interval
  ) {
    self.feed = feed
    self.runStart = runStart
    self.ended = ended
    self.address = address
    self.response = response
    self.hostState = hostState
    self.machine = machine
    self.freshnessLimit = freshnessLimit
  }

  /// Whether the host is one that many people share.
  var isPublicHost: Bool { address?.isPublicHost ?? false }
}
