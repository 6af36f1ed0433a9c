// How many looks are to be expected at each minute, and whether the past bears that out: what fetches are placed by.

/// How many looks are expected at each minute of the days of both kinds.
struct LookRates {
  /// Those of a kind of days.
  struct Day {
    /// How many looks come before each minute of the day, and on all of it: 1441 of them.
    var counts: [Double] = []
    /// The sums of the minutes at which they come, in the same places.
    var moments: [Double] = []
    /// The minutes at which there were looks.
    var isLook = [Bool](repeating: false, count: LookHistogram.minutesOfDay)
  }

  private(set) var working = Day()
  private(set) var weekend = Day()
  /// How many looks a minute there are on average.
  let average: Double
  /// The share of the looks that those of other days foretold.
  private(set) var foretold = 0.0
  /// The minute of the day with which the greatest rush of looks begins.
  private(set) var mainMinute = 0

  subscript(kind: DayKind) -> Day {
    switch kind {
    case .working: working
    case .weekend: weekend
    }
  }

  /// How many looks come before a minute of a day, and the sum of their minutes.
  func looks(before minute: Int, on kind: DayKind) -> (count: Double, moment: Double) {
    switch kind {
    case .working: (working.counts[minute], working.moments[minute])
    case .weekend: (weekend.counts[minute], weekend.moments[minute])
    }
  }

  /// Whether there were looks at a minute of a day.
  func isLook(at minute: Int, on kind: DayKind) -> Bool {
    switch kind {
    case .working: working.isLook[minute]
    case .weekend: weekend.isLook[minute]
    }
  }

  /// So many days like the average one are taken to have been before the first: of few days little is known.
  private static let daysBefore = 2.0
  /// The share of the looks of an average day that may come at any time, whatever was seen.
  private static let anyTime = 0.1

  /// The rates that openings lead to; nil where nothing can be predicted.
  ///
  /// That is before three days with openings, and where most of the looks could not have been foretold by those of other
  /// days.
  init?(_ habit: Habit, on today: Int64) {
    guard habit.days >= HabitForecast.fewestDays else { return nil }
    let memory = Memory(days: habit.days)
    let histograms = DayKind.allCases.map {
      LookHistogram(habit, of: $0, on: today, weighed: memory.share(ofAge:))
    }
    let total = histograms.reduce(0) { $0 + $1.total }
    guard total >= 2 else { return nil }
    average = total / memory.length / Double(LookHistogram.minutesOfDay)
    var evidence = Evidence()
    var greatest = 0.0
    for (kind, histogram) in zip(DayKind.allCases, histograms) {
      let share = kind == .working ? 5.0 / 7 : 2.0 / 7
      let days = memory.length * share + Self.daysBefore
      let base = average * (Self.daysBefore / days + Self.anyTime)
      let gathered = histogram.gathered
      evidence.take(
        histogram, gathered, share: share, scale: 1 / (days * average), base: base / average, memory, today)
      if let top = gathered.indices.max(by: { gathered[$0] < gathered[$1] }), gathered[top] * share > greatest
      {
        greatest = gathered[top] * share
        mainMinute = histogram.firstLook(around: top)
      }
      let day = Day(histogram, days: days, base: base)
      if kind == .working { working = day } else { weekend = day }
    }
    guard evidence.isEnough else { return nil }
    foretold = evidence.foretold
  }
}

extension LookRates.Day {
  /// The rates of looks that come so often on days of a number, besides those that come at any time.
  fileprivate init(_ histogram: LookHistogram, days: Double, base: Double) {
    counts.reserveCapacity(LookHistogram.minutesOfDay + 1)
    moments.reserveCapacity(LookHistogram.minutesOfDay + 1)
    var count = 0.0
    var moment = 0.0
    for minute in 0..<LookHistogram.minutesOfDay {
      counts.append(count)
      moments.append(moment)
      let rate = histogram.looks[minute] / days + base
      count += rate
      moment += rate * Double(minute)
    }
    counts.append(count)
    moments.append(moment)
    for minute in histogram.minutes { isLook[minute] = true }
  }
}

extension LookHistogram {
  /// The first minute with a look of those that gather around one.
  fileprivate func firstLook(around minute: Int) -> Int {
    let day = Self.minutesOfDay
    let first = (-Self.reach...Self.reach).first { looks[(minute + $0 + day) % day] > 0 } ?? 0
    return (minute + first + day) % day
  }
}

