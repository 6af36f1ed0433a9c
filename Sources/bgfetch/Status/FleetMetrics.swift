// The metrics of machines that share a state: each machine, what they have fetched, and the server.

import Core
import Store

extension Metrics {
  mutating func add(
    _ fleet: Fleet?, _ server: ServerFacts?, _ hosts: [(host: String, results: [FetchResult: Int])]
  ) {
    guard let fleet, let server else { return }
    add("fleet_paused", "Whether all machines are paused.", fleet.pause == nil ? 0 : 1)
    let versions = Dictionary(grouping: fleet.machines, by: \.seen.version).sorted { $0.key < $1.key }
    add("machines", "Machines by version.", versions.map { ([("version", $0.key)], Int64($0.value.count)) })
    let machines = fleet.machines.map { machine, problems in
      (
        labels: [("machine", machine.name), ("directory", machine.directory)], machine: machine,
        problems: problems
      )
    }
    add(
      "machine_last_sign_timestamp_seconds", "The last sign of life of a machine.",
      machines.map { ($0.labels, $0.machine.lastSign.secondsSince1970) })
    add(
      "machine_period_seconds", "How often a machine gives signs of life, or its runs begin.",
      machines.compactMap { labels, machine, _ in machine.period.map { (labels, $0.seconds) } })
    add(
      "machine_clock_lead_seconds", "How far the clock of a machine is ahead of the server's.",
      milliseconds: machines.map { ($0.labels, $0.machine.clockLead) })
    add(
      "machine_problem", "Whether a machine has a problem of a kind.",
      machines.flatMap { labels, _, problems in
        MachineProblem.words.map { word in
          (labels + [("problem", word)], problems.contains { $0.word == word } ? 1 : 0)
        }
      })
    add(
      counter: "fetches_total", "Fetches of the runs of a machine that have ended, by result.",
      machines.flatMap { samples($0.labels, $0.machine.fetches) })
    add(
      counter: "host_fetches_total", "Fetches from the hosts with the most, by result.",
      hosts.flatMap { samples([("host", $0.host)], $0.results) })
    add("claims", "Hosts that runs have claimed.", server.claims)
    add("database_connections", "Connections to the database.", server.connections)
    add("database_connections_limit", "Connections that the server allows.", server.connectionLimit)
  }

  private func samples(
    _ labels: [(String, String)], _ results: [FetchResult: Int]
  ) -> [([(String, String)], value: Int64)] {
    [FetchResult.newData, .noData, .failed].map {
      (labels + [("result", $0.rawValue)], Int64(results[$0] ?? 0))
    }
  }
}
