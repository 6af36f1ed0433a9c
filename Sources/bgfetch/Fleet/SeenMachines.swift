// The machines that share a state: the signs of life that each gives, and how commands show them.

import Core
import Machine
import Store

extension Invocation {
  /// Gives a sign of life to the machines that share the state.
  func giveSign(
    _ settings: Settings, _ store: Store, every period: Interval? = nil, isOfTimer: Bool = false
  ) async throws {
    guard settings.isShared else { return }
    try await store.note(
      SignOfLife(
        version: Bgfetch.version, configuration: settings.sharedSections,
        clockLead: -(try await clock(of: store).correction), period: period, isOfTimer: isOfTimer))
  }
}

/// The machines that share a state at a moment, and what is wrong with each.
struct Fleet {
  let machines: [(seen: SeenMachine, problems: [MachineProblem])]
  let pause: FleetPause?
  let now: Instant

  init(_ store: Store, at now: Instant) async throws {
    let machines = try await store.machines()
    let agreed = machines.isEmpty ? nil : try await store.configuration().map(AgreedConfiguration.init(text:))
    self.machines = machines.map { ($0, $0.problems(at: now, agreed: agreed)) }
    pause = try await store.fleetPause()
    self.now = now
  }

  /// The machines with problems.
  var unwell: [(seen: SeenMachine, problems: [MachineProblem])] { machines.filter { !$0.problems.isEmpty } }

  /// A table of the machines, or of those with problems.
  func lines(onlyProblems: Bool, in zone: Zone, on page: Page) -> [ReportLine] {
    let shown = Array((onlyProblems ? unwell : machines).prefix(100))
    guard !shown.isEmpty else { return [] }
    let names = Dictionary(grouping: machines, by: \.seen.name)
    let rows = shown.map { machine, problems in
      [
        machine.name + (names[machine.name]?.count ?? 0 > 1 ? " " + machine.directory : ""), machine.version,
        machine.period.map { $0 == SeenMachine.watchPeriod ? "watches" : "every " + rough($0) } ?? "",
        ago(machine.lastSign, now: now, in: zone), problems.map(\.text).joined(separator: "; "),
      ]
    }
    return table(
      ["MACHINE", "VERSION", "RUNS", "LAST SIGN", "PROBLEM"], rows,
      problems: shown.map { !$0.problems.isEmpty },
      on: page)
  }

  /// The machines, or those with problems, and the pause if there is one.
  func json(onlyProblems: Bool) -> [JSONValue] {
    (pause.map { [pauseJSON($0)] } ?? [])
      + (onlyProblems ? unwell : machines).map { machine, problems in
        JSONValue([
          "type": "machine", "machine": machine.name, "directory": machine.directory,
          "version": machine.version,
          "configuration": String(
            Fingerprint(of: AgreedConfiguration(machine.configuration).text).value, radix: 16),
          "period": machine.period?.seconds, "last-sign": machine.lastSign,
          "clock-lead-milliseconds": machine.clockLead, "problems": problems.map(\.word),
          "text": problems.map(\.text),
        ])
      }
  }
}

extension MachineProblem {
  static let words = ["silent", "configuration", "clock"]

  /// One word for scripts and metrics.
  var word: String {
    switch self {
    case .silent: Self.words[0]
    case .otherConfiguration: Self.words[1]
    case .clock: Self.words[2]
    }
  }

  /// The problem and its cure.
  var text: String {
    switch self {
    case .silent(let silence):
      "no sign of life for \(rough(silence)); start it, or bgfetch fleet forget"
    case .otherConfiguration(let sections):
      "another configuration: \(list(sections, "and")); copy that of the others, or bgfetch fleet adopt"
    case .clock(let lead):
      "its clock is \(abs(lead) / 1000)s \(lead > 0 ? "fast" : "slow"); synchronise it"
    }
  }
}
