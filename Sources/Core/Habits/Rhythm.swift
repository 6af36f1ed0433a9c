// The rhythm of a publisher: how likely it publishes in each part of the week, learned from the times of its items.
//
// Several models of the week bet on each publication by those before it. One whose bets have won predicts; of these, the one
// that would leave the least staleness. So nothing changes for publishers without a rhythm.

/// When an item was published, as its feed says, and when a fetch found it.
public struct ItemTimes: Hashable, Sendable {
  var published: Instant?
  var firstSeen: Instant

  public init(published: Instant?, firstSeen: Instant) {
    (self.published, self.firstSeen) = (published, firstSeen)
  }
}

/// The moments of publications, in order; items within half an hour are one.
///
/// A date counts if the item was found soon after it, or in the first document, whose items may be old. Midnight in UTC is
/// usually a day without a time, and so is a time that almost all dates share (`placeholders`). An item without a date that
/// counts came up within the interval before it was found.
///
/// - Parameters:
///   - items: the items that were found last.
///   - interval: the time between two fetches.
func publications(_ items: [ItemTimes], every interval: Interval) -> [Instant] {
  let beginning = items.map(\.firstSeen).min()
  let longest = Interval.seconds(min(interval.seconds, 1 << 32) * Int64(longestStretch) + 3600)
  let unset = placeholders(in: items, from: beginning, every: interval)
  let moments = items.compactMap { item -> Instant? in
    let isFirst = item.firstSeen == beginning
    if let date = item.published, date <= item.firstSeen, date.secondOfDay != 0,
      !unset.contains(date.secondOfDay), isFirst || item.firstSeen.since(date) <= longest
    {
      return date
    }
    return isFirst ? nil : item.firstSeen - .seconds(min(interval.seconds, 7200) / 2)
  }.sorted()
  return moments.reduce(into: []) { single, moment in
    if single.last.map({ moment.since($0) >= .minutes(30) }) ?? true { single.append(moment) }
  }.suffix(Rhythm.mostPublications)
}

extension Instant {
  /// The seconds since the last midnight in UTC.
  fileprivate var secondOfDay: Int64 { secondsSince1970.flooredDivision(by: 86_400).remainder }
}

/// The time of day, in seconds, that almost all dates share to the second, as the midnight of some zone, which clock changes move
/// by an hour; none if there is none.
///
/// Who publishes at such a time on purpose has items that are found within the interval after it: a quarter is enough.
private func placeholders(
  in items: [ItemTimes], from beginning: Instant?, every interval: Interval
) -> [Int64] {
  let dates = items.compactMap(\.published)
  let counts = Dictionary(dates.map { ($0.secondOfDay, 1) }, uniquingKeysWith: +)
  func moved(_ time: Int64) -> Int64 { (time + 3600) % 86_400 }
  func count(_ time: Int64) -> Int { counts[time, default: 0] + counts[moved(time), default: 0] }
  guard dates.count >= 4, let shared = counts.keys.max(by: { (count($0), $0) < (count($1), $1) }),
    count(shared) * 10 >= dates.count * 9
  else { return [] }
  let later = items.filter { $0.published != nil && $0.firstSeen != beginning }
  let soon = later.count { item in
    item.published.map { $0 <= item.firstSeen && item.firstSeen.since($0) <= interval } ?? false
  }
  return soon * 4 >= max(later.count, 1) ? [] : [shared, moved(shared)]
}

/// How likely a publisher publishes in each part of its week.
struct Rhythm: Sendable {
  /// The density of publications in each five minutes, from Sunday's midnight on; the average is 1.
  let week: [Double]
  /// The zone of the week: the person's, or UTC if that fits better because one of them changes its clocks.
  let zone: Zone
  /// The publications, each as a minute of the week.
  private let minutes: [Int]

