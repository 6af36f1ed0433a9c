// The words of `bgfetch why`: every rule with its value and source, and the conclusion. WhyCommand does the layout.

/// Why a feed is or is not due.
public struct WhyReport: Hashable, Sendable {
  public struct Row: Hashable, Sendable {
    public var rule: String
    public var value: String
    /// The source of the value.
    public var source: String
    /// The earliest moment it allows; nil if it allows any.
    public var allowsFrom: Instant?
    public var binds: Bool
    /// Whether the rule does not count this time.
    public var isOverridden: Bool
  }

  public var feed: FeedName
  /// The start of the last run that requested the feed.
  public var lastAsked: Instant?
  /// Further facts: a permanent redirect, repeated crashes, waiting pushes.
  public var notes: [String]
  /// The rules that apply.
  public var rows: [Row]
  public var decision: DueDecision
  /// The conclusion, for example `not before 2026-11-21T09:30:00+01:00: hours`.
  public var conclusion: String
}

/// Explains the decision about a feed.
public func whyReport(_ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext) -> WhyReport {
  let decision = dueDecision(feed, state, context)
  return WhyReport(
    feed: feed.name, lastAsked: state.lastAsked,
    notes: notes(on: state, context.zone) + fileNotes(feed, state, context),
    rows: ruleFindings(feed, state, context).map {
      WhyReport.Row($0, lastReason: state.lastReason, context.zone)
    },
    decision: decision, conclusion: conclusion(decision, in: context.zone))
}

/// Notes on waiting pushes that announce files of their own.
private func fileNotes(_ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext) -> [String] {
  guard feed.push.url != nil, let count = context.pushes[feed.name]?.pushes.count, count > 0 else {
    return []
  }
  let decision = pushDecision(feed, state, context)
  let what = count == 1 ? "1 waiting push announces a file" : "\(count) waiting pushes announce files"
  guard !decision.isDue else { return [what + "; to be downloaded by the next run"] }
  guard case .postponed(let rule, let moment) = decision.reason else { return [what] }
  if rule == .secondTry { return [what + "; second try at \(moment.local(in: context.zone))"] }
  return [what + "; not before \(moment.local(in: context.zone)): \(rule.name)"]
}

private func notes(on state: FeedState, _ zone: Zone) -> [String] {
  var notes = state.moves.map { move in
    let address = cleanText(URIReference(move.address).masked.text, limit: 2048)
    guard move.isLearned else {
      return "permanently moved to \(address), seen \(move.sightings) of 3 times since "
        + "\(move.firstSeen.local(in: zone)); learned after a day"
    }
    return "moved to \(address); write it into the configuration"
      + (move.isSuspect ? "; it failed, so the configured address is tried next" : "")
  }
  if state.crashes >= 2 {
    notes.append(
      "in flight when \(state.crashes) runs in a row crashed: fetched last, when all else is delivered")
  }
  return notes
}

extension WhyReport.Row {
  fileprivate init(_ finding: RuleFinding, lastReason: String?, _ zone: Zone) {
    let (value, source) = words(of: finding.basis, lastReason: lastReason, zone)
    self.init(
      rule: finding.rule.name, value: value, source: source, allowsFrom: finding.allowsFrom,
      binds: finding.binds, isOverridden: finding.isOverridden)
  }
}

extension DueRule {
  public var name: String {
    switch self {
    case .minimumInterval: "minimum interval"
    case .schedule: "schedule"
    case .habits: "habits"
    case .freshness: "freshness"
    case .skipTimes: "skip times"
    case .rateLimit: "rate limit"
    case .hostLimit: "host limit"
    case .backoff: "backoff"
    case .gone: "gone"
    case .hours: "hours"
    case .pause: "pause"
    case .pushLimit: "push limit"
    case .secondTry: "second try"
    }
  }
}

