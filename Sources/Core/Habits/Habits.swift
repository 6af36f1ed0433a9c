// Habits: the times of day at which the person usually looks, so that a feed is fetched shortly before.
//
// Doors: `Habit` (the stored openings), `habitForecast` (the peaks of the day, for people), `habitMoment` (when to fetch
// next, for DueMoments) and `habitDays` (the chart of `bgfetch habits`). Never here: reading and storing openings.

/// The openings of a feed as a decaying histogram over the minutes of the day.
public struct Habit: Hashable, Sendable {
  /// The minutes with openings, at most one of each kind and minute.
  public var bins: [HabitBin] = []
  /// How many days have had openings, at most the days since counting began.
  public var days = 0

  /// No openings.
  public init() {}

  /// Openings less than this apart are one look.
  public static let oneLook = Interval.minutes(15)
  /// What an opening counts after each day, of what it counted before: half after three weeks.
  private static let dailyFactor = 0.9675

  /// What a weight of an earlier moment has become.
  public static func decayed(_ weight: Double, from then: Instant, to now: Instant) -> Double {
    // To the nearest day: the same minute of the next day may be some seconds less than a day later.
    decayed(weight, days: (max(0, now.since(then).seconds) + 43_200) / 86_400)
  }

  /// What a weight has become after so many days.
  public static func decayed(_ weight: Double, days: Int64) -> Double {
    weight * factors[Int(min(max(days, 0), 365))]
  }

  /// What is left of 1 after each number of days up to a year.
  private static let factors = (0..<365).reduce(into: [1.0]) { factors, day in
    factors.append(factors[day] * dailyFactor)
  }
}

/// The openings in one minute of the day.
public struct HabitBin: Hashable, Sendable {
  /// The kind of the days.
  public var kind: DayKind
  /// The minute of the day, 0 to 1439.
  public var minute: Int
  /// How many they are; older ones count less.
  public var weight: Double
  /// The moment at which they counted so.
  public var at: Instant

  /// Openings in a minute.
  public init(kind: DayKind, minute: Int, weight: Double, at: Instant) {
    self.kind = kind
    self.minute = minute
    self.weight = weight
    self.at = at
  }
}

/// Working days and weekends are apart: people live by another clock then.
public enum DayKind: Int, Hashable, Sendable, CaseIterable {
  /// Monday to Friday.
  case working = 0
  /// Saturday and Sunday.
  case weekend = 1
}

/// A moment as the person's clock and calendar showed it.
public struct OpeningMoment: Hashable, Sendable {
  /// The moment.
  public var at: Instant
  /// The kind of the day.
  public var kind: DayKind
  /// The minute of the day, 0 to 1439.
  public var minute: Int
  /// The day, counted from 1970-01-01 in local time.
  public var day: Int64

  /// A moment in a zone.
  public init(_ moment: Instant, in zone: Zone) {
    let civil = zone.civil(at: moment)
    at = moment
    kind = civil.weekday == 0 || civil.weekday == 6 ? .weekend : .working
    minute = civil.hour * 60 + civil.minute
    day = civil.daysSince1970
  }
}

/// The looks of one kind of days by minute of the day, each with what it still counts.
struct LookHistogram {
  /// Minutes of a day.
  static let minutesOfDay = 24 * 60
  /// Looks up to so many minutes apart speak for the same habit.
  static let reach = 20

  /// What the looks of each minute count.
  private(set) var looks = [Double](repeating: 0, count: minutesOfDay)
  /// The minutes with looks, as the habit has them.
  private(set) var minutes: [Int] = []
  /// The day of each minute's last look, counted by UTC: near enough to tell days apart.
  private(set) var lastDays = [Int64](repeating: 0, count: minutesOfDay)
  /// What all of them count.
  private(set) var total = 0.0

  /// The looks of one kind of days; what no histogram can hold is passed over.
  ///
  /// - Parameters:
  ///   - habit: the openings.
  ///   - kind: the kind of days.
  ///   - today: the day up to which they decay.
  ///   - share: by what a look of so many days ago is weighed besides.
  init(_ habit: Habit, of kind: DayKind, on today: Int64, weighed share: (Int64) -> Double = { _ in 1 }) {
    for bin in habit.bins where bin.kind == kind && looks.indices.contains(bin.minute) {
      let age = max(0, today - bin.at.dayNumber)
      let weight = Habit.decayed(bin.weight, days: age) * share(age)
      // What is as good as forgotten only costs time.
      guard weight > 0.01, weight.isFinite else { continue }
      if looks[bin.minute] == 0 { minutes.append(bin.minute) }
      looks[bin.minute] += weight
      lastDays[bin.minute] = bin.at.dayNumber
      total += weight
    }
  }

  /// What the looks around each minute count together, up to `reach` before and after it, across midnight.
  var gathered: [Double] {
    let day = Self.minutesOfDay
    var gathered = [Double](repeating: 0, count: day)
    var sum = (-Self.reach...Self.reach).reduce(0) { $0 + looks[($1 + day) % day] }
    for minute in 0..<day {
      // Sums and differences of fractions leave a trace where nothing is left.
      gathered[minute] = sum < 1e-9 ? 0 : sum
      let (next, last) = (minute + Self.reach + 1, minute - Self.reach)
      sum += looks[next < day ? next : next - day] - looks[last < 0 ? last + day : last]
    }
    return gathered
  }
}
