// The earliest moment that each rule allows for a feed. Which of these moments decides is up to DueDecision.

/// The earliest moment that each rule allows; nil where a rule does not apply.
struct DueMoments {
  private(set) var interval: Instant?
  private(set) var schedule: Instant?
  private(set) var freshness: Instant?
  private(set) var rateLimit: Instant?
  private(set) var hostLimit: Instant?
  private(set) var backoff: Instant?
  var gone: Instant?
  /// The moment from which on a push may cause a fetch; nil if no push waits.
  private(set) var pushLimit: Instant?
  /// Whether `pushLimit` is the second try of a push whose first try found no data.
  private(set) var isSecondTry = false
  private(set) var habits: Instant?
  /// The moment that the publisher's rhythm wants, together with habits if the feed adapts to both.
  private(set) var rhythm: Instant?
  /// Whether a push makes the feed itself due; a push with a file of its own does not.
  private(set) var isPushed = false
  /// The pause, if it has not ended.
  private(set) var pause: Pause?
  /// The hours outside of which the feed is never due; nil means always.
  private(set) var hours: WeeklyHours?
  /// The conditions that the feed waits for; nil for none.
  private(set) var conditions: Conditions?
  /// Whether only naming makes the feed due.
  private(set) var isNeverDue = false
  /// Whether stored times lie in the future, because the clock was set back since.
  private(set) var isClockSetBack = false

  /// Applies every rule to a feed.
  ///
  /// After the clock was set back, stored times of interval, schedule, freshness and backoff do not count; a failure after
  /// that counts again. Rate limits still count, up to their own cap, and so do the user's pause and hours.
  fileprivate mutating func weigh(_ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext) {
    if !feed.hours.isAlways { hours = feed.hours }
    conditions = feed.conditions
    if let stored = state.pause, stored.isActive(at: context.now) { pause = stored }
    let rule = intervalRule(feed, state)
    isNeverDue = rule.minimum == .never
    let latestPast = context.latestPast
    let isAskedAhead = (state.lastAsked ?? latestPast) > latestPast
    isClockSetBack = isAskedAhead || (state.lastCounted ?? latestPast) > latestPast

    if !isClockSetBack {
      if let counted = state.lastCounted { count(from: counted, rule, feed, context) }
      freshness = state.freshness?.notBefore
    }
    if feed.adapt != .none { adapt(rule, feed, state, context) }
    if !isAskedAhead { countFailures(feed, state, rule, context) }
    if let until = state.rateLimit?.until, isPlausible(rateLimitEnd: until, at: context.now) {
      rateLimit = until
    }
    if !context.pushes.isEmpty, let demand = context.pushes[feed.name] {
      pushLimit = demand.allowedFrom(feed.push.limit, at: context.now)
      isSecondTry = demand.isSecondTry(feed.push.limit, at: context.now)
      isPushed = feed.push.url == nil
    }
    if !context.limitedHosts.isEmpty, let host = feed.addressToAsk(state)?.host {
      hostLimit = context.limitedHosts[host]?.limitedUntil
    }
  }

  private mutating func count(
    from counted: Instant, _ rule: IntervalRule, _ feed: FeedSpec, _ context: PlanningContext
  ) {
    let floor = counted + (context.isPunctual ? rule.exactLength(of: feed) : rule.leastLength)
    interval = floor
    guard !feed.schedule.isEmpty else { return }
    // A run that started in the matching minute has used that minute up.
    schedule = nextMatch(of: feed, atOrAfter: max(floor, counted + .seconds(1)), in: context.zone)?.moment
    if schedule == nil { isNeverDue = true }
  }

  /// Applies habits and the publisher's rhythm; without a time between two fetches there is nothing to place or stretch.
  private mutating func adapt(
    _ rule: IntervalRule, _ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext
  ) {
    let counted = state.lastCounted ?? context.now
    let allowed = max(interval ?? counted, freshness ?? counted)
    let length = max(rule.length ?? .zero, allowed.since(counted))
    guard interval != nil, !isNeverDue, rule.minimum != .everyRun || !feed.schedule.isEmpty else { return }
    let moment = adaptedMoment(
      feed, last: counted, allowed: allowed, interval: length, planned: state.planned, context)
    if feed.adapt.toPublisher { rhythm = moment } else { habits = moment }
  }

  private mutating func countFailures(
    _ feed: FeedSpec, _ state: FeedState, _ rule: IntervalRule, _ context: PlanningContext
  ) {
    guard let asked = state.lastAsked, let wait = backoffWait(state, rule, feed.name, context.machine) else {
      return
    }
    if state.backoffClass == .gone { gone = asked + wait.total } else { backoff = asked + wait.total }
  }

