// The scheduler in virtual time: when each feed would be asked, if runs came at regular times and every answer was like
// the last one.

/// A fetch that the rules will make due.
public struct ForecastFetch: Hashable, Sendable {
  /// The place of the feed among those that were given.
  public var place: Int
  /// The start of the run that fetches it.
  public var run: Instant
  /// Whether another feed of that run sends the same request, so that none is sent for this one.
  public var isShared: Bool
}

/// Goes through the runs of a stretch of time, and hands over every fetch that is due in them.
///
/// Runs begin at the multiples of a length of time since 1970 in UTC. What is due is decided by `dueDecision`, and what
/// a fetch leaves behind by `stateAfterSuccess`, as in a real run. Assumed is that every fetch is over at the start of
/// its run and brings no data, that the server wishes to be left alone for as long as after its last answer, and that a
/// feed never fetched has a server that gives validators and wishes for nothing. Limits, backoff, pauses, pushes that
/// wait and habits are what they are now. Budgets, delays between requests to one host and openings to come are left out.
///
/// A feed is only looked at when the moment has come that the rules named last, so that the work grows with the number
/// of fetches, not with that of runs. Feeds do not depend on each other, so that each is followed by itself for a while.
///
/// - Parameters:
///   - feeds: the feeds.
///   - states: what is remembered of them, as `stateUnderConfiguration` returns it.
///   - context: a run now that names no feed.
///   - length: how far to look; the runs from now on and before its end count.
///   - tick: the time between two runs, a second at least.
///   - visit: takes the fetches, the earlier first, those of one run in the order of the feeds.
public func forecast(
  _ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ context: PlanningContext, for length: Interval,
  every tick: Interval, _ visit: (ForecastFetch) -> Void
) {
  let tick = max(tick, .seconds(1))
  let end = context.now + length
  var virtual = virtualFeeds(feeds, states, context, every: tick)
  var requests = Array(repeating: Instant?.none, count: feeds.count)
  var found: [(run: Instant, place: Int)] = []
  var beginning = context.now
  while beginning < end {
    // Habits foretell for a day at a time; of runs that come each second fewer would do, too.
    let midnight = Instant(secondsSince1970: (beginning.dayNumber + 1) * 86_400)
    let enough = beginning + .seconds(min(tick.seconds, 86_400) * 1024)
    let pause = min(end, midnight, enough)
    found.removeAll(keepingCapacity: true)
    for place in virtual.indices {
      virtual[place].follow(feeds[place], before: pause, context, every: tick) { found.append(($0, place)) }
    }
    found.sort { ($0.run, $0.place) < ($1.run, $1.place) }
    for (run, place) in found {
      let leader = virtual[place].leader
      visit(ForecastFetch(place: place, run: run, isShared: requests[leader] == run))
      requests[leader] = run
    }
    beginning = pause
  }
}

extension Instant {
  /// This moment, or the next one that is a multiple of a length of time since 1970.
  func roundedUp(to tick: Interval) -> Instant {
    let rest = secondsSince1970 % tick.seconds
    if rest == 0 { return self }
    return rest < 0 ? self + .seconds(-rest) : self + .seconds(tick.seconds - rest)
  }
}
