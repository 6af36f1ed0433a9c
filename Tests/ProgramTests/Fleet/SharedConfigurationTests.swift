// The configuration that machines with one state agree on.

import Foundation
import TestKit
import Testing

@Suite(.enabled(if: postgres != nil, "beside a PostgreSQL server"))
final class SharedConfigurationTests: ServerSuite {
  /// Two machines, of which the first has run; the second has one feed more.
  private func machinesThatDiffer(_ server: ScriptedServer) async throws -> Machines {
    server.feed("/planet", ["a"])
    server.feed("/moon", ["b"])
    let machines = try await Machines(server, feeds: ["planet"])
    try await machines.first("run")
    let text = machines.first.text(of: "bgfetch.yaml")
    try machines.configure(text + "  moon: \"\(server.url("/moon"))\"\n", only: machines.second)
    return machines
  }

  @Test func `a run with another configuration does nothing until it is adopted`() async throws {
    let machines = try await machinesThatDiffer(server)

    let mistake =
      "this configuration differs from that of the other machines that share the state, in feeds; "
    let refused = try await machines.second("run", status: 78, errors: "bgfetch fleet adopt")
    for command in ["status", "check"] { try await machines.second(command, status: 0, errors: mistake) }
    let before = server.requests.count
    let adopted = try await machines.second("fleet", "adopt", "--json")
    let run = try await machines.second("run", "--json")
    try await machines.first("run", status: 0)
    try await machines.second(
      "fleet", "adopt", "--overlap", "1s", prints: "This is the configuration of all machines already.\n")

    #expect(refused.errors.contains(mistake), "\(refused.errors)")
    #expect(before == 1)
    #expect(adopted.json.first?["changed"] as? [String] == ["feeds"])
    #expect(run.json.last?["new-data"] as? Int == 1)
  }

  @Test func `the former configuration may be used until the overlap ends`() async throws {
    let machines = try await Machines(server, feeds: ["planet"], items: ["a"])
    try await machines.first("run")
    let text = machines.first.text(of: "bgfetch.yaml")
    try machines.configure(
      text.replacingOccurrences(of: "1h}\nfeeds", with: "2h}\nfeeds"), only: machines.second)

    let adopted = try await machines.second("fleet", "adopt")
    try await machines.first("run", status: 0)
    // As if the overlap had ended.
    _ = try await machines.ask(
      "UPDATE bgfetch.owner SET configuration = regexp_replace(configuration, '[0-9]+$', '1')")
    try await machines.first("run", status: 78, errors: "in defaults; copy theirs")
    let back = try await machines.first("fleet", "adopt", "--json")

    #expect(adopted.output.hasPrefix("defaults changed; runs may use the former configuration until 20"))
    #expect(back.json.first?["changed"] as? [String] == ["defaults"])
    try await machines.first("run", status: 0)
  }

  @Test func `a watching run with another configuration fetches nothing, and does not end`() async throws {
    let machines = try await machinesThatDiffer(server)

    let watch = try machines.started(machines.second, "run", "--watch")
    #expect(await eventually { watch.errors.contains("fleet adopt") }, "\(watch.errors)")
    let before = server.requests.count
    let ended = await watch.ended(after: SIGTERM)

    #expect(before == 1)
    #expect(ended.status == 128 + SIGTERM)
  }

  @Test func `a state in a directory is nobody else's`() async throws {
    let bgfetch = try BuiltProgram(configuration: "feeds: {planet: https://planet.example/feed}\n")

    try await bgfetch("fleet", "adopt", status: 2, errors: "no database is configured")
  }
}
