// The words of `bgfetch why`: every rule with its value and source, and the conclusion. WhyCommand does the layout.

/// Why a feed is or is not due.
public struct WhyReport: Sendable {
  public struct Row: Equatable, Sendable {
    let kind: DueRule
    public var value: String
    /// The source of the value.
    public var source: String
    /// The earliest moment it allows; nil if it allows any.
    public var allowsFrom: Instant?
    public var binds = false
    /// Whether the rule does not count this time.
    public var isOverridden = false

    public var rule: String { kind.name }
  }

  public var feed: FeedName
  /// The start of the last round that requested the feed.
  public var lastAsked: Instant?
  /// Further facts: a permanent redirect, repeated crashes, waiting pushes.
  public var notes: [String]
  /// The rules that apply.
  public var rows: [Row]
  public var decision: DueDecision
  /// The conclusion, for example `not before 2026-11-21T09:30:00+01:00: hours`.
  public var conclusion: String
}

extension [WhyReport.Row] {
  fileprivate mutating func add(
    _ rule: DueRule, _ value: String, _ source: String = "configuration", from moment: Instant? = nil
  ) {
    append(WhyReport.Row(kind: rule, value: value, source: source, allowsFrom: moment))
  }
}

/// Explains the decision about a feed.
public func whyReport(_ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext) -> WhyReport {
  let decision = dueDecision(feed, state, context)
  return WhyReport(
    feed: feed.name, lastAsked: state.lastAsked,
    notes: notes(on: state, context.zone) + fileNotes(feed, state, context),
    rows: rows(feed, state, context), decision: decision, conclusion: conclusion(decision, in: context.zone))
}

/// Notes on waiting pushes that announce files of their own.
private func fileNotes(_ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext) -> [String] {
  guard feed.push.url != nil, let count = context.pushes[feed.name]?.pushes.count, count > 0 else {
    return []
  }
  let decision = pushDecision(feed, state, context)
  let what = count == 1 ? "1 waiting push announces a file" : "\(count) waiting pushes announce files"
  guard !decision.isDue else { return [what + "; to be downloaded by the next run"] }
  return ["\(what); \(conclusion(decision, in: context.zone))"]
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
      "in flight when \(state.crashes) runs in a row crashed or ended: fetched last, after all else")
  }
  return notes
}

