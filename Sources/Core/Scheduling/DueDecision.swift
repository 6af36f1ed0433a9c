// Whether one feed is due, when it is, which rule decides, and what overrides each of them.

/// Whether a feed is due, and why.
public struct DueDecision: Equatable, Sendable {
  /// Whether this run fetches the feed.
  public var isDue: Bool
  /// The moment from which on all rules allow the fetch; nil if they never do.
  ///
  /// A run that may wait for a server takes the feed up to `longestWait` sooner.
  public var dueAt: Instant?
  /// The moment in this run before which the fetch must not start; nil if it may start at once.
  var waitUntil: Instant?
  /// How long the feed has been due; zero if it is not due or was never fetched.
  var overdueBy: Interval
  public var reason: DueReason

  /// Whether a push is the reason.
  var isByPush: Bool {
    if case .pushed = reason { true } else { false }
  }

  /// The condition that alone it waits for, in words; nil if there is none.
  public var waitReason: String? {
    if case .waits(let reason, until: _) = reason { reason } else { nil }
  }

  /// The moment before which the feed cannot become due as long as it does not change, or `never`; nil if that depends on
  /// something else too: a push, a host, habits, a condition or a transfer.
  ///
  /// As time passes, a decision about an unchanged feed only moves to later moments.
  public var lastingMoment: Instant? {
    switch reason {
    case .onlyWhenNamed, .paused: Self.never
    case .postponed(.hostLimit, _), .postponed(.habits, _), .postponed(.pushLimit, _),
      .postponed(.secondTry, _), .postponed(.conditions, _):
      nil
    case .postponed(_, until: let moment): moment
    default: nil
    }
  }

  /// The moment of feeds that are never due by themselves.
  public static let never = Instant(secondsSince1970: 1 << 50)

  /// The longest time that a run waits for a server's limit that is about to end.
  public static let longestWait = Interval.seconds(60)
}

/// A rule that can postpone a feed.
public enum DueRule: String, Sendable, CaseIterable {
  /// The least time since the last successful fetch.
  case minimumInterval = "minimum interval"
  /// The cron expressions of the user.
  case schedule
  /// The times at which the person is likely to look, if the feed adapts to them.
  case habits
  /// The times at which the publisher usually publishes, if the feed adapts to them.
  case rhythm = "publisher's rhythm"
  /// The freshness that the last response asked for: `max-age`, `ttl`, `sy:updatePeriod`.
  case freshness
  /// `skipHours` and `skipDays` of the last document.
  case skipTimes = "skip times"
  /// A 429 or 503 for the feed.
  case rateLimit = "rate limit"
  /// A 429 for the feed's host.
  case hostLimit = "host limit"
  /// The wait after failures.
  case backoff
  /// The wait after 410.
  case gone
  /// The user's hours, outside of which a feed is never due.
  case hours
  case pause
  /// The state of the machine that the user asks for, which a feed that is due waits for.
  case conditions = "when"
  /// The limit on fetches that pushes may cause.
  case pushLimit = "push limit"
  /// The wait before the second try of a push whose first try found no data.
  case secondTry = "second try"

  /// The words of `bgfetch why`.
  var name: String { rawValue }

  /// Whether the server set it, so that a run may wait for its end but never undercuts it.
  var isSetByServer: Bool {
    switch self {
    case .freshness, .skipTimes, .rateLimit, .hostLimit: true
    default: false
    }
  }

  /// Whether the rule still applies if the person, or a push, insists on the feed.
  ///
  /// Naming a feed overrides all but rate limits and 410; naming it with `--force` overrides those too. `--force` without
  /// names means all feeds except paused ones. A push overrides what naming does, but neither pause, hours nor conditions, and
  /// only a push is subject to the push limit.
  func applies(despite insistence: Insistence) -> Bool {
    switch self {
    case .pushLimit, .secondTry: insistence == .pushed
    case .rateLimit, .hostLimit, .gone: insistence != .forced
    case .pause: insistence != .forced && insistence != .named
    case .hours, .conditions: insistence == .none || insistence == .others || insistence == .pushed
    default: insistence == .none || insistence == .others
    }
  }
}

