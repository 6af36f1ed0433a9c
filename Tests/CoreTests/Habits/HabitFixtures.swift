// Short forms of habits for the tests of this folder.

import Testing

@testable import Core

/// Openings of working days and weekends: this many days of each kind back from Sunday 2026-11-01, at minutes of the day,
/// in UTC.
func habit(working: [[Int]] = [], weekend: [[Int]] = []) -> Habit {
  var habit = Habit()
  var day = CivilTime(year: 2026, month: 11, day: 1).daysSince1970
  var rest = [DayKind.working: working[...], .weekend: weekend[...]]
  while rest.values.contains(where: { !$0.isEmpty }) {
    let weekday = CivilTime(secondsSince1970: day * 86_400).weekday
    let kind: DayKind = weekday == 0 || weekday == 6 ? .weekend : .working
    if let minutes = rest[kind]?.popFirst() {
      if !minutes.isEmpty { habit.days += 1 }
      for minute in minutes {
        habit.add(minute, kind, at: Instant(secondsSince1970: day * 86_400 + Int64(minute) * 60))
      }
    }
    day -= 1
  }
  return habit
}

extension Habit {
  /// Adds an opening that is not later than those of its minute.
  fileprivate mutating func add(_ minute: Int, _ kind: DayKind, at moment: Instant) {
    if let index = bins.firstIndex(where: { $0.kind == kind && $0.minute == minute }) {
      bins[index].weight += Self.decayed(1, from: moment, to: bins[index].at)
    } else {
      bins.append(HabitBin(kind: kind, minute: minute, weight: 1, at: moment))
    }
  }
}

/// A minute of the day by its text, for example `12:30`.
func clock(_ text: String) throws -> Int {
  let parts = text.split(separator: ":").compactMap { Int($0) }
  try #require(parts.count == 2)
  return parts[0] * 60 + parts[1]
}

/// Days with looks at the same minutes.
func days(_ count: Int, _ times: String...) throws -> [[Int]] {
  Array(repeating: try times.map(clock), count: count)
}

/// A feed that adapts to habits.
func adaptive(_ interval: MinimumInterval? = .every(.hours(1)), schedule: [String] = []) throws -> FeedSpec {
  with(try feed(interval: interval, schedule: schedule)) { $0.adapt = .habits }
}

/// A run at a moment that knows a habit of the feed.
func context(
  _ moment: Instant, _ habit: Habit, in zone: Zone = .utc, named: Set<FeedName> = []
) throws -> PlanningContext {
  PlanningContext(
    now: moment, zone: zone, machine: "test", named: named,
    learned: Learned(habits: [try name("planet"): habit]))
}

/// The state of a feed that was fetched at a moment.
func fetchedAt(_ moment: Instant) -> FeedState { fetched(.zero, before: moment) }
