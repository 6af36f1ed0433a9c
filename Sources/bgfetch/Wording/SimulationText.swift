// What a simulation says: what a run says, and what hooks were told, each line marked.

import Core
import Sync

extension Console {
  /// Prints what happens in a simulated run.
  func printSimulated(_ event: RunEvent) {
    guard isJSON else {
      if let line = runLine(event, for: .verbose) { printSimulated(line.text) }
      return
    }
    if case .transfer(let event) = event { return transferJSON(event).forEach { print(simulated($0)) } }
    if let json = runJSON(event) { print(simulated(json)) }
  }

  /// Prints what became of the events of simulated runs, and what the last run came to.
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
    if !isQuiet { print("simulated: " + line) }
  }
}

/// What became of a delivery.
private func outcomeText(_ delivery: Delivery, now: Instant, in zone: Zone) -> String {
  let error = cleanText(delivery.lastError ?? "", limit: 500)
  let waits = [delivery.heldUntil, delivery.triggerAt].compactMap { $0 }.max()
  switch delivery.status {
  case .delivered: return "told"
  case .dropped: return "left out, as another message says it"
  case .dead, .expired: return "failed for good: " + error
  case .pending, .running:
    if let waits, waits > now { return "held until \(waits.rfc3339(in: zone))" }
    return error.isEmpty ? "was not told" : "failed, tried again by a later run: " + error
  }
}

/// A JSON object that says of itself that it is simulated.
private func simulated(_ value: JSONValue) -> JSONValue {
  guard case .object(let members) = value else { return value }
  return .object(members + [("simulated", .bool(true))])
}
