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
  public var predicts: Bool { working != .unknown || weekend != .unknown }
}

/// What is expected of a day.
public enum DayForecast: Hashable, Sendable {
  /// Too little is known, or the person looks at any time: nothing is predicted, so that nothing can be wrong.
  case unknown
  /// The peaks of the day, the earliest beginning first; none of them on days on which the person does not look.
  case peaks([HabitPeak])
}

/// A time of the day at which the person is likely to look.
public struct HabitPeak: Hashable, Sendable {
  /// The minute of the day with which it begins, 0 to 1439: one look in ten comes sooner.
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
/// less than half of the looks the person looks at any time, and nothing is predicted. A kind of days without looks is
/// predicted to have none once the other kind is known well.
///
/// - Parameters:
///   - habit: the openings.
///   - now: the present moment, up to which they decay.
/// - Returns: the forecast.
public func habitForecast(_ habit: Habit, at now: Instant) -> HabitForecast {
  guard habit.days >= HabitForecast.fewestDays else {
    return HabitForecast(days: habit.days, working: .unknown, weekend: .unknown)
  }
  let working = LookHistogram(habit, of: .working, at: now)
  let weekend = LookHistogram(habit, of: .weekend, at: now)
  let days = daysThatCount(of: habit, at: now)
  var forecast = HabitForecast(
    days: habit.days, working: working.forecast(days: days * 5 / 7),
    weekend: weekend.forecast(days: days * 2 / 7))
  if habit.days >= knownWell {
    let fewest = 0.05 * (working.total + weekend.total)
    if forecast.working != .unknown, weekend.total < fewest { forecast.weekend = .peaks([]) }
    if forecast.weekend != .unknown, working.total < fewest { forecast.working = .peaks([]) }
  }
  return forecast
}

/// After so many days with openings there was a weekend among them, or it is the working days that have none.
private let knownWell = 10

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
  fileprivate func forecast(days: Double) -> DayForecast {
    let gathered = gathered
    // What chance gathers around a minute if all looks are spread over sixteen hours, and three deviations more.
    let chance = total * Double(2 * Self.reach + 1) / (16 * 60)
    let least = max(2, chance + 3 * chance.squareRoot(), days / 4)
    let rushes = rushes(gathered, least: least)
    // Half of them and one more: of few looks some always come together.
    let inRushes = rushes.reduce(0) { sum, rush in sum + rush.reduce(0) { $0 + looks(at: $1) } }
    guard !rushes.isEmpty, inRushes >= total / 2 + 1 else { return .unknown }
    return .peaks(rushes.map(peak).sorted { $0.begins < $1.begins })
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

  /// The peak in a rush: without the first and the last tenth of its looks.
  private func peak(in rush: Range<Int>) -> HabitPeak {
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
    let begins = minute(after: 0.1)
    return HabitPeak(
      begins: begins % Self.minutesOfDay, middle: minute(after: 0.5) - begins,
      length: minute(after: 0.9) - begins + 1)
  }
}
