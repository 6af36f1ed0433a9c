// The machines of a fleet as its operator sees them: who is there, what is wrong, and a pause of all.

import Foundation
import TestKit
import Testing

@Suite(.enabled(if: postgres != nil, "beside a PostgreSQL server"))
final class SeenMachinesTests: ServerSuite {
  private func machines(_ invoked: Invoked) -> [[String: Any]] {
    invoked.json.filter { $0["type"] as? String == "machine" }
  }

  @Test func `each machine is listed with what is wrong with it`() async throws {
    let machines = try await Machines(server, feeds: ["planet"], items: ["a"])
    try await machines.first("run", status: 0)
    let watch = try machines.started(machines.second, "run", "--watch")
    #expect(try await machines.reaches("2", "SELECT count(*) FROM bgfetch.machine"))

    try await machines.first("status", "--problems", status: 0, prints: "")
    let listed = self.machines(try await machines.first("status", "--json", status: 0))
    let table = try await machines.second("status", status: 0)
    #expect(listed.map { $0["period"] as? Int ?? 0 }.sorted() == [0, 30])
    let version = try #require(try await machines.first("--version").lines.first)
    #expect(
      listed.allSatisfy { ($0["problems"] as? [String]) == [] && $0["version"] as? String == version })
    #expect(table.output.contains("MACHINE"), "\(table.output)")
    #expect(table.output.contains("watches"), "\(table.output)")

