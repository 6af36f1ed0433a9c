// Some months of one person: looks, the fetches that bgfetch plans, and how stale the feed is.

public import Core

/// One person's life and publishers, which do not depend on bgfetch.
struct World {
  /// The beginning.
  let start: Instant
  let days: Int
  /// The person's zone; its clocks change during the simulation.
  let zone: Zone
  /// The person's looks, in order.
  let looks: [Instant]
  /// The moments at which staleness is measured, in order.
  ///
  /// These are the looks; for people without a habit also those of 24 more such lives that bgfetch does not learn from,
  /// because with few looks chance alone makes more than 5 %.
  let measured: [Instant]

  init(_ kind: PersonKind, number: Int, seed: UInt64, days: Int) {
    var chance = Chance(seed: seed, "\(kind.rawValue) \(number)")
    let zone = Zone(name: "Europe/Berlin", posix: "CET-1CEST,M3.5.0,M10.5.0/3") ?? .utc
    // A Monday of 2026 or one of the weeks after it.
    let first = 20_458 + Int64(chance.count(0...51)) * 7
    func moment(_ day: Int, _ minute: Int) -> Instant {
      zone.firstMoment(of: CivilTime(secondsSince1970: (first + Int64(day)) * 86_400 + Int64(minute) * 60))
    }
    let person = Person(kind, days: days, &chance)
    let publicHolidays = Set((0..<days / 30).map { _ in chance.count(0...days) })
    func isWorkingDay(_ day: Int) -> Bool { day % 7 < 5 && !publicHolidays.contains(day) }
    func life(_ chance: inout Chance) -> [Instant] {
      var looks: [Instant] = []
      for day in 0..<days {
        looks += person.looks(on: day, isWorkingDay: isWorkingDay(day), &chance).map {
          moment(day, $0) + .seconds(Int64(chance.count(0...59)))
        }
      }
      let end = moment(days, 0)
      return looks.sorted().filter { $0 < end }
    }
    looks = life(&chance)
    start = moment(0, 0)
    (self.days, self.zone) = (days, zone)
    var others = Chance(seed: seed, "\(kind.rawValue) \(number) other lives")
    measured = kind.isErratic ? (looks + (0..<24).flatMap { _ in life(&others) }).sorted() : looks
  }

  /// The end.
  var end: Instant { start + .days(Int64(days)) }
}

extension Habit {
  /// Records an opening, as the store does.
  mutating func take(_ moment: OpeningMoment, after last: OpeningMoment?) {
    if let last, moment.at.since(last.at) < Self.oneLook { return }
    if last?.day != moment.day { days += 1 }
    if let index = bins.firstIndex(where: { $0.kind == moment.kind && $0.minute == moment.minute }) {
      bins[index].weight = Self.decayed(bins[index].weight, from: bins[index].at, to: moment.at) + 1
      bins[index].at = moment.at
    } else {
      bins.append(HabitBin(kind: moment.kind, minute: moment.minute, weight: 1, at: moment.at))
    }
  }
}

/// The settings of bgfetch in a trial.
public struct Setup: Hashable, Sendable {
  public var interval: Interval
  /// The time between two runs.
  public var tick: Interval

  /// A set-up.
  public init(interval: Interval, tick: Interval) {
    (self.interval, self.tick) = (interval, tick)
  }

  /// The first run at a moment or after it.
  func wake(atOrAfter moment: Instant, _ shift: Int64) -> Instant {
    let offset = moment.secondsSince1970 - shift
    return Instant(secondsSince1970: (offset + tick.seconds - 1) / tick.seconds * tick.seconds + shift)
  }
}

extension World {
  /// The fetches that bgfetch plans, learning from the looks up to each of them.
  func fetches(_ setup: Setup, phase: Double, shift: Int64, adapts: Bool) -> [Instant] {
    guard let name = FeedName("planet") else { return [] }
    var feed = FeedSpec(name: name, url: .plain("https://planet.example/atom.xml"))
    feed.minimumInterval = .every(setup.interval)
    feed.adapt = adapts ? .habits : .none
    var habit = Habit()
    var context = PlanningContext(now: start, zone: zone, machine: "experiment")
    var lastLook: OpeningMoment?
    var seen = 0
    var hasLooked = false
    var state = FeedState()
    var fetches: [Instant] = []
    var due: Instant?
    var reckoned = start
    let begin = start + .seconds(Int64(phase * Double(setup.interval.seconds)))
    var now = setup.wake(atOrAfter: begin, shift)
    while now < end {
      var isNew = now.since(reckoned) >= .days(1)
      while seen < looks.count, looks[seen] <= now {
        let look = OpeningMoment(looks[seen], in: zone)
        if adapts { habit.take(look, after: lastLook) }
        if lastLook.map({ look.at.since($0.at) >= Habit.oneLook }) ?? true { lastLook = look }
        seen += 1
        isNew = adapts
        hasLooked = adapts
      }
      func plan() -> Instant? {
        reckoned = now
        if hasLooked {
          context = PlanningContext(
            now: now, zone: zone, machine: "experiment", learned: Learned(habits: [name: habit]))
          hasLooked = false
        }
        context.move(to: now)
        return dueDecision(feed, state, context).dueAt
      }
      if isNew || due == nil { due = plan() }
      if let moment = due, moment <= now {
        fetches.append(now)
        state.lastAsked = now
        state.lastCounted = now
        state.lastSuccess = now
        state.hasBaseline = true
        state.validators.entityTag = "\"1\""
        due = plan()
      }
      now = now + setup.tick
    }
    return fetches
  }

  /// As many fetches at even distances, each in the first run at its moment or after it.
  ///
  /// This is better than any real timer with a fixed interval, because it never drifts.
  func evenFetches(_ count: Int, phase: Double, _ setup: Setup, shift: Int64) -> [Instant] {
    let whole = Double(end.since(start).seconds)
    return (0..<count).map { number in
      let moment = start + .seconds(Int64(whole * (Double(number) + phase) / Double(count)))
      return setup.wake(atOrAfter: moment, shift)
    }
  }
}

extension World {
  /// The age of the last fetch in minutes, on average over the looks of this person; looks before the first fetch do not count.
  func staleness(_ fetches: [Instant]) -> Double {
    guard let first = fetches.first else { return 0 }
    var (count, sum, next) = (0.0, 0.0, 0)
    for look in measured where look >= first {
      while next < fetches.count, fetches[next] <= look { next += 1 }
      count += 1
      sum += Double(look.since(fetches[next - 1]).seconds) / 60
    }
    return count > 0 ? sum / count : 0
  }
}
