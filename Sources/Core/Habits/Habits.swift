// Habits: the times of day at which the person usually looks, so that a feed is fetched shortly before.
//
// Doors: `Habit` (the stored openings), `adaptedMoment` (when to fetch next, for DueMoments) and `LearnedWeek` (the chart of
// `bgfetch history --habits`). Never here: reading and storing openings.

/// The openings of a feed, as a decaying histogram over the minutes of the day.
public struct Habit: Hashable, Sendable {
  /// The minutes with openings of the feed, and of all feeds at once, working days first.
  public var bins: [HabitBin] = []
  /// The number of days with openings, at most the days since counting began.
  public var days = 0

  public init() {}

  public func hash(into hasher: inout Hasher) {
    // Different habits differ in their first or last bins.
    hasher.combine(bins.count)
    hasher.combine(bins.first)
    hasher.combine(bins.last)
  }

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
  static func decayed(_ weight: Double, days: Int64) -> Double {
    weight * factors[Int(min(max(days, 0), 365))]
  }

  /// The rest of 1 after each number of days up to a year.
  private static let factors = (0..<365).reduce(into: [1.0]) { factors, day in
    factors.append(factors[day] * dailyFactor)
  }
}

/// The learned times of feeds: when the person opens them, and when their items came.
public struct Learned: Sendable {
  public var habits: [FeedName: Habit] = [:]
  public var news: [FeedName: [ItemTimes]] = [:]

  public init(habits: [FeedName: Habit] = [:], news: [FeedName: [ItemTimes]] = [:]) {
    (self.habits, self.news) = (habits, news)
  }

  var isEmpty: Bool { habits.isEmpty && news.isEmpty }
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
    (self.kind, self.minute, self.weight, self.at) = (kind, minute, weight, at)
  }
}

/// Working days and weekends are separate, because people keep different hours on them.
public enum DayKind: Int, Sendable, CaseIterable {
  case working = 0
  case weekend = 1
}

extension DayKind {
  /// The kind of a day counted from 1970-01-01.
  init(day: Int64) {
    let weekday = CivilTime(secondsSince1970: day * 86_400).weekday
    self = weekday == 0 || weekday == 6 ? .weekend : .working
  }
}

/// An opening by the person's clock and calendar.
public struct OpeningMoment: Sendable {
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
    minute = civil.minuteOfDay
    day = civil.daysSince1970
  }
}

/// The looks of one kind of day by minute of the day, decayed to the present.
struct OpeningHistogram {
  /// Looks at most this many minutes apart belong to the same habit.
  static let reach = 20

