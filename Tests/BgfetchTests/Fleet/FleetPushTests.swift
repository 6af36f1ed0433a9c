// Pushes that any machine takes, while others watch.

import Foundation
import TestKit
import Testing

@Suite(.enabled(if: postgres != nil, "beside a PostgreSQL server")) struct FleetPushTests {
  @Test func `every push is fetched once, whichever machine takes it`() async throws {
    let server = try ScriptedServer()
    let names = (0..<12).map { "f\($0)" }
    for name in names { server.feed("/" + name, [name]) }
    let machines = try await Machines(server, feeds: names)
    let watches = try machines.all.map { try machines.started($0, "run", "--watch") }
    await server.received(12)

    for (number, name) in names.shuffled().enumerated() {
      server.feed("/" + name, [name, "new"])
      let pushed = try await machines.on(machines.all[number % 2], "push", "--feed", name)
      #expect(pushed.status == 0, "\(pushed.errors)")
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
    let server = try ScriptedServer()
    server.feed("/planet", ["a"])
    let machines = try await Machines(server, feeds: ["planet"])
    let first = try await machines.on(machines.first, "run")
    let pushed = try await machines.on(machines.first, "push", "--feed", "planet")
    // The run has read the pushes when it waits for the claims of hosts. Then they are settled, as if the other machine had
    // released the host of the feed in this moment.
    let other = try machines.first.startedShell([
      "-c",
      """
      psql -q '\(machines.place())' -c '
        DO $$ BEGIN
          LOCK TABLE bgfetch.claim;
          FOR try IN 1..\(longestWait.components.seconds * 50) LOOP
            EXIT WHEN EXISTS (
              SELECT FROM pg_locks WHERE relation = $name$bgfetch.claim$name$::regclass AND NOT granted);
            PERFORM pg_sleep(0.02);
          END LOOP;
          DELETE FROM bgfetch.push;
        END $$'
      """,
    ])
    let isLocked = try await machines.reaches(
      "1",
      """
      SELECT count(*) FROM pg_locks
      WHERE relation = 'bgfetch.claim'::regclass AND mode = 'AccessExclusiveLock'
      """)
    let run = try await machines.on(machines.second, "run", "--json")
    let settled = await other.ended()

    #expect(isLocked && settled.status == 0, "\(settled.errors)")
    #expect([first.status, pushed.status, run.status] == [0, 0, 0], "\(run.errors)")
    #expect(run.json.last?["due"] as? Int == 0)
    #expect(server.requests.count == 1)
  }

  @Test func `one machine alone never loads the library of the database`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a"])
    let machines = try await Machines(server, feeds: ["planet"])
    let shared = try await machines.started(machines.first, "run", environment: ["LD_DEBUG": "files"]).ended()
    try machines.configure(directory: machines.first.home.file("alone"))
    let alone = try await machines.started(machines.first, "run", environment: ["LD_DEBUG": "files"]).ended()

    #expect(shared.errors.contains("libpq.so"))
    #expect(alone.errors.contains("libsqlite3.so") && !alone.errors.contains("libpq.so"))
  }
}