private func words(
  of basis: RuleFinding.Basis, lastReason: String?, _ zone: Zone
) -> (value: String, source: String) {
  switch basis {
  case .minimumInterval(let minimum, let source, let slack):
    (words(of: minimum, source, slack), words(of: source))
  case .schedule(let next, let count):
    ("\"\(next.text)\"", count > 1 ? "configuration, the next of \(count)" : "configuration")
  case .freshness(let freshness, let limit):
    (
      "not before \(freshness.notBefore.local(in: zone))",
      freshness.source + (limit.map { "; network.freshness-limit is \($0.text)" } ?? "")
    )
  case .skipTimes(let hours, let days): (words(ofHours: hours, days: days), "the document, in UTC")
  case .rateLimit(let limit):
    ("until \(limit.until.local(in: zone))", "the server answered \(limit.status)")
  case .hostLimit(let host, let feed):
    ("all feeds of \(host)", feed.map { "the server answered 429 to \($0)" } ?? "the server answered 429")
  case .backoff(let failures, let ofKind, let wait, let jitter):
    (words(of: wait, jitter) + " after " + words(ofFailures: failures, ofKind: ofKind), lastReason ?? "")
  case .gone(_, let isConfirmed, let wait, let jitter):
    (
      (isConfirmed ? "requested once in " : "requested again after ") + words(of: wait, jitter),
      isConfirmed ? "the server answered 410 again a day later" : "the server answered 410"
    )
  case .hours(let hours): (hours.text, "configuration")
  case .pause(let pause):
    (pause.until.map { "until \($0.local(in: zone))" } ?? "until bgfetch unpause", "bgfetch pause")
  case .pushLimit(let waiting, let limit):
    (
      "\(limit.count) in \(limit.interval.text), \(counted(waiting, "push waits", plural: "pushes wait"))",
      "push.limit"
    )
  case .secondTry(let waiting):
    (counted(waiting, "push waits", plural: "pushes wait"), "the first try found no data")
  case .habits(let forecast, let without):
    (
      forecast.text,
      !forecast.predicts
        ? "openings" : "openings; without them " + (without?.local(in: zone) ?? "only when named")
    )
  }
}

private func words(of wait: Interval, _ jitter: Interval) -> String {
  wait.text + (jitter > .zero ? " and \(jitter.text) jitter" : "")
}

private func words(ofFailures failures: Int, ofKind: Int) -> String {
  let all = counted(failures, "failure", plural: "failures in a row")
  // Only failures of the same kind lengthen the wait; rate limits have a rule of their own.
  return ofKind == failures || ofKind == 0 ? all : "\(ofKind) of this kind, \(all)"
}

private func words(of minimum: MinimumInterval, _ source: IntervalSource, _ slack: Interval) -> String {
  switch minimum {
  case .every where source == .schedule: "none"
  case .every(let interval): interval.text + (slack > .zero ? ", less \(slack.text) slack" : "")
  case .everyRun: "every-run"
  case .never: "never"
  }
}

private func words(of source: IntervalSource) -> String {
  switch source {
  case .configured: "configuration"
  case .schedule: "the schedule alone decides"
  case .noValidators: "default, as the server gives no validators"
  case .standard: "default"
  }
}

private func words(ofHours hours: Set<Int>, days: Set<Int>) -> String {
  let names = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
  var parts: [String] = []
  if !hours.isEmpty { parts.append("hours " + hours.sorted().map(String.init).joined(separator: ", ")) }
  if !days.isEmpty {
    parts.append(
      "days " + days.sorted().filter(names.indices.contains).map { names[$0] }.joined(separator: ", "))
  }
  return parts.joined(separator: "; ")
}

/// The conclusion of a decision in words, with moments in the time of a zone.
public func conclusion(_ decision: DueDecision, in zone: Zone) -> String {
  switch decision.reason {
  case .neverFetched: "due now: never fetched"
  case .clockSetBack: "due now: the clock was set back since the last fetch"
  case .named: "due now: named on the command line"
  case .pushed: "due now: requested by a push"
  case .reached(let rule, let moment): "due since \(moment.local(in: zone)): \(rule.name)"
  case .aboutToEnd(let rule, let moment):
    "due at \(moment.local(in: zone)), during this run: \(rule.name)"
  case .postponed(.secondTry, let moment):
    "not before \(moment.local(in: zone)): the push is tried a second time then, because the first try found nothing new"
  case .postponed(let rule, let moment): "not before \(moment.local(in: zone)): \(rule.name)"
  case .underWay: "its download is running; see bgfetch transfers"
  case .onlyWhenNamed: "never due by itself; name it to fetch it"
  case .paused: "paused; name it to fetch it anyway"
  case .othersNamed: "not due: other feeds were named"
  }
}
