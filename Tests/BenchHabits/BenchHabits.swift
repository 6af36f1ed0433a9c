// `make bench-habits`: what is gained by fetching when the person is likely to look.

import ArgumentParser
import Glibc
import HabitExperiment
import Timing

@main struct BenchHabits: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench-habits",
    abstract: "Measure how stale feeds are when made-up people look at them, with habits and without",
    discussion: """
      Exit status 1 means that the goal is missed: at equal fetches a day, habits leave at most half of the staleness of
      a fixed interval to people with habits (the median), and nobody without is worse off by more than 5 %.
      """)

  @Option(help: "Another seed makes other people.")
  var seed: UInt64 = 1

  @Option(help: "How many people of every kind.")
  var people = 20

  @Option(help: "How many days each is watched.")
  var days = 120

  @Option(help: "Where to write the chart.")
  var svg: String?

  func validate() throws {
    if people < 1 || days < 30 { throw ValidationError("it takes a person and 30 days at least") }
  }

  func run() async throws {
    let trials = await ExperimentPlan(seed: seed, people: people, days: days).trials()
    print(reportText(trials))
    if let svg { try write(chart(trials, Setup(interval: .hours(1), tick: .minutes(5))), to: svg) }
    if !misses(trials).isEmpty { throw ExitCode(1) }
  }
}

private func write(_ text: String, to path: String) throws {
  guard let file = fopen(path, "w") else { throw ValidationError("\(path) cannot be written") }
  let isWritten = fputs(text, file) >= 0
  guard fclose(file) == 0, isWritten else { throw ValidationError("\(path) cannot be written") }
}
