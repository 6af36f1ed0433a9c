// One person under one set-up: habits compared with an even timer and with bgfetch without habits.

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
  /// The staleness in minutes with habits.
  public var habits: Double
  /// The staleness of equally many fetches at even distances, the mean of all phases.
  public var even: Double
  /// The staleness with the same interval without habits, from the same starts.
  public var plain: Double
  /// `plain`, scaled to as many fetches as with habits.
  public var plainAtEqual: Double

  /// The share of the even timer's staleness that habits leave.
  public var ofEven: Double { share(of: even) }
  /// The share of the staleness without habits at equal fetches that habits leave: exactly 1 if they change nothing.
  public var ofPlain: Double { share(of: plainAtEqual) }
  /// The share that the goal is about: of the even timer for people with habits, else of bgfetch without habits.
  public var ratio: Double { kind.isErratic ? ofPlain : ofEven }

  private func share(of fixed: Double) -> Double { fixed > 0 ? habits / fixed : 1 }

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
    func daily(_ fetches: [[Instant]]) -> Double {
      fetches.reduce(0) { $0 + Double($1.count) } / Double(fetches.count * days)
    }
    (self.kind, self.setup, self.fetches) = (kind, setup, daily(fetches))
    self.plainFetches = daily(plainFetches)
    habits = mean(fetches.map(world.staleness))
    even = mean(evens.map(world.staleness))
    let plains = plainFetches.map(world.staleness)
    plain = mean(plains)
    plainAtEqual = mean(
      zip(plains, zip(plainFetches, fetches)).map { plain, fetches in
        plain * Double(fetches.0.count) / Double(max(1, fetches.1.count))
      })
  }
}
