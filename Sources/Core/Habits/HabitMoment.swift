// When habits want a feed fetched next, within its interval, schedule and hours.

import Synchronization

/// When habits want the next fetch, if no other rule postpones it.
///
/// - Parameters:
///   - planner: the feed's habit.
///   - feed: the feed; its schedule has matches inside its hours.
///   - last: the fetch from which the interval counts.
///   - allowed: when interval and server allow the next fetch; after `last`, unless there is a schedule.
///   - interval: the time between fetches without habits and slack.
///   - context: the present, and the person's zone.
/// - Returns: a moment not before the next fetch without habits; with a schedule, one of its minutes. Nil if habits do not
///   apply.
func habitMoment(
  _ planner: HabitPlanner, _ feed: FeedSpec, last: Instant, allowed: Instant, interval: Interval,
  _ context: PlanningContext
) -> Instant? {
  let zone = context.zone
  guard !feed.schedule.isEmpty else {
    let soonest = feed.hours.firstMoment(atOrAfter: allowed, in: zone)
    let farthest = (0..<longestStretch).reduce(last) { moment, _ in moment + interval }
    // Closed hours postpone the first of the stretched intervals, and the others with it.
    let latest =
      feed.hours.isAlways
      ? farthest : max(farthest, (1..<longestStretch).reduce(soonest) { moment, _ in moment + interval })
    return planner.placement(
      PlainFetches(
        last: last, soonest: soonest, latest: latest, hours: feed.hours, minutes: wholeMinutes(interval),
        zone: zone), at: context.now)
  }
  func match(from moment: Instant) -> Instant? { nextMatch(of: feed, atOrAfter: moment, in: zone)?.moment }
  guard let soonest = match(from: max(allowed, last + .seconds(1))) else { return nil }
  let step = allowed.since(last)
  var latest = soonest
  for _ in 1..<longestStretch {
    guard let next = match(from: max(latest + step, latest + .seconds(1))) else { break }
    latest = next
  }
  let plain = PlainFetches(
    last: last, soonest: soonest, latest: latest, hours: feed.hours,
    minutes: wholeMinutes(.seconds(latest.since(last).seconds / Int64(longestStretch))), zone: zone)
  return planner.placement(plain, at: context.now).map {
    lastMatch(of: feed, atOrBefore: $0, notBefore: soonest, in: zone)
  }
}

/// An interval in minutes, at least 1.
private func wholeMinutes(_ interval: Interval) -> Int { Int(max(1, interval.seconds / 60)) }

/// The last match of any of a feed's expressions inside its hours, up to a moment, or else `earliest`.
private func lastMatch(
  of feed: FeedSpec, atOrBefore moment: Instant, notBefore earliest: Instant, in zone: Zone
) -> Instant {
  var until = moment
  while until > earliest,
    let match = feed.schedule.compactMap({ $0.previous(atOrBefore: until, in: zone) }).max(), match > earliest
  {
    if feed.hours.contains(match, in: zone) { return match }
    until = match - .seconds(1)
  }
  return earliest
}

/// A habit with the plans computed from it, kept for a day: a forecast needs millions of placements.
final class HabitPlanner: Sendable {
  let habit: Habit
  private let kept = Mutex(Kept())

  /// Rates and plans of one day.
  private struct Kept {
    var day: Int64?
    var rates: LookRates?
    var plans: [FetchPlan.Occasion: FetchPlan] = [:]

    /// Computes the rates of a day, unless they are kept.
    mutating func turn(to day: Int64, of habit: Habit) {
      guard self.day != day else { return }
      self.day = day
      rates = LookRates(habit, on: day)
      plans = [:]
    }
  }

  init(_ habit: Habit) { self.habit = habit }

  /// The moment for the next fetch, from the soonest to the latest; nil if nothing is predicted.
  func placement(_ plain: PlainFetches, at now: Instant) -> Instant? {
    // Habits of days say nothing about intervals of weeks; this also bounds the size of a plan.
    guard plain.minutes <= 10 * LookHistogram.minutesOfDay, plain.latest.since(plain.last) < .days(400) else {
      return nil
    }
    let occasion = FetchPlan.Occasion(plain)
    let plan = kept.withLock { kept -> FetchPlan? in
      kept.turn(to: now.dayNumber, of: habit)
      guard let rates = kept.rates else { return nil }
      // After closed hours, the latest moment may be later than the kept plan reaches.
      if let plan = kept.plans[occasion], plan.zone == plain.zone, plan.reaches(plain.latest) { return plan }
      let plan = FetchPlan(rates, plain)
      kept.plans[occasion] = plan
      return plan
    }
    return plan?.placement(plain)
  }

  func predicts(at now: Instant) -> Bool {
    kept.withLock { kept in
      kept.turn(to: now.dayNumber, of: habit)
      return kept.rates != nil
    }
  }
}

/// One value per different habit, shared by all feeds that have it.
func planners(of habits: [FeedName: Habit]) -> [FeedName: HabitPlanner] {
  // Feeds usually share one habit; otherwise the first or last bins differ, so that a short key is enough.
  struct Key: Hashable {
    var days: Int
    var count: Int
    var first: HabitBin?
    var last: HabitBin?
  }
  var known: [Key: [HabitPlanner]] = [:]
  return habits.mapValues { habit in
    let key = Key(
      days: habit.days, count: habit.bins.count, first: habit.bins.first, last: habit.bins.last)
    if let same = known[key]?.first(where: { $0.habit == habit }) { return same }
    let planner = HabitPlanner(habit)
    known[key, default: []].append(planner)
    return planner
  }
}

extension Instant {
  /// The UTC day, counted from 1970-01-01; the weights of looks change with it.
  var dayNumber: Int64 { secondsSince1970.flooredDivision(by: 86_400).quotient }
}
