// Where a fetch is placed by the looks that are expected: the plan with the least staleness for its fetches. What other
// rules say of that moment is DueMoments' business.

/// When a feed would be fetched without habits, and what its fetches may be moved by.
struct PlainFetches {
  /// The fetch that the interval counts from.
  let last: Instant
  /// The next one without habits, inside the hours: none is placed before it.
  let soonest: Instant
  /// The one that would come after four without habits, itself counted: up to there one may be put off.
  let latest: Instant
  /// The hours outside of which there are none.
  let hours: WeeklyHours
  /// How far apart they are, in minutes.
  let minutes: Int
  /// The zone of hours and days.
  let zone: Zone
}

/// How long before a look a feed has to be fetched to be new in it.
let leadMinutes = 10

/// What it costs to fetch a feed at each step of the days ahead, in minutes of staleness: good for every fetch that
/// follows one of the same day.
///
/// All that may be expected to come of a fetch is weighed: how old the feed is at each look, and each fetch by what it is
/// worth at twice the interval on an average day. A look counts as met by a fetch ten minutes before it at least. The times
/// in between are parted evenly by themselves, as the staleness of uneven ones is greater.
struct FetchPlan {
  /// What a plan is good for.
  struct Occasion: Hashable {
    /// The day of the last fetch by what clocks show, counted from 1970-01-01.
    let day: Int64
    /// How far apart fetches are without habits, in minutes.
    let minutes: Int
    /// The hours outside of which there are none.
    let hours: WeeklyHours

    init(_ plain: PlainFetches) {
      day = plain.zone.civil(at: plain.last).daysSince1970
      minutes = plain.minutes
      hours = plain.hours
    }
  }

  private let timeline: Timeline
  /// The cost of the time from each step on, if the feed is fetched with it.
  private let values: [Double]

  /// The zone of hours and days.
  var zone: Zone { timeline.zone }

  /// Plans the days from that of a fetch on.
  init(_ rates: LookRates, _ plain: PlainFetches) {
    timeline = Timeline(rates, plain)
    values = timeline.values
  }

  /// Whether a moment is within the days that the plan knows.
  func reaches(_ moment: Instant) -> Bool { timeline.minute(of: moment) < timeline.end }

  /// The moment for the next fetch, from the soonest to the latest.
  func placement(_ plain: PlainFetches) -> Instant {
    let last = timeline.minute(of: plain.last)
    let (first, end) = (timeline.minute(of: plain.soonest), timeline.minute(of: plain.latest))
    var best = (minute: first, cost: Double.infinity)
    func weigh(_ minute: Int) {
      guard timeline.isOpen(minute) else { return }
      let cost = timeline.cost(of: minute, after: last, values)
      if cost < best.cost - 1e-9 { best = (minute, cost) }
    }
    // Between looks nothing happens suddenly.
    let stride = max(1, timeline.step / 4)
    for minute in Swift.stride(from: first, through: end, by: 1)
    where (minute - first) % stride == 0 || timeline.isLook(at: minute + leadMinutes) || minute == end {
      weigh(minute)
    }
    return min(max(timeline.moment(of: best.minute), plain.soonest), max(plain.latest, plain.soonest))
  }
}

/// The days ahead in minutes by what clocks show, from the midnight before the last fetch on.
private struct Timeline {
  let zone: Zone
  private let hours: WeeklyHours
  private let minutes: Int
  private let rates: LookRates
  private let firstDay: Int64
  /// The looks before each day, and the sums of their minutes.
  private var before: [(count: Double, moment: Double)] = []
  private var kinds: [DayKind] = []
  /// Where the steps begin: one of them meets the greatest rush.
  private let start: Int
  /// How many minutes a step has.
  let step: Int
  /// How many steps there are to the horizon: those of the first day and 144 more.
  private let steps: Int
  /// The minute after the last one that is known.
  var end: Int { (kinds.count - 1) * LookHistogram.minutesOfDay }

