// Every rule that has something to say about a feed, for `bgfetch why`.

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
