// One person under one set-up: habits compared with an even timer, with bgfetch without habits, and with an oracle.

import Core

/// The results of a trial.
public struct Trial: Sendable {
  /// The kind of person.
  public var kind: PersonKind
  public var setup: Setup
  /// Fetches a day with habits.
  public var fetches: Double
  /// Fetches a day with the same interval without habits.
  public var plainFetches: Double
  public var habits: Staleness
  /// The staleness of equally many fetches at even distances, the mean of all phases.
  public var even: Staleness
  /// The staleness with the same interval without habits, from the same starts.
  public var plain: Staleness
  /// `plain`, scaled to as many fetches as with habits.
  public var plainAtEqual: Staleness
  /// The share of the even timer's staleness that an oracle leaves at equal fetches; nil if not computed.
  public var reachable: Double?

  /// The share of the even timer's staleness that habits leave.
  public var ofEven: Double { share(of: even.sinceFetch) }
  /// The share of the staleness without habits at equal fetches that habits leave: exactly 1 if they change nothing.
  public var ofPlain: Double { share(of: plainAtEqual.sinceFetch) }
  /// The share that the goal is about: of the even timer for people with habits, else of bgfetch without habits.
  public var ratio: Double { kind.isErratic ? ofPlain : ofEven }
  /// The share of `behind` that habits leave of the even timer, for one publisher.
  public func ratioBehind(_ publisher: PublisherKind) -> Double {
    guard let fixed = even.behind[publisher], fixed > 0 else { return 1 }
    return (habits.behind[publisher] ?? 0) / fixed
  }
  /// The mean share of all publishers.
  public var ratioBehind: Double {
    let all = PublisherKind.allCases.map(ratioBehind)
    return all.reduce(0, +) / Double(all.count)
  }

  private func share(of fixed: Double) -> Double { fixed > 0 ? habits.sinceFetch / fixed : 1 }

  /// Simulates one person.
  ///
  /// The first fetch is a matter of luck, so the results are averaged over phases of the interval.
  public init(_ kind: PersonKind, number: Int, seed: UInt64, days: Int, phases: Int, _ setup: Setup) {
    let world = World(kind, number: number, seed: seed, days: days)
    var chance = Chance(seed: seed, "\(kind.rawValue) \(number) wakes")
    let shift = Int64(chance.count(0...Int(setup.tick.seconds - 1)))
    let luck = (0..<phases).map { Double($0) / Double(phases) }
    let fetches = luck.map { world.fetches(setup, phase: $0, shift: shift, adapts: true) }
    let plainFetches = luck.map { world.fetches(setup, phase: $0, shift: shift, adapts: false) }
    let count = fetches.reduce(0) { $0 + $1.count } / luck.count
    let evens = (0..<12).map { world.evenFetches(count, phase: Double($0) / 12, setup, shift: shift) }
    func mean(_ fetches: [[Instant]]) -> Double {
      fetches.reduce(0) { $0 + Double($1.count) } / Double(fetches.count * days)
    }
    self.kind = kind
    self.setup = setup
    self.fetches = mean(fetches)
    self.plainFetches = mean(plainFetches)
    habits = .mean(fetches.map(world.staleness))
    even = .mean(evens.map(world.staleness))
    let plains = plainFetches.map(world.staleness)
    plain = .mean(plains)
    plainAtEqual = .mean(
      zip(plains, zip(plainFetches, fetches)).map { plain, fetches in
        plain.scaled(by: Double(fetches.0.count) / Double(max(1, fetches.1.count)))
      })
    if !kind.isErratic {
      let stale = Oracle(world, setup).staleness(atFetches: self.fetches, days: days)
      reachable = stale.map { $0 / (1440 / self.fetches / 2) }
    }
  }
}

/// A scheduler that knows the expected looks of every minute to come, though not the looks.
///
/// It keeps bgfetch's rules: it fetches in a run, from one to four intervals after the last fetch, ten minutes or more
/// before the looks it is meant for.
struct Oracle {
  private let interval: Int
  private let tick: Int
  private let ticks: Int
  /// The looks before each tick for which its fetch is in time, or that came before it, and the sums of their minutes.
  private var met: (counts: [Double], moments: [Double])
  /// All looks before each tick, and the sums of their minutes.
  private var seen: (counts: [Double], moments: [Double])
  private static let lead = 10

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

  /// The least staleness in minutes at a number of fetches a day; nil without looks.
  func staleness(atFetches fetches: Double, days: Int) -> Double? {
    guard let looks = seen.counts.last, looks > 0 else { return nil }
    let wanted = fetches * Double(days)
    // The higher the price of a fetch, the fewer there are.
    var (cheap, dear) = (0.0, Double(ticks * tick) * looks)
    var (more, fewer) = (plan(price: cheap), plan(price: dear))
    guard Double(fewer.count) <= wanted, wanted <= Double(more.count) else {
      return (wanted < Double(fewer.count) ? fewer : more).stale / looks
    }
    for _ in 0..<24 where more.count - fewer.count > max(1, more.count / 100) {
      // If prices differ much, the geometric mean halves their difference.
      let price = cheap == 0 ? dear / 64 : (cheap * dear).squareRoot()
      let plan = plan(price: price)
      if Double(plan.count) >= wanted { (cheap, more) = (price, plan) } else { (dear, fewer) = (price, plan) }
    }
    let part =
      more.count > fewer.count ? (wanted - Double(fewer.count)) / Double(more.count - fewer.count) : 1
    return (fewer.stale + (more.stale - fewer.stale) * part) / looks
  }

  /// The best plan if each fetch costs this many minutes of staleness.
  private func plan(price: Double) -> (count: Int, stale: Double) {
    // The cost of the time from each tick on if it fetches, and its next fetch.
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