/// How looks fade: half of what they count does so over weeks, with the histogram, and half over days, as people change.
struct Memory {
  /// How many days are remembered, each by what it counts.
  let length: Double
  /// By how much the memory of days is shorter, to make up for which it counts more.
  private let boost: Double
  private static let soon = 0.8

  /// The memory after so many days with openings.
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

  /// By what a look of so many days ago is weighed besides its decay.
  func share(ofAge days: Int64) -> Double {
    0.5 + 0.5 * boost * (0..<min(days, 60)).reduce(1) { share, _ in share * Self.soon }
  }
}

/// Whether looks could have been foretold by those of other days.
///
/// Where looks come at a rate, fetches are best placed by its square root, and then staleness at a look is one by that.
/// So the mean of that over all looks, by the rate that the looks of other days give for each, times the mean of the root
/// over the day, is what would have been left of the staleness at equal fetches; 1 is nothing gained.
private struct Evidence {
  private var roots = 0.0
  private var sum = 0.0
  private var squares = 0.0
  private var weights = 0.0
  private var weightSquares = 0.0
  /// Of the looks those that the other days made less likely than any.
  private var unforeseen = 0.0

  /// At most so much is left, two deviations of chance counted in, or nothing is predicted.
  private static let bound = 0.92
  /// The interval is stretched from one to four times, so its rates differ by sixteen times: four to both sides.
  private static func clamped(_ rate: Double) -> Double { min(max(rate, 0.25), 4) }

  /// Looks of a day less than so many minutes apart are not independent of each other.
  private static let sitting = 50

  /// Takes in a kind of days, which has a share of all; rates are by the average.
  mutating func take(
    _ histogram: LookHistogram, _ gathered: [Double], share: Double, scale: Double, base: Double,
    _ memory: Memory, _ today: Int64
  ) {
    let width = Double(2 * LookHistogram.reach + 1)
    let day = LookHistogram.minutesOfDay
    // Neighbours hardly differ: every fifth minute will do.
    for minute in stride(from: 0, to: day, by: 5) {
      roots += share * 5 / Double(day) * Self.clamped(gathered[minute] * scale / width + base).squareRoot()
    }
    var sittings: [Int64: (minute: Int, weight: Double)] = [:]
    for minute in histogram.minutes.sorted() {
      let lastDay = histogram.lastDays[minute]
      let age = max(0, today - lastDay)
      let one = Habit.decayed(1, days: age) * memory.share(ofAge: age)
      var own = 0.0
      for other in (minute - LookHistogram.reach)...(minute + LookHistogram.reach) {
        let other = (other + day) % day
        if histogram.looks[other] > 0, histogram.lastDays[other] == lastDay {
          own += min(histogram.looks[other], one)
        }
      }
      let rate = max(gathered[minute] - own, 0) * scale / width + base
      let left = 1 / Self.clamped(rate).squareRoot()
      let weight = histogram.looks[minute]
      if left >= 1 { unforeseen += weight }
      sum += weight * left
      squares += weight * left * left
      weights += weight
      // Several looks in a row say no more than one: they come together, whatever the time.
      var before = 0.0
      if let last = sittings[lastDay], minute - last.minute < Self.sitting { before = last.weight }
      weightSquares += weight * weight + 2 * before * weight
      sittings[lastDay] = (minute, before + weight)
    }
  }

  /// Where some looks could not be foretold, so many more of them are assumed at most: of few looks, some come together
  /// by chance.
  private static let mostUnforeseen = 0.5

  /// The share of the looks that the other days made more likely than any.
  var foretold: Double { weights > 0 ? 1 - unforeseen / weights : 0 }

  /// Whether enough is gained, for sure.
  var isEnough: Bool {
    guard weights > 0 else { return false }
    let worst = 1 / Self.clamped(0).squareRoot()
    let more = min(unforeseen, Self.mostUnforeseen)
    let all = weights + more
    let mean = (sum + more * worst) / all
    let squares = (squares + more * worst * worst) / all
    let weightSquares = weightSquares + more * more
    let spread = max(squares - mean * mean, 0) * weightSquares / (all * all)
    return (mean + 2 * spread.squareRoot()) * roots <= Self.bound
  }
}
