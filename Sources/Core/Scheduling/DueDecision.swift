// Whether one feed is due, when it is, and which rule decides.

/// Whether a feed is due, with its reason.
public struct DueDecision: Hashable, Sendable {
  /// Whether the feed is fetched in this run.
  public var isDue: Bool
  /// When it is or was due by all rules that count; nil if they never make it due.
  ///
  /// A run that may wait for the end of a server's wish takes a feed up to `longestWait` sooner.
  public var dueAt: Instant?
  /// Not to be started before this moment of the run; nil if it may start at once.
  public var waitUntil: Instant?
  /// How long it has been due; nothing where it is not, or was never fetched.
  public var overdueBy: Interval
  /// Why.
  public var reason: DueReason

  /// Whether a push makes it due.
  public var isByPush: Bool {
    if case .pushed = reason { true } else { false }
  }

  /// The longest time a run waits for a server's wish that is about to end.
  public static let longestWait = Interval.seconds(60)
}

/// Why a feed is due or is not.
public enum DueReason: Hashable, Sendable {
  /// Due: it was never fetched.
  case neverFetched
  /// Due: the clock was set back, so that nothing stored counts.
  case clockSetBack
  /// Due: it was named, with or without `--force`, or `--force` was given alone.
  case named
  /// Due: a push asks for it, whatever interval and schedule say.
  case pushed(from: Instant)
  /// Due: the last rule that held it let go at this moment.
  case reached(DueRule, at: Instant)
  /// Due in this run: all that holds it is a wish of the server that ends at this moment.
  case aboutToEnd(DueRule, at: Instant)
  /// Not due: this rule holds it longest.
  case held(DueRule, until: Instant)
  /// Not due: its interval is `never`, or its schedule never fires.
  case onlyWhenNamed
  /// Not due: the transfer that is its fetch is not settled, and goes on by itself.
  case underWay
  /// Not due: the person paused it, until they end that.
  case paused
  /// Not due: other feeds were named.
  case othersNamed
}

/// Decides when the pushes of a feed may be taken that bring a file of their own, or make it due.
///
/// - Parameters:
///   - feed: the feed as configured.
///   - state: what is remembered of it, as `stateUnderConfiguration` returns it.
///   - context: the run; the feed has a demand in it.
/// - Returns: the decision with the rule that it rests on.
public func pushDecision(_ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext) -> DueDecision {
  var moments = dueMoments(feed, state, context)
  // That the feed is gone says nothing of a file that is somewhere else.
  if feed.push.url != nil { moments.forgetGone() }
  return moments.pushDecision(state, context)
}

/// Decides whether a feed is due now.
///
/// A feed is due when its minimum interval, less slack, has passed since the last run that asked it and did
/// not fail, its schedule has fired since, and neither the server's wish nor a rate limit nor backoff
/// reaches beyond now. A feed never fetched is due at once. Outside its hours, and while it is paused, it is
/// not due, whatever the others say. Naming it overrides all but rate limits and 410, `--force` those too; a push
/// overrides interval, schedule, the server's wish and backoff.
/// Times that were missed count once.
///
/// - Parameters:
///   - feed: the feed as configured.
///   - state: what is remembered of it, as `stateUnderConfiguration` returns it.
///   - context: the run.
/// - Returns: the decision with the rule that it rests on.
public func dueDecision(_ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext) -> DueDecision {
  dueMoments(feed, state, context).decision(feed.name, state, context)
}

extension DueMoments {
  /// The decision that follows from the moments.
  func decision(_ name: FeedName, _ state: FeedState, _ context: PlanningContext) -> DueDecision {
    let insistence = context.insistence(on: name)
    let own = decision(insistence, state, context)
    guard isPushed, insistence == .none, !own.isDue, own.reason != .underWay else { return own }
    let pushed = pushDecision(state, context)
    guard !pushed.isDue, let moment = own.dueAt, pushed.dueAt.map({ moment < $0 }) ?? true else {
      return pushed
    }
    return own
  }

