// When the person is likely to look, out of when they did: the rushes of looks in a histogram, where there are any.

public import Model
public import Timing

/// When the person is likely to look at a feed.
public struct HabitForecast: Hashable, Sendable {
  /// How many days have had openings.
  public var days: Int
  /// What is expected of working days.
  public var working: DayForecast
  /// What is expected of weekends.
  public var weekend: DayForecast

  /// A forecast for both kinds of days.
  public init(days: Int, working: DayForecast, weekend: DayForecast) {
    self.days = days
    self.working = working
    self.weekend = weekend
  }

  /// Nothing is predicted before so many days have had openings.
  public static let fewestDays = 3

  /// What is expected of a kind of days.
  public subscript(kind: DayKind) -> DayForecast {
    switch kind {
    case .working: working
    case .weekend: weekend
    }
  }

  /// Whether something is expected of any day.
  public var predicts: Bool { !working.peaks.isEmpty || !weekend.peaks.isEmpty }
}

/// What is expected of a day.
public struct DayForecast: Hashable, Sendable {
  /// The peaks of the day, the earliest beginning first.
  public var peaks: [HabitPeak]
  /// Up to how many times their length the times between fetches are stretched, from 1 to 4.
  public var stretch: Int64

  /// A forecast.
  public init(peaks: [HabitPeak], stretch: Int64) {
    self.peaks = peaks
    self.stretch = stretch
  }

  /// A day with peaks, and few looks outside of them.
  static func rushes(_ peaks: [HabitPeak]) -> DayForecast { DayForecast(peaks: peaks, stretch: 4) }
  /// A day on which the person does not look.
  static let quiet = DayForecast(peaks: [], stretch: 4)
  /// A day on which the person looks at any time, and less than where there are peaks.
  static let loose = DayForecast(peaks: [], stretch: 3)
  /// A day of which nothing is predicted, so that nothing can be wrong.
  static let unknown = DayForecast(peaks: [], stretch: 1)
}

/// A time of the day at which the person is likely to look.
public struct HabitPeak: Hashable, Sendable {
  /// The minute of the day with which it begins, 0 to 1439; few looks come sooner.
  public var begins: Int
  /// How many minutes later half of the looks are over.
  public var middle: Int
  /// How many minutes after its beginning it ends, at least 1; one look in ten comes later.
  public var length: Int

  /// A peak.
  public init(begins: Int, middle: Int = 0, length: Int = 1) {
    self.begins = begins
    self.middle = middle
    self.length = length
  }
}

/// Predicts from openings when the person will look.
///
/// Working days and weekends speak for themselves only. A peak is where looks gather: more than two, on a quarter of the
/// days at least, and more than chance would bring together if they were spread over the waking hours. Where peaks hold
/// too small a share of the looks the person looks at any time, and nothing is predicted. A kind of days without looks is
/// predicted to have none once the other kind is known well.
///
/// - Parameters:
///   - habit: the openings.
///   - now: the present moment, up to which they decay.
///   - interval: how far apart fetches are by other rules. Looks before a fetch see what is four times as old, those
///     after it lose minutes: the longer it is, the earlier peaks begin.
/// - Returns: the forecast.
public func habitForecast(_ habit: Habit, at now: Instant, interval: Interval) -> HabitForecast {
  guard habit.days >= HabitForecast.fewestDays else {
    return HabitForecast(days: habit.days, working: .unknown, weekend: .unknown)
  }
  let working = LookHistogram(habit, of: .working, at: now)
  let weekend = LookHistogram(habit, of: .weekend, at: now)
  let days = daysThatCount(of: habit, at: now)
  let missed = min(max(180 / Double(max(interval.seconds, 1)), 0.02), 0.1)
  var forecast = HabitForecast(
    days: habit.days, working: working.forecast(days: days * 5 / 7, missed: missed),
    weekend: weekend.forecast(days: days * 2 / 7, missed: missed))
  if habit.days >= knownWell {
    let (looksWorking, looksWeekend) = (working.total / 5, weekend.total / 2)
    if forecast.working.hasPeaks, !forecast.weekend.hasPeaks {
      forecast.weekend = .without(peaks: looksWeekend, beside: looksWorking)
    } else if forecast.weekend.hasPeaks, !forecast.working.hasPeaks {
      forecast.working = .without(peaks: looksWorking, beside: looksWeekend)
    }
  }
  return forecast
}

/// Peaks hold at least this share of the looks, or the person looks at any time.
private let leastShare = 0.3

/// Whether a part of a whole is more than that share for sure: two deviations of chance below it, as of few looks some
/// always come together.
private func isMost(_ part: Double, of whole: Double) -> Bool {
  let share = min(part / max(whole, 1), 1)
  return share - 2 * (share * (1 - share) / max(whole, 1)).squareRoot() >= leastShare
}