/// Why a feed is due or not.
public enum DueReason: Equatable, Sendable {
  /// Due: it was never fetched.
  case neverFetched
  /// Due: the clock was set back, so that stored times do not count.
  case clockSetBack
  /// Due: the person named it, or gave `--force` alone.
  case named
  /// Due: a push asks for it, regardless of interval and schedule.
  case pushed(from: Instant)
  /// Due: this rule was the last to allow it, at this moment.
  case reached(DueRule, at: Instant)
  /// Due in this run: only this limit of the server is left, and it ends at this moment.
  case aboutToEnd(DueRule, at: Instant)
  /// Not due: this rule postpones it longest.
  case postponed(DueRule, until: Instant)
  /// Not due, although the rules allow it: a condition does not hold, which is waited for until a moment at the latest.
  case waits(String, until: Instant)
  /// Not due: its interval is `never`, or its schedule never fires.
  case onlyWhenNamed
  /// Not due: the transfer that serves as its fetch has not ended.
  case underWay
  /// Not due: the person paused it without an end.
  case paused
  /// Not due: other feeds were named.
  case othersNamed
}

/// Decides when the waiting pushes of a feed may cause a fetch or download.
///
/// - Parameters:
///   - feed: the feed as configured.
///   - state: its state, as `stateUnderConfiguration` returns it.
///   - context: the run, which must have a demand for the feed.
/// - Returns: the decision with its reason.
public func pushDecision(_ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext) -> DueDecision {
  var moments = dueMoments(feed, state, context)
  // A push with `url` downloads from another address, which a 410 of the feed says nothing about.
  if feed.push.url != nil { moments.gone = nil }
  return moments.pushDecision(state, context)
}

/// Decides whether a feed is due now.
///
/// A feed is due when its minimum interval, less slack, has passed since the last run that fetched it without failing, its
/// schedule has fired since, and no server limit and no backoff reaches beyond now. A feed never fetched is due at once.
/// Outside its hours, while paused, and while it waits for its conditions it is not due. Naming it overrides all but rate limits
/// and 410, `--force` those too; a push overrides interval, schedule, freshness and backoff. Several missed times count as one.
///
/// - Parameters:
///   - feed: the feed as configured.
///   - state: its state, as `stateUnderConfiguration` returns it.
///   - context: the run.
/// - Returns: the decision with its reason.
public func dueDecision(_ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext) -> DueDecision {
  dueMoments(feed, state, context).decision(feed.name, state, context)
}

extension DueMoments {
  func decision(_ name: FeedName, _ state: FeedState, _ context: PlanningContext) -> DueDecision {
    let insistence = context.insistence(on: name)
    let own = conditionalDecision(insistence, state, context)
    guard isPushed, insistence == .none, !own.isDue, own.reason != .underWay else { return own }
    let pushed = pushDecision(state, context)
    guard !pushed.isDue, pushed.waitReason == nil, let moment = own.dueAt,
      pushed.dueAt.map({ moment < $0 }) ?? true
    else {
      return pushed
    }
    return own
  }

  /// The decision about the pushes alone.
  func pushDecision(_ state: FeedState, _ context: PlanningContext) -> DueDecision {
    conditionalDecision(.pushed, state, context)
  }

  /// The decision, which waits for the feed's conditions; the machine is looked at only if nothing else postpones the feed.
  private func conditionalDecision(
    _ insistence: Insistence, _ state: FeedState, _ context: PlanningContext
  ) -> DueDecision {
    let decision = decision(insistence, state, context)
    guard decision.isDue, let conditions, DueRule.conditions.applies(despite: insistence) else {
      return decision
    }
    // A retry belongs to the wait that ended with the failed fetch.
    let dueBeforeFailures =
      state.failures > 0 ? [interval, schedule, freshness].compactMap(\.self).max() : nil
    let moments = [state.waitsSince, decision.dueAt, dueBeforeFailures].compactMap(\.self)
    let end = moments.reduce(context.now, min) + conditions.atLatest
    guard end > context.now, let reason = conditions.reasonToWait(in: context.surroundings(conditions)) else {
      return decision
    }
    return .notDue(at: end, .waits(reason, until: end))
  }

