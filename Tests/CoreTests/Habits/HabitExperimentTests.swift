import Core
import HabitExperiment
import Testing

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

  @Test func `whoever is fetched as without habits is neither better nor worse off, to the last digit`() async
  {
    // Of three days nothing is learned.
    let trials = await ExperimentPlan(
      seed: 2028, people: 3, days: 3, phases: 2, kinds: [.erratic], intervals: [.hours(1)],
      ticks: [.minutes(15)]
    ).trials()

    #expect(trials.map(\.ofPlain) == [1, 1, 1])
  }

  @Test func `nobody does better than one who knows when the person tends to look`() async throws {
    for trial in await trials(.commuter, seed: 2029, people: 2) {
      let reachable = try #require(trial.reachable)
      // The oracle expects looks, the person has had them: a tenth is chance.
      #expect(reachable <= trial.ratio * 1.1)
      #expect(reachable > 0.05)
    }
  }

  @Test(arguments: [PersonKind.bursts])
  func `nobody without habits is worse off by more than 5 %`(kind: PersonKind) async {
    for trial in await trials(kind, seed: 2027, people: 1) {
      #expect(trial.ratio <= 1.05)
      #expect(trial.fetches <= trial.plainFetches)
    }
  }
}
