// The machines that share a state: the signs of life that each gives, and how commands show them and their pause.

import Core
import Fleet
import Machine
import Store

extension SharedMachines {
  /// Prints the machines, or those with problems, and the pause if there is one.
  func print(onlyProblems: Bool, in zone: Zone, on console: Console) {
    let shown = onlyProblems ? unwell : members
    let json = shown.map { machine, problems in
      JSONValue([
        "type": "machine", "machine": machine.name, "directory": machine.directory,
        "version": machine.version,
        "configuration": AgreedConfiguration(machine.configuration).text, "period": machine.period?.seconds,
        "last-sign": machine.lastSign, "clock-lead-milliseconds": machine.clockLead,
        "problems": problems.map(\.word), "text": problems.map(\.text),
      ])
    }
    let rows = shown.prefix(100).map { machine, problems in
      [
        "\(cleanText(machine.name, limit: 100)) \(machine.version)",
        machine.period == SeenMachine.watchPeriod
          ? "watches" : machine.period.map { "every \($0.text)" } ?? "",
        ago(machine.lastSign, now: now, in: zone), machine.directory,
        problems.map(\.text).joined(separator: "; "),
      ]
    }
    let head = ["MACHINE", "RUNS", "LAST SIGN", "STATE", "PROBLEM"]
    let lines = rows.isEmpty ? [] : [""] + table([head] + rows, hasHead: true, on: console.page)
    console.print(
      json: (pause.map { [pauseJSON($0)] } ?? []) + json,
      text: (pause.map { [pauseText($0, in: zone)] } ?? []) + lines)
  }

  /// Whether no machine has a problem.
  var areWell: Bool { unwell.isEmpty }
}

extension OpenedState {
  /// Gives a sign of life to the machines that share the state.
  func giveSign(every period: Interval? = nil, isOfTimer: Bool = false) async throws {
    guard settings.server != nil else { return }
    try await store.recordMachine(
      version: Bgfetch.version, settings.sharedSections, lead: -(try await storeClock().correction),
      period: period, isOfTimer: isOfTimer)
  }

  /// The machines that share the state; nil if no others do.
  func sharedMachines(at now: Instant) async throws -> SharedMachines? {
    settings.server != nil ? try await SharedMachines(store, at: now) : nil
  }

  /// Prints which tables a shared database has, as text only if this program is behind them.
  func printSchema() async throws {
    guard settings.server != nil else { return }
    let (found, own) = (try await store.foundSchema(), Store.schemaVersion)
    console.print(
      json: [JSONValue(["type": "schema", "found": found, "own": own, "works-with": [own, own + 1]])],
      text: found == own
        ? []
        : [
          "The database has the tables of the next version (schema \(found), this bgfetch has \(own)); update bgfetch here."
        ])
  }
}
