// How much the looks of one kind of days count at each minute by now. Where they gather is HabitForecast's business.

import Model
import Timing

/// The looks of one kind of days by minute of the day, each with what it still counts.
struct LookHistogram {
  /// Minutes of a day.
  static let minutesOfDay = 24 * 60
  /// Looks up to so many minutes apart speak for the same habit.
  static let reach = 15
  /// A minute without a look for so long no longer says when a habit begins and ends: habits move.
  static let freshness = Interval.days(14)

  /// What the looks of each minute count.
  private(set) var looks = [Double](repeating: 0, count: minutesOfDay)
  /// The same of the minutes that had a look of late.
  private(set) var freshLooks = [Double](repeating: 0, count: minutesOfDay)
  /// The day of each minute's last look, counted by UTC: near enough to tell days apart.
  private(set) var lastDays = [Int64](repeating: 0, count: minutesOfDay)
  /// What all of them count.
  private(set) var total = 0.0

  /// The looks of one kind of days; what no histogram can hold is passed over.
  init(_ habit: Habit, of kind: DayKind, at now: Instant) {
    for bin in habit.bins where bin.kind == kind && looks.indices.contains(bin.minute) {
      let weight = Habit.decayed(bin.weight, from: bin.at, to: now)
      guard weight > 0, weight.isFinite else { continue }
      looks[bin.minute] += weight
      if now.since(bin.at) <= Self.freshness { freshLooks[bin.minute] += weight }
      lastDays[bin.minute] = bin.at.secondsSince1970 / 86_400
      total += weight
    }
  }

  /// What the looks around each minute count together, up to `reach` before and after it, across midnight.
  var gathered: [Double] {
    let day = Self.minutesOfDay
    var sum = (-Self.reach...Self.reach).reduce(0) { $0 + looks[($1 + day) % day] }
    return looks.indices.map { minute in
      defer {
        sum += looks[(minute + Self.reach + 1) % day] - looks[(minute - Self.reach + day) % day]
      }
      // Sums and differences of fractions leave a trace where nothing is left.
      return sum < 1e-9 ? 0 : sum
    }
  }
}
