// Machines of different versions that share their state.

import TestKit
import Testing

@Suite(.enabled(if: postgres != nil, "beside a PostgreSQL server")) final class UpgradeTests: ServerSuite {
  /// Does to the tables what `fleet prepare` of a version some steps later might do.
  private func prepare(_ machines: Machines, steps: Int) async throws {
    _ = try await machines.ask(
      """
      ALTER TABLE bgfetch.feed ADD COLUMN later_\(steps) bigint NOT NULL DEFAULT 0;
      CREATE TABLE bgfetch.later_\(steps) (number bigint PRIMARY KEY);
      UPDATE bgfetch.schema_version SET version = version + 1
      """)
  }

  @Test func `machines go on with the tables of the next version, and status says so`() async throws {
    let gate = server.gatedFeed("/planet")
    let machines = try await Machines(server, feeds: ["planet"])
    server.feed("/moon", ["b"])

    let run = try machines.started(machines.first, "run", "--json")
    await server.received(1)
    try await prepare(machines, steps: 1)
    gate.open()
    let ended = await run.ended()
    try machines.configure(more: "  moon: \"\(server.url("/moon"))\"\n")
    try await machines.second("fleet", "adopt", status: 0)
    let other = try await machines.second("run", "--json")
    let prepared = try await machines.second("fleet", "prepare", "--json")
    let json = try await machines.first("status", "--json")

    #expect(ended.status == 0, "\(ended.errors)")
    #expect(ended.json.last?["new-data"] as? Int == 1, "\(ended.errors)")
    #expect(other.status == 0, "\(other.errors)")
    #expect(other.json.last?["new-data"] as? Int == 1, "\(other.errors)")
    #expect(prepared.json.first?["found"] as? Int == (prepared.json.first?["schema"] as? Int).map { $0 + 1 })
    let schema = json.json.first { $0["type"] as? String == "schema" }
    #expect(schema?["found"] as? Int == (schema?["own"] as? Int).map { $0 + 1 })
    try await machines.first("status", output: "tables of the next version")

    // Copying would lose what this version does not know.
    try await machines.first(
      "fleet", "copy", "postgres", machines.first.home.file("back"), status: 74, errors: "update bgfetch")
    try await prepare(machines, steps: 2)
    for words in [["run"], ["status"], ["fleet", "prepare"]] {
      try await machines.first(words, status: 74, errors: "update bgfetch on this machine")
    }
  }
}
