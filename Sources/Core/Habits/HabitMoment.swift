// When habits and a publisher's rhythm want a feed fetched next, within its interval, schedule and hours.

import Synchronization

/// When habits and rhythm want the next fetch, if no other rule postpones it.
///
/// - Parameters:
///   - feed: the feed; its schedule has matches inside its hours.
///   - last: the fetch from which the interval counts.
///   - allowed: when interval and server allow the next fetch; after `last`, unless there is a schedule.
///   - interval: the time between fetches without them and slack.
///   - planned: the moment that the end of the last fetch has planned.
///   - context: the present, and what was learned.
/// - Returns: a moment not before the next fetch without them; with a schedule, one of its minutes. Nil if they do not
///   apply.
func adaptedMoment(
  _ feed: FeedSpec, last: Instant, allowed: Instant, interval: Interval, planned: Instant?,
  _ context: PlanningContext
) -> Instant? {
  let zone = context.zone
  func match(from moment: Instant) -> Instant? { nextMatch(of: feed, atOrAfter: moment, in: zone)?.moment }
  func placement(soonest: Instant, latest: Instant, minutes: Interval) -> Instant? {
    if feed.adapt.toPublisher, let planned { return min(max(planned, soonest), max(latest, soonest)) }
    return context.expectedWeek(of: feed, every: interval).placement(
      PlainFetches(
        last: last, soonest: soonest, latest: latest, hours: feed.hours,
        minutes: Int(max(1, minutes.seconds / 60)), zone: zone))
  }
  guard !feed.schedule.isEmpty else {
    let soonest = feed.hours.firstMoment(atOrAfter: allowed, in: zone)
    let farthest = (0..<longestStretch).reduce(last) { moment, _ in moment + interval }
    // Closed hours postpone the first of the stretched intervals, and the others with it.
    let latest =
      feed.hours.isAlways
      ? farthest : max(farthest, (1..<longestStretch).reduce(soonest) { moment, _ in moment + interval })
    return placement(soonest: soonest, latest: latest, minutes: interval)
  }
  guard let soonest = match(from: max(allowed, last + .seconds(1))) else { return nil }
  let step = allowed.since(last)
  var latest = soonest
  for _ in 1..<longestStretch {
    guard let next = match(from: max(latest + step, latest + .seconds(1))) else { break }
    latest = next
  }
  let minutes = Interval.seconds(latest.since(last).seconds / Int64(longestStretch))
  return placement(soonest: soonest, latest: latest, minutes: minutes).map {
    lastMatch(of: feed, atOrBefore: $0, notBefore: soonest, in: zone)
  }
}

/// The last match of any of a feed's expressions inside its hours, up to a moment, or else `earliest`, which is one.
private func lastMatch(
  of feed: FeedSpec, atOrBefore moment: Instant, notBefore earliest: Instant, in zone: Zone
) -> Instant {
  var (last, end) = (earliest, moment + .seconds(1))
  // The time in which there may be a later match is halved until it is empty.
  while last + .seconds(1) < end {
    let middle = last + .seconds((end.since(last).seconds + 1) / 2)
    if let match = nextMatch(of: feed, atOrAfter: middle, in: zone)?.moment, match <= moment {
      last = match
    } else {
      end = middle
    }
  }
  return last
}

/// A habit with the rates computed from it, kept for a day: feeds usually share one habit.
final class HabitPlanner: Sendable {
  let habit: Habit
  private let kept = Mutex<(day: Int64, rates: OpeningRates?)?>(nil)

  init(_ habit: Habit) { self.habit = habit }

  /// The looks to expect; nil if nothing is predicted.
  func rates(at now: Instant) -> OpeningRates? {
    kept.withLock { kept in
      if let kept, kept.day == now.dayNumber { return kept.rates }
      let rates = OpeningRates(habit, on: now.dayNumber)
      kept = (now.dayNumber, rates)
      return rates
    }
  }
}

/// The times of a feed's items with the rhythm computed from them, which is kept.
final class RhythmPlanner: Sendable {
  let items: [ItemTimes]
  private let kept = Mutex<(interval: Interval, rhythm: Rhythm?)?>(nil)

  init(_ items: [ItemTimes]) { self.items = items }

  /// The publisher's rhythm; nil if it has none.
  func rhythm(every interval: Interval, in zone: Zone) -> Rhythm? {
    kept.withLock { kept in
      if let kept, kept.interval == interval { return kept.rhythm }
      let rhythm = Rhythm(publications(items, every: interval), in: zone)
      kept = (interval, rhythm)
      return rhythm
    }
  }
}

/// One value per different habit, shared by all feeds that have it.
func planners(of habits: [FeedName: Habit]) -> [FeedName: HabitPlanner] {
  var known: [Habit: HabitPlanner] = [:]
  return habits.mapValues { habit in
    if let same = known[habit] { return same }
    let planner = HabitPlanner(habit)
    known[habit] = planner
    return planner
  }
}
