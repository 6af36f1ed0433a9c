import HabitExperiment
import Testing
import Timing

// A small part of `make bench-habits`, with people of seeds that nothing was tuned for.
@Suite struct HabitExperimentTests {
  private func trials(_ kind: PersonKind, seed: UInt64, people: Int) async -> [Trial] {
    await ExperimentPlan(
      seed: seed, people: people, days: 60, phases: 1, kinds: [kind], intervals: [.hours(2)],
      ticks: [.minutes(15)]
    ).trials()
  }

  @Test(arguments: [PersonKind.commuter, .lunch])
  func `at equal fetches habits leave people who have them much less of the staleness`(kind: PersonKind) async
  {
    let trials = await trials(kind, seed: 2026, people: 1)

    // Of so few people and days chance moves the share; the bounds by kind are the benchmark's.
    #expect(Summary(kind, trials).value(\.ratio) <= 0.7)
    for trial in trials { #expect(trial.fetches <= trial.plainFetches) }
  }

  @Test(arguments: [PersonKind.bursts])
  func `nobody without habits is worse off by more than 5 %`(kind: PersonKind) async {
    for trial in await trials(kind, seed: 2027, people: 1) {
      #expect(trial.ratio <= 1.05)
      #expect(trial.fetches <= trial.plainFetches)
    }
  }
}