  init(_ rates: LookRates, _ plain: PlainFetches) {
    self.rates = rates
    zone = plain.zone
    hours = plain.hours
    minutes = plain.minutes
    let day = LookHistogram.minutesOfDay
    let civil = plain.zone.civil(at: plain.last)
    firstDay = civil.daysSince1970
    step = max(1, min(minutes / 6, max(90, minutes / 16)))
    start = (rates.mainMinute - leadMinutes + step) % step - step
    steps = 144 + (day - start) / step + 1
    // As far as the steps go, and to the latest moment, which closed hours may put off.
    let farthest = civil.hour * 60 + civil.minute + Int(max(0, plain.latest.since(plain.last).seconds) / 60)
    let span = max(start + steps * step + 4 * minutes, farthest) + 2 * day
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

  /// How many looks come before a minute, and the sum of their minutes.
  private func looks(before minute: Int) -> (count: Double, moment: Double) {
    let (number, place) = max(minute, 0).quotientAndRemainder(dividingBy: LookHistogram.minutesOfDay)
    let sum = before[number]
    let (count, moment) = rates.looks(before: place, on: kinds[number])
    return (sum.count + count, sum.moment + moment + count * Double(number * LookHistogram.minutesOfDay))
  }

  /// What the time from each step on costs if the feed is fetched with it, in minutes of staleness.
  var values: [Double] {
    let fewest = max(1, (minutes + step - 1) / step)
    let most = max(fewest, 4 * minutes / step)
    // What a fetch costs, so that at an average rate twice the interval is best, and less the more looks come at any time;
    // then a minute costs as much. Where little less than a day is between fetches, none that meets a look of every day is
    // worth leaving out.
    let interval = Double(minutes)
    let price = 2 * rates.foretold * rates.average * interval * min(interval, 8 * 60)
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

  /// The first step inside the hours from each one on; nil where all are.
  private func openSteps(_ count: Int) -> [Int]? {
    guard !hours.isAlways else { return nil }
    var opening = [Int](repeating: count - 1, count: count)
    for number in (0..<(count - 1)).reversed() {
      opening[number] = isOpen(start + number * step) ? number : opening[number + 1]
    }
    return opening
  }

  /// What it costs to fetch the feed next with a minute, after a minute.
  func cost(of minute: Int, after last: Int, _ values: [Double]) -> Double {
    let from = looks(before: last + leadMinutes)
    let to = looks(before: minute + leadMinutes)
    let stale = to.moment - from.moment - Double(last) * (to.count - from.count)
    let place = max(minute - start, 0)
    let number = min(place / step, values.count - 2)
    let part = Double(place - number * step) / Double(step)
    return stale + values[number] * (1 - part) + values[number + 1] * part
  }

  /// Whether there were looks at a minute.
  func isLook(at minute: Int) -> Bool {
    let (number, place) = minute.quotientAndRemainder(dividingBy: LookHistogram.minutesOfDay)
    return rates.isLook(at: place, on: kinds[number])
  }

  /// Whether a minute is inside the hours.
  func isOpen(_ minute: Int) -> Bool { hours.isAlways || hours.contains(moment(of: minute), in: zone) }

  /// The minute of a moment.
  func minute(of moment: Instant) -> Int {
    let civil = zone.civil(at: moment)
    return Int(civil.daysSince1970 - firstDay) * LookHistogram.minutesOfDay + civil.hour * 60 + civil.minute
  }

  /// The first moment at which clocks show a minute, or one past it.
  func moment(of minute: Int) -> Instant {
    switch zone.moments(of: CivilTime(secondsSince1970: firstDay * 86_400 + Int64(minute) * 60)) {
    case .once(let moment), .skipped(firstAfter: let moment), .twice(first: let moment, second: _): moment
    }
  }
}

extension DayKind {
  /// The kind of a day, counted from 1970-01-01.
  init(day: Int64) {
    let weekday = CivilTime(secondsSince1970: day * 86_400).weekday
    self = weekday == 0 || weekday == 6 ? .weekend : .working
  }
}
