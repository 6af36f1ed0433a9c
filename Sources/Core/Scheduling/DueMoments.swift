// The earliest moment that each rule allows for a feed. Which of these moments decides is up to DueDecision.

/// The earliest moment each rule allows, nil where a rule has nothing to say.
struct DueMoments {
  private(set) var interval: Instant?
  private(set) var schedule: Instant?
  private(set) var wish: Instant?
  private(set) var rateLimit: Instant?
  private(set) var hostLimit: Instant?
  private(set) var backoff: Instant?
  private(set) var gone: Instant?
  /// From when on a push may cause a fetch; nil where none waits.
  private(set) var pushLimit: Instant?
  /// Whether that is the second try of one whose data was late.
  private(set) var isSecondTry = false
  /// When the person's habits want the feed.
  private(set) var habits: Instant?
  /// Whether a push makes the feed itself due: one that brings a file of its own does not.
  private(set) var isPushed = false
  /// The person's pause, if it still holds.
  private(set) var pause: Pause?
  /// The hours outside of which the feed is never due; nil is always.
  private(set) var hours: WeeklyHours?
  /// Whether the rules alone never make the feed due.
  private(set) var isNeverDue = false
  /// Whether what is stored lies in the future, because the clock was set back since.
  private(set) var isClockSetBack = false
  /// The longest freshness of the server that is obeyed.
  private(set) var freshnessLimit = Interval.zero

  /// Takes in what every rule says of a feed.
  ///
  /// A clock that was set back makes interval, schedule, wish and backoff count as if nothing were stored; a
  /// failure after that counts again.
  /// Rate limits hold all the same, as far as their own cap reaches; so do pause and hours, which are the user's.
  fileprivate mutating func weigh(_ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext) {
    if !feed.hours.isAlways { hours = feed.hours }
    if let stored = state.pause, stored.holds(at: context.now) { pause = stored }
    let rule = intervalRule(feed, state)
    freshnessLimit = feed.network.freshnessLimit
    isNeverDue = rule.minimum == .never
    let latestPast = context.latestPast
    let isAskedAhead = (state.lastAsked ?? latestPast) > latestPast
    isClockSetBack = isAskedAhead || (state.lastCounted ?? latestPast) > latestPast

    if !isClockSetBack {
      if let counted = state.lastCounted { count(from: counted, rule, feed, context) }
      wish = effectiveWish(state, limit: freshnessLimit, at: context.now)
    }
    if feed.adaptsToHabits { adapt(rule, feed, state, context) }
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
    // A run that starts with the matching minute has used that minute up.
    schedule = nextMatch(of: feed, atOrAfter: max(floor, counted + .seconds(1)), in: context.zone)?.moment
    if schedule == nil { isNeverDue = true }
  }

  /// Takes in what is predicted of when the person looks.
  ///
  /// Where there is no length of time between two fetches there is nothing to place and to stretch.
  private mutating func adapt(
    _ rule: IntervalRule, _ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext
  ) {
    let counted = state.lastCounted ?? context.now
    let allowed = max(interval ?? counted, wish ?? counted)
    let length = max(rule.length ?? .zero, allowed.since(counted))
    guard interval != nil, !isNeverDue, rule.minimum != .everyRun || !feed.schedule.isEmpty,
      let foresight = context.foresight(of: feed.name), foresight.predicts(at: context.now)
    else { return }
    habits = habitMoment(foresight, feed, last: counted, allowed: allowed, interval: length, context)
  }

  private mutating func countFailures(
    _ feed: FeedSpec, _ state: FeedState, _ rule: IntervalRule, _ context: PlanningContext
  ) {
    guard let asked = state.lastAsked, let wait = backoffWait(state, rule, feed.name, context.machine) else {
      return
    }
    if state.backoffClass == .gone { gone = asked + wait.total } else { backoff = asked + wait.total }
  }

  /// Leaves out what a 410 says.
  mutating func forgetGone() { gone = nil }

  /// Hands over every rule that has a moment; of equal moments the later rule is the one that binds.
  func forEach(_ body: (DueRule, Instant) -> Void) {
    if let habits { body(.habits, habits) }
    if let interval { body(.minimumInterval, interval) }
    if let schedule { body(.schedule, schedule) }
    if let backoff { body(.backoff, backoff) }
    if let wish { body(.serverWish, wish) }
    if let rateLimit { body(.rateLimit, rateLimit) }
    if let hostLimit { body(.hostLimit, hostLimit) }
    if let gone { body(.gone, gone) }
    if let until = pause?.until { body(.pause, until) }
    if let pushLimit { body(isSecondTry ? .secondTry : .pushLimit, pushLimit) }
  }
}