  /// When pushes make the feed due.
  func pushDecision(_ state: FeedState, _ context: PlanningContext) -> DueDecision {
    decision(.pushed, state, context)
  }

  private func decision(
    _ insistence: Insistence, _ state: FeedState, _ context: PlanningContext
  ) -> DueDecision {
    let now = context.now
    if insistence == .others { return .notDue(at: nil, .othersNamed) }
    if let pause, pause.until == nil, DueRule.pause.holds(against: insistence) {
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
    // Outside its hours a run waits for nothing, so that no wait leads out of them or into them.
    guard !context.isPunctual, rule.isServers, moment <= now + DueDecision.longestWait,
      isFree(at: now, insistence),
      hours?.contains(now, in: context.zone) ?? true || !DueRule.hours.holds(against: insistence)
    else {
      return .notDue(at: moment, .held(rule, until: moment))
    }
    var decision = DueDecision.due(at: moment, by: now, .aboutToEnd(rule, at: moment))
    decision.waitUntil = moment
    return decision
  }

  /// The rule that holds longest and the moment it lets go; nil if none has anything to say.
  func binding(
    _ state: FeedState, _ context: PlanningContext, _ insistence: Insistence
  ) -> (rule: DueRule, moment: Instant)? {
    var binding: (rule: DueRule, moment: Instant)?
    forEach { rule, moment in
      guard rule.holds(against: insistence), binding.map({ $0.moment <= moment }) ?? true else { return }
      binding = (rule, moment)
    }
    if DueRule.hours.holds(against: insistence), let opening = opening(from: binding?.moment, context) {
      binding = (.hours, opening)
    }
    if DueRule.skipTimes.holds(against: insistence),
      let end = endOfSkip(state.hints, from: binding?.moment, context)
    {
      binding = (.skipTimes, end)
    }
    return binding
  }

  /// When the hours of the user begin; nil if they hold nothing up.
  ///
  /// A feed that became due in hours that are over by now waits for the next ones.
  private func opening(from due: Instant?, _ context: PlanningContext) -> Instant? {
    guard let hours else { return nil }
    let from = due ?? context.now
    var opening = hours.firstMoment(atOrAfter: from, in: context.zone)
    if opening < context.now, !hours.contains(context.now, in: context.zone) {
      opening = hours.firstMoment(atOrAfter: context.now, in: context.zone)
    }
    return opening > from ? opening : nil
  }

  /// When the hours end in which the document asks for quiet, and the user's own hours allow a fetch; nil if they
  /// hold nothing up.
  ///
  /// They hold no longer than the freshness limit, counted from when the feed is due in them.
  func endOfSkip(_ hints: FeedHints, from due: Instant?, _ context: PlanningContext) -> Instant? {
    guard freshnessLimit > .zero, !isClockSetBack else { return nil }
    let from = max(due ?? context.now, context.now)
    let latest = from + freshnessLimit
    var moment = from
    // Each step passes an hour or more; where a week has no hour that suits both, the limit ends it.
    for _ in 0..<(8 * 24) {
      guard let skip = hints.skip(containing: moment) else { break }
      let cap = due.map { min(max($0, skip.lowerBound) + freshnessLimit, latest) } ?? skip.upperBound
      let held = min(skip.upperBound, cap)
      guard held > moment else { break }
      moment = hours?.firstMoment(atOrAfter: held, in: context.zone) ?? held
    }
    return moment > from ? moment : nil
  }

  /// Whether nothing holds the feed at a moment but, perhaps, its server.
  private func isFree(at now: Instant, _ insistence: Insistence) -> Bool {
    var isFree = true
    forEach { rule, moment in
      if !rule.isServers, moment > now, rule.holds(against: insistence) { isFree = false }
    }
    return isFree
  }
}

extension Insistence {
  /// The reason of a feed that is due by it; nil where the rules alone decide.
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
