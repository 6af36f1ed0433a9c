// Where a fetch is placed by what is predicted: before the next peak, or on the way to it. What other rules say of
// that moment is DueMoments' business.

import Model
import Timing

/// When a feed would be fetched without habits, and what its fetches may be moved by.
struct PlainFetches {
  /// The fetch that the interval counts from.
  let last: Instant
  /// The next one without habits, inside the hours: none is placed before it.
  let soonest: Instant
  /// The one that would come after so many without habits, itself counted: up to there one may be put off.
  let latest: (Int64) -> Instant
  /// The hours outside of which there are none.
  let hours: WeeklyHours
  /// The least time between two, hours and schedule left aside.
  let step: Interval
  /// The zone of hours and days.
  let zone: Zone
}

extension HabitForecast {
  /// How long before a peak a feed is fetched.
  static let lead = Interval.minutes(10)
  /// How many days ahead peaks are looked for: a weekend and its holidays.
  private static let horizon = 10

  /// The moment for the next fetch, at or after the soonest; nil where nothing is predicted.
  ///
  /// That is ten minutes before the next peak that can be met, or as soon as allowed while a peak lasts. If it is too far
  /// away the time until then is parted evenly, so that no fetch is later than the day's stretch allows, and the last one
  /// before the peak never keeps the one at the peak from its place.
  func placement(_ plain: PlainFetches) -> Instant? {
    guard predicts else { return nil }
    let first = plain.zone.civil(at: plain.soonest).daysSince1970
    let latest = plain.latest(self[DayKind(day: first)].stretch)
    // A peak that began yesterday may go on past midnight.
    for day in (first - 1)...(first + Int64(Self.horizon)) {
      for peak in self[DayKind(day: day)].peaks {
        if let meeting = plain.meeting(peak, on: day) { return plain.onTheWay(to: meeting, until: latest) }
      }
    }
    return max(latest, plain.soonest)
  }
}

extension PlainFetches {
  /// When a peak of a day is met; nil if it cannot be.
  ///
  /// One that could only be met after its middle is left alone, unless it lasts for an interval from then on: a fetch
  /// right after the looks it is meant for would be too soon for the next ones.
  fileprivate func meeting(_ peak: HabitPeak, on day: Int64) -> Instant? {
    let begin = zone.moment(ofMinute: peak.begins, on: day)
    let end = begin + .minutes(Int64(peak.length))
    guard end > soonest else { return nil }
    let moment = hours.firstMoment(atOrAfter: max(begin - HabitForecast.lead, soonest), in: zone)
    return moment <= begin + .minutes(Int64(peak.middle)) || moment + step <= end ? moment : nil
  }

  /// The next fetch on the way to a moment: that moment itself, if it is near enough.
  fileprivate func onTheWay(to target: Instant, until latest: Instant) -> Instant {
    let longest = max(latest.since(last).seconds, 1)
    let whole = max(target.since(last).seconds, 1)
    let parts = (whole - 1) / longest + 1
    guard parts > 1 else { return max(target, soonest) }
    let even = max(last + .seconds(whole / parts), soonest)
    let stop = hours.firstMoment(atOrAfter: even, in: zone)
    return stop + step <= target ? stop : target
  }
}

extension DayKind {
  /// The kind of a day, counted from 1970-01-01.
  init(day: Int64) {
    let weekday = CivilTime(secondsSince1970: day * 86_400).weekday
    self = weekday == 0 || weekday == 6 ? .weekend : .working
  }
}

extension Zone {
  /// The first moment at which clocks show a minute of a day, counted from 1970-01-01, or one past it.
  fileprivate func moment(ofMinute minute: Int, on day: Int64) -> Instant {
    switch moments(of: CivilTime(secondsSince1970: day * 86_400 + Int64(minute) * 60)) {
    case .once(let moment), .skipped(firstAfter: let moment), .twice(first: let moment, second: _): moment
    }
  }
}
