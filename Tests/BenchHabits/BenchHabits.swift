// `make bench-habits`: measures how much fresher feeds are with `adapt: habits`.

import ArgumentParser
import Core
import HabitExperiment

@main struct BenchHabits: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench-habits",
    abstract: "Measure how stale feeds are when simulated people look at them, with and without habits",
    discussion: """
      The goal: at equal fetches a day, habits leave people who have them at most half of the staleness of a fixed
      interval (the median), and nobody without habits loses more than 5 %. Exit status 1 means that it is not reached.

      Column "of fixed" compares with an even timer, the mean of all its phases. Column "of plain" compares with bgfetch
      without habits from the same starts, at equal fetches; exactly 1.00 means that habits change nothing.
      """)

  @Option(help: "Another seed gives other people.")
  var seed: UInt64 = 1

  @Option(help: "The number of people of each kind.")
  var people = 20

  @Option(help: "The number of days to simulate.")
  var days = 120

  @Option(help: ArgumentHelp("A minimum interval to try (default: 30, 60 and 180).", valueName: "minutes"))
  var interval: [Int64] = [30, 60, 180]

  @Option(help: ArgumentHelp("The time between two runs (default: 5 and 15).", valueName: "minutes"))
  var every: [Int64] = [5, 15]

  @Option(help: "A kind of person (default: all).", transform: readKind)
  var kind: [PersonKind] = PersonKind.allCases

  func validate() throws {
    if people < 1 || days < 30 { throw ValidationError("use at least 1 person and 30 days") }
  }

  func run() async throws {
    let trials = await ExperimentPlan(
      seed: seed, people: people, days: days, kinds: kind, intervals: interval.map(Interval.minutes),
      ticks: every.map(Interval.minutes)
    ).trials()
    print(reportText(trials))
    if !misses(trials).isEmpty { throw ExitCode(1) }
  }
}

private func readKind(_ text: String) throws -> PersonKind {
  guard let kind = PersonKind(rawValue: text) else {
    let names = PersonKind.allCases.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("unknown kind of person; use one of \(names)")
  }
  return kind
}
