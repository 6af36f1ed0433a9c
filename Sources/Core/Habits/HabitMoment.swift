// When habits want a feed fetched next, within its interval, schedule and hours: where the next fetch costs least.
//
// A plan of all fetches of the days ahead gained little. It left 0.64, 0.56 and 0.48 of the staleness of an even timer, at
// 30m, 1h and 3h, and the moment with the least cost up to the next fetch left 0.64, 0.58 and 0.56 (the mean of all kinds of
// people with a habit). The rule here also weighs the looks within an interval after that fetch.

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

/// The fetches without habits, and the limits within which habits may move them.
struct PlainFetches {
  /// The fetch from which the interval counts.
  let last: Instant
  /// The next fetch without habits, inside the hours; no fetch is moved before it.
  let soonest: Instant
  /// The latest moment to which a fetch may be postponed: the fetch after `longestStretch` intervals.
  let latest: Instant
  /// The hours outside of which the feed is not fetched.
  let hours: WeeklyHours
  /// The interval in minutes.
  let minutes: Int
  /// The zone of hours and days.
  let zone: Zone
}

/// A fetch this long before a look is in time for it.
let leadMinutes = 10

/// The most intervals to which the time between two fetches is stretched.
let longestStretch = 4

extension OpeningRates {
  /// The interval in minutes from which on postponing saves less, so that a fetch in time for a daily look is always worth it.
  private static let longestPriced = 240.0

  /// The cheapest moment for the next fetch, from the soonest to the latest; the earliest one of several.
  ///
  /// The cost is counted in minutes of staleness: the age of the feed at each expected look, up to the next fetch and within
  /// an interval after it, less what postponing saves. A minute saves as much as makes twice the interval best on an average
  /// day, and less the fewer looks follow a habit.
  func placement(_ plain: PlainFetches) -> Instant {
    let interval = Double(plain.minutes)
    let saving = 2 * average * (predictedShare * interval * min(interval, Self.longestPriced)).squareRoot()
    let day = OpeningHistogram.minutesOfDay
    let civil = plain.zone.civil(at: plain.last)
    // Minutes count from the midnight before the last fetch, as local clocks show them.
    let (last, midnight) = (civil.hour * 60 + civil.minute, civil.daysSince1970 * 86_400)
    let weekday = CivilTime(secondsSince1970: midnight).weekday
    func minute(of moment: Instant) -> Int {
      let civil = plain.zone.civil(at: moment)
      return Int(civil.daysSince1970 - midnight / 86_400) * day + civil.hour * 60 + civil.minute
    }
    /// The looks to expect that a fetch at a minute is just in time for, and these times the minutes since the last fetch.
    func looks(_ minute: Int) -> (count: Double, age: Double) {
      let (days, minuteOfDay) = (minute + leadMinutes).quotientAndRemainder(dividingBy: day)
      let rate = (1...5).contains((weekday + days) % 7) ? working[minuteOfDay] : weekend[minuteOfDay]
      return (rate, rate * Double(minute - last))
    }
    let (soonest, latest) = (minute(of: plain.soonest), minute(of: plain.latest))
    var best = (minute: soonest, cost: Double.infinity)
    var before = 0.0
    var after = (last..<last + plain.minutes).reduce((count: 0.0, age: 0.0)) { sum, minute in
      let looks = looks(minute)
      return (sum.count + looks.count, sum.age + looks.age)
    }
    for minute in last...max(last, latest) {
      let waited = Double(minute - last)
      let cost = before + after.age - waited * after.count - saving * waited
      if minute >= soonest, cost < best.cost - 1e-9,
        plain.hours.contains(minute: (weekday * day + minute) % WeeklyHours.minutesOfWeek)
      {
        best = (minute, cost)
      }
      let (passed, next) = (looks(minute), looks(minute + plain.minutes))
      before += passed.age
      after.count += next.count - passed.count
      after.age += next.age - passed.age
    }
    let moment = plain.zone.firstMoment(
      of: CivilTime(secondsSince1970: midnight + Int64(best.minute) * 60))
    return min(max(moment, plain.soonest), max(plain.latest, plain.soonest))
  }
}

/// A habit with the rates computed from it, kept for a day: a forecast needs millions of placements.
final class HabitPlanner: Sendable {
  let habit: Habit
  private let kept = Mutex<(day: Int64, rates: OpeningRates?)?>(nil)

  init(_ habit: Habit) { self.habit = habit }

  /// The moment for the next fetch, from the soonest to the latest; nil if nothing is predicted.
  func placement(_ plain: PlainFetches, at now: Instant) -> Instant? {
    // Habits of days say nothing about intervals of weeks; this also bounds the minutes to weigh.
    guard plain.minutes <= 10 * OpeningHistogram.minutesOfDay, plain.latest.since(plain.last) < .days(400)
    else {
      return nil
    }
    return rates(at: now)?.placement(plain)
  }

  func predicts(at now: Instant) -> Bool { rates(at: now) != nil }

  private func rates(at now: Instant) -> OpeningRates? {
    kept.withLock { kept in
      if let kept, kept.day == now.dayNumber { return kept.rates }
      let rates = OpeningRates(habit, on: now.dayNumber)
      kept = (now.dayNumber, rates)
      return rates
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
