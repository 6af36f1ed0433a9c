// When a feed is fetched in a world: by bgfetch's own rules, and by an ideal timer with as many fetches.

public import Core

/// How bgfetch is set up.
public struct Setup: Hashable, Sendable {
  /// The minimum interval of the feed.
  public var interval: Interval
  /// How often the machine wakes bgfetch.
  public var tick: Interval

  /// A set-up.
  public init(interval: Interval, tick: Interval) {
    self.interval = interval
    self.tick = tick
  }
}

extension World {
  /// The first wake at a moment or after it.
  func wake(atOrAfter moment: Instant, every tick: Interval, shift: Int64) -> Instant {
    let offset = moment.secondsSince1970 - shift
    return Instant(secondsSince1970: (offset + tick.seconds - 1) / tick.seconds * tick.seconds + shift)
  }

  /// The fetches that bgfetch's rules lead to, from the person's looks up to each of them.
  func fetches(_ setup: Setup, phase: Double, shift: Int64, adapts: Bool) -> [Instant] {
    guard let name = FeedName("planet") else { return [] }
    var feed = FeedSpec(name: name, url: .plain("https://planet.example/atom.xml"))
    feed.minimumInterval = .every(setup.interval)
    feed.adaptsToHabits = adapts
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
    var now = wake(atOrAfter: begin, every: setup.tick, shift: shift)
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
          context = PlanningContext(now: now, zone: zone, machine: "experiment", habits: [name: habit])
          hasLooked = false
        }
        context.move(to: now)
        return nextDue(feed, state, context)
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

  /// As many fetches an even time apart, each at the first wake from its moment on.
  ///
  /// This timer is better than any real one with a fixed interval: it never drifts.
  func evenFetches(_ count: Int, phase: Double, _ setup: Setup, shift: Int64) -> [Instant] {
    let whole = Double(end.since(start).seconds)
    return (0..<count).map { number in
      let moment = start + .seconds(Int64(whole * (Double(number) + phase) / Double(count)))
      return wake(atOrAfter: moment, every: setup.tick, shift: shift)
    }
  }
}
