// Where the next fetch costs least: the person's expected looks and the publisher's expected news, minute by minute.
//
// This is freshness crawling with a price for each request (Cho and Garcia-Molina 2003; Azar et al. 2018; Upadhyay et al.
// 2020), for rates that change with the hour of the week: `doc/habits.md` compares. A plan of all fetches of the days ahead
// gained little over the cheapest moment for the next one, if the cost of an interval after it is weighed too.

/// The fetches without habits and rhythm, and the limits within which these may move them.
struct PlainFetches {
  /// The fetch from which the interval counts.
  let last: Instant
  /// The next fetch without habits, inside the hours; no fetch is moved before it.
  let soonest: Instant
  /// The latest moment to which a fetch may be postponed: the fetch after `longestStretch` intervals.
  let latest: Instant
  /// The hours outside of which the feed is not fetched.
  let hours: WeeklyHours
  /// The interval in minutes.
  let minutes: Int
  /// The zone of hours and days.
  let zone: Zone
}

/// A fetch this long before a look is in time for it.
let leadMinutes = 10

/// The most intervals to which the time between two fetches is stretched.
let longestStretch = 4

/// How often a feed is fetched at a rate, compared with the average: its square root, from 1/2 to 2, because intervals stretch
/// only so far.
func pace(at rate: Double) -> Double { min(max(rate, 0.25), 4).squareRoot() }

/// The rates that decide where fetches are placed; nil where nothing is predicted.
struct ExpectedWeek {
  let looks: OpeningRates?
  let news: Rhythm?

  /// The interval in minutes from which on postponing saves less, so that a fetch in time for a daily look is always worth it.
  private static let longestPriced = 240.0

  /// The saving by postponing a fetch by a minute: as much as makes twice the interval best at average rates.
  ///
  /// It is less the fewer looks follow a habit.
  private func saving(_ interval: Double) -> Double {
    guard let looks else { return min(1.5 * interval, Self.longestPriced) }
    guard news == nil else { return 2 * looks.average * interval * interval }
    return 2 * looks.average
      * (looks.predictedShare * interval * min(interval, Self.longestPriced)).squareRoot()
  }

  /// The cheapest moment for the next fetch, from the soonest to the latest; the earliest one of several.
  ///
  /// The cost is counted up to the next fetch and within an interval after it, less what postponing saves:
  ///
  /// - with looks alone, the age of the feed at each expected look
  /// - with news alone, the time that expected news waits for the fetch
  /// - with both, the age of expected news at each expected look.
  ///
  /// - Returns: nil if nothing is predicted.
  func placement(_ plain: PlainFetches) -> Instant? {
    // The hours of days say nothing about intervals of weeks; this also bounds the minutes to weigh.
    guard looks != nil || news != nil, plain.minutes <= 10 * CivilTime.minutesOfDay,
      plain.latest.since(plain.last) < .days(400)
    else { return nil }
    let clock = MinutesSinceMidnight(before: plain.last, in: plain.zone)
    let newsShift = CivilTime.minutesOfWeek + (news?.lead(over: plain.zone, at: plain.last) ?? 0)
    let isBoth = looks != nil && news != nil
    /// Goes on by a minute.
    func pass(_ minute: Int, _ growth: inout Growth) {
      growth.pass(news?[clock.minuteOfWeek(minute) + newsShift] ?? 1, ages: isBoth)
    }
    /// The weight of a minute: the looks to expect that a fetch then is just in time for.
    func weight(_ minute: Int) -> Double { looks?[clock.minuteOfWeek(minute + leadMinutes)] ?? 1 }
    let saving = saving(Double(plain.minutes))
    let last = clock.minute(of: plain.last)
    let (soonest, latest) = (clock.minute(of: plain.soonest), clock.minute(of: plain.latest))
    var best = (minute: soonest, cost: Double.infinity)
    var before = 0.0
    var (here, ahead) = (Growth(), Growth())
    var after = (weights: 0.0, values: 0.0, minutes: 0.0)
    func add(_ minute: Int, _ growth: Growth, times sign: Double) {
      let weight = weight(minute) * sign
      after.weights += weight
      after.values += weight * growth.value
      after.minutes += weight * Double(minute - last)
    }
    for minute in last..<last + plain.minutes {
      add(minute, ahead, times: 1)
      pass(minute, &ahead)
    }
    for minute in last...max(last, latest) {
      let waited = Double(minute - last)
      let cost =
        before + after.values - here.value * after.weights - here.slope
        * (after.minutes - waited * after.weights)
        - saving * waited
      if minute >= soonest, cost < best.cost - 1e-9,
        plain.hours.contains(minute: clock.minuteOfWeek(minute))
      {
        best = (minute, cost)
      }
      before += weight(minute) * here.value
      add(minute, here, times: -1)
      add(minute + plain.minutes, ahead, times: 1)
      pass(minute, &here)
      pass(minute + plain.minutes, &ahead)
    }
    return min(max(clock.moment(best.minute), plain.soonest), max(plain.latest, plain.soonest))
  }
}

/// Minutes as local clocks show them, counted from a midnight.
private struct MinutesSinceMidnight {
  private let zone: Zone
  private let midnight: CivilTime
  /// The minute of the week at midnight.
  private let start: Int

  init(before moment: Instant, in zone: Zone) {
    self.zone = zone
    midnight = CivilTime(secondsSince1970: zone.civil(at: moment).daysSince1970 * 86_400)
    start = midnight.weekday * CivilTime.minutesOfDay
  }

  func minute(of moment: Instant) -> Int {
    let civil = zone.civil(at: moment)
    let days = Int(civil.daysSince1970 - midnight.daysSince1970)
    return days * CivilTime.minutesOfDay + civil.minuteOfDay
  }

  func moment(_ minute: Int) -> Instant {
    zone.firstMoment(
      of: CivilTime(secondsSince1970: midnight.daysSince1970 * 86_400 + Int64(minute) * 60))
  }

  func minuteOfWeek(_ minute: Int) -> Int { (start + minute) % CivilTime.minutesOfWeek }
}

/// The cost of a minute of weight 1 since the last fetch, as it grows.
///
/// For a fetch in between it is the value, less the value at that fetch, less the slope there for each minute since.
private struct Growth {
  /// The minutes, the number of news, or the sum of the ages of the news since the last fetch.
  var value = 0.0
  /// The number of news if the value is the sum of their ages, else 0.
  var slope = 0.0

  mutating func pass(_ rate: Double, ages: Bool) {
    if ages {
      value += slope
      slope += rate
    } else {
      value += rate
    }
  }
}
