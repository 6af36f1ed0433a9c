// The scheduler in virtual time: when each feed would be asked, if runs came at regular times and every answer was like
// the last one.

public import Model
public import Timing

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
/// of fetches, not with that of runs.
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
  var context = context
  var virtual = virtualFeeds(feeds, states, context)
  var queue = EarliestFirst<Int>()
  func wait(_ place: Int, until moment: Instant) {
    guard moment < end else { return }
    let run = moment.roundedUp(to: tick)
    if run < end { queue.insert(.init(moment: run.secondsSince1970, ticket: place, value: place)) }
  }
  for place in virtual.indices { wait(place, until: context.now) }

  while let next = queue.removeFirst() {
    let run = Instant(secondsSince1970: next.moment)
    if run != context.now { context = context.moved(to: run) }
    let place = next.value
    let decision = dueDecision(feeds[place], virtual[place].state, context)
    var dueAt = decision.dueAt
    if decision.isDue {
      let isShared = virtual.noteRequest(of: place, in: run)
      visit(ForecastFetch(place: place, run: run, isShared: isShared))
      virtual[place].take(run)
      if decision.isByPush { context = context.withoutPushes(of: feeds[place].name) }
      dueAt = nextDue(feeds[place], virtual[place].state, context)
    }
    // A run may take a feed a little before the end of a server's wish.
    if let dueAt { wait(place, until: max(dueAt - DueDecision.longestWait, run + .seconds(1))) }
  }
}

extension Instant {
  /// This moment, or the next one that is a multiple of a length of time since 1970.
  fileprivate func roundedUp(to tick: Interval) -> Instant {
    let rest = secondsSince1970 % tick.seconds
    if rest == 0 { return self }
    return rest < 0 ? self + .seconds(-rest) : self + .seconds(tick.seconds - rest)
  }
}

extension PlanningContext {
  /// The same at another moment.
  fileprivate func moved(to now: Instant) -> PlanningContext {
    PlanningContext(
      now: now, zone: zone, machine: machine, hosts: limitedHosts, named: named, isForced: isForced,
      pushes: pushes, habits: habits)
  }

  /// The same when the pushes of a feed are settled.
  fileprivate func withoutPushes(of feed: FeedName) -> PlanningContext {
    var pushes = pushes
    pushes[feed] = nil
    return PlanningContext(
      now: now, zone: zone, machine: machine, hosts: limitedHosts, named: named, isForced: isForced,
      pushes: pushes, habits: habits)
  }
}
