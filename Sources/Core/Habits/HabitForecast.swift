// When the person is likely to look: the peaks of a histogram of openings, in numbers and in words.

/// When the person is likely to look at a feed.
public struct HabitForecast: Hashable, Sendable {
  /// The number of days with openings.
  public var days: Int
  public var working: DayForecast
  public var weekend: DayForecast

  /// The number of days with openings before which nothing is predicted.
  public static let fewestDays = 3

  public subscript(kind: DayKind) -> DayForecast {
    switch kind {
    case .working: working
    case .weekend: weekend
    }
  }

  /// Whether anything is predicted, so that habits move fetches.
  public var predicts: Bool { working.stretch > 1 || weekend.stretch > 1 }
}

/// The forecast for one kind of day.
public struct DayForecast: Hashable, Sendable {
  /// The peaks of the day, by their beginning.
  public var peaks: [HabitPeak]
  /// The longest time between fetches in intervals: 4, or 1 if nothing is predicted.
  public var stretch: Int64
  /// Whether the person hardly ever looks on such a day.
  public var isQuiet = false
  /// Whether the person has never looked on such a day; there may have been none yet.
  public var isUnseen = false

  /// A day for which nothing is predicted.
  static let unknown = DayForecast(peaks: [], stretch: 1)
}

/// A time of the day at which the person is likely to look.
public struct HabitPeak: Hashable, Sendable {
  /// The minute of the day at which it begins, 0 to 1439; few looks come sooner.
  public var begins: Int
  /// Its length in minutes, at least 1; one look in ten comes later.
  public var length = 1
}