  /// The weight of the looks in each minute.
  private(set) var looks = [Double](repeating: 0, count: CivilTime.minutesOfDay)
  /// The minutes with looks, in the order of the habit's bins.
  private(set) var minutes: [Int] = []
  /// The UTC day of the last look in each minute, good enough to tell days apart.
  private(set) var lastDays = [Int64](repeating: 0, count: CivilTime.minutesOfDay)
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
      lastDays[bin.minute] = max(lastDays[bin.minute], bin.at.dayNumber)
      total += weight
    }
  }

  /// For each minute the weight of the looks up to `reach` before and after it, across midnight.
  var gathered: [Double] {
    let day = CivilTime.minutesOfDay
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

/// The number of looks to expect in each minute of the days of both kinds.
struct OpeningRates {
  private var working: [Double] = []
  private var weekend: [Double] = []
  /// The average number of looks per minute.
  let average: Double
  /// The share of looks that other days predicted.
  private(set) var predictedShare = 0.0

  /// The number of average days assumed before the first day, because few days prove little.
  private static let daysBefore = 2.0
  /// The share of an average day's looks that may come at any time.
  private static let anyTime = 0.1

  /// The rates of a habit; nil if nothing can be predicted.
  ///
  /// Nothing can be predicted before three days with openings, nor if other days would not have predicted most looks.
  init?(_ habit: Habit, on today: Int64) {
    guard habit.days >= Habit.fewestDays else { return nil }
    let memory = Memory(days: habit.days)
    let histograms = DayKind.allCases.map {
      OpeningHistogram(habit, of: $0, on: today, weighed: memory.share(ofAge:))
    }
    let total = histograms.reduce(0) { $0 + $1.total }
    guard total >= 2 else { return nil }
    average = total / memory.length / Double(CivilTime.minutesOfDay)
    var evidence = Evidence()
    for (kind, histogram) in zip(DayKind.allCases, histograms) {
      let share = kind == .working ? 5.0 / 7 : 2.0 / 7
      let days = memory.length * share + Self.daysBefore
      let base = average * (Self.daysBefore / days + Self.anyTime)
      let gathered = histogram.gathered
      evidence.add(
        histogram, gathered, share: share, scale: 1 / (days * average), base: base / average, memory, today)
      let rates = histogram.looks.map { $0 / days + base }
      if kind == .working { working = rates } else { weekend = rates }
    }
    guard evidence.isEnough else { return nil }
    predictedShare = evidence.predictedShare
  }

  /// The looks to expect in a minute of the week, counted from the midnight before Sunday.
  subscript(minute: Int) -> Double {
    let (weekday, minute) = minute.quotientAndRemainder(dividingBy: CivilTime.minutesOfDay)
    return weekday == 0 || weekday == 6 ? weekend[minute] : working[minute]
  }
}

/// How looks fade: half of their weight within weeks, as in the histogram, and half within days, because people change.
struct Memory {
  /// The sum of the weights of the remembered days.
  let length: Double
  /// The factor by which the brief half of the memory is shorter, and therefore weighs more.
  private let boost: Double
  /// The share of the brief half that is left after each day, besides the decay of the histogram.
  private static let soon = 0.8

  init(days: Int) {
    var (day, brief) = (1.0, 1.0)
    var (length, briefLength) = (0.0, 0.0)
    let factor = Habit.decayed(1, days: 1)
    for _ in 0..<min(days, 200) {
      length += day
      briefLength += brief
      day *= factor
      brief *= factor * Self.soon
    }
    self.length = length
    boost = length / briefLength
  }

  /// The weight of a look of a number of days ago, besides its decay.
  func share(ofAge days: Int64) -> Double {
    0.5 + 0.5 * boost * (0..<min(days, 60)).reduce(1) { share, _ in share * Self.soon }
  }
}

/// Whether other days would have predicted the looks.
///
/// Fetches are placed best if they follow the square root of the rate of looks; the staleness at a look is then
/// proportional to 1/√rate. The measure is the mean of 1/√rate over all looks, with the rate that other days predict for
/// each, times the mean of √rate over the day: the share of staleness that is left with as many fetches. 1 means no gain.
private struct Evidence {
  private var roots = 0.0
  private var sum = 0.0
  private var squares = 0.0
  private var weights = 0.0
  private var weightSquares = 0.0
  /// The weight of looks that the other days made less likely than average.
  private var unpredicted = 0.0

  /// The largest share of staleness left, two standard deviations included, at which habits are used.
  private static let bound = 0.92

  /// Looks of a day less than this many minutes apart are not independent.
  private static let sitting = 50

  /// Adds a kind of day, with its share of all days; rates are relative to the average.
  mutating func add(
    _ histogram: OpeningHistogram, _ gathered: [Double], share: Double, scale: Double, base: Double,
    _ memory: Memory, _ today: Int64
  ) {
    let width = Double(2 * OpeningHistogram.reach + 1)
    let day = CivilTime.minutesOfDay
    // Neighbouring minutes hardly differ, so every fifth one is enough.
    for minute in stride(from: 0, to: day, by: 5) {
      roots += share * 5 / Double(day) * pace(at: gathered[minute] * scale / width + base)
    }
    var sittings: [Int64: (minute: Int, weight: Double)] = [:]
    for minute in histogram.minutes.sorted() {
      let lastDay = histogram.lastDays[minute]
      let age = max(0, today - lastDay)
      let one = Habit.decayed(1, days: age) * memory.share(ofAge: age)
      var own = 0.0
      for other in (minute - OpeningHistogram.reach)...(minute + OpeningHistogram.reach) {
        let other = (other + day) % day
        if histogram.looks[other] > 0, histogram.lastDays[other] == lastDay {
          own += min(histogram.looks[other], one)
        }
      }
      let rate = max(gathered[minute] - own, 0) * scale / width + base
      let left = 1 / pace(at: rate)
      let weight = histogram.looks[minute]
      if left >= 1 { unpredicted += weight }
      sum += weight * left
      squares += weight * left * left
      weights += weight
      // The looks of one sitting are not independent: they count as a single look with their common weight.
      var before = 0.0
      if let last = sittings[lastDay], minute - last.minute < Self.sitting { before = last.weight }
      weightSquares += weight * weight + 2 * before * weight
      sittings[lastDay] = (minute, before + weight)
    }
  }

  /// The most unpredicted looks to add to the observed ones, because a few looks may agree by chance.
  private static let mostUnpredicted = 0.5

  /// The share of looks that the other days made more likely than average.
  var predictedShare: Double { weights > 0 ? 1 - unpredicted / weights : 0 }

  /// Whether the gain is large enough and certain.
  var isEnough: Bool {
    guard weights > 0 else { return false }
    let worst = 1 / pace(at: 0)
    let more = min(unpredicted, Self.mostUnpredicted)
    let all = weights + more
    let mean = (sum + more * worst) / all
    let squares = (squares + more * worst * worst) / all
    let weightSquares = weightSquares + more * more
    let spread = max(squares - mean * mean, 0) * weightSquares / (all * all)
    return (mean + 2 * spread.squareRoot()) * roots <= Self.bound
  }
}