/// The rows of all rules that apply to a feed, computed from the same moments as `dueDecision`.
private func rows(_ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext) -> [WhyReport.Row] {
  let moments = dueMoments(feed, state, context)
  var rows = moments.rows(feed, state, context)
  let hints = state.hints
  if !hints.skipHours.isEmpty || !hints.skipDays.isEmpty {
    rows.add(.skipTimes, words(ofHours: hints.skipHours, days: hints.skipDays), "the document, in UTC")
  }
  if !feed.hours.isAlways {
    let opening = feed.hours.firstMoment(atOrAfter: context.now, in: context.zone)
    rows.add(.hours, feed.hours.text, from: opening > context.now ? opening : nil)
  }
  if let pause = moments.pause {
    let end = pause.until.map { "until \($0.local(in: context.zone))" } ?? "until bgfetch resume"
    rows.add(.pause, end, "bgfetch pause", from: pause.until)
  }
  if let conditions = moments.conditions {
    rows.add(.conditions, conditions.text(in: context.surroundings(conditions)))
  }
  if let moment = moments.pushLimit, let demand = context.pushes[feed.name] {
    func waiting(_ count: Int) -> String { counted(count, "push waits", plural: "pushes wait") }
    let limit = feed.push.limit
    let from = moment > context.now ? moment : nil
    if moments.isSecondTry {
      let tried = demand.pushes.count { $0.tries > 0 }
      rows.add(.secondTry, waiting(tried), "the first try found no data", from: from)
    } else {
      let value = "\(limit.count) in \(limit.interval.text), \(waiting(demand.pushes.count))"
      rows.add(.pushLimit, value, "push.limit", from: from)
    }
  }
  let decision = moments.decision(feed.name, state, context)
  let insistence = decision.isAboutPushes ? Insistence.pushed : context.insistence(on: feed.name)
  let binding = moments.binding(state, context, insistence)
  let other: DueRule? = decision.waitReason != nil ? .conditions : decision.reason == .paused ? .pause : nil
  for index in rows.indices {
    let rule = rows[index].kind
    rows[index].isOverridden = !rule.applies(despite: insistence)
    // A freshness limit of 0 ignores the server's freshness.
    if rule == .freshness, rows[index].allowsFrom == nil { rows[index].isOverridden = true }
    guard rule == other ?? binding?.rule else { continue }
    rows[index].binds = true
    if rule == .conditions { rows[index].allowsFrom = decision.dueAt }
    if rule == .skipTimes || rule == .hours { rows[index].allowsFrom = binding?.moment }
  }
  return rows
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
  fileprivate func rows(
    _ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext
  ) -> [WhyReport.Row] {
    let zone = context.zone
    let rule = intervalRule(feed, state)
    var rows: [WhyReport.Row] = []
    rows.add(.minimumInterval, rule.text, rule.source, from: interval)
    if let next = nextMatch(of: feed, atOrAfter: schedule ?? context.now, in: zone) {
      let count = feed.schedule.count
      let source = "configuration" + (count > 1 ? ", the next of \(count)" : "")
      rows.add(.schedule, "\"\(next.expression.text)\"", source, from: schedule)
    }
    if feed.adapt != .none {
      let habit = context.habit(of: feed.name)
      let rhythm = context.rhythm(of: feed.name, every: rule.length ?? .hours(1))
      var plain = feed
      plain.adapt = .none
      let without = dueDecision(plain, state, context).dueAt?.local(in: zone) ?? "only when named"
      let words = [
        feed.adapt.toPublisher ? rhythm?.text(in: zone, at: context.now) ?? "no rhythm yet" : nil,
        feed.adapt.toHabits ? habit.text(at: context.now) : nil,
      ]
      let sources = [
        feed.adapt.toPublisher ? "the items' times" : nil, feed.adapt.toHabits ? "openings" : nil,
      ].compactMap(\.self).joined(separator: " and ")
      rows.add(
        feed.adapt.toPublisher ? .rhythm : .habits, words.compactMap(\.self).joined(separator: "; "),
        rhythm != nil || habit.predicts(at: context.now) ? sources + "; without them " + without : sources,
        from: self.rhythm ?? habits)
    }
    if let stored = state.freshness, !isClockSetBack {
      let value = "not before \(stored.notBefore.local(in: zone))"
      rows.add(.freshness, value, stored.source, from: freshness)
    }
    if let rateLimit, let stored = state.rateLimit {
      let value = "until \(stored.until.local(in: zone))"
      rows.add(.rateLimit, value, "the server answered \(stored.status)", from: rateLimit)
    }
    if let hostLimit, let host = feed.addressToAsk(state)?.host {
      let by = context.limitedHosts[host]?.limitedBy.map { " to \($0)" } ?? ""
      rows.add(.hostLimit, "all feeds of \(host)", "the server answered 429" + by, from: hostLimit)
    }
    guard let wait = backoffWait(state, rule, feed.name, context.machine) else { return rows }
    let time = wait.length.text + (wait.jitter > .zero ? " and \(wait.jitter.text) jitter" : "")
    if let gone {
      let source = "the server answered 410" + (state.isGone ? " again a day later" : "")
      rows.add(
        .gone, (state.isGone ? "requested once in " : "requested again after ") + time, source, from: gone)
    } else if let backoff {
      let failures = words(ofFailures: state.failures, ofKind: state.backoffFailures)
      rows.add(.backoff, "\(time) after \(failures)", state.lastReason ?? "", from: backoff)
    }
    return rows
  }
}

private func words(ofFailures failures: Int, ofKind: Int) -> String {
  let all = counted(failures, "failure", plural: "failures in a row")
  // Only failures of the same kind lengthen the wait; rate limits have a rule of their own.
  return ofKind == failures || ofKind == 0 ? all : "\(ofKind) of this kind, \(all)"
}

extension IntervalRule {
  fileprivate var text: String {
    switch minimum {
    case .every where isSchedule: "none"
    case .every(let interval): interval.text + (slack > .zero ? ", less \(slack.text) slack" : "")
    case .everyRun: "every-run"
    case .never: "never"
    }
  }
}

private func words(ofHours hours: Set<Int>, days: Set<Int>) -> String {
  let names = CivilTime.weekdayNames
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
  case .postponed(let rule, let moment): "not before \(moment.local(in: zone)): \(rule.name)"
  case .waits(let reason, until: let moment): waitText(reason, until: moment, in: zone)
  case .underWay: "its download is running; see bgfetch transfers"
  case .onlyWhenNamed: "never due by itself; name it to fetch it"
  case .paused: "paused; name it to fetch it anyway"
  case .othersNamed: "not due: other feeds were named"
  }
}
