// A simulation that measures what `adapt: habits` gains: many people of every kind under several set-ups.
//
// Doors: `ExperimentPlan.trials`, `misses` (the goals that are not reached), `reportText`. It uses bgfetch's own
// planning (`nextDue`); the program never uses it. `make bench-habits` runs all of it, HabitExperimentTests a small part.

public import Core

/// The parameters of an experiment.
public struct ExperimentPlan: Sendable {
  /// Another seed gives other people, publishers and wake-ups.
  public var seed: UInt64
  /// The number of people of each kind.
  public var people: Int
  /// The number of days to simulate.
  public var days: Int
  /// The number of phases of the interval, over which the luck of the first fetch is averaged.
  public var phases: Int
  public var kinds: [PersonKind]
  public var setups: [Setup]

  /// A plan with all kinds and the intervals and wakes that are usual.
  public init(
    seed: UInt64, people: Int, days: Int, phases: Int = 4, kinds: [PersonKind] = PersonKind.allCases,
    intervals: [Interval] = [.minutes(30), .hours(1), .hours(3)],
    ticks: [Interval] = [.minutes(5), .minutes(15)]
  ) {
    (self.seed, self.people, self.days, self.phases) = (seed, people, days, phases)
    self.kinds = kinds
    setups = intervals.flatMap { interval in ticks.map { Setup(interval: interval, tick: $0) } }
  }

  /// Runs all trials concurrently.
  public func trials() async -> [Trial] {
    let orders = setups.flatMap { setup in
      kinds.flatMap { kind in (0..<people).map { (setup: setup, kind: kind, number: $0) } }
    }
    return await withTaskGroup(of: (Int, Trial).self) { group in
      for (place, order) in orders.enumerated() {
        group.addTask {
          let (setup, kind, number) = order
          return (place, Trial(kind, number: number, seed: seed, days: days, phases: phases, setup))
        }
      }
      var trials: [(Int, Trial)] = []
      for await trial in group { trials.append(trial) }
      return trials.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }
}

/// Several trials under one set-up, usually of one kind of person.
public struct Summary: Sendable {
  public var kind: PersonKind
  /// Never empty.
  public var trials: [Trial]

  /// A summary of trials of one kind.
  public init(_ kind: PersonKind, _ trials: [Trial]) {
    (self.kind, self.trials) = (kind, trials)
  }

  /// A value of the trials at a quantile: 0 is the least, 0.5 the median, 1 the greatest.
  public func value(_ value: (Trial) -> Double, at share: Double = 0.5) -> Double {
    let sorted = trials.map(value).sorted()
    let place = share * Double(sorted.count - 1)
    let below = Int(place)
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
  }
}

/// The goals that are not reached, in words.
///
/// - At equal fetches, habits leave people who have them at most half of the staleness of an even timer (the median of all),
///   if bgfetch runs as its units do and the interval is the default or longer, and each kind of them at most 55 %. With rarer
///   runs or shorter intervals the bound is 70 %.
/// - Nobody without habits loses more than 5 % compared with bgfetch without habits at equal fetches, person by person and
///   start by start. Neither does the median of each kind in between, compared with the even timer.
/// - No feed is fetched more often than without habits.
public func misses(_ trials: [Trial]) -> [String] {
  var misses: [String] = []
  for (setup, group) in Dictionary(grouping: trials, by: \.setup) {
    let name = "minimum-interval \(setup.interval.text), woken every \(setup.tick.text): "
    let regular = Summary(.commuter, group.filter { $0.kind.isRegular })
    let asShipped = setup.tick <= .minutes(5) && setup.interval >= .hours(1)
    let bound = asShipped ? 0.5 : 0.7
    if !regular.trials.isEmpty, regular.value(\.ratio) > bound {
      misses.append(name + "people with habits keep \(decimal(regular.value(\.ratio), 2)) of the staleness")
    }
    for kind in PersonKind.allCases {
      let summary = Summary(kind, group.filter { $0.kind == kind })
      guard !summary.trials.isEmpty else { continue }
      let bound = kind.isRegular ? asShipped ? 0.55 : 0.7 : 1.05
      let value = summary.value(\.ratio, at: kind.isErratic ? 1 : 0.5)
      let words = kind.isRegular ? "keeps" : "is worse off, at"
      if value > bound {
        misses.append(name + "\(kind.rawValue) \(words) \(decimal(value, 2)), over \(decimal(bound, 2))")
      }
    }
    for trial in group where trial.fetches > trial.plainFetches + 0.02 {
      misses.append(name + "\(trial.kind.rawValue) is fetched more often than without habits")
    }
  }
  return misses.sorted()
}

/// The summaries of trials by kind and set-up, in the order of the trials.
public func summaries(_ trials: [Trial]) -> [(setup: Setup, summary: Summary)] {
  var summaries: [(setup: Setup, summary: Summary)] = []
  for trial in trials {
    if let last = summaries.last, last.setup == trial.setup, last.summary.kind == trial.kind {
      summaries[summaries.count - 1].summary.trials.append(trial)
    } else {
      summaries.append((trial.setup, Summary(trial.kind, [trial])))
    }
  }
  return summaries
}