    await watch.ended(after: SIGKILL)
    _ = try await machines.ask("UPDATE bgfetch.machine SET last_sign = last_sign - 91 WHERE period = 30")
    _ = try await machines.ask(
      "UPDATE bgfetch.machine SET clock_lead = -7000, sections = 'feeds=1' WHERE period IS NULL")
    let problems = try await machines.first("status", "--problems", "--json", status: 3)
    let words = self.machines(problems).map { $0["problems"] as? [String] ?? [] }
    #expect(Set(words) == [["silent"], ["configuration", "clock"]], "\(problems.output)")
    let text = try await machines.first("status", "--problems", status: 3).output
    #expect(text.contains("no sign of life for "), "\(text)")
    #expect(text.contains("its clock is 7 s slow"), "\(text)")
    let metrics = try await machines.first("metrics", status: 0).output
    let silent = metrics.split(separator: "\n").filter { $0.contains("problem=\"silent\"} 1") }
    #expect(silent.count == 1, "\(metrics)")
    #expect(
      silent[0].contains("directory=\"\(machines.second.home.file(".local/state/bgfetch"))\""), "\(metrics)")

    try await machines.first("fleet", "forget", machines.second.home.file(".local/state/bgfetch"), status: 0)
    try await machines.first("fleet", "forget", "nobody", status: 2, errors: "there is no machine nobody")
    #expect(self.machines(try await machines.first("status", "--json")).count == 1)
  }

  @Test func `a machine with another configuration is seen, although its runs do nothing`() async throws {
    let machines = try await Machines(server, feeds: ["planet"], items: ["a"])
    try await machines.first("run", status: 0)
    try machines.configure(
      machines.second.text(of: "bgfetch.yaml") + "  moon: \"\(server.url("/moon"))\"\n", only: machines.second
    )

    try await machines.second("run", status: 78)

    let problems = try await machines.first("status", "--problems", "--json", status: 3)
    #expect(self.machines(problems).map { $0["problems"] as? [String] } == [["configuration"]])
  }

  @Test func `the time between the runs of a timer is its period`() async throws {
    let machines = try await Machines(server, feeds: ["planet"], items: ["a"])
    let period = "SELECT coalesce(period::text, 'none') FROM bgfetch.machine"
    func run(after seconds: Int, cause: String = "timer") async throws -> String {
      _ = try await machines.ask("UPDATE bgfetch.machine SET begun = begun - \(seconds)")
      try await machines.first("run", "--cause", cause, status: 0)
      return try await machines.ask(period)
    }

    #expect(try await run(after: 0) == "none")
    let second = Int(try await run(after: 600)) ?? 0
    let afterNight = Int(try await run(after: 30_000)) ?? 0
    let manual = Int(try await run(after: 0, cause: "manual")) ?? 0
    let later = Int(try await run(after: 600)) ?? 0

    #expect((600..<660).contains(second))
    #expect((30_000..<30_060).contains(afterNight))
    #expect(manual == afterNight)
    #expect((22_500..<22_800).contains(later))
  }

  @Test func `nothing begins on any machine while all are paused`() async throws {
    let machines = try await Machines(server, feeds: ["planet"], items: ["a"])
    let watch = try machines.started(machines.second, "run", "--watch")
    await server.received(1)
    #expect(try await machines.reaches("1", "SELECT count(*) FROM bgfetch.run WHERE ended IS NOT NULL"))

    try await machines.first(
      "fleet", "pause", "new", "disks", "--until", "2h", status: 0, output: ": new disks;")
    try await machines.first("push", "--feed", "planet", status: 0)
    let run = try await machines.first("run", status: 0, output: "all machines are paused until ")
    let forced = try await machines.second("run", "planet", status: 0, output: "new disks")
    let transfers = try await machines.first("transfers", "run", status: 0, output: "new disks")
    try await machines.first("status", status: 0, output: ": new disks;")
    try await machines.second("why", "planet", status: 0, output: ": new disks;")
    try await machines.first("metrics", status: 0, output: "bgfetch_fleet_paused 1")
    let json = try await machines.first("status", "--json").json.first { $0["type"] as? String == "fleet" }
    expect(json, ["paused": true, "reason": "new disks"])
    #expect(json?["until"] is String)
    #expect(server.requests.count == 1)
    #expect([run, forced, transfers].allSatisfy { $0.errors == "" })

    try await machines.first("fleet", "resume", prints: "resumed\n")
    await server.received(2)
    await watch.ended(after: SIGTERM)
    try await machines.first("metrics", status: 0, output: "bgfetch_fleet_paused 0")
  }

  @Test func `what a person was told survives a crash of the database right after`() async throws {
    try await CrashingDatabase.use { database in
      server.feed("/0", ["a", "b"])
      let machines = try await Machines(1, server: database.place, feeds: feedsOfHosts(1, server))
      try machines.configure()
      try await machines.prepare()
      try await machines.first("run", status: 0)
      // Changes that were not written at the commit are written much later.
      _ = try await machines.ask("ALTER SYSTEM SET wal_writer_delay = '10s'")
      _ = try await machines.ask("SELECT pg_reload_conf()")
      _ = try await machines.ask("CHECKPOINT")

      for (command, query) in [
        (["fleet", "pause", "new disks"], "SELECT pause = 'new disks' FROM bgfetch.all_machines"),
        (["fleet", "resume"], "SELECT pause IS NULL FROM bgfetch.all_machines"),
        (["pause", "f0"], "SELECT is_paused = 1 FROM bgfetch.feed"),
        (["resume", "f0"], "SELECT is_paused = 0 FROM bgfetch.feed"),
        (["seen", "f0"], "SELECT min(is_seen) = 1 FROM bgfetch.item"),
        (["undo"], "SELECT max(is_seen) = 0 FROM bgfetch.item"),
        (["star", "1"], "SELECT count(*) = 1 FROM bgfetch.starred"),
      ] {
        try await machines.first(command, status: 0)
        try await database.crash()
        #expect(try await machines.ask(query) == "t", "\(command)")
      }
    }
  }

  @Test func `marks of one machine are those of the other, and the other undoes them`() async throws {
    let machines = try await Machines(server, feeds: ["planet"], items: ["a", "b", "c"])
    try await machines.first("run", status: 0)
    let unseen = ["items", "--unseen", "--format", "{item.id}"]

    try await machines.first("seen", "2", output: "1 item seen")
    #expect(try await machines.second(unseen).lines.count == 2)
    try await machines.second("read", "planet", status: 0)
    #expect(try await machines.first(unseen).lines.isEmpty)
    try await machines.first("undo", output: "undone: 2 items of planet are unseen again")
    try await machines.second("undo", errors: "nothing more to undo")
    #expect(try await machines.second(unseen).lines.count == 2)
  }

  @Test
  func `names that are exchanged, and an address that changes, are said by the machine that runs first`()
    async throws
  {
    server.feed("/moon", ["m"], title: "Moon")
    let machines = try await Machines(server, feeds: ["planet"], items: ["a", "b"])
    let (planet, moon) = ("  planet: \"\(server.url("/planet"))\"", "  moon: \"\(server.url("/moon"))\"")
    let head = machines.first.text(of: "bgfetch.yaml").replacing(planet + "\n", with: "")
    func run(_ feeds: String) async throws -> Invoked {
      try machines.configure(head + feeds + "\n")
      try await machines.first("fleet", "adopt", status: 0)
      return try await machines.second("run", "-v", status: 0)
    }
    _ = try await run(planet + "\n" + moon)

    let exchanged = try await run(
      planet.replacing("planet:", with: "moon:") + "\n" + moon.replacing("moon:", with: "planet:"))
    #expect(exchanged.errors.contains("planet  was moon before, and keeps its 1 item, stars and files"))
    #expect(exchanged.errors.contains("moon  was planet before, and keeps its 2 items, stars and files"))
    server.feed("/new", ["m"])
    let moved = try await run(
      planet.replacing("planet:", with: "moon:") + "\n"
        + moon.replacing("moon:", with: "planet:").replacing("/moon", with: "/new"))
    #expect(moved.errors.contains("planet  was at \(server.url("/moon")) before, and keeps its 1 item"))
  }

  @Test func `a pause ends by itself`() async throws {
    let machines = try await Machines(server, feeds: ["planet"], items: ["a"])
    try await machines.first("fleet", "pause", "--until", "1h", status: 0)
    let watch = try machines.started(machines.second, "run", "--watch")
    #expect(try await machines.reaches("1", "SELECT count(*) FROM bgfetch.machine"))

    // As if the hour had passed; a machine that waits looks again when anything has changed.
    _ = try await machines.ask("UPDATE bgfetch.all_machines SET pause_end = 1")
    await server.received(1)

    await watch.ended(after: SIGTERM)
  }

  @Test func `what is under way ends, and nothing follows it`() async throws {
    let gate = Gate()
    let server = try ScriptedServer { _ in
      gate.pass()
      return .document(rss([(id: "a", title: "News")]))
    }
    let machines = try await Machines(1, feeds: feedsOfHosts(4, server))
    try machines.configure(
      network: "connections: 1", more: "hooks: {say: {events: [new-item], run: [\"false\"]}}\n")
    try await machines.prepare()
    let run = try machines.started(machines.first, "run", "--json")
    await server.received(1)

    try await machines.first("fleet", "pause", status: 0)
    // The run has looked twice since then, besides what the command itself has read: it knows by now what it saw at first.
    let looks = "FROM pg_stat_user_tables WHERE relname = 'all_machines'"
    let former = try await machines.ask("SELECT seq_scan \(looks)")
    #expect(try await machines.reaches("t", "SELECT seq_scan >= \(former) + 6 \(looks)"))
    gate.open()
    let ended = await run.ended()

    #expect(server.requests.count == 1)
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(ended.json.compactMap { $0["new-data"] }.last as? Int == 1, "\(ended.output)")
    #expect(try await machines.ask("SELECT DISTINCT attempts FROM bgfetch.delivery") == "0")
  }

  @Test func `of two machines that adopt their configurations at once, one is told that it lost`()
    async throws
  {
    let machines = try await Machines(server, feeds: ["planet"], items: ["a"])
    try await machines.first("run", status: 0)
    for (name, machine) in zip(["moon", "sun"], machines.all) {
      server.feed("/" + name, ["b"])
      try machines.configure(
        machine.text(of: "bgfetch.yaml") + "  \(name): \"\(server.url("/" + name))\"\n", only: machine)
    }
    let session = try machines.holding("SELECT 1 FROM bgfetch.owner FOR UPDATE")
    let holding =
      "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'"
      + " AND query LIKE '%owner FOR UPDATE%'"
    #expect(try await machines.reaches("1", holding))
    let waiting =
      "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
      + " AND wait_event_type = 'Lock' AND query ~ '^UPDATE owner'"
    let adopting = try machines.all.map { try machines.started($0, "fleet", "adopt", "--json") }
    #expect(try await machines.reaches("2", waiting))
    try await machines.release()
    _ = await session.ended()
    let ended = [await adopting[0].ended(), await adopting[1].ended()]
    let won = ended[0].status == 0 ? 0 : 1

    #expect(Set(ended.map(\.status)) == [0, 74], "\(ended.map(\.errors))")
    #expect(
      ended[1 - won].errors.contains("other machines have just agreed on another configuration; run again"))
    try await machines.all[won]("run", status: 0)
    // The loser may replace it on purpose.
    try await machines.all[1 - won]("fleet", "adopt", status: 0)
  }

  @Test func `check --connect fails if the database cannot be used`() async throws {
    let machines = try await Machines(server, feeds: ["planet"], isPrepared: false)
    try await machines.first("check", "--connect", status: 74, errors: "bgfetch fleet prepare")
    try await machines.prepare()
    try await machines.first("check", "--connect", status: 0)
    let role = "limited_" + UUID().uuidString.prefix(8).lowercased()
    _ = try await machines.ask(
      """
      CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA bgfetch TO \(role);
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA bgfetch TO \(role);
      GRANT USAGE ON ALL SEQUENCES IN SCHEMA bgfetch TO \(role)
      """)
    try machines.first.edit("user=bgfetch", to: "user=\(role)")
    try await machines.first("check", "--connect", status: 0)
    _ = try await machines.ask("REVOKE DELETE ON bgfetch.feed, bgfetch.claim FROM \(role)")
    try await machines.first("check", "--connect", status: 74, errors: "claim, feed")
    _ = try await machines.ask("DROP OWNED BY \(role); DROP ROLE \(role)")
    try machines.first.edit("user=\(role)", to: "user=bgfetch port=1")
    try await machines.first("check", status: 0)
    try await machines.first("check", "--connect", status: 74, errors: "cannot be reached")
  }
}
