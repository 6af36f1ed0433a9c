// The whole experiment: many people of every kind under several set-ups, and whether the goal is reached.

public import Core

/// What is tried.
public struct ExperimentPlan: Sendable {
  /// Another seed makes other people, publishers and wakes.
  public var seed: UInt64
  /// How many people of every kind.
  public var people: Int
  /// How many days each is watched.
  public var days: Int
  /// Over how many phases of the interval the luck of the first fetch is averaged.
  public var phases: Int
  /// The kinds.
  public var kinds: [PersonKind]
  /// The set-ups.
  public var setups: [Setup]

  /// A plan with all kinds and the intervals and wakes that are usual.
  public init(
    seed: UInt64, people: Int, days: Int, phases: Int = 4, kinds: [PersonKind] = PersonKind.allCases,
    intervals: [Interval] = [.minutes(30), .hours(1), .hours(3)],
    ticks: [Interval] = [.minutes(5), .minutes(15)]
  ) {
    self.seed = seed
    self.people = people
    self.days = days
    self.phases = phases
    self.kinds = kinds
    setups = intervals.flatMap { interval in ticks.map { Setup(interval: interval, tick: $0) } }
  }

  /// All its trials, side by side.
  public func trials() async -> [Trial] {
    let orders = setups.flatMap { setup in
      kinds.flatMap { kind in (0..<people).map { (setup: setup, kind: kind, number: $0) } }
    }
    return await withTaskGroup(of: (Int, Trial).self) { group in
      for (place, order) in orders.enumerated() {
        group.addTask {
          (
            place,
            Trial(
              order.kind, number: order.number, seed: seed, days: days,
              phases: phases, order.setup)
          )
        }
      }
      var trials: [(Int, Trial)] = []
      for await trial in group { trials.append(trial) }
      return trials.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }
}

/// The trials of one kind of person under one set-up, or of several.
public struct Summary: Sendable {
  /// The kind.
  public var kind: PersonKind
  /// The trials; never empty.
  public var trials: [Trial]

  /// A summary of trials of one kind.
  public init(_ kind: PersonKind, _ trials: [Trial]) {
    self.kind = kind
    self.trials = trials
  }

  /// A value of the trials at a share of their order: 0 is the least, 0.5 the median, 1 the greatest.
  public func value(_ value: (Trial) -> Double, at share: Double = 0.5) -> Double {
    let sorted = trials.map(value).sorted()
    let place = share * Double(sorted.count - 1)
    let below = Int(place)
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
  }
}

/// What misses the goal, in words; empty if it is reached.
///
/// - At equal fetches, habits leave at most half of the staleness of an even timer to people who have them (the median of
///   all), where bgfetch is woken as its units do and the interval is the default or longer; to each kind of them, too, or
///   two fifths more than an oracle would, where that is more. Where it is woken less often, and below that interval,
///   where even the oracle leaves up to half, it is at most 70 %.
/// - Nobody without habits is worse off by more than 5 % than bgfetch without habits would leave them at equal fetches,
///   person by person and start by start. Nor is the median of each kind in between, against the even timer.
/// - Nobody's feed is fetched more often than without habits.
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
    for kind in PersonKind.allCases where kind.isRegular {
      let summary = Summary(kind, group.filter { $0.kind == kind })
      guard !summary.trials.isEmpty else { continue }
      let bound = asShipped ? max(0.5, 1.4 * summary.value { $0.reachable ?? 0 }) : 0.7
      let kept = summary.value(\.ratio)
      if kept > bound {
        misses.append(name + "\(kind.rawValue) keeps \(decimal(kept, 2)), over \(decimal(bound, 2))")
      }
    }
    for kind in PersonKind.allCases where !kind.isRegular {
      let summary = Summary(kind, group.filter { $0.kind == kind })
      guard !summary.trials.isEmpty else { continue }
      let worst = summary.value(\.ratio, at: kind.isErratic ? 1 : 0.5)
      if worst > 1.05 { misses.append(name + "\(kind.rawValue) is worse off, at \(decimal(worst, 2))") }
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
