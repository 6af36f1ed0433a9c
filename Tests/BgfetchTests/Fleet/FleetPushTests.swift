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
    #expect(Dictionary(grouping: server.requests, by: \.path).values.allSatisfy { $0.count == 2 })
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
