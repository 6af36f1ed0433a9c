// The rules that can delay a feed, what each gives way to, and what each of them says about a feed, for `bgfetch why`.

/// A rule about when a feed may be asked.
public enum DueRule: Hashable, Sendable, CaseIterable {
  /// The least time since the last fetch that did not fail.
  case minimumInterval
  /// The cron expressions of the user.
  case schedule
  /// When the person is likely to look, where the feed adapts to that.
  case habits
  /// What the last answer asked for: freshness, `ttl`, `sy:updatePeriod`.
  case serverWish
  /// `skipHours` and `skipDays` of the last document.
  case skipTimes
  /// A 429 or 503 on the feed.
  case rateLimit
  /// A 429 on the feed's host.
  case hostLimit
  /// The wait after failures.
  case backoff
  /// The wait after 410.
  case gone
  /// The hours of the user, outside of which a feed is never due.
  case hours
  /// What the person paused.
  case pause
  /// How many fetches pushes may cause.
  case pushLimit
  /// How long a push whose data was late waits.
  case secondTry

  /// Whether the server set it, so that a run may wait for its end but never undercuts it.
  var isServers: Bool {
    switch self {
    case .serverWish, .skipTimes, .rateLimit, .hostLimit: true
    case .minimumInterval, .schedule, .habits, .backoff, .gone, .hours, .pause, .pushLimit, .secondTry: false
    }
  }

  /// Whether the rule counts however much the person insists.
  ///
  /// Naming a feed overrides all but rate limits and 410, naming it with `--force` those too. `--force` without names
  /// names all feeds but those that the person has paused: a pause is about each of them by name. A push overrides what
  /// naming does, but neither pause nor hours, and is the only one that its own limit is about.
  func holds(against insistence: Insistence) -> Bool {
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

/// What one rule says of one feed.
public struct RuleFinding: Hashable, Sendable {
  /// The rule and what it rests on.
  public enum Basis: Hashable, Sendable {
    /// A minimum interval, where it comes from, and how much earlier a run may come.
    case minimumInterval(MinimumInterval, IntervalSource, slack: Interval)
    /// The expression that fires next, and how many there are.
    case schedule(CronExpression, of: Int)
    /// A wish of the server, and today's freshness limit where that cuts it.
    case serverWish(ServerWish, cutTo: Interval?)
    /// Hours and days, in UTC, on which the document asks for quiet.
    case skipTimes(hours: Set<Int>, days: Set<Int>)
    /// A limit on the feed.
    case rateLimit(RateLimit)
    /// A limit on the host, and the feed whose answer set it.
    case hostLimit(host: String, by: FeedName?)
    /// Failures in a row, how many of them in a row are of the last one's kind, the wait after that, and what jitter
    /// adds to it.
    case backoff(failures: Int, ofKind: Int, wait: Interval, jitter: Interval)
    /// When the server first said so, whether it was confirmed, the wait, and what jitter adds to it.
    case gone(since: Instant?, isConfirmed: Bool, wait: Interval, jitter: Interval)
    /// Hours of the week.
    case hours(WeeklyHours)
    /// What the person paused.
    case pause(Pause)
    /// How many pushes wait, and how many fetches pushes may cause.
    case pushLimit(waiting: Int, PushLimit)
    /// How many pushes wait whose data was late.
    case secondTry(waiting: Int)
    /// What is predicted of when the person looks, and when the feed would be due without that.
    case habits(HabitForecast, without: Instant?)
  }

  /// What the rule rests on.
  public var basis: Basis
  /// The earliest moment it allows; nil if it allows any.
  public var allowsFrom: Instant?
  /// Whether it is the one that decides when the feed is due.
  public var binds = false
  /// Whether the person's insistence overrides it.
  public var isOverridden = false

  /// The rule.
  public var rule: DueRule {
    switch basis {
    case .minimumInterval: .minimumInterval
    case .schedule: .schedule
    case .serverWish: .serverWish
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

/// What every rule says of a feed, the binding one marked; rules that have nothing to say are left out.
///
/// The moments are the ones that `dueDecision` decides by.
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
    findings[index].isOverridden = !rule.holds(against: insistence)
    // A freshness limit of nothing sets a wish aside for good.
    if rule == .serverWish, findings[index].allowsFrom == nil { findings[index].isOverridden = true }
    guard rule == (decision.reason == .paused ? .pause : binding?.rule) else { continue }
    findings[index].binds = true
    if rule == .skipTimes || rule == .hours { findings[index].allowsFrom = binding?.moment }
  }
  return findings
}

extension DueDecision {
  /// Whether it says from when on a push makes the feed due.
  fileprivate var isAboutPushes: Bool {
    switch reason {
    case .held(.pushLimit, until: _), .held(.secondTry, until: _): true
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
    if let stored = state.wish, !isClockSetBack {
      var finding = RuleFinding(
        basis: .serverWish(stored, cutTo: wish == stored.notBefore ? nil : freshnessLimit))
      finding.allowsFrom = wish
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