/// Predicts from openings when the person will look.
///
/// Nothing is predicted if the looks of a day could not have been predicted from other days (`OpeningRates`). A peak is a time
/// at which looks gather: more than two, on at least a quarter of the days, and more than chance would gather if they were
/// spread over the waking hours.
///
/// - Parameters:
///   - habit: the openings.
///   - now: the present moment, up to which they decay.
/// - Returns: the forecast.
public func habitForecast(_ habit: Habit, at now: Instant) -> HabitForecast {
  guard OpeningRates(habit, on: now.dayNumber) != nil else {
    return HabitForecast(days: habit.days, working: .unknown, weekend: .unknown)
  }
  let working = OpeningHistogram(habit, of: .working, on: now.dayNumber)
  let weekend = OpeningHistogram(habit, of: .weekend, on: now.dayNumber)
  let days = Memory(days: habit.days).length
  var forecast = HabitForecast(
    days: habit.days,
    working: DayForecast(peaks: working.peaks(days: days * 5 / 7), stretch: Int64(longestStretch)),
    weekend: DayForecast(peaks: weekend.peaks(days: days * 2 / 7), stretch: Int64(longestStretch)))
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

/// The number of days with openings after which a kind of day without looks is known to be quiet.
private let knownWell = 10

extension OpeningHistogram {
  /// The peaks of a histogram that remembers a number of days.
  fileprivate func peaks(days: Double) -> [HabitPeak] {
    // The looks that chance gathers around a minute if all are spread over 16 hours, and three standard deviations more.
    let chance = total * Double(2 * Self.reach + 1) / (16 * 60)
    let least = max(2, chance + 3 * chance.squareRoot(), days / 4)
    return rushes(gathered, least: least).filter { support(in: $0) > max(2, days / 4) }.map(peak).sorted {
      $0.begins < $1.begins
    }
  }

  /// The ranges of minutes in which more than `least` looks gather; a range may extend into the next day.
  private func rushes(_ gathered: [Double], least: Double) -> [Range<Int>] {
    let day = Self.minutesOfDay
    // A day without a calm minute has no rush.
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

  /// The number of days that have looks in a rush; several looks of one day prove no habit.
  private func support(in rush: Range<Int>) -> Double {
    var days: [Int64: Double] = [:]
    for minute in rush where looks(at: minute) > 0 {
      let day = lastDays[minute % Self.minutesOfDay]
      days[day] = max(days[day] ?? 0, looks(at: minute))
    }
    return days.values.reduce(0, +)
  }

  /// The peak in a rush, without its first 2 % and its last 10 %.
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

extension HabitForecast {
  /// The peaks in words, to be read after `looks`.
  public var text: String {
    guard predicts else {
      if days == 0 { return "no openings yet; a prediction needs \(Self.fewestDays) days with openings" }
      return days < Self.fewestDays
        ? "openings on \(days) of the \(Self.fewestDays) days that a prediction needs"
        : "no habit: looks at no particular time"
    }
    return "looks \(working.text) on working days; \(weekend.text) at weekends"
  }
}

extension DayForecast {
  /// The peaks in words, to be read after `looks`.
  public var text: String {
    if isUnseen { return "none yet" }
    if isQuiet { return "hardly ever" }
    return peaks.isEmpty ? "at no particular time" : peaks.map(\.text).joined(separator: ", ")
  }
}

extension HabitPeak {
  /// The minute after its last one, 0 to 1439; it may be one of the next day.
  public var ends: Int { (begins + length) % OpeningHistogram.minutesOfDay }

  /// Its beginning and end, for example `07:20-07:50`, or `12:00` if it lasts a minute.
  public var text: String {
    length > 1 ? "\(clockText(begins))-\(clockText(ends))" : clockText(begins)
  }
}

/// A minute of the day in 24 hours, for example `07:05`.
public func clockText(_ minute: Int) -> String {
  (minute / 60 % 24).padded(to: 2) + ":" + (minute % 60).padded(to: 2)
}

/// A week of looks and publications as they were learned, for a picture.
public struct LearnedWeek: Hashable, Sendable {
  /// The weight of the looks in each minute of the days, Monday first.
  public var looks: [[Double]]
  /// The density of publications in the parts of these days, the average being 1; none if there is no rhythm.
  public var news: [[Double]]
  /// The rhythm in words.
  public var rhythm: String
}

extension PlanningContext {
  /// The learned week of a feed, whatever it adapts to.
  public func learnedWeek(of feed: FeedSpec) -> LearnedWeek {
    let rhythm = rhythm(of: feed.name, every: intervalRule(feed, FeedState()).length ?? .hours(1))
    let week = rhythm?.week(in: zone, at: now)
    let days = (1...7).map { $0 % 7 }
    let looks = DayKind.allCases.map {
      OpeningHistogram(habit(of: feed.name), of: $0, on: now.dayNumber).looks
    }
    return LearnedWeek(
      looks: days.map { looks[$0 == 0 || $0 == 6 ? 1 : 0] },
      news: days.map { day in
        week.map { Array($0[(day * Rhythm.binsOfDay)..<((day + 1) * Rhythm.binsOfDay)]) } ?? []
      }, rhythm: rhythm?.text(in: zone, at: now) ?? "no rhythm yet")
  }
}

/// The looks, the forecast and the planned fetches of one kind of day, for `bgfetch history --habits`.
public struct HabitDay: Hashable, Sendable {
  public var kind: DayKind
  /// The weight of the looks in each of the 1440 minutes.
  public var looks: [Double]
  public var forecast: DayForecast
  /// The minutes of the day of the fetches on the next whole day of this kind.
  public var fetches: [Int]
}

/// The days of both kinds, working days first.
///
/// Fetches assume a machine that runs bgfetch each minute, and servers that keep their freshness.
///
/// - Parameters:
///   - feed: the feed as configured.
///   - state: its state.
///   - context: the present, with the feed's habit.
/// - Returns: one of each kind.
public func habitDays(_ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext) -> [HabitDay] {
  let habit = context.habit(of: feed.name)
  let forecast = habitForecast(habit, at: context.now)
  let fetches = plannedFetches(feed, state, context)
  return DayKind.allCases.map { kind in
    HabitDay(
      kind: kind, looks: OpeningHistogram(habit, of: kind, on: context.now.dayNumber).looks,
      forecast: forecast[kind], fetches: fetches[kind] ?? [])
  }
}

/// The fetches of the next whole day of each kind, by minute of the day.
private func plannedFetches(
  _ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext
) -> [DayKind: [Int]] {
  let today = context.zone.civil(at: context.now).daysSince1970
  var days: [DayKind: Int64] = [:]
  for day in (today + 1)...(today + 7) where days[DayKind(day: day)] == nil { days[DayKind(day: day)] = day }
  var fetches: [DayKind: [Int]] = [:]
  var state = state
  var context = context.withHabitsAlone
  var now = context.now
  // There cannot be more than a fetch each minute for eight days.
  for _ in 0..<(8 * OpeningHistogram.minutesOfDay) {
    context.move(to: now)
    guard let due = nextDue(feed, state, context) else { break }
    let minute = max(due, now).secondsSince1970 + 59
    now = Instant(secondsSince1970: minute - minute % 60)
    let civil = context.zone.civil(at: now)
    if civil.daysSince1970 > today + 7 { break }
    if days[DayKind(day: civil.daysSince1970)] == civil.daysSince1970 {
      fetches[DayKind(day: civil.daysSince1970), default: []].append(civil.hour * 60 + civil.minute)
    }
    state.lastAsked = now
    state.lastCounted = now
    state.lastSuccess = now
    state.planned = nil
    state.freshness = state.freshness.map {
      ServerFreshness(notBefore: min($0.notBefore, now), source: $0.source)
    }
    now = now + .minutes(1)
  }
  return fetches
}
