// One person under one set-up: habits against an ideal timer with as many fetches, and against no habits at all.

import Timing

/// What came of a trial.
public struct Trial: Sendable {
  /// The kind of person.
  public var kind: PersonKind
  /// How bgfetch was set up.
  public var setup: Setup
  /// Fetches a day with habits.
  public var fetches: Double
  /// Fetches a day with the same interval and without habits.
  public var plainFetches: Double
  /// The staleness with habits.
  public var habits: Staleness
  /// The staleness at equal fetches an even time apart, the mean of all phases.
  public var even: Staleness
  /// The staleness with the same interval and without habits.
  public var plain: Staleness

  /// What is left of the staleness at equal fetches.
  public var ratio: Double { even.sinceFetch > 0 ? habits.sinceFetch / even.sinceFetch : 1 }
  /// The same of how long something new was missed.
  public var ratioBehind: Double { even.behind > 0 ? habits.behind / even.behind : 1 }

  /// Watches one person for so many days.
  ///
  /// When the first fetch comes is luck, so all of it is averaged over so many phases of the interval.
  public init(_ kind: PersonKind, number: Int, seed: UInt64, days: Int, phases: Int, _ setup: Setup) {
    let world = World(kind, number: number, seed: seed, days: days)
    var chance = Chance(seed: seed, "\(kind.rawValue) \(number) wakes")
    let shift = Int64(chance.count(0...Int(setup.tick.seconds - 1)))
    let luck = (0..<phases).map { Double($0) / Double(phases) }
    let fetches = luck.map { world.fetches(setup, phase: $0, shift: shift, adapts: true) }
    let plainFetches = luck.map { world.fetches(setup, phase: $0, shift: shift, adapts: false) }
    let count = fetches.reduce(0) { $0 + $1.count } / luck.count
    let evens = (0..<12).map { world.evenFetches(count, phase: Double($0) / 12, setup, shift: shift) }
    func mean(_ value: [Double]) -> Double { value.reduce(0, +) / Double(value.count) }
    func staleness(_ fetches: [[Instant]]) -> Staleness {
      let all = fetches.map(world.staleness)
      return Staleness(sinceFetch: mean(all.map(\.sinceFetch)), behind: mean(all.map(\.behind)))
    }
    self.kind = kind
    self.setup = setup
    self.fetches = mean(fetches.map { Double($0.count) }) / Double(days)
    self.plainFetches = mean(plainFetches.map { Double($0.count) }) / Double(days)
    habits = staleness(fetches)
    even = staleness(evens)
    plain = staleness(plainFetches)
  }
}
