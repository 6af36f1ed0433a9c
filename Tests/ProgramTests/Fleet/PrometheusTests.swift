// The metrics of a fleet, and the rules and the dashboard of examples/fleet, as a real Prometheus takes them.

import Foundation
import TestKit
import Testing

private let isInstalled = ["prometheus", "promtool"].allSatisfy { access("/usr/bin/\($0)", X_OK) == 0 }
private let places = URL(filePath: #filePath).deletingLastPathComponent().appending(
  path: "../../../examples/fleet")

@Suite(.enabled(if: postgres != nil, "beside a PostgreSQL server")) final class PrometheusTests: ServerSuite {
  /// Two machines that have fetched from a host, one of which also fails.
  private func fleet() async throws -> Machines {
    let machines = try await Machines(server, feeds: ["planet", "broken"], items: ["a"], isPrepared: false)
    server.on("/broken", .status(500))
    try machines.configure()
    try await machines.prepare()
    try await machines.first("run", status: 3)
    try await machines.second("run", status: 0)
    return machines
  }

  @Test func `counters rise with each run, by machine, host and result`() async throws {
    let machines = try await fleet()
    func values(_ name: String) async throws -> [String: Int] {
      let lines = try await machines.second("metrics", status: 0).lines.filter { $0.hasPrefix(name + "{") }
      return Dictionary(
        uniqueKeysWithValues: lines.compactMap { line in
          let parts = line.split(separator: "} ")
          return Int(parts[1]).map { (String(parts[0].dropFirst(name.count + 1)), $0) }
        })
    }
    let before = try await values("bgfetch_fetches_total")
    let host = try await values("bgfetch_host_fetches_total")

    try await machines.second("run", "planet", "broken", status: 3)

    let after = try await values("bgfetch_fetches_total")
    func sum(_ values: [String: Int], _ word: String) -> Int {
      values.filter { $0.key.contains(word) }.values.reduce(0, +)
    }
    let (first, second) = (
      "directory=\"\(machines.first.home.file(".local/state/bgfetch"))\"",
      "directory=\"\(machines.second.home.file(".local/state/bgfetch"))\""
    )
    #expect(before.count == 6, "\(before)")
    #expect(sum(before, first) == 2, "\(before)")
    #expect(sum(before, second) == 0, "\(before)")
    #expect(sum(before, "new-data") == 1)
    #expect(sum(before, "failed") == 1)
    #expect(sum(after, first) == 2, "\(after)")
    #expect(sum(after, second) == 2, "\(after)")
    #expect(sum(after, "failed") == 2, "\(after)")
    #expect(
      host == [
        "host=\"127.0.0.1\",result=\"new-data\"": 1, "host=\"127.0.0.1\",result=\"no-data\"": 0,
        "host=\"127.0.0.1\",result=\"failed\"": 1,
      ])
  }

  @Test func `the rules and the dashboard ask for metrics that there are`() async throws {
    let machines = try await fleet()
    let text = try await machines.first("metrics", status: 0).output
    let version = try #require(try await machines.first("--version").lines.first)

    for file in ["alerts.yml", "dashboard.json"] {
      let asked = try String(contentsOf: places.appending(path: file), encoding: .utf8)
      let names = Set(asked.matches(of: /bgfetch_[a-z_]+/).map { String($0.output) })
      #expect(names.count > 10, "\(file)")
      // Nothing is downloading, and no hook with a program has deliveries.
      let absent = names.filter { !text.contains("\n\($0) ") && !text.contains("\n\($0){") }
      #expect(
        absent.subtracting(["bgfetch_deliveries_lost", "bgfetch_deliveries_waiting", "bgfetch_runs_fetching"])
          == [], "\(file)")
    }
    for line in [
      "bgfetch_claims 0", "bgfetch_fleet_paused 0",
      "bgfetch_machines{version=\"\(version)\"} 2",
      "bgfetch_lateness_of_due_seconds{percent=\"95\"} 0",
      "# TYPE bgfetch_fetches_total counter",
    ] {
      #expect(text.contains(line + "\n"), "\(line) in \(text)")
    }
    #expect(
      try JSONSerialization.jsonObject(
        with: Data(contentsOf: places.appending(path: "dashboard.json"))) is [String: Any])
  }

  @Test(.enabled(if: isInstalled, "with the Debian package prometheus"))
  func `Prometheus reads the metrics and the rules`() async throws {
    let machines = try await fleet()
    let program = machines.first
    let page = try ScriptedServer()
    func publish() async throws {
      let metrics = try await program("metrics", status: 0)
      page.on("/metrics", .status(200, [("Content-Type", "text/plain; version=0.0.4")], body: metrics.output))
    }
    try await publish()
    let rules = places.appending(path: "alerts.yml").path
    try await program.shell("\"$BGFETCH\" metrics | promtool check metrics", status: 0, prints: "")
    try await program.shell("promtool check rules '\(rules)'", status: 0)
    _ = try program.home.write(
      """
      global: {scrape_interval: 200ms, evaluation_interval: 200ms}
      rule_files: ["\(rules)"]
      scrape_configs: [{job_name: bgfetch, static_configs: [{targets: ["127.0.0.1:\(page.port)"]}]}]
      """, to: "prometheus.yml")
    // A port that was free a moment ago.
    let port = try ScriptedServer().port
    let prometheus = try program.startedShell([
      "-c",
      "exec prometheus --config.file=\"$HOME/prometheus.yml\" --storage.tsdb.path=\"$HOME/data\" --log.level=error "
        + "--web.listen-address=127.0.0.1:\(port)",
    ])
    func reaches(_ expected: String, _ query: String) async throws -> Bool {
      let start = ContinuousClock.now
      while ContinuousClock.now - start < longestWait {
        let answer = try await program.shell("promtool query instant http://127.0.0.1:\(port) '\(query)'")
        if answer.output.contains(expected) { return true }
      }
      return false
    }

    #expect(try await reaches("=> 1 @", "sum(bgfetch_fetches_total{result=\"failed\"})"))
    #expect(try await reaches("=> 0 @", "max(bgfetch_machine_problem)"))
    try await machines.second("run", "planet", "broken", status: 3)
    _ = try await machines.ask("UPDATE bgfetch.machine SET clock_lead = 6000")
    try await publish()
    #expect(try await reaches("=> 2 @", "sum(bgfetch_fetches_total{result=\"failed\"})"))
    #expect(try await reaches("=> 2 @", "sum(bgfetch_host_fetches_total{result=\"failed\"})"))
    #expect(try await reaches("=> 2 @", "count(ALERTS{alertname=\"BgfetchMachineClock\"})"))

    await prometheus.ended(after: SIGTERM)
  }
}
