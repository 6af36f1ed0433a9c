// Habits of simulated people: how much fresher feeds get at equal fetches, and that nobody loses much.

import Core
import HabitExperiment
import Testing

// A small part of `make bench-habits`, with seeds that were not used for tuning.
@Suite struct HabitExperimentTests {
  private func trials(_ kind: PersonKind, seed: UInt64, people: Int) async -> [Trial] {
    await ExperimentPlan(
      seed: seed, people: people, days: 60, phases: 1, kinds: [kind], intervals: [.hours(2)],
      ticks: [.minutes(15)]
    ).trials()
  }

  @Test(arguments: [(PersonKind.commuter, 0.7), (.lunch, 0.7), (.bursts, 1.05)])
  func `at equal fetches habits reduce the staleness, a person without any is worse off by at most 5 %`(
    kind: PersonKind, bound: Double
  ) async {
    let trials = await trials(kind, seed: kind == .bursts ? 2027 : 2026, people: 1)

    // The bound is loose, because a few people over a few days vary; the benchmark checks bounds by kind.
    #expect(Summary(kind, trials).value(\.ratio, at: 1) <= bound)
    for trial in trials { #expect(trial.fetches <= trial.plainFetches) }
  }

  @Test func `fetches that habits do not move leave exactly the same staleness`() async {
    // Three days are not enough to learn.
    let trials = await ExperimentPlan(
      seed: 2028, people: 3, days: 3, phases: 2, kinds: [.erratic], intervals: [.hours(1)],
      ticks: [.minutes(15)]
    ).trials()

    for trial in trials { #expect(abs(trial.ofPlain - 1) < 1e-9) }
    #expect(trials.count == 3)
  }
}
