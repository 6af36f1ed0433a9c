// `make bench-habits`: measures how much fresher feeds are with `adapt: habits`, `publisher` and `both`.

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

      The same for publishers: the minutes from publication to fetch, beside those of an oracle that knows the times, and
      for a commuter who looks at them, the age of the news that is not fetched yet at a look.
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

  @Flag(help: "Measure publishers only.")
  var publishers = false

  @Flag(
    help:
      "Read the times of real publishers from standard input, a line each: its name, and seconds since 1970.")
  var times = false

  func validate() throws {
    if people < 1 || days < 30 { throw ValidationError("use at least 1 person and 30 days") }
  }

  func run() async throws {
    if times { return readTimes() }
    let missed = measurePublishers()
    if publishers {
      if missed { throw ExitCode(1) }
      return
    }
    let trials = await ExperimentPlan(
      seed: seed, people: people, days: days, kinds: kind, intervals: interval.map(Interval.minutes),
      ticks: every.map(Interval.minutes)
    ).trials()
    print(reportText(trials))
    if missed || !misses(trials).isEmpty { throw ExitCode(1) }
  }

  /// Prints the tables of made-up publishers; returns whether a goal is missed.
  private func measurePublishers() -> Bool {
    var missed: [String] = []
    for setup in interval.map({ Setup(interval: .minutes($0), tick: .minutes(every.first ?? 5)) }) {
      for looks in [nil, PersonKind.commuter] {
        let trials = PublisherKind.allCases.flatMap { kind in
          (0..<people).map {
            NewsTrial(kind, number: $0, seed: seed, days: max(days, 180), phases: 2, setup, looks: looks)
          }
        }
        let title = "adapt: \(looks == nil ? "publisher" : "both"), minimum-interval \(setup.interval.text)"
        print(newsReport(title, trials) + "\n")
        // Intervals of hours cannot follow several publications in them.
        if setup.interval <= .hours(1) { missed += newsMisses(trials).map { title + ": " + $0 } }
      }
    }
    for miss in missed { print("MISSED: " + miss) }
    return !missed.isEmpty
  }

  private func readTimes() {
    var publishers: [(name: String, moments: [Instant])] = []
    while let line = readLine() {
      let words = line.split(separator: " ")
      let moments = words.dropFirst().compactMap { Int64($0).map(Instant.init(secondsSince1970:)) }.sorted()
      if moments.count >= 12 { publishers.append((words.first.map(String.init) ?? "", moments)) }
    }
    for setup in interval.map({ Setup(interval: .minutes($0), tick: .minutes(5)) }) {
      let trials = publishers.map { NewsTrial("of Debian packages", $0.moments, phases: 2, setup) }
      let moved = trials.filter { abs($0.requests - $0.plainRequests) > 0.01 }
      print(newsReport("minimum-interval \(setup.interval.text), all \(trials.count) publishers", trials))
      print(newsReport("those of them with a rhythm at some time: \(moved.count)", moved) + "\n")
    }
  }
}

private func readKind(_ text: String) throws -> PersonKind {
  guard let kind = PersonKind(rawValue: text) else {
    let names = PersonKind.allCases.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("unknown kind of person; use one of \(names)")
  }
  return kind
}