  static let binMinutes = 5
  static let binsOfDay = CivilTime.minutesOfDay / binMinutes
  static let binsOfWeek = 7 * binsOfDay
  /// The most publications that are learned from.
  static let mostPublications = 96
  /// How many bins from a publication its weight is spread: an appointment, a part of the morning, half a day.
  private static let reaches = [2, 12, 36]
  /// The largest share of staleness that a rhythm may leave to be worth following.
  private static let bound = 0.85

  /// The rhythm of a publisher; nil if it has none.
  init?(_ publications: [Instant], in zone: Zone) {
    var best: (left: Double, week: [Double], zone: Zone)?
    let offsets = Set(publications.map(zone.offset(at:)))
    // Without a change of clocks both zones fit alike.
    for zone in offsets.count > 1 ? [zone, .utc] : [zone] {
      for reach in Self.reaches {
        let model = WeekModel(publications, in: zone, reach: reach)
        guard WeekModel.levels.contains(where: model.isProven) else { continue }
        for (level, week) in model.weeks.enumerated() where model.isProven(level) {
          let left = model.stalenessLeft(level, week)
          if left < (best?.left ?? Self.bound) - 1e-9 { best = (left, week, zone) }
        }
      }
    }
    guard let best else { return nil }
    (week, self.zone) = (best.week, best.zone)
    minutes = publications.map { best.zone.civil(at: $0).minuteOfWeek }
  }

  /// The density in a minute, counted from the midnight before any Sunday.
  subscript(minute: Int) -> Double { week[minute / Self.binMinutes % Self.binsOfWeek] }

  /// The minutes by which this week is ahead of the clocks of a zone.
  func lead(over zone: Zone, at moment: Instant) -> Int {
    (self.zone.offset(at: moment) - zone.offset(at: moment)) / 60
  }
}

extension Rhythm {
  /// The densities by the clocks of a zone, as they are at a moment.
  func week(in zone: Zone, at moment: Instant) -> [Double] {
    let lead = lead(over: zone, at: moment) + CivilTime.minutesOfWeek
    return (0..<Self.binsOfWeek).map { self[$0 * Self.binMinutes + lead] }
  }

  /// The likeliest times in words, for example `publishes Mon 09:00-09:15`; only weekdays on which it has published.
  func text(in zone: Zone, at moment: Instant) -> String {
    let week = week(in: zone, at: moment)
    let least = (week.max() ?? 0) / 2
    let lead = lead(over: zone, at: moment)
    let seen = Set(minutes.map { ($0 - lead + CivilTime.minutesOfWeek) / CivilTime.minutesOfDay % 7 })
    var days: [(names: [String], times: String)] = []
    // Monday first.
    for weekday in (1...7).map({ $0 % 7 }) where seen.contains(weekday) {
      let bins = (0..<Self.binsOfDay).filter { week[weekday * Self.binsOfDay + $0] >= least }
      guard let first = bins.first, let last = bins.last else { continue }
      let times = clockText(first * Self.binMinutes) + "-" + clockText((last + 1) * Self.binMinutes)
      let name = String(CivilTime.weekdayNames[weekday].prefix(3))
      if days.last?.times == times {
        days[days.count - 1].names.append(name)
      } else {
        days.append(([name], times))
      }
    }
    return "publishes "
      + days.map { ($0.names.count == 7 ? "daily" : $0.names.joined(separator: ", ")) + " " + $0.times }
      .joined(separator: "; ")
  }
}