/// The earliest moment each rule allows for a feed.
///
/// A function, as an initializer would take its arguments over and copy feed and state.
func dueMoments(_ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext) -> DueMoments {
  var moments = DueMoments()
  moments.weigh(feed, state, context)
  return moments
}

/// The first firing of any of a feed's expressions inside its hours, at or after a moment; nil if there is none.
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

/// The wish as far as the freshness limit of today's configuration reaches, counted from the answer that set
/// it.
private func effectiveWish(_ state: FeedState, limit: Interval, at now: Instant) -> Instant? {
  guard let wish = state.wish, limit > .zero else { return nil }
  let cap = (state.lastSuccess ?? now) + limit + wholeSecond
  return min(wish.notBefore, cap)
}

/// Where a minimum interval comes from.
public enum IntervalSource: Hashable, Sendable {
  /// The user wrote it, for the feed or in `defaults`.
  case configured
  /// The user wrote a schedule and no interval: the schedule alone decides.
  case schedule
  /// Nobody said anything, and the server gives no validators, so that each fetch costs it a whole document.
  case noValidators
  /// Nobody said anything.
  case standard
}

/// The minimum interval that holds for a feed.
struct IntervalRule {
  let minimum: MinimumInterval
  let source: IntervalSource

  /// The length that backoff begins with, nil where no interval gives one.
  var length: Interval? {
    switch (minimum, source) {
    case (_, .schedule), (.never, _): nil
    case (.every(let interval), _): interval
    case (.everyRun, _): .zero
    }
  }

  /// How much earlier than the end of its interval a feed is due.
  ///
  /// A timer of the same length as the interval comes a few seconds early or late each time; without slack
  /// an hourly timer and an hourly interval give a fetch every two hours. 5 % of the interval, at most 2
  /// min, and from 5 min up at least the minute that timers are off by.
  var slack: Interval {
    guard case .every(let interval) = minimum else { return .zero }
    let share = interval.seconds / 20
    return .seconds(interval < .minutes(5) ? share : min(max(share, 60), 120))
  }

  /// The least time between two fetches where runs come now and then.
  var leastLength: Interval {
    guard case .every(let interval) = minimum else { return .zero }
    return interval - slack
  }

  /// The least time between two fetches where a run comes at the very second at which something is due.
  ///
  /// Then there is no timer that says how often every run is; it is as often as those timers that are usual.
  func exactLength(of feed: FeedSpec) -> Interval {
    let length = length ?? .zero
    return length == .zero && feed.schedule.isEmpty ? .minutes(5) : length
  }
}

/// The interval the user wrote, or the default that fits what is known of the server.
///
/// A schedule without an interval has none: whoever writes `*/10 7-22 * * *` wants a fetch every ten
/// minutes, and would get hourly ones from a default nobody sees.
func intervalRule(_ feed: FeedSpec, _ state: FeedState) -> IntervalRule {
  if let configured = feed.minimumInterval { return IntervalRule(minimum: configured, source: .configured) }
  if !feed.schedule.isEmpty { return IntervalRule(minimum: .every(.zero), source: .schedule) }
  // A file has no server to spare.
  if state.hasBaseline, state.validators.isEmpty, feed.file == nil {
    return IntervalRule(minimum: .every(.hours(24)), source: .noValidators)
  }
  return IntervalRule(minimum: .every(.hours(1)), source: .standard)
}

extension FeedHints {
  /// The hours and days to skip, without a gap, that a moment lies in; nil if it lies in none.
  ///
  /// Hours and days are those of UTC (the RSS 2.0 specification says GMT). A document that skips every hour
  /// or every day has said nothing that can be followed, and is not.
  func skip(containing moment: Instant) -> Range<Instant>? {
    guard !skipHours.isEmpty || !skipDays.isEmpty, skipHours.count < 24, skipDays.count < 7 else {
      return nil
    }
    let civil = CivilTime(secondsSince1970: moment.secondsSince1970)
    var begin = moment - .seconds(Int64(civil.minute * 60 + civil.second))
    guard isSkipped(begin) else { return nil }
    var end = begin + .hours(1)
    // A week of hours is more than any skip can last.
    for _ in 0..<(7 * 24) where isSkipped(end) { end = end + .hours(1) }
    for _ in 0..<(7 * 24) where isSkipped(begin - .hours(1)) { begin = begin - .hours(1) }
    return begin..<end
  }

  /// Whether the hour that begins at a moment is one to skip.
  private func isSkipped(_ hour: Instant) -> Bool {
    let civil = CivilTime(secondsSince1970: hour.secondsSince1970)
    return skipHours.contains(civil.hour) || skipDays.contains(civil.weekday)
  }
}
