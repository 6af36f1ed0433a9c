// `make bench-habits`: what is gained by fetching when the person is likely to look.

import ArgumentParser
import Core
import Glibc
import HabitExperiment

@main struct BenchHabits: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench-habits",
    abstract: "Measure how stale feeds are when made-up people look at them, with habits and without",
    discussion: """
      Exit status 1 means that the goal is missed: at equal fetches a day, habits leave at most half of the staleness of
      a fixed interval to people with habits (the median), and nobody without is worse off by more than 5 %.

      Of fixed is against an even timer, the mean of all its phases. Of plain is against bgfetch without habits from the
      same starts on, at equal fetches: exactly 1.00 where habits change nothing. Reachable is what an oracle leaves of
      the even timer that knows how likely the person is to look in each minute to come, under the same rules.
      """)

  @Option(help: "Another seed makes other people.")
  var seed: UInt64 = 1

  @Option(help: "How many people of every kind.")
  var people = 20

  @Option(help: "How many days each is watched.")
  var days = 120

  @Option(
    help: ArgumentHelp("A minimum interval to try; 30, 60 and 180.", valueName: "minutes"))
  var interval: [Int64] = [30, 60, 180]

  @Option(help: ArgumentHelp("How often the machine wakes bgfetch; 5 and 15.", valueName: "minutes"))
  var every: [Int64] = [5, 15]

  @Option(help: "A kind of person; all of them.", transform: readKind)
  var kind: [PersonKind] = PersonKind.allCases

  @Option(help: "Where to write the chart.")
  var svg: String?

  func validate() throws {
    if people < 1 || days < 30 { throw ValidationError("it takes a person and 30 days at least") }
  }

  func run() async throws {
    let trials = await ExperimentPlan(
      seed: seed, people: people, days: days, kinds: kind, intervals: interval.map(Interval.minutes),
      ticks: every.map(Interval.minutes)
    ).trials()
    print(reportText(trials))
    if let svg { try write(chart(trials, Setup(interval: .hours(1), tick: .minutes(5))), to: svg) }
    if !misses(trials).isEmpty { throw ExitCode(1) }
  }
}

private func readKind(_ text: String) throws -> PersonKind {
  guard let kind = PersonKind(rawValue: text) else {
    let names = PersonKind.allCases.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("there is no such person; write one of \(names)")
  }
  return kind
}

private func write(_ text: String, to path: String) throws {
  guard let file = fopen(path, "w") else { throw ValidationError("\(path) cannot be written") }
  let isWritten = fputs(text, file) >= 0
  guard fclose(file) == 0, isWritten else { throw ValidationError("\(path) cannot be written") }
}
