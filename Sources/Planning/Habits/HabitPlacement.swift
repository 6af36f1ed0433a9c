// Where a fetch is placed by the looks that are expected: the plan with the least staleness for its fetches. What other
// rules say of that moment is DueMoments' business.

import Model
import Timing

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
private let leadMinutes = 10

extension LookRates {
  /// The moment for the next fetch, from the soonest to the latest.
  ///
  /// All that may be expected to come of it is weighed: how old the feed is at each look, and each fetch by what it is worth
  /// at twice the interval on an average day. A look counts as met by a fetch ten minutes before it at least. The times in
  /// between are parted evenly by themselves, as the staleness of uneven ones is greater.
  func placement(_ plain: PlainFetches) -> Instant? {
    // Nobody has habits that a plan of a month would show.
    guard plain.minutes <= 10 * LookHistogram.minutesOfDay else { return nil }
    let timeline = Timeline(self, plain)
    let values = timeline.values
    let (first, end) = (timeline.minute(of: plain.soonest), timeline.minute(of: plain.latest))
    var best = (minute: first, cost: Double.infinity)
    var minute = first
    // Between looks nothing happens suddenly.
    let stride = max(1, timeline.step / 4)
    while minute <= end {
      let isCandidate =
        (minute - first) % stride == 0 || timeline.isLook(at: minute + leadMinutes) || minute == end
      if isCandidate, timeline.isOpen(minute) {
        let cost = timeline.cost(ofNext: minute, values)
        if cost < best.cost - 1e-9 { best = (minute, cost) }
      }
      minute += 1
    }
    return min(max(timeline.moment(of: best.minute), plain.soonest), max(plain.latest, plain.soonest))
  }
}

/// The days ahead in minutes by what clocks show, from the midnight before the last fetch on.
private struct Timeline {
  private let rates: LookRates
  private let plain: PlainFetches
  private let firstDay: Int64
  /// The looks before each day, and the sums of their minutes.
  private var before: [(count: Double, moment: Double)] = []
  private var kinds: [DayKind] = []
  private let last: Int
  /// Where the steps begin: one of them meets the greatest rush.
  private let start: Int
  /// How many minutes a step has.
  let step: Int
  private static let steps = 144

  init(_ rates: LookRates, _ plain: PlainFetches) {
    self.rates = rates
    self.plain = plain
    let day = LookHistogram.minutesOfDay
    let civil = plain.zone.civil(at: plain.last)
    firstDay = civil.daysSince1970
    last = civil.hour * 60 + civil.minute
    step = max(1, min(plain.minutes / 6, max(90, plain.minutes / 16)))
    let phase = (last - (rates.mainMinute - leadMinutes)) % step
    start = last - (phase + step) % step
    // As far as the steps go, and to the latest moment, which closed hours may put off.
    let farthest = Int(max(0, plain.latest.since(plain.last).seconds) / 60)
    let span = last + max(Self.steps * step + 4 * plain.minutes, farthest) + 2 * day
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
    let number = max(minute, 0) / LookHistogram.minutesOfDay
    let place = max(minute, 0) % LookHistogram.minutesOfDay
    let rate = rates[kinds[number]]
    let sum = before[number]
    let count = rate.counts[place]
    return (
      sum.count + count,
      sum.moment + rate.moments[place] + count * Double(number * LookHistogram.minutesOfDay)
    )
  }

  /// What the time from each step on costs if the feed is fetched with it, in minutes of staleness.
  var values: [Double] {
    let fewest = max(1, (plain.minutes + step - 1) / step)
    let most = max(fewest, 4 * plain.minutes / step)
    // What a fetch costs, so that at an average rate twice the interval is best; then a minute costs as much. Where little
    // less than a day is between fetches, none that meets a look of every day is worth leaving out.
    let interval = Double(plain.minutes)
    let price = 2 * rates.average * interval * min(interval, 8 * 60)
    let perMinute = (2 * rates.average * price).squareRoot()
    let count = Self.steps + most + 1
    var values = [Double](repeating: 0, count: count)
    var ends = [Double](repeating: 0, count: count)
    var looks = [Double](repeating: 0, count: count)
    let opening = openSteps(count)
    for number in (0..<count).reversed() {
      let minute = Double(start + number * step)
      let (seen, moment) = self.looks(before: start + number * step + leadMinutes)
      looks[number] = seen
      if number <= Self.steps {
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
        values[number] = -perMinute * Double((number - Self.steps) * step)
      }
      ends[number] = values[number] + moment
    }
    return values
  }

  /// The first step inside the hours from each one on; nil where all are.
  private func openSteps(_ count: Int) -> [Int]? {
    guard !plain.hours.isAlways else { return nil }
    var steps = [Int](repeating: count - 1, count: count)
    for number in (0..<(count - 1)).reversed() {
      steps[number] = isOpen(start + number * step) ? number : steps[number + 1]
    }
    return steps
  }

  /// What it costs to fetch the feed next with a minute.
  func cost(ofNext minute: Int, _ values: [Double]) -> Double {
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
    rates[kinds[minute / LookHistogram.minutesOfDay]].isLook[minute % LookHistogram.minutesOfDay]
  }

  /// Whether a minute is inside the hours.
  func isOpen(_ minute: Int) -> Bool {
    plain.hours.isAlways || plain.hours.contains(moment(of: minute), in: plain.zone)
  }

  /// The minute of a moment.
  func minute(of moment: Instant) -> Int {
    let civil = plain.zone.civil(at: moment)
    return Int(civil.daysSince1970 - firstDay) * LookHistogram.minutesOfDay + civil.hour * 60 + civil.minute
  }

  /// The first moment at which clocks show a minute, or one past it.
  func moment(of minute: Int) -> Instant {
    switch plain.zone.moments(of: CivilTime(secondsSince1970: firstDay * 86_400 + Int64(minute) * 60)) {
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