  /// Calls `body` for every rule with a moment; of equal moments, the later rule is the one that decides.
  func forEach(_ body: (DueRule, Instant) -> Void) {
    if let rhythm { body(.rhythm, rhythm) }
    if let habits { body(.habits, habits) }
    if let interval { body(.minimumInterval, interval) }
    if let schedule { body(.schedule, schedule) }
    if let backoff { body(.backoff, backoff) }
    if let freshness { body(.freshness, freshness) }
    if let rateLimit { body(.rateLimit, rateLimit) }
    if let hostLimit { body(.hostLimit, hostLimit) }
    if let gone { body(.gone, gone) }
    if let until = pause?.until { body(.pause, until) }
    if let pushLimit { body(isSecondTry ? .secondTry : .pushLimit, pushLimit) }
  }
}

/// The earliest moment that each rule allows for a feed.
///
/// A function and not an initializer, which would copy feed and state.
func dueMoments(_ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext) -> DueMoments {
  var moments = DueMoments()
  moments.weigh(feed, state, context)
  return moments
}

/// The first match of any of the feed's cron expressions, inside its hours, at or after a moment; nil if there is none.
func nextMatch(
  of feed: FeedSpec, atOrAfter moment: Instant, in zone: Zone
) -> (moment: Instant, expression: CronExpression)? {
  var first: (moment: Instant, expression: CronExpression)?
  for expression in feed.schedule {
    guard let next = expression.next(atOrAfter: moment, inside: feed.hours, in: zone) else { continue }
    if first.map({ next < $0.moment }) ?? true { first = (next, expression) }
  }
  return first
}

/// The minimum interval that applies to a feed.
struct IntervalRule {
  let minimum: MinimumInterval
  /// Why it applies, in words.
  let source: String
  /// Whether there is none, because a schedule alone decides.
  var isSchedule = false

  /// The length that backoff begins with; nil if there is no interval.
  var length: Interval? {
    switch minimum {
    case .never: nil
    case .every(let interval): isSchedule ? nil : interval
    case .everyRun: .zero
    }
  }

  /// How much earlier than the end of its interval a feed is due.
  ///
  /// Timers come a few seconds early or late; without slack, an hourly timer and an hourly interval give a fetch every two
  /// hours. It is 5 % of the interval, at most 2 min; for intervals of 5 min and more it is at least 1 min.
  var slack: Interval {
    let length = length ?? .zero
    let share = length.seconds / 20
    return .seconds(length < .minutes(5) ? share : min(max(share, 60), 120))
  }

  /// The least time between two fetches if runs come from a timer.
  var leastLength: Interval { (length ?? .zero) - slack }

  /// The least time between two fetches if a run comes at the very second at which something is due, as in the daemon.
  ///
  /// `every-run` then means the usual interval of timers.
  func exactLength(of feed: FeedSpec) -> Interval {
    let length = length ?? .zero
    return length == .zero && feed.schedule.isEmpty ? .minutes(5) : length
  }
}

/// The user's interval, or the default that fits the server.
///
/// A schedule without an interval has none: `*/10 7-22 * * *` means a fetch every ten minutes, and an hourly default would
/// silently prevent that.
func intervalRule(_ feed: FeedSpec, _ state: FeedState) -> IntervalRule {
  if let configured = feed.minimumInterval {
    return IntervalRule(minimum: configured, source: "configuration")
  }
  if !feed.schedule.isEmpty {
    return IntervalRule(minimum: .every(.zero), source: "the schedule alone decides", isSchedule: true)
  }
  // A document of this machine has no server that a default must spare.
  if state.hasBaseline, state.validators.isEmpty, !feed.isLocal {
    // Each fetch costs a whole document.
    return IntervalRule(
      minimum: .every(.hours(24)), source: "default, as the server gives no validators")
  }
  return IntervalRule(minimum: .every(.hours(1)), source: "default")
}

/// `skipHours` and `skipDays` of RSS 2.0: when a document asks not to be fetched.
extension FeedHints {
  /// The contiguous hours and days to skip around a moment; nil if it is in none.
  ///
  /// They are in UTC (the RSS 2.0 specification says GMT). A document that skips every hour or every day is ignored.
  func skip(containing moment: Instant) -> Range<Instant>? {
    guard !skipHours.isEmpty || !skipDays.isEmpty, skipHours.count < 24, skipDays.count < 7 else {
      return nil
    }
    let civil = CivilTime(secondsSince1970: moment.secondsSince1970)
    var begin = moment - .seconds(Int64(civil.minute * 60 + civil.second))
    guard isSkipped(begin) else { return nil }
    var end = begin + .hours(1)
    // No skip is as long as a week.
    for _ in 0..<(7 * 24) where isSkipped(end) { end = end + .hours(1) }
    for _ in 0..<(7 * 24) where isSkipped(begin - .hours(1)) { begin = begin - .hours(1) }
    return begin..<end
  }

  /// Whether to skip the hour that begins at a moment.
  private func isSkipped(_ hour: Instant) -> Bool {
    let civil = CivilTime(secondsSince1970: hour.secondsSince1970)
    return skipHours.contains(civil.hour) || skipDays.contains(civil.weekday)
  }
}