  private func decision(
    _ insistence: Insistence, _ state: FeedState, _ context: PlanningContext
  ) -> DueDecision {
    let now = context.now
    if insistence == .others { return .notDue(at: nil, .othersNamed) }
    if let pause, pause.until == nil, DueRule.pause.applies(despite: insistence) {
      return .notDue(at: nil, .paused)
    }
    if insistence == .none, state.hasTransferUnderWay { return .notDue(at: nil, .underWay) }
    if insistence == .none, isNeverDue { return .notDue(at: nil, .onlyWhenNamed) }

    guard let (rule, moment) = binding(state, context, insistence) else {
      let reason: DueReason = isClockSetBack ? .clockSetBack : .neverFetched
      return .due(at: now, by: now, insistence.reason(at: now) ?? reason)
    }
    if moment <= now {
      return .due(at: moment, by: now, insistence.reason(at: moment) ?? .reached(rule, at: moment))
    }
    // Outside the feed's hours a run does not wait, so that no wait crosses their border.
    guard !context.isPunctual, rule.isSetByServer, moment <= now + DueDecision.longestWait,
      isFree(at: now, insistence),
      hours?.contains(now, in: context.zone) ?? true || !DueRule.hours.applies(despite: insistence)
    else {
      return .notDue(at: moment, .postponed(rule, until: moment))
    }
    var decision = DueDecision.due(at: moment, by: now, .aboutToEnd(rule, at: moment))
    decision.waitUntil = moment
    return decision
  }

  /// The rule that postpones the feed longest, and until when; nil if no rule postpones it.
  func binding(
    _ state: FeedState, _ context: PlanningContext, _ insistence: Insistence
  ) -> (rule: DueRule, moment: Instant)? {
    var binding: (rule: DueRule, moment: Instant)?
    forEach { rule, moment in
      guard rule.applies(despite: insistence), binding.map({ $0.moment <= moment }) ?? true else { return }
      binding = (rule, moment)
    }
    if DueRule.hours.applies(despite: insistence), let opening = opening(from: binding?.moment, context) {
      binding = (.hours, opening)
    }
    if DueRule.skipTimes.applies(despite: insistence),
      let end = endOfSkip(state.hints, from: binding?.moment, context)
    {
      binding = (.skipTimes, end)
    }
    return binding
  }

  /// The next moment inside the user's hours; nil if they do not postpone the feed.
  ///
  /// A feed that became due in hours that have ended waits for the next ones.
  private func opening(from due: Instant?, _ context: PlanningContext) -> Instant? {
    guard let hours else { return nil }
    let from = due ?? context.now
    var opening = hours.firstMoment(atOrAfter: from, in: context.zone)
    if opening < context.now, !hours.contains(context.now, in: context.zone) {
      opening = hours.firstMoment(atOrAfter: context.now, in: context.zone)
    }
    return opening > from ? opening : nil
  }

  /// The end of the hours that the document asks to skip, moved into the user's hours; nil if they do not postpone the feed.
  ///
  /// They postpone by at most the longest freshness, counted from the moment at which the feed became due within them.
  func endOfSkip(_ hints: FeedHints, from due: Instant?, _ context: PlanningContext) -> Instant? {
    guard !isClockSetBack else { return nil }
    let from = max(due ?? context.now, context.now)
    let latest = from + longestFreshness
    var moment = from
    // Each step is at least an hour. If no hour of the week suits both, the longest freshness ends the search.
    for _ in 0..<(8 * 24) {
      guard let skip = hints.skip(containing: moment) else { break }
      let cap = due.map { min(max($0, skip.lowerBound) + longestFreshness, latest) } ?? skip.upperBound
      let end = min(skip.upperBound, cap)
      guard end > moment else { break }
      moment = hours?.firstMoment(atOrAfter: end, in: context.zone) ?? end
    }
    return moment > from ? moment : nil
  }

  /// Whether only server limits postpone the feed.
  private func isFree(at now: Instant, _ insistence: Insistence) -> Bool {
    var isFree = true
    forEach { rule, moment in
      if !rule.isSetByServer, moment > now, rule.applies(despite: insistence) { isFree = false }
    }
    return isFree
  }
}

extension Insistence {
  /// Why a feed is due because the person or a push insists on it; nil if the rules alone decide.
  fileprivate func reason(at moment: Instant) -> DueReason? {
    switch self {
    case .none: nil
    case .pushed: .pushed(from: moment)
    case .others, .named, .forced, .allForced: .named
    }
  }
}

extension DueDecision {
  fileprivate static func due(at moment: Instant, by now: Instant, _ reason: DueReason) -> DueDecision {
    DueDecision(isDue: true, dueAt: moment, overdueBy: now.since(moment), reason: reason)
  }

  fileprivate static func notDue(at moment: Instant?, _ reason: DueReason) -> DueDecision {
    DueDecision(isDue: false, dueAt: moment, overdueBy: .zero, reason: reason)
  }
}
