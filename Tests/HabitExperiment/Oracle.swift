// What can be reached at all: the plan of somebody who knows when the person tends to look.

import Core

/// A scheduler that knows how many looks are to be expected in every minute to come, though not when they come, and keeps
/// bgfetch's rules: it fetches when it is woken, never sooner than the interval after the last fetch and at most four
/// intervals later, and means a fetch for looks that come ten minutes later or more.
struct Oracle {
  private let interval: Int
  private let tick: Int
  private let ticks: Int
  /// How many looks come before each tick, those for which its fetch is too late included, and the sums of their minutes.
  private var met: (counts: [Double], moments: [Double])
  /// The same without those.
  private var seen: (counts: [Double], moments: [Double])
  private static let lead = 10

  /// An oracle for a world.
  init(_ world: World, _ setup: Setup) {
    let tick = Int(setup.tick.seconds / 60)
    self.tick = tick
    interval = Int(setup.interval.seconds / 60) / tick
    let ticks = world.expectation.count / tick
    self.ticks = ticks
    func sums(ahead: Int) -> (counts: [Double], moments: [Double]) {
      var (counts, moments): ([Double], [Double]) = ([], [])
      var (count, moment) = (0.0, 0.0)
      var minute = 0
      for number in 0...ticks {
        while minute < min(number * tick + ahead, world.expectation.count) {
          count += world.expectation[minute]
          moment += world.expectation[minute] * (Double(minute) + 0.5)
          minute += 1
        }
        counts.append(count)
        moments.append(moment)
      }
      return (counts, moments)
    }
    met = sums(ahead: Self.lead)
    seen = sums(ahead: 0)
  }

  /// The least staleness at so many fetches a day, in minutes; nil where nobody looks or there can be no such number.
  func staleness(atFetches fetches: Double, days: Int) -> Double? {
    guard let looks = seen.counts.last, looks > 0 else { return nil }
    let wanted = fetches * Double(days)
    // The dearer a fetch is, the fewer there are.
    var (cheap, dear) = (0.0, Double(ticks * tick) * looks)
    var (more, fewer) = (plan(price: cheap), plan(price: dear))
    guard Double(fewer.count) <= wanted, wanted <= Double(more.count) else {
      return (wanted < Double(fewer.count) ? fewer : more).stale / looks
    }
    for _ in 0..<24 where more.count - fewer.count > max(1, more.count / 100) {
      // Where prices differ much, their root does less.
      let price = cheap == 0 ? dear / 64 : (cheap * dear).squareRoot()
      let plan = plan(price: price)
      if Double(plan.count) >= wanted { (cheap, more) = (price, plan) } else { (dear, fewer) = (price, plan) }
    }
    let part =
      more.count > fewer.count ? (wanted - Double(fewer.count)) / Double(more.count - fewer.count) : 1
    return (fewer.stale + (more.stale - fewer.stale) * part) / looks
  }

  /// The best plan where each fetch costs so many minutes of staleness.
  private func plan(price: Double) -> (count: Int, stale: Double) {
    // What the time from each tick on costs, if it fetches, and the next fetch after it.
    var values = [Double](repeating: 0, count: ticks + 1)
    var next = [Int](repeating: ticks, count: ticks + 1)
    for number in (0..<ticks).reversed() {
      let minute = Double(number * tick)
      var best = Double.infinity
      let soonest = min(number + interval, ticks)
      for other in soonest...min(number + 4 * interval, ticks) {
        let cost = values[other] + met.moments[other] - minute * met.counts[other]
        if cost < best { (best, next[number]) = (cost, other) }
      }
      values[number] = price + best - met.moments[number] + minute * met.counts[number]
    }
    var (count, stale) = (0, 0.0)
    var number = 0
    while number < ticks {
      let after = next[number]
      count += 1
      stale +=
        seen.moments[after] - seen.moments[number]
        - Double(number * tick) * (seen.counts[after] - seen.counts[number])
      number = after
    }
    return (count, stale)
  }
}