/// After so many days with openings there was a weekend among them, or it is the working days that have none.
private let knownWell = 10

extension DayForecast {
  fileprivate var hasPeaks: Bool { !peaks.isEmpty }

  /// A kind of days without peaks, by how much the person looks on one of them and on one of the other kind.
  ///
  /// The fewer looks there are, the less is lost by asking less often.
  fileprivate static func without(peaks looks: Double, beside others: Double) -> DayForecast {
    if looks * 4 < others { return .quiet }
    return looks <= others ? .loose : .unknown
  }
}

/// The days with openings, decayed as their looks are.
private func daysThatCount(of habit: Habit, at now: Instant) -> Double {
  var day = 1.0
  var sum = 0.0
  for _ in 0..<min(habit.days, 200) {
    sum += day
    day = Habit.decayed(day, from: now, to: now + .days(1))
  }
  return sum
}

extension LookHistogram {
  /// What is expected of its kind of days, of which so many count.
  ///
  /// - Parameters:
  ///   - days: their number, decayed.
  ///   - missed: the share of its looks that come before a peak begins.
  fileprivate func forecast(days: Double, missed: Double) -> DayForecast {
    let gathered = gathered
    // What chance gathers around a minute if all looks are spread over sixteen hours, and three deviations more.
    let chance = total * Double(2 * Self.reach + 1) / (16 * 60)
    let least = max(2, chance + 3 * chance.squareRoot(), days / 4)
    let rushes = rushes(gathered, least: least).filter { support(in: $0) > max(2, days / 4) }
    let inRushes = rushes.reduce(0) { $0 + looks(in: $1) }
    let speaking = rushes.reduce(0) { $0 + support(in: $1) }
    guard !rushes.isEmpty, inRushes >= total * leastShare, isMost(speaking, of: sessions) else {
      return .unknown
    }
    return .rushes(rushes.map { peak(in: $0, missed: missed) }.sorted { $0.begins < $1.begins })
  }

  /// The stretches in which more than `least` looks gather, with what gathers around them.
  ///
  /// Each is a range of minutes that may go on into the next day.
  private func rushes(_ gathered: [Double], least: Double) -> [Range<Int>] {
    let day = Self.minutesOfDay
    // Where the day never calms down there is no rush.
    guard let calm = gathered.firstIndex(where: { $0 <= least / 2 }) else { return [] }
    var rushes: [Range<Int>] = []
    var start: Int?
    var peaks = false
    for minute in calm...(calm + day) {
      let count = gathered[minute % day]
      if count > least { peaks = true }
      if count > least / 2 {
        start = start ?? minute
      } else if let begin = start {
        if peaks { rushes.append(begin..<minute) }
        start = nil
        peaks = false
      }
    }
    return rushes
  }

  private func looks(at minute: Int) -> Double { looks[minute % Self.minutesOfDay] }

  private func looks(in rush: Range<Int>) -> Double { rush.reduce(0) { $0 + looks(at: $1) } }

  /// How many days speak for a rush: several looks of one day in a row are no habit.
  private func support(in rush: Range<Int>) -> Double {
    var days: [Int64: Double] = [:]
    for minute in rush where looks(at: minute) > 0 {
      let day = lastDays[minute % Self.minutesOfDay]
      days[day] = max(days[day] ?? 0, looks(at: minute))
    }
    return days.values.reduce(0, +)
  }

  /// How often the person looked, several looks of one day in a row taken as one.
  private var sessions: Double {
    stride(from: 0, to: Self.minutesOfDay, by: 120).reduce(0) { $0 + support(in: $1..<($1 + 120)) }
  }

  /// The peak in a rush: without the looks before it that may be missed and the last tenth.
  private func peak(in rush: Range<Int>, missed: Double) -> HabitPeak {
    func sum(_ looks: [Double]) -> Double { rush.reduce(0) { $0 + looks[$1 % Self.minutesOfDay] } }
    let fresh = sum(freshLooks)
    let (looks, all) = fresh > 2 ? (freshLooks, fresh) : (looks, sum(looks))
    func minute(after share: Double) -> Int {
      var passed = 0.0
      for minute in rush {
        passed += looks[minute % Self.minutesOfDay]
        if passed >= share * all - 1e-9, passed > 0 { return minute }
      }
      return rush.upperBound - 1
    }
    let begins = minute(after: missed)
    return HabitPeak(
      begins: begins % Self.minutesOfDay, middle: minute(after: 0.5) - begins,
      length: minute(after: 0.9) - begins + 1)
  }
}
