// A primary that is killed, and a standby that is promoted in its place.

import Foundation
import TestKit
import Testing

@Suite(.enabled(if: postgres != nil, "beside a PostgreSQL server")) final class FailoverTests: ServerSuite {
  /// Machines with feeds of different hosts, two of which a run asks at a time.
  private func machines(_ database: CrashingDatabase, feeds: Int) async throws -> Machines {
    for number in 0..<feeds { server.feed("/\(number)", ["\(number)"]) }
    let machines = try await Machines(server: database.place, feeds: feedsOfHosts(feeds, server))
    try machines.configure(network: "connections: 2")
    try await machines.prepare()
    return machines
  }

  /// The same machines by another way to the server.
  private func machines(_ machines: Machines, by place: String, asking standby: String) throws -> Machines {
    let other = Machines(machines, server: place, asking: standby)
    try other.configure(network: "connections: 2")
    return other
  }

  @Test(arguments: ["", " target_session_attrs=read-write"])
  func `a promoted standby is used within seconds, within a run and between runs`(attributes: String)
    async throws
  {
    try await CrashingDatabase.use { database in
      let machines = try await machines(database, feeds: 12)
      let standby = try await database.startStandby()
      let both = try self.machines(machines, by: database.bothHosts + attributes, asking: standby)
      let gate = server.gatedFeed("/6")

      let watch = try both.started(both.first, "run", "--watch")
      await server.received(7)
      try await database.kill()
      gate.open()
      try await database.promote()
      let began = ContinuousClock.now
      let isStored = try await both.reaches("12", "SELECT count(*) FROM bgfetch.item")
      let within = ContinuousClock.now - began
      try await both.second("push", "--feed", "f3", status: 0)
      let asked = server.requests.count
      let pushed = ContinuousClock.now
      await server.received(asked + 1)
      let between = ContinuousClock.now - pushed
      let ended = await watch.ended(after: SIGTERM)

      #expect(isStored, "\(ended.errors)")
      #expect(ended.status == 143, "\(ended.errors)")
      #expect(within < .seconds(45), "\(within) \(between)")
      #expect(between < .seconds(20), "\(within) \(between)")
      #expect(try await both.ask("SELECT count(*) FROM bgfetch.run WHERE was_cut = 1") == "0")
    }
  }

  @Test func `a watch without work waits for the standby, and a run that begins meanwhile too`() async throws
  {
    try await CrashingDatabase.use { database in
      let machines = try await machines(database, feeds: 1)
      let standby = try await database.startStandby()
      let both = try self.machines(machines, by: database.bothHosts, asking: standby)
      let watch = try both.started(both.first, "run", "--watch")
      await server.received(1)
      #expect(
        try await both.reaches("1", "SELECT count(*) FROM bgfetch.run WHERE transfers_ended IS NOT NULL"))

      try await database.kill()
      let run = try both.started(both.second, "run", "f0", "--json")
      try await both.first(
        "run", "f0", "--budget", "1s", status: 74, errors: "target_session_attrs=read-write")
      try await database.promote()
      let ended = await run.ended()
      try await both.second("push", "--feed", "f0", status: 0)
      await server.received(3)
      let watched = await watch.ended(after: SIGTERM)

      #expect(ended.status == 0, "\(ended.errors)")
      #expect(ended.json.last?["no-data"] as? Int == 1, "\(ended.errors)")
      #expect(watched.status == 143, "\(watched.errors)")
      #expect(watched.errors.isEmpty, "\(watched.errors)")
    }
  }

  @Test func `commands that only read work on a standby, and others say where to write`() async throws {
    try await CrashingDatabase.use { database in
      let machines = try await machines(database, feeds: 1)
      try await machines.first("run", status: 0)
      let standby = try await database.startStandby()
      let reader = try self.machines(machines, by: standby, asking: standby)
      #expect(try await reader.reaches("1", "SELECT count(*) FROM bgfetch.item"))

      for command in [
        ["status"], ["status", "--json"], ["status", "f0"], ["status", "--problems"],
        ["metrics"], ["history"], ["history", "f0", "--requests"], ["items"],
        ["items", "--json"], ["items", "--search", "0"], ["why", "f0"],
        ["fleet", "list"],
        ["hooks"], ["transfers"], ["check"], ["badge"], ["run", "--dry-run"], ["fleet", "list", "--json"],
      ] {
        try await reader.first(command, status: 0, prints: nil, errors: nil)
      }
      let began = ContinuousClock.now
      try await reader.first("run", "--budget", "2s", status: 74, errors: "(25006); name the primary")
      #expect(ContinuousClock.now - began > .seconds(1))
    }
  }
}
