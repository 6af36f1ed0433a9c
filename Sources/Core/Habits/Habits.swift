// Habits: the times of day at which the person usually looks, so that a feed is fetched shortly before.
//
// Doors: `Habit` (the stored openings), `habitForecast` (the peaks of the day, for people), `habitMoment` (when to fetch
// next, for DueMoments) and `habitDays` (the chart of `bgfetch habits`). Never here: reading and storing openings.

/// The openings of a feed, as a decaying histogram over the minutes of the day.
public struct Habit: Hashable, Sendable {
  /// The minutes with openings, at most one bin per kind of day and minute.
  public var bins: [HabitBin] = []
  /// The number of days with openings, at most the days since counting began.
  public var days = 0

  public init() {}

  /// Openings less than this apart count as one look.
  public static let oneLook = Interval.minutes(15)
  /// The share of its weight that an opening keeps each day; half is left after three weeks.
  private static let dailyFactor = 0.9675

  /// A weight of `then`, decayed up to `now`.
  public static func decayed(_ weight: Double, from then: Instant, to now: Instant) -> Double {
    // To the nearest day, because the same minute of the next day may be some seconds less than a day later.
    decayed(weight, days: (max(0, now.since(then).seconds) + 43_200) / 86_400)
  }

  /// A weight after a number of days.
  public static func decayed(_ weight: Double, days: Int64) -> Double {
    weight * factors[Int(min(max(days, 0), 365))]
  }

  /// The rest of 1 after each number of days up to a year.
  private static let factors = (0..<365).reduce(into: [1.0]) { factors, day in
    factors.append(factors[day] * dailyFactor)
  }
}

/// The openings in one minute of the day.
public struct HabitBin: Hashable, Sendable {
  public var kind: DayKind
  /// The minute of the day, 0 to 1439.
  public var minute: Int
  /// The number of openings, decayed up to `at`.
  public var weight: Double
  public var at: Instant

  public init(kind: DayKind, minute: Int, weight: Double, at: Instant) {
    self.kind = kind
    self.minute = minute
    self.weight = weight
    self.at = at
  }
}

/// Working days and weekends are separate, because people keep different hours on them.
public enum DayKind: Int, Hashable, Sendable, CaseIterable {
  case working = 0
  case weekend = 1
}

/// An opening by the person's clock and calendar.
public struct OpeningMoment: Hashable, Sendable {
  public var at: Instant
  /// The kind of the day.
  public var kind: DayKind
  /// The minute of the day, 0 to 1439.
  public var minute: Int
  /// The day, counted from 1970-01-01 in local time.
  public var day: Int64

  public init(_ moment: Instant, in zone: Zone) {
    let civil = zone.civil(at: moment)
    at = moment
    kind = DayKind(day: civil.daysSince1970)
    minute = civil.hour * 60 + civil.minute
    day = civil.daysSince1970
  }
}

/// The looks of one kind of day by minute of the day, decayed to the present.
struct LookHistogram {
  static let minutesOfDay = 24 * 60
  /// Looks at most this many minutes apart belong to the same habit.
  static let reach = 20

  /// The weight of the looks in each minute.
  private(set) var looks = [Double](repeating: 0, count: minutesOfDay)
  /// The minutes with looks, in the order of the habit's bins.
  private(set) var minutes: [Int] = []
  /// The UTC day of the last look in each minute, good enough to tell days apart.
  private(set) var lastDays = [Int64](repeating: 0, count: minutesOfDay)
  /// The sum of all weights.
  private(set) var total = 0.0

  /// The histogram of one kind of day; invalid bins are ignored.
  ///
  /// - Parameters:
  ///   - habit: the openings.
  ///   - kind: the kind of day.
  ///   - today: the day up to which they decay.
  ///   - share: an additional weight for the looks of a number of days ago.
  init(_ habit: Habit, of kind: DayKind, on today: Int64, weighed share: (Int64) -> Double = { _ in 1 }) {
    for bin in habit.bins where bin.kind == kind && looks.indices.contains(bin.minute) {
      let age = max(0, today - bin.at.dayNumber)
      let weight = Habit.decayed(bin.weight, days: age) * share(age)
      // Nearly forgotten looks only cost time.
      guard weight > 0.01, weight.isFinite else { continue }
      if looks[bin.minute] == 0 { minutes.append(bin.minute) }
      looks[bin.minute] += weight
      lastDays[bin.minute] = bin.at.dayNumber
      total += weight
    }
  }

  /// For each minute the weight of the looks up to `reach` before and after it, across midnight.
  var gathered: [Double] {
    let day = Self.minutesOfDay
    var gathered = [Double](repeating: 0, count: day)
    var sum = (-Self.reach...Self.reach).reduce(0) { $0 + looks[($1 + day) % day] }
    for minute in 0..<day {
      // Rounding errors may leave a trace of 0.
      gathered[minute] = sum < 1e-9 ? 0 : sum
      let (next, last) = (minute + Self.reach + 1, minute - Self.reach)
      sum += looks[next < day ? next : next - day] - looks[last < 0 ? last + day : last]
    }
    return gathered
  }
}
