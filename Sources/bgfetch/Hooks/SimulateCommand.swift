// `bgfetch simulate`: its options and its output. SimulatedRun does the work.

public import ArgumentParser
public import Core

struct SimulateCommand: ProgramCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate", abstract: "Rehearse a fetch with a made-up result: real hooks, nothing stored")

  @OptionGroup var common: CommonOptions

  @Argument(help: ArgumentHelp("The name of the feed.", valueName: "feed"), completion: .feedNames)
  var feed: String

  @Option(help: ArgumentHelp("The made-up result.", valueName: "result"))
  var result: SimulatedResult

  @Option(help: ArgumentHelp("The number of fetches to simulate, one after the other.", valueName: "number"))
  var times = 1

  func validate() throws {
    guard (1...100).contains(times) else { throw ValidationError("--times takes a number from 1 to 100") }
  }

  func run(_ invocation: Invocation) async throws -> ExitStatus {
    try await invocation.simulate(feed, result, times: times)
  }
}

extension SimulatedResult: ExpressibleByArgument {}

extension Console {
  /// Prints an event of a simulated run.
  func printSimulated(_ event: RunEvent) {
    guard isJSON else {
      if let line = runLine(event, for: .verbose) { printSimulated(line.text) }
      return
    }
    if case .transfer(let event) = event { return transferJSON(event).forEach { print(simulated($0)) } }
    if let json = runJSON(event) { print(simulated(json)) }
  }

  /// Prints the deliveries of simulated runs, and the summary of the last run.
  func printSimulated(_ deliveries: [Delivery], _ report: RunReport, now: Instant, in zone: Zone) {
    guard isJSON else {
      for delivery in deliveries {
        printSimulated(
          "hook \(delivery.hook)  \(delivery.event.kind.rawValue), "
            + outcomeText(delivery, now: now, in: zone))
      }
      return printSimulated(report.summary)
    }
    for delivery in deliveries { print(simulated(deliveryJSON(delivery))) }
    print(simulated(summaryJSON(report)))
  }

  private func printSimulated(_ line: String) {
    guard !isQuiet else { return }
    for line in line.split(separator: "\n") { print("simulated: " + line) }
  }
}

/// The outcome of a delivery, in words.
private func outcomeText(_ delivery: Delivery, now: Instant, in zone: Zone) -> String {
  let error = cleanText(delivery.lastError ?? "", limit: 500)
  let waits = [delivery.postponedUntil, delivery.triggerAt].compactMap { $0 }.max()
  switch delivery.status {
  case .delivered: return "delivered"
  case .dropped: return "dropped: a newer message replaces it"
  case .unread: return "waits for its consumer"
  case .dead, .expired: return "gave up: " + error
  case .pending, .running:
    if let waits, waits > now { return "postponed until \(waits.local(in: zone))" }
    return error.isEmpty ? "not delivered yet" : "failed, to be retried by a later run: " + error
  }
}

/// A JSON object with the member `simulated`.
private func simulated(_ value: JSONValue) -> JSONValue {
  value.adding(JSONValue(["simulated": true]))
}
