// Places fetches by habits: the plan of the next days with the least staleness for its fetches.
//
// Why a plan and not a simpler rule: `make bench-habits` with 10 people of each kind over 90 days gives these shares of the
// even timer's staleness (the mean of all kinds with a habit, run every 5 and 15 minutes) at 30m, 1h and 3h; 1.00 is no gain:
//   0.64, 0.56, 0.48  this plan, the only one that reaches the goal for every kind at 1h and more
//   0.64, 0.58, 0.56  the moment with the least cost up to the next fetch, without planning further
//   0.71, 0.62, 0.58  the moment with the least staleness per minute, price of the fetch included

/// The fetches without habits, and the limits within which habits may move them.
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

/// The cost of fetching a feed at each step of the days ahead, for every fetch that follows one of the same day.
///
/// The cost is counted in minutes of staleness: the age of the feed at each expected look, and a price for each fetch, as
/// high as makes twice the interval best on an average day. Even times between fetches need no rule of their own, because
/// uneven ones cost more.
struct FetchPlan {
  /// The conditions under which a plan can be reused.
  struct Occasion: Hashable {
    /// The local day of the last fetch, counted from 1970-01-01.
    let day: Int64
    /// The interval in minutes.
    let minutes: Int
    let hours: WeeklyHours

    init(_ plain: PlainFetches) {
      day = plain.zone.civil(at: plain.last).daysSince1970
      minutes = plain.minutes
      hours = plain.hours
    }
  }

  private let timeline: Timeline
  /// The cost of the time from each step on, if the feed is fetched then.
  private let values: [Double]

  var zone: Zone { timeline.zone }

  /// Plans the days from the day of the last fetch on.
  init(_ rates: LookRates, _ plain: PlainFetches) {
    timeline = Timeline(rates, plain)
    values = timeline.values
  }

  /// Whether the plan covers a moment.
  func reaches(_ moment: Instant) -> Bool { timeline.minute(of: moment) < timeline.end }

  /// The cheapest moment for the next fetch, from the soonest to the latest.
  func placement(_ plain: PlainFetches) -> Instant {
    let last = timeline.minute(of: plain.last)
    let (first, end) = (timeline.minute(of: plain.soonest), timeline.minute(of: plain.latest))
    var best = (minute: first, cost: Double.infinity)
    func weigh(_ minute: Int) {
      guard timeline.isOpen(minute) else { return }
      let cost = timeline.cost(of: minute, after: last, values)
      if cost < best.cost - 1e-9 { best = (minute, cost) }
    }
    // Between looks the cost changes smoothly, so not every minute needs a try.
    let stride = max(1, timeline.step / 4)
    for minute in Swift.stride(from: first, through: end, by: 1)
    where (minute - first) % stride == 0 || timeline.isLook(at: minute + leadMinutes) || minute == end {
      weigh(minute)
    }
    return min(max(timeline.moment(of: best.minute), plain.soonest), max(plain.latest, plain.soonest))
  }
}

/// The days ahead in local minutes, from the midnight before the last fetch on, and the expected looks in them.
private struct Timeline {
  let zone: Zone
  private let hours: WeeklyHours
  private let minutes: Int
  private let rates: LookRates
  private let firstDay: Int64
  /// For each day the looks before it, and the sum of their minutes.
  private var before: [(count: Double, moment: Double)] = []
  private var kinds: [DayKind] = []
  /// An interval has 6 steps, or as many more as keep a step at 90 min, up to 16.
  private static let (stepsPerInterval, longestStep, mostStepsPerInterval) = (6, 90, 16)
  /// The steps to plan after the first day: 24 intervals, unless these are long.
  private static let horizon = 144
  /// The interval in minutes from which on the price of a fetch grows only linearly.
  private static let longestPriced = 480.0

  /// The first step; one of the steps of a day is in time for the greatest rush.
  private let start: Int
  /// The minutes of a step.
  let step: Int
  /// The number of steps up to the horizon.
  private let steps: Int
  /// The minute after the last known one.
  var end: Int { (kinds.count - 1) * LookHistogram.minutesOfDay }

  init(_ rates: LookRates, _ plain: PlainFetches) {
    self.rates = rates
    zone = plain.zone
    hours = plain.hours
    minutes = plain.minutes
    let day = LookHistogram.minutesOfDay
    let civil = plain.zone.civil(at: plain.last)
    firstDay = civil.daysSince1970
    step = max(
      1, min(minutes / Self.stepsPerInterval, max(Self.longestStep, minutes / Self.mostStepsPerInterval)))
    start = (rates.mainMinute - leadMinutes + step) % step - step
    steps = Self.horizon + (day - start) / step + 1
    // Up to the last step, and to the latest moment, which closed hours may postpone.
    let farthest = civil.hour * 60 + civil.minute + Int(max(0, plain.latest.since(plain.last).seconds) / 60)
    let span = max(start + steps * step + longestStretch * minutes, farthest) + 2 * day
    var sum = (count: 0.0, moment: 0.0)
    for number in 0...(span / day) {
      let kind = DayKind(day: firstDay + Int64(number))
      before.append(sum)
      kinds.append(kind)
      let rate = rates[kind]
      let count = rate.counts[day]
      sum.count += count
      sum.moment += rate.moments[day] + count * Double(number * day)
    }
  }

