// The metrics of machines that share a state.

import Core
import Fleet
import Store

extension Metrics {
  /// Adds the machines that share the state, if there are any, their runs, and the numbers of the server.
  mutating func addMachines(of state: OpenedState, at now: Instant) async throws {
    guard let machines = try await state.sharedMachines(at: now) else { return }
    let runs = counts(try await state.store.fetchingMachines())
    add(
      "runs_fetching", "Runs of all machines that fetch now, by machine.",
      runs.sorted { $0.key < $1.key }.map { ([("machine", $0.key)], $0.value) })
    add(machines, try await state.store.fetchTotals())
    for (name, value) in try await state.store.serverNumbers() {
      add(name, "A number of the server.", value)
    }
  }

  /// Adds the machines, and the fetches of each machine and host.
  private mutating func add(
    _ fleet: SharedMachines, _ totals: [(name: String, directory: String?, counts: [Int64])]
  ) {
    add("fleet_paused", "Whether all machines are paused.", fleet.pause == nil ? 0 : 1)
    let versions = Dictionary(grouping: fleet.members, by: \.machine.version).sorted { $0.key < $1.key }
    add("machines", "Machines by version.", versions.map { ([("version", $0.key)], Int64($0.value.count)) })
    let machines = fleet.members.map {
      (labels: [("machine", $0.machine.name), ("directory", $0.machine.directory)], machine: $0.machine)
    }
    add(
      "machine_last_sign_timestamp_seconds", "The last sign of life of a machine.",
      machines.map { ($0.labels, $0.machine.lastSign.secondsSince1970) })
    add(
      "machine_clock_lead_seconds", "How far the clock of a machine is ahead of the server's.",
      machines.map { ($0.labels, $0.machine.clockLead / 1000) })
    add(
      "machine_problem", "Whether a machine has a problem of a kind.",
      zip(machines, fleet.members).flatMap { machine, member in
        SeenMachine.problems.map { word in
          (machine.labels + [("problem", word)], member.problems.contains { $0.word == word } ? 1 : 0)
        }
      })
    for (name, isOfMachine) in [("fetches", true), ("host_fetches", false)] {
      add(
        name + "_total", "Fetches of runs that have ended, by result.",
        totals.filter { ($0.directory != nil) == isOfMachine }.flatMap { total in
          let labels =
            total.directory.map { [("machine", total.name), ("directory", $0)] } ?? [("host", total.name)]
          return Self.byResult(total.counts, labels)
        }, isCounter: true)
    }
  }
}