/// Publications spread over the week, on three levels: all days alike, working days and weekends, each day of its own.
///
/// Each level leans on the one before it, and the first on a flat week, as if that had seen two publications more.
private struct WeekModel {
  static let levels = 0..<3
  private static let prior = 2.0
  /// The share of publications that may come at any time.
  private static let anyTime = 0.1
  /// The weights of the publications in each bin of the week.
  private var counts = [Double](repeating: 0, count: Rhythm.binsOfWeek)
  private var total = 0.0
  /// The wealth of a gambler who began with 1 and bets all on each publication by the odds of a flat week.
  ///
  /// Such a gain is a test martingale: without a rhythm it reaches `proof` with a probability of at most 1 in `proof`
  /// (Ville's inequality). Its bounds let a rhythm be lost and found again in a few publications.
  private var wealth = levels.map { _ in 1.0 }
  private static let proof = 100.0
  private static let bounds = (least: 0.05, most: 100_000.0)
  /// The sum of 1/√density over the publications; see `Evidence` of openings.
  private var roots = levels.map { _ in 0.0 }
  /// Publications less than this apart are not independent.
  private static let oneOccasion = Interval.hours(3)

  init(_ publications: [Instant], in zone: Zone, reach: Int) {
    let newest = publications.last?.dayNumber ?? 0
    let spread = (-reach...reach).map { Double(reach + 1 - abs($0)) / Double((reach + 1) * (reach + 1)) }
    var last: Instant?
    for moment in publications {
      let bin = zone.civil(at: moment).minuteOfWeek / Rhythm.binMinutes
      // Silence makes nothing fade: the age is counted from the last publication.
      let weight = Habit.decayed(1, days: newest - moment.dayNumber)
      let isBet = last.map { moment.since($0) >= Self.oneOccasion } ?? true
      for level in Self.levels {
        let density = density(bin, level)
        // A single hit proves nothing, however unlikely it was.
        let gain = min(density, Self.proof / 2)
        if isBet { wealth[level] = min(max(wealth[level] * gain, Self.bounds.least), Self.bounds.most) }
        roots[level] += weight / pace(at: density)
      }
      for (place, share) in zip((bin - reach)..., spread) {
        counts[(place + Rhythm.binsOfWeek) % Rhythm.binsOfWeek] += weight * share
      }
      total += weight
      last = moment
    }
  }

  func isProven(_ level: Int) -> Bool { wealth[level] >= Self.proof }

  /// The share of staleness that is left with as many fetches if they follow the square root of the density.
  func stalenessLeft(_ level: Int, _ week: [Double]) -> Double {
    let sum = stride(from: 0, to: week.count, by: 2).reduce(0) { $0 + pace(at: week[$1]) }
    return roots[level] / total * sum * 2 / Double(Rhythm.binsOfWeek)
  }

  /// The density in each bin of the week, by level.
  var weeks: [[Double]] {
    var week = [Double](repeating: 1, count: Rhythm.binsOfWeek)
    return Self.alike.map { days in
      for alike in Set(days) {
        for bin in 0..<Rhythm.binsOfDay {
          let density = leaning(on: week[alike[0] + bin], bin, alike)
          for day in alike { week[day + bin] = density }
        }
      }
      return week.map(Self.withAnyTime)
    }
  }

  private func density(_ bin: Int, _ level: Int) -> Double {
    let (day, ofDay) = bin.quotientAndRemainder(dividingBy: Rhythm.binsOfDay)
    return Self.withAnyTime((0...level).reduce(1) { leaning(on: $0, ofDay, Self.alike[$1][day]) })
  }

  /// The density in a bin of days that are alike, which leans on the density of the level before it.
  private func leaning(on density: Double, _ bin: Int, _ alike: [Int]) -> Double {
    var seen = 0.0
    for day in alike { seen += counts[day + bin] }
    seen *= Double(Rhythm.binsOfWeek) / Double(alike.count)
    return (seen + Self.prior * density) / (total + Self.prior)
  }

  private static func withAnyTime(_ density: Double) -> Double { anyTime + (1 - anyTime) * density }

  /// The first bins of the days that are alike to each day, by level.
  private static let alike = [
    Array(repeating: Array(0..<7), count: 7),
    (0..<7).map { (1...5).contains($0) ? Array(1...5) : [0, 6] },
    (0..<7).map { [$0] },
  ].map { days in days.map { alike in alike.map { $0 * Rhythm.binsOfDay } } }
}
