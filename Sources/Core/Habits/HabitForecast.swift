// When the person is likely to look: the peaks of a histogram of openings, in numbers and in words.

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

extension HabitForecast {
  /// The forecast in a few words, for example `looks 07:20-07:50, 12:00 on working days; none yet at weekends`.
  public var text: String {
    guard predicts else {
      if days == 0 { return "no openings yet; a prediction takes \(Self.fewestDays) days with some" }
      return days < Self.fewestDays
        ? "openings on \(days) of the \(Self.fewestDays) days that a prediction takes"
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
  /// The minute after its last one, which may be one of the next day, 0 to 1439.
  public var ends: Int { (begins + length) % LookHistogram.minutesOfDay }

  /// When it begins and ends, for example `07:20-07:50`; one that takes a minute is `12:00`.
  public var text: String {
    length > 1 ? "\(clockText(begins))-\(clockText(ends))" : clockText(begins)
  }
}

/// A minute of the day as clocks show it, for example `07:05`.
public func clockText(_ minute: Int) -> String {
  func digits(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
  return digits(minute / 60 % 24) + ":" + digits(minute % 60)
}

/// What is known and planned for the days of one kind.
public struct HabitDay: Hashable, Sendable {
  /// The kind.
  public var kind: DayKind
  /// What the looks of each minute still count, 1440 of them.
  public var looks: [Double]
  /// What is predicted.
  public var forecast: DayForecast
  /// The minutes of the day with which the feed is fetched on the next whole day of this kind, as far as rules know it.
  public var fetches: [Int]

  /// A day.
  public init(kind: DayKind, looks: [Double], forecast: DayForecast, fetches: [Int]) {
    self.kind = kind
    self.looks = looks
    self.forecast = forecast
    self.fetches = fetches
  }
}

/// The days of both kinds, working days first.
///
/// Fetches are those of a machine that wakes bgfetch each minute, and of servers that go on as they are.
///
/// - Parameters:
///   - feed: the feed as configured.
///   - state: what is remembered of it.
///   - context: the present, with the feed's habit in it.
/// - Returns: one of each kind.
public func habitDays(_ feed: FeedSpec, _ state: FeedState, _ context: PlanningContext) -> [HabitDay] {
  let habit = context.habit(of: feed.name)
  let forecast = habitForecast(habit, at: context.now)
  let fetches = plannedFetches(feed, state, context)
  return DayKind.allCases.map { kind in
    HabitDay(
      kind: kind, looks: LookHistogram(habit, of: kind, on: context.now.dayNumber).looks,
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
  for kind in days.keys { fetches[kind] = [] }
  var state = state
  var context = context.withHabitsAlone
  var now = context.now
  // Eight days of a fetch each minute are as many as there can be.
  for _ in 0..<(8 * LookHistogram.minutesOfDay) {
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
    state.wish = state.wish.map { ServerWish(notBefore: min($0.notBefore, now), source: $0.source) }
    now = now + .minutes(1)
  }
  return fetches
}
