// The rules that can postpone a feed, what overrides each of them, and their results for one feed, for `bgfetch why`.

/// A rule that can postpone a feed.
public enum DueRule: Hashable, Sendable, CaseIterable {
  /// The least time since the last successful fetch.
  case minimumInterval
  /// The cron expressions of the user.
  case schedule
  /// The times at which the person is likely to look, if the feed adapts to them.
  case habits
  /// The freshness that the last response asked for: `max-age`, `ttl`, `sy:updatePeriod`.
  case freshness
  /// `skipHours` and `skipDays` of the last document.
  case skipTimes
  /// A 429 or 503 for the feed.
  case rateLimit
  /// A 429 for the feed's host.
  case hostLimit
  /// The wait after failures.
  case backoff
  /// The wait after 410.
  case gone
  /// The user's hours, outside of which a feed is never due.
  case hours
  case pause
  /// The limit on fetches that pushes may cause.
  case pushLimit
  /// The wait before the second try of a push whose first try found no data.
  case secondTry

  /// Whether the server set it, so that a run may wait for its end but never undercuts it.
  var isSetByServer: Bool {
    switch self {
    case .freshness, .skipTimes, .rateLimit, .hostLimit: true
    case .minimumInterval, .schedule, .habits, .backoff, .gone, .hours, .pause, .pushLimit, .secondTry: false
    }
  }

  /// Whether the rule still applies if the person, or a push, insists on the feed.
  ///
  /// Naming a feed overrides all but rate limits and 410; naming it with `--force` overrides those too. `--force` without
  /// names means all feeds except paused ones. A push overrides what naming does, but neither pause nor hours, and only a
  /// push is subject to the push limit.
  func applies(despite insistence: Insistence) -> Bool {
    switch (self, insistence) {
    case (.pushLimit, .pushed), (.secondTry, .pushed): true
    case (.pushLimit, _), (.secondTry, _): false
    case (_, .none), (_, .others): true
    case (.rateLimit, .named), (.hostLimit, .named), (.gone, .named): true
    case (.rateLimit, .allForced), (.hostLimit, .allForced), (.gone, .allForced), (.pause, .allForced): true
    case (.rateLimit, .pushed), (.hostLimit, .pushed), (.gone, .pushed): true
    case (.hours, .pushed), (.pause, .pushed): true
    case (_, .pushed), (_, .named), (_, .allForced), (_, .forced): false
    }
  }
}

/// The result of one rule for one feed.
public struct RuleFinding: Hashable, Sendable {
  /// A rule and its values.
  public enum Basis: Hashable, Sendable {
    /// A minimum interval, its source, and how much earlier a run may come.
    case minimumInterval(MinimumInterval, IntervalSource, slack: Interval)
    /// The expression that matches next, and the number of expressions.
    case schedule(CronExpression, of: Int)
    /// The server's freshness, and today's freshness limit if that is shorter.
    case freshness(ServerFreshness, cutTo: Interval?)
    /// The hours and days, in UTC, that the document asks to skip.
    case skipTimes(hours: Set<Int>, days: Set<Int>)
    /// A limit on the feed.
    case rateLimit(RateLimit)
    /// The limited host, and the feed whose response set the limit.
    case hostLimit(host: String, by: FeedName?)
    /// Failures in a row, those in a row of the last one's kind, the wait, and the jitter added to it.
    case backoff(failures: Int, ofKind: Int, wait: Interval, jitter: Interval)
    /// The first 410, whether a second one confirmed it, the wait, and the jitter added to it.
    case gone(since: Instant?, isConfirmed: Bool, wait: Interval, jitter: Interval)
    /// Hours of the week.
    case hours(WeeklyHours)
    case pause(Pause)
    /// The number of waiting pushes, and the limit.
    case pushLimit(waiting: Int, PushLimit)
    /// The number of pushes that wait for their second try.
    case secondTry(waiting: Int)
    /// The predicted times, and the moment at which the feed would be due without them.
    case habits(HabitForecast, without: Instant?)
  }

  public var basis: Basis
  /// The earliest moment it allows; nil if it allows any.
  public var allowsFrom: Instant?
  /// Whether this rule decides when the feed is due.
  public var binds = false
  /// Whether the person's insistence overrides it.
  public var isOverridden = false

  public var rule: DueRule {
    switch basis {
    case .minimumInterval: .minimumInterval
    case .schedule: .schedule
    case .freshness: .freshness
    case .skipTimes: .skipTimes
    case .rateLimit: .rateLimit
    case .hostLimit: .hostLimit
    case .backoff: .backoff
    case .gone: .gone
    case .hours: .hours
    case .pause: .pause
    case .pushLimit: .pushLimit
    case .secondTry: .secondTry
    case .habits: .habits
    }
  }
}

