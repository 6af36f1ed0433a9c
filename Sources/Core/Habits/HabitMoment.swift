// When habits want a feed to be fetched next: the prediction, under the interval, the schedule and the hours of the user.

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
