// A day of each kind as habits see it: when the person looks, what is predicted, when the feed will be fetched. Drawing
// it is the program's business.

/// What is known and planned for the days of one kind.
public struct HabitDay: Hashable, Sendable {
  /// The kind.
  public var kind: DayKind
  /// What the looks of each minute still count, 1440 of them.
  public var looks: [Double]
  /// What is predicted.
  public var forecast: DayForecast
  /// The minutes of the day with which the feed is fetched on the next whole day of this kind, as far as rules know it.
  public var fetches: [Int]

  /// A day.
  public init(kind: DayKind, looks: [Double], forecast: DayForecast, fetches: [Int]) {
    self.kind = kind
    self.looks = looks
    self.forecast = forecast
    self.fetches = fetches
  }
}

/// The days of both kinds, working days first.
///
/// Fetches are those of a machine that wakes bgfetch each minute, and of servers that go on as they are.
///
/// - Parameters:
///   - feed: the feed as configured.
///   - state: what is remembered of it.
///   - context: the present, with the feed's habit in it.
/// - Returns: one of each kind.
public func habitDays(_ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext) -> [HabitDay] {
  let habit = context.habit(of: feed.name)
  let forecast = habitForecast(habit, at: context.now)
  let fetches = plannedFetches(feed, state, context)
  return DayKind.allCases.map { kind in
    HabitDay(
      kind: kind, looks: LookHistogram(habit, of: kind, on: context.now.dayNumber).looks,
      forecast: forecast[kind], fetches: fetches[kind] ?? [])
  }
}

/// The fetches of the next whole day of each kind, by minute of the day.
private func plannedFetches(
  _ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext
) -> [DayKind: [Int]] {
  let today = context.zone.civil(at: context.now).daysSince1970
  var days: [DayKind: Int64] = [:]
  for day in (today + 1)...(today + 7) where days[DayKind(day: day)] == nil { days[DayKind(day: day)] = day }
  var fetches: [DayKind: [Int]] = [:]
  for kind in days.keys { fetches[kind] = [] }
  var state = state
  var context = context.withHabitsAlone
  var now = context.now
  // Eight days of a fetch each minute are as many as there can be.
  for _ in 0..<(8 * LookHistogram.minutesOfDay) {
    context.move(to: now)
    guard let due = nextDue(feed, state, context) else { break }
    let minute = max(due, now).secondsSince1970 + 59
    now = Instant(secondsSince1970: minute - minute % 60)
    let civil = context.zone.civil(at: now)
    if civil.daysSince1970 > today + 7 { break }
    if days[DayKind(day: civil.daysSince1970)] == civil.daysSince1970 {
      fetches[DayKind(day: civil.daysSince1970), default: []].append(civil.hour * 60 + civil.minute)
    }
    state.lastAsked = now
    state.lastCounted = now
    state.lastSuccess = now
    state.wish = state.wish.map { ServerWish(notBefore: min($0.notBefore, now), source: $0.source) }
    now = now + .minutes(1)
  }
  return fetches
}
