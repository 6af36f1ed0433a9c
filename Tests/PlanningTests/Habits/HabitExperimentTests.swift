import HabitExperiment
import Testing
import Timing

// A small part of `make bench-habits`, with people of seeds that nothing was tuned for.
@Suite struct HabitExperimentTests {
  private func trials(_ kinds: [PersonKind], seed: UInt64, people: Int = 2) async -> [Trial] {
    await ExperimentPlan(
      seed: seed, people: people, days: 90, kinds: kinds, intervals: [.hours(1), .hours(3)],
      ticks: [.minutes(5)]
    ).trials()
  }

  @Test(arguments: [PersonKind.commuter, .lunch, .owl, .drifting])
  func `at equal fetches habits leave people who have them little more than half of the staleness`(
    kind: PersonKind
  ) async {
    let trials = await trials([kind], seed: 2026)

    // Of so few people chance moves the median; the bound of a half is the benchmark's.
    #expect(Summary(kind, trials).value(\.ratio) <= 0.6)
  }

  @Test(arguments: [PersonKind.erratic, .bursts, .rare])
  func `nobody without habits is worse off by more than 5 %`(kind: PersonKind) async {
    for trial in await trials([kind], seed: 2027) { #expect(trial.ratio <= 1.05) }
  }

  @Test func `nobody's feed is fetched more often than without habits`() async {
    for trial in await trials(PersonKind.allCases, seed: 2028, people: 1) {
      #expect(trial.fetches <= trial.plainFetches + 0.02)
    }
  }
}
