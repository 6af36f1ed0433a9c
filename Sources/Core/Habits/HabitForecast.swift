// When the person is likely to look, out of when they did: the rushes of looks in a histogram, where there are any.

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

  /// Whether something is expected of any day, so that fetches are placed by it.
  public var predicts: Bool { working.stretch > 1 || weekend.stretch > 1 }
}

/// What is expected of a day.
public struct DayForecast: Hashable, Sendable {
  /// The peaks of the day, the earliest beginning first.
  public var peaks: [HabitPeak]
  /// Up to how many times their length the times between fetches are stretched: 4, or 1 where nothing is predicted.
  public var stretch: Int64
  /// Whether the person hardly ever looks on such a day.
  public var isQuiet: Bool
  /// Whether the person has not looked on such a day, though there may have been none yet.
  public var isUnseen: Bool

  /// A forecast.
  public init(peaks: [HabitPeak], stretch: Int64, isQuiet: Bool = false, isUnseen: Bool = false) {
    self.peaks = peaks
    self.stretch = stretch
    self.isQuiet = isQuiet
    self.isUnseen = isUnseen
  }

  /// A day of which nothing is predicted, so that nothing can be wrong.
  static let unknown = DayForecast(peaks: [], stretch: 1)
}

/// A time of the day at which the person is likely to look.
public struct HabitPeak: Hashable, Sendable {
  /// The minute of the day with which it begins, 0 to 1439; few looks come sooner.
  public var begins: Int
  /// How many minutes after its beginning it ends, at least 1; one look in ten comes later.
  public var length: Int

  /// A peak.
  public init(begins: Int, length: Int = 1) {
    self.begins = begins
    self.length = length
  }
}

/// Predicts from openings when the person will look.
///
/// Working days and weekends are apart. Nothing is predicted where looks could not have been foretold by those of other
/// days. A peak is where looks gather: more than two, on a quarter of the days at least, and more than chance would bring
/// together if they were spread over the waking hours.
///
/// - Parameters:
///   - habit: the openings.
///   - now: the present moment, up to which they decay.
/// - Returns: the forecast.
public func habitForecast(_ habit: Habit, at now: Instant) -> HabitForecast {
  guard LookRates(habit, on: now.dayNumber) != nil else {
    return HabitForecast(days: habit.days, working: .unknown, weekend: .unknown)
  }
  let working = LookHistogram(habit, of: .working, on: now.dayNumber)
  let weekend = LookHistogram(habit, of: .weekend, on: now.dayNumber)
  let days = Memory(days: habit.days).length
  var forecast = HabitForecast(
    days: habit.days, working: DayForecast(peaks: working.peaks(days: days * 5 / 7), stretch: 4),
    weekend: DayForecast(peaks: weekend.peaks(days: days * 2 / 7), stretch: 4))
  if habit.days >= knownWell {
    let (looksWorking, looksWeekend) = (working.total / 5, weekend.total / 2)
    forecast.working.isQuiet = looksWorking * 4 < looksWeekend && forecast.working.peaks.isEmpty
    forecast.weekend.isQuiet = looksWeekend * 4 < looksWorking && forecast.weekend.peaks.isEmpty
  } else {
    forecast.working.isUnseen = working.total == 0
    forecast.weekend.isUnseen = weekend.total == 0
  }
  return forecast
}

/// After so many days with openings there was a weekend among them, or it is the working days that have none.
private let knownWell = 10

extension LookHistogram {
  /// Where its looks gather on days of which so many count, the earliest beginning first.
  fileprivate func peaks(days: Double) -> [HabitPeak] {
    // What chance gathers around a minute if all looks are spread over sixteen hours, and three deviations more.
    let chance = total * Double(2 * Self.reach + 1) / (16 * 60)
    let least = max(2, chance + 3 * chance.squareRoot(), days / 4)
    return rushes(gathered, least: least).filter { support(in: $0) > max(2, days / 4) }.map(peak).sorted {
      $0.begins < $1.begins
    }
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

  /// How many days speak for a rush: several looks of one day in a row are no habit.
  private func support(in rush: Range<Int>) -> Double {
    var days: [Int64: Double] = [:]
    for minute in rush where looks(at: minute) > 0 {
      let day = lastDays[minute % Self.minutesOfDay]
      days[day] = max(days[day] ?? 0, looks(at: minute))
    }
    return days.values.reduce(0, +)
  }

  /// The peak in a rush: without the first looks of all and the last tenth.
  private func peak(in rush: Range<Int>) -> HabitPeak {
    let all = rush.reduce(0) { $0 + looks(at: $1) }
    func minute(after share: Double) -> Int {
      var passed = 0.0
      for minute in rush {
        passed += looks(at: minute)
        if passed >= share * all - 1e-9, passed > 0 { return minute }
      }
      return rush.upperBound - 1
    }
    let begins = minute(after: 0.02)
    return HabitPeak(begins: begins % Self.minutesOfDay, length: minute(after: 0.9) - begins + 1)
  }
}
