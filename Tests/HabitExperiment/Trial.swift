// One person under one set-up: habits against an ideal timer with as many fetches, against bgfetch without habits, and
// against what could be reached.

import Core

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
  /// The staleness with the same interval and without habits, from the same starts on.
  public var plain: Staleness
  /// The same at equal fetches: longer by as much as there are fewer.
  public var plainAtEqual: Staleness
  /// What an oracle would leave of the staleness of an even timer at as many fetches; nil where it was not asked.
  public var reachable: Double?

  /// What is left of the staleness of the even timer.
  public var ofEven: Double { share(of: even.sinceFetch) }
  /// What is left of the staleness without habits at equal fetches, start by start: exactly 1 where habits change nothing.
  public var ofPlain: Double { share(of: plainAtEqual.sinceFetch) }
  /// What the goal is about: the even timer for people with habits, bgfetch itself for those who have none.
  public var ratio: Double { kind.isErratic ? ofPlain : ofEven }
  /// What is left of the time for which something new of a publisher was missed, of the even timer.
  public func ratioBehind(_ publisher: PublisherKind) -> Double {
    guard let fixed = even.behind[publisher], fixed > 0 else { return 1 }
    return (habits.behind[publisher] ?? 0) / fixed
  }
  /// The mean of that.
  public var ratioBehind: Double {
    let all = PublisherKind.allCases.map(ratioBehind)
    return all.reduce(0, +) / Double(all.count)
  }

  private func share(of fixed: Double) -> Double { fixed > 0 ? habits.sinceFetch / fixed : 1 }

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
