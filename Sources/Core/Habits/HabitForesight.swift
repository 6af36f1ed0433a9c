// What a habit foretells, reckoned once a day: planning asks for it with every fetch, and there may be millions.

import Synchronization

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
