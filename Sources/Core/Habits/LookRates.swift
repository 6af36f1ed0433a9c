// How many looks to expect at each minute, and whether the past confirms it. Fetches are placed by these rates.

/// The number of looks to expect in each minute of the days of both kinds.
struct LookRates {
  /// The rates of one kind of day.
  struct Day {
    /// The looks before each minute of the day; 1441 values, the last one for the whole day.
    var counts: [Double] = []
    /// The sums of the minutes of these looks.
    var moments: [Double] = []
    /// The minutes that had looks.
    var isLook = [Bool](repeating: false, count: LookHistogram.minutesOfDay)
  }

  private(set) var working = Day()
  private(set) var weekend = Day()
  /// The average number of looks per minute.
  let average: Double
  /// The share of looks that other days predicted.
  private(set) var predictedShare = 0.0
  /// The minute of the day at which the greatest rush of looks begins.
  private(set) var mainMinute = 0

  subscript(kind: DayKind) -> Day {
    switch kind {
    case .working: working
    case .weekend: weekend
    }
  }

  /// The number of looks before a minute of a day, and the sum of their minutes.
  func looks(before minute: Int, on kind: DayKind) -> (count: Double, moment: Double) {
    switch kind {
    case .working: (working.counts[minute], working.moments[minute])
    case .weekend: (weekend.counts[minute], weekend.moments[minute])
    }
  }

  /// Whether there were looks in a minute of a day.
  func isLook(at minute: Int, on kind: DayKind) -> Bool {
    switch kind {
    case .working: working.isLook[minute]
    case .weekend: weekend.isLook[minute]
    }
  }

  /// The number of average days assumed before the first day, because few days prove little.
  private static let daysBefore = 2.0
  /// The share of an average day's looks that may come at any time.
  private static let anyTime = 0.1

  /// The rates of a habit; nil if nothing can be predicted.
  ///
  /// Nothing can be predicted before three days with openings, nor if other days would not have predicted most looks.
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
    predictedShare = evidence.predictedShare
  }
}

extension LookRates.Day {
  /// The rates of a histogram of a number of days, and a base rate.
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
  /// The first minute with a look within `reach` of a minute.
  fileprivate func firstLook(around minute: Int) -> Int {
    let day = Self.minutesOfDay
    let first = (-Self.reach...Self.reach).first { looks[(minute + $0 + day) % day] > 0 } ?? 0
    return (minute + first + day) % day
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
  /// A rate, limited because intervals stretch only from one to four times: √rate from 1/2 to 2.
  private static func clamped(_ rate: Double) -> Double { min(max(rate, 0.25), 4) }

  /// Looks of a day less than this many minutes apart are not independent.
  private static let sitting = 50

  /// Adds a kind of day, with its share of all days; rates are relative to the average.
  mutating func take(
    _ histogram: LookHistogram, _ gathered: [Double], share: Double, scale: Double, base: Double,
    _ memory: Memory, _ today: Int64
  ) {
    let width = Double(2 * LookHistogram.reach + 1)
    let day = LookHistogram.minutesOfDay
    // Neighbouring minutes hardly differ, so every fifth one is enough.
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
    let worst = 1 / Self.clamped(0).squareRoot()
    let more = min(unpredicted, Self.mostUnpredicted)
    let all = weights + more
    let mean = (sum + more * worst) / all
    let squares = (squares + more * worst * worst) / all
    let weightSquares = weightSquares + more * more
    let spread = max(squares - mean * mean, 0) * weightSquares / (all * all)
    return (mean + 2 * spread.squareRoot()) * roots <= Self.bound
  }
}