/// The findings of all rules that apply to a feed, computed from the same moments as `dueDecision`.
public func ruleFindings(
  _ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext
) -> [RuleFinding] {
  let moments = dueMoments(feed, state, context)
  var findings = moments.findings(feed, state, context)
  if !state.hints.skipHours.isEmpty || !state.hints.skipDays.isEmpty, moments.freshnessLimit > .zero {
    findings.append(
      RuleFinding(basis: .skipTimes(hours: state.hints.skipHours, days: state.hints.skipDays)))
  }
  if !feed.hours.isAlways {
    let opening = feed.hours.firstMoment(atOrAfter: context.now, in: context.zone)
    findings.append(
      RuleFinding(basis: .hours(feed.hours), allowsFrom: opening > context.now ? opening : nil))
  }
  if let pause = moments.pause {
    findings.append(RuleFinding(basis: .pause(pause), allowsFrom: pause.until))
  }
  if let moment = moments.pushLimit, let demand = context.pushes[feed.name] {
    findings.append(
      RuleFinding(
        basis: moments.isSecondTry
          ? .secondTry(waiting: demand.pushes.count { $0.tries > 0 })
          : .pushLimit(waiting: demand.pushes.count, feed.push.limit),
        allowsFrom: moment > context.now ? moment : nil))
  }
  let decision = moments.decision(feed.name, state, context)
  let insistence = decision.isAboutPushes ? Insistence.pushed : context.insistence(on: feed.name)
  let binding = moments.binding(state, context, insistence)
  for index in findings.indices {
    let rule = findings[index].rule
    findings[index].isOverridden = !rule.applies(despite: insistence)
    // A freshness limit of 0 ignores the server's freshness.
    if rule == .freshness, findings[index].allowsFrom == nil { findings[index].isOverridden = true }
    guard rule == (decision.reason == .paused ? .pause : binding?.rule) else { continue }
    findings[index].binds = true
    if rule == .skipTimes || rule == .hours { findings[index].allowsFrom = binding?.moment }
  }
  return findings
}

extension DueDecision {
  fileprivate var isAboutPushes: Bool {
    switch reason {
    case .postponed(.pushLimit, until: _), .postponed(.secondTry, until: _): true
    default: isByPush
    }
  }
}

extension DueMoments {
  fileprivate func findings(
    _ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext
  ) -> [RuleFinding] {
    let rule = intervalRule(feed, state)
    var findings = [
      RuleFinding(
        basis: .minimumInterval(rule.minimum, rule.source, slack: rule.slack), allowsFrom: interval)
    ]
    let from = schedule ?? context.now
    if let next = nextMatch(of: feed, atOrAfter: from, in: context.zone) {
      findings.append(
        RuleFinding(basis: .schedule(next.expression, of: feed.schedule.count), allowsFrom: schedule))
    }
    if feed.adaptsToHabits {
      let forecast = habitForecast(context.habit(of: feed.name), at: context.now)
      var plain = feed
      plain.adaptsToHabits = false
      findings.append(
        RuleFinding(
          basis: .habits(forecast, without: nextDue(plain, state, context)), allowsFrom: habits))
    }
    if let stored = state.freshness, !isClockSetBack {
      var finding = RuleFinding(
        basis: .freshness(stored, cutTo: freshness == stored.notBefore ? nil : freshnessLimit))
      finding.allowsFrom = freshness
      findings.append(finding)
    }
    if let rateLimit, let stored = state.rateLimit {
      findings.append(RuleFinding(basis: .rateLimit(stored), allowsFrom: rateLimit))
    }
    if let hostLimit, let host = feed.addressToAsk(state)?.host {
      let by = context.limitedHosts[host]?.limitedBy
      findings.append(RuleFinding(basis: .hostLimit(host: host, by: by), allowsFrom: hostLimit))
    }
    if let wait = backoffWait(state, rule, feed.name, context.machine) {
      if let gone {
        let basis = RuleFinding.Basis.gone(
          since: state.goneSince, isConfirmed: state.isGone, wait: wait.length, jitter: wait.jitter)
        findings.append(RuleFinding(basis: basis, allowsFrom: gone))
      } else if let backoff {
        let basis = RuleFinding.Basis.backoff(
          failures: state.failures, ofKind: state.backoffFailures, wait: wait.length, jitter: wait.jitter)
        findings.append(RuleFinding(basis: basis, allowsFrom: backoff))
      }
    }
    return findings
  }
}
