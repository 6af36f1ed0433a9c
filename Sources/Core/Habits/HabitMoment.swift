// When habits want a feed fetched next, within its interval, schedule and hours.

import Synchronization

/// When habits want the next fetch, or would want it if nothing else held it.
///
/// - Parameters:
///   - foresight: what is foreseen of the person's looks.
///   - feed: the feed; its schedule has matches inside its hours.
///   - last: the fetch that the interval counts from.
///   - allowed: from when on interval and server allow the next one; after `last`, unless there is a schedule.
///   - interval: how far apart fetches are without habits, slack left aside.
///   - context: the present, and the person's zone.
/// - Returns: a moment that is not before the next fetch without habits; with a schedule, one of its minutes. Nil where
///   habits do not bear on it.
func habitMoment(
  _ foresight: HabitForesight, _ feed: FeedSpec, last: Instant, allowed: Instant, interval: Interval,
  _ context: PlanningContext
) -> Instant? {
  let zone = context.zone
  guard !feed.schedule.isEmpty else {
    let soonest = feed.hours.firstMoment(atOrAfter: allowed, in: zone)
    let farthest = (0..<4).reduce(last) { moment, _ in moment + interval }
    // Hours that are closed put off the first of the four, and the others with it.
    let latest =
      feed.hours.isAlways
      ? farthest : max(farthest, (0..<3).reduce(soonest) { moment, _ in moment + interval })
    return foresight.placement(
      PlainFetches(
        last: last, soonest: soonest, latest: latest, hours: feed.hours, minutes: wholeMinutes(interval),
        zone: zone), at: context.now)
  }
  func match(from moment: Instant) -> Instant? { nextMatch(of: feed, atOrAfter: moment, in: zone)?.moment }
  guard let soonest = match(from: max(allowed, last + .seconds(1))) else { return nil }
  let step = allowed.since(last)
  var latest = soonest
  for _ in 1..<4 {
    guard let next = match(from: max(latest + step, latest + .seconds(1))) else { break }
    latest = next
  }
  let plain = PlainFetches(
    last: last, soonest: soonest, latest: latest, hours: feed.hours,
    minutes: wholeMinutes(.seconds(latest.since(last).seconds / 4)), zone: zone)
  return foresight.placement(plain, at: context.now).map {
    lastMatch(of: feed, atOrBefore: $0, notBefore: soonest, in: zone)
  }
}

/// An interval in minutes, at least one.
private func wholeMinutes(_ interval: Interval) -> Int { Int(max(1, interval.seconds / 60)) }

/// The last firing of any of a feed's expressions inside its hours up to a moment; the earliest one, if there is no
/// other since.
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

/// What a habit foretells, kept for the day for which it was reckoned.
final class HabitForesight: Sendable {
  /// The openings.
  let habit: Habit
  private let kept = Mutex(Kept())

  /// What is kept; all of it is of one day.
  private struct Kept {
    var day: Int64?
    var rates: LookRates?
    var plans: [FetchPlan.Occasion: FetchPlan] = [:]

    /// Reckons the rates of a day, unless they are known.
    mutating func turn(to day: Int64, of habit: Habit) {
      guard self.day != day else { return }
      self.day = day
      rates = LookRates(habit, on: day)
      plans = [:]
    }
  }

  /// The foresight of a habit.
  init(_ habit: Habit) { self.habit = habit }

  /// The moment for the next fetch, from the soonest to the latest; nil where nothing is predicted.
  func placement(_ plain: PlainFetches, at now: Instant) -> Instant? {
    // Nobody has habits that a plan of a month would show.
    guard plain.minutes <= 10 * LookHistogram.minutesOfDay, plain.latest.since(plain.last) < .days(400) else {
      return nil
    }
    let occasion = FetchPlan.Occasion(plain)
    let plan = kept.withLock { kept -> FetchPlan? in
      kept.turn(to: now.dayNumber, of: habit)
      guard let rates = kept.rates else { return nil }
      // With closed hours before it, the latest moment may lie behind what was planned for others.
      if let plan = kept.plans[occasion], plan.zone == plain.zone, plan.reaches(plain.latest) { return plan }
      let plan = FetchPlan(rates, plain)
      kept.plans[occasion] = plan
      return plan
    }
    return plan?.placement(plain)
  }

  /// Whether anything is predicted.
  func predicts(at now: Instant) -> Bool {
    kept.withLock { kept in
      kept.turn(to: now.dayNumber, of: habit)
      return kept.rates != nil
    }
  }
}

/// The foresights of habits, one for all feeds that have the same.
func foresights(of habits: [FeedName: Habit]) -> [FeedName: HabitForesight] {
  // Those that are equal mostly are one, so that a glance tells; of the others the ends differ.
  struct Glance: Hashable {
    var days: Int
    var count: Int
    var first: HabitBin?
    var last: HabitBin?
  }
  var known: [Glance: [HabitForesight]] = [:]
  return habits.mapValues { habit in
    let glance = Glance(
      days: habit.days, count: habit.bins.count, first: habit.bins.first, last: habit.bins.last)
    if let same = known[glance]?.first(where: { $0.habit == habit }) { return same }
    let foresight = HabitForesight(habit)
    known[glance, default: []].append(foresight)
    return foresight
  }
}

extension Instant {
  /// The day, counted by UTC from 1970-01-01; what looks count changes with it.
  var dayNumber: Int64 {
    let (quotient, remainder) = secondsSince1970.quotientAndRemainder(dividingBy: 86_400)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