  /// The number of looks before a minute, and the sum of their minutes.
  private func looks(before minute: Int) -> (count: Double, moment: Double) {
    let (number, place) = max(minute, 0).quotientAndRemainder(dividingBy: LookHistogram.minutesOfDay)
    let sum = before[number]
    let (count, moment) = rates.looks(before: place, on: kinds[number])
    return (sum.count + count, sum.moment + moment + count * Double(number * LookHistogram.minutesOfDay))
  }

  /// The cost of the time from each step on, by dynamic programming from the horizon back.
  var values: [Double] {
    let fewest = max(1, (minutes + step - 1) / step)
    let most = max(fewest, longestStretch * minutes / step)
    // The price of a fetch makes twice the interval best at the average rate, and is lower the fewer looks follow a habit.
    // It is bounded for long intervals, because a fetch in time for a daily look is always worth it.
    let interval = Double(minutes)
    let price = 2 * rates.predictedShare * rates.average * interval * min(interval, Self.longestPriced)
    let perMinute = (2 * rates.average * price).squareRoot()
    let count = steps + most + 1
    var values = [Double](repeating: 0, count: count)
    var ends = [Double](repeating: 0, count: count)
    var looks = [Double](repeating: 0, count: count)
    let opening = openSteps(count)
    for number in (0..<count).reversed() {
      let minute = Double(start + number * step)
      let (seen, moment) = self.looks(before: start + number * step + leadMinutes)
      looks[number] = seen
      if number <= steps {
        var least = Double.infinity
        if let opening {
          let soonest = opening[number + fewest]
          for next in soonest...max(soonest, min(max(number + most, soonest + most - fewest), count - 1)) {
            let open = opening[next]
            least = min(least, ends[open] - minute * looks[open])
          }
        } else {
          for next in (number + fewest)...(number + most) {
            least = min(least, ends[next] - minute * looks[next])
          }
        }
        values[number] = price + least - moment + minute * seen
      } else {
        values[number] = -perMinute * Double((number - steps) * step)
      }
      ends[number] = values[number] + moment
    }
    return values
  }

  /// For each step the first one from there on inside the hours; nil if there are no hours.
  private func openSteps(_ count: Int) -> [Int]? {
    guard !hours.isAlways else { return nil }
    var opening = [Int](repeating: count - 1, count: count)
    for number in (0..<(count - 1)).reversed() {
      opening[number] = isOpen(start + number * step) ? number : opening[number + 1]
    }
    return opening
  }

  /// The cost of fetching next at a minute, after the last fetch.
  func cost(of minute: Int, after last: Int, _ values: [Double]) -> Double {
    let from = looks(before: last + leadMinutes)
    let to = looks(before: minute + leadMinutes)
    let stale = to.moment - from.moment - Double(last) * (to.count - from.count)
    let place = max(minute - start, 0)
    let number = min(place / step, values.count - 2)
    let part = Double(place - number * step) / Double(step)
    return stale + values[number] * (1 - part) + values[number + 1] * part
  }

  func isLook(at minute: Int) -> Bool {
    let (number, place) = minute.quotientAndRemainder(dividingBy: LookHistogram.minutesOfDay)
    return rates.isLook(at: place, on: kinds[number])
  }

  /// Whether a minute is inside the hours.
  func isOpen(_ minute: Int) -> Bool { hours.isAlways || hours.contains(moment(of: minute), in: zone) }

  func minute(of moment: Instant) -> Int {
    let civil = zone.civil(at: moment)
    return Int(civil.daysSince1970 - firstDay) * LookHistogram.minutesOfDay + civil.hour * 60 + civil.minute
  }

  /// The first moment at which the local clock shows a minute, or has passed it.
  func moment(of minute: Int) -> Instant {
    switch zone.moments(of: CivilTime(secondsSince1970: firstDay * 86_400 + Int64(minute) * 60)) {
    case .once(let moment), .skipped(firstAfter: let moment), .twice(first: let moment, second: _): moment
    }
  }
}

extension DayKind {
  /// The kind of a day counted from 1970-01-01.
  init(day: Int64) {
    let weekday = CivilTime(secondsSince1970: day * 86_400).weekday
    self = weekday == 0 || weekday == 6 ? .weekend : .working
  }
}
