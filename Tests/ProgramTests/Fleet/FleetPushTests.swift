// Pushes that any machine takes, while others watch.

import Foundation
import TestKit
import Testing

@Suite(.enabled(if: postgres != nil, "beside a PostgreSQL server")) final class FleetPushTests: ServerSuite {
  @Test func `every push is fetched once, whichever machine takes it`() async throws {
    let names = (0..<12).map { "f\($0)" }
    for name in names { server.feed("/" + name, [name]) }
    let machines = try await Machines(server, feeds: names)
    let watches = try machines.all.map { try machines.started($0, "run", "--watch") }
    await server.received(12)

    for (number, name) in names.shuffled().enumerated() {
      server.feed("/" + name, [name, "new"])
      try await machines.all[number % 2]("push", "--feed", name, status: 0)
    }
    await server.received(24)
    let areTaken = try await machines.reaches("0", "SELECT count(*) FROM bgfetch.push")
    for watch in watches { watch.signal(SIGTERM) }
    for watch in watches { _ = await watch.ended() }

    #expect(areTaken)
    let requests = Dictionary(grouping: server.requests, by: \.path).mapValues(\.count)
    #expect(requests.filter { $0.value != 2 } == [:])
  }

  @Test func `a push that another machine settles while a run plans is not fetched again`() async throws {
    let machines = try await Machines(server, feeds: ["planet"], items: ["a"])
    try await machines.first("run", status: 0)
    try await machines.first("push", "--feed", "planet", status: 0)
    // A run has read the pushes when it reads the claims of hosts.
    let (run, changed) = try await run(on: machines, changing: "DELETE FROM bgfetch.push", before: "claim")

    #expect([run.status, changed.status] == [0, 0], "\(run.errors)")
    #expect(run.json.last?["due"] as? Int == 0)
    #expect(server.requests.count == 1)
  }

  @Test func `a push that a transfer settles while a run plans does not fetch its file again`() async throws {
    server.serve(AssetFile(FileContent(90_000, seed: 4)), at: "/disk.iso")
    let machines = try await Machines(server, feeds: [])
    let disk = server.url("/disk.iso")
    try machines.configure(more: "  disk: {url: \"\(disk)\", kind: asset}\nfree-space: 1KiB\n")
    try await machines.first("run", status: 0)
    server.serve(AssetFile(FileContent(90_000, seed: 5), .stall(after: 40_000)), at: "/disk.iso")
    try await machines.second("push", "--feed", "disk", status: 0)
    let killed = try machines.started(machines.first, "run")
    await server.received(2)
    await killed.ended(after: SIGKILL)
    try await machines.endLeases()
    server.serve(AssetFile(FileContent(90_000, seed: 5)), at: "/disk.iso")
    // A run has read the pushes and what is under way when it reads which pushes were fetched.
    let (run, changed) = try await run(
      on: machines,
      changing: "UPDATE bgfetch.transfer SET settled = 1, status = 'placed'; DELETE FROM bgfetch.push",
      before: "push_fetch")

    #expect([run.status, changed.status] == [0, 0], "\(run.errors)")
    #expect(run.json.last?["due"] as? Int == 0)
    #expect(server.requests.count == 2)
  }

  /// Runs the second machine, and changes the database in the moment in which the run wants to read a table.
  private func run(
    on machines: Machines, changing change: String, before table: String
  ) async throws -> (run: Invoked, change: Invoked) {
    let session = try machines.holding("LOCK TABLE bgfetch.\(table)", then: change)
    let locks = "SELECT count(*) FROM pg_locks WHERE relation = 'bgfetch.\(table)'::regclass"
    #expect(try await machines.reaches("1", locks + " AND mode = 'AccessExclusiveLock' AND granted"))
    let run = try machines.started(machines.second, "run", "--json")
    #expect(try await machines.reaches("1", locks + " AND NOT granted"))
    try await machines.release()
    return (await run.ended(), await session.ended())
  }

  @Test func `a watch at rest keeps one session, asks it one question, and finds a push after its loss`()
    async throws
  {
    let machines = try await Machines(server, feeds: ["planet"], items: ["a"])
    let watch = try machines.started(machines.first, "run", "--watch")
    await server.received(1)
    let session =
      "FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'bgfetch%'"
    let rests =
      "SELECT count(*) \(session) AND query LIKE 'SELECT %(EXISTS (SELECT 1 FROM run WHERE %' AND state_change > backend_start + interval '4 s'"
    let areAtRest = try await machines.reaches("1", rests)
    let sessions = try await machines.ask("SELECT count(*) \(session)")
    #expect(try await machines.ask("SELECT pg_terminate_backend(pid) \(session)") == "t")
    let areAtRestAgain = try await machines.reaches("1", rests)
    try await machines.second("push", "--feed", "planet", status: 0)
    await server.received(2)
    let ended = await watch.ended(after: SIGTERM)

    #expect(areAtRest)
    #expect(areAtRestAgain)
    #expect(sessions == "1")
    #expect(ended.status == 143, "\(ended.errors)")
    #expect(ended.errors.isEmpty, "\(ended.errors)")
  }

  @Test func `a clock that stands still is refused, but not to read`() async throws {
    let machines = try await Machines(server, feeds: ["planet"], items: ["a"])
    let clock = ["BGFETCH_NOW": "2026-11-21T12:00:00Z"]
    for command in [["run"], ["run", "--watch"], ["push", "--feed", "planet"], ["pause", "planet"]] {
      try await machines.first(command, environment: clock, status: 78, errors: "BGFETCH_NOW is set")
    }
    try await machines.first("status", environment: clock, status: 0)
    #expect(server.requests.isEmpty)
  }

  @Test func `one machine alone never loads the library of the database`() async throws {
    let machines = try await Machines(server, feeds: ["planet"], items: ["a"])
    try await machines.first("run", environment: ["LD_DEBUG": "files"], errors: "libpq.so")
    try machines.configure(directory: machines.first.home.file("alone"))
    let alone = try await machines.first("run", environment: ["LD_DEBUG": "files"])

    #expect(alone.errors.contains("libsqlite3.so"))
    #expect(!alone.errors.contains("libpq.so"))
  }
}
