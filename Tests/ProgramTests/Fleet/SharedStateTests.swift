// Machines that share their state in a PostgreSQL database.

import Foundation
import Synchronization
import TestKit
import Testing

@Suite(.enabled(if: postgres != nil, "beside a PostgreSQL server"))
final class SharedStateTests: ServerSuite {
  @Test func `what one machine has fetched, every machine shows and none fetches again`() async throws {
    let machines = try await Machines(server, feeds: ["planet"], items: ["a", "b"])

    let one = try await machines.first("run", "--json")
    let other = try await machines.second("run", "--json")
    let items = try await machines.second("items", "--json")
    try await machines.second("seen", "planet", status: 0, prints: "2 items seen\n")
    try await machines.first("badge", prints: "0\n")

    #expect(one.json.last?["items"] as? Int == 2)
    #expect(one.json.last?["badge"] is NSNull)
    #expect(other.json.last?["due"] as? Int == 0)
    #expect(server.requests.count == 1)
    #expect(items.json.compactMap { $0["id"] as? String }.sorted() == ["a", "b"])
  }

  @Test(.enabled(if: TestBucket.isThere, "beside an S3 server"))
  func `a download of a machine that died is placed once in the bucket of all`() async throws {
    let (server, bucket) = (try ScriptedServer(), try TestBucket())
    let content = FileContent(90_000, seed: 4)
    server.serve(AssetFile(content, .stall(after: 40_000)), at: "/a.mp3")
    server.on("/pod", .document(podcast([Episode(id: "a", url: server.url("/a.mp3"))])))
    let machines = try await Machines(server, feeds: [])
    let secret = try machines.first.home.write(TestBucket.secret, to: "secret")
    try machines.configure(
      more: "  pod: {url: \"\(server.url("/pod"))\", download: {}}\nfree-space: 1KiB\n"
        + "documents: \(bucket.yaml(secretFile: secret))\n")

    let run = try machines.started(machines.first, "run", "--json")
    await server.sent(40_000, of: "/a.mp3")
    await run.ended(after: SIGKILL)
    try await machines.endLeases()
    server.serve(AssetFile(content), at: "/a.mp3")
    let other = try await machines.second("run", "--json")
    let again = try await machines.first("run", "--json")

    #expect(other.status == 0, "\(other.errors)\(again.errors)")
    #expect(again.status == 0, "\(other.errors)\(again.errors)")
    let names = try await bucket.names()
    #expect(names.count == 1)
    #expect(content.isWhole(try await bucket.object(names.first ?? "")))
    let spools = [machines.first, machines.second].map {
      DownloadProgram.files(below: $0.home.file(".local/state/bgfetch/spool"))
    }
    #expect(spools == [[], []])
  }

  @Test func `redirects of several machines to one host keep its delay`() async throws {
    // A proxy, so that the hosts are public.
    let bothAsked = Gate()
    let log = Mutex<[(path: String, start: ContinuousClock.Instant)]>([])
    let internet = try ScriptedServer { request in
      let path = request.target.split(separator: "/").last.map(String.init) ?? ""
      log.withLock { $0.append((path, .now)) }
      guard !request.target.contains("meet.example") else { return .document(rss([(id: path, title: path)])) }
      bothAsked.pass()
      return .redirect(to: "http://meet.example/\(path)")
    }
    let machines = try await Machines(
      feeds: "  one: http://one.example/one\n  other: http://other.example/other\n")
    try machines.configure(network: "proxy: \"\(internet.origin)\", connections: 1")
    try await machines.prepare()

    let runs = try machines.all.enumerated().map { number, machine in
      try machines.started(machine, "run", number == 0 ? "one" : "other", "--json")
    }
    await internet.received(2)
    bothAsked.open()
    for run in runs {
      let ended = await run.ended()
      #expect(ended.status == 0, "\(ended.errors)")
    }

    let starts = log.withLock { $0.dropFirst(2).map(\.start) }
    #expect(starts.count == 2)
    // A second, and a tenth of it on a machine that is busy.
    #expect(starts[1] - starts[0] >= .milliseconds(100))
  }

  @Test func `the host of a secret address is not stored`() async throws {
    let internet = try ScriptedServer { request in
      request.target.contains("secret.example")
        ? .redirect(to: "http://hidden.example/feed") : .document(rss([(id: "a", title: "News")]))
    }
    let machines = try await Machines(
      1, feeds: "  shown: http://shown.example/feed\n  own: {url: {env: FEED_ADDRESS}}\n")
    try machines.configure(network: "proxy: \"\(internet.origin)\"")
    try await machines.prepare()

    try await machines.first("run", environment: ["FEED_ADDRESS": "http://secret.example/feed"], status: 0)

    #expect(internet.requests.count == 3)
    #expect(try await machines.ask("SELECT name FROM bgfetch.host") == "shown.example")
  }

  @Test func `a run ends although a limit leaves feeds that were never fetched`() async throws {
    let internet = try ScriptedServer { _ in .status(429, [("Retry-After", "30")]) }
    let machines = try await Machines(1)
    try machines.configure(
      """
      state: {postgres: "\(machines.place())"}
      network: {proxy: "\(internet.origin)"}
      budget: none
      feeds:

      """ + (0..<600).map { "  f\($0): http://limited.example/\($0)\n" }.joined())
    try await machines.prepare()

    let run = try await machines.first("run", "--json")

    #expect(run.json.last?["failed"] as? Int == 1, "\(run.errors)")
    #expect(internet.requests.count == 1)
  }

  @Test func `a machine keeps a badge only if its configuration names the file`() async throws {
    let machines = try await Machines(server, feeds: ["planet"], items: ["a", "b"])
    let text = machines.second.text(of: "bgfetch.yaml")
    let badge = machines.second.home.file("number")
    try machines.configure("badge: \(badge)\n" + text, only: machines.second)

    let first = try await machines.first("run", status: 0)
    try await machines.first("badge", prints: "2\n")
    let second = try await machines.second("run", "--json")

    #expect(!first.errors.contains("badge"))
    #expect(second.json.last?["badge"] as? Int == 2)
    #expect(machines.second.text(of: "number") == "2\n")
    #expect(!FileManager.default.fileExists(atPath: machines.first.home.file(".local/state/bgfetch/badge")))
  }

  @Test func `without tables every command names the cure`() async throws {
    let machines = try await Machines(server, feeds: ["planet"], isPrepared: false)

    for command in ["run", "status"] {
      try await machines.first(command, status: 74, errors: "bgfetch fleet prepare")
    }
    try await machines.first("fleet", "prepare", status: 0)
    let again = try await machines.second("fleet", "prepare", "--json")

    #expect(again.json.first?["found"] as? Int == again.json.first?["schema"] as? Int)
    #expect(server.requests.isEmpty)
  }

  /// Machines with a feed that is held back by the gate, and one of another host.
  private func machinesWithMoon() async throws -> (Machines, Gate) {
    let gate = server.gatedFeed("/planet")
    server.feed("/moon", ["a"])
    let machines = try await Machines(server, feeds: ["planet"])
    try machines.configure(more: "  moon: \"\(server.url("/moon", host: "moon.localhost"))\"\n")
    return (machines, gate)
  }

  @Test func `while a machine fetches from a host, others leave it alone`() async throws {
    let (machines, gate) = try await machinesWithMoon()

    let first = try machines.started(machines.first, "run", "planet", "--json")
    await server.received(1)
    let other = try await machines.second("run", "--json")
    let named = try await machines.second("run", "planet", "--json")
    let under = try await machines.second("history")
    try await machines.second("why", "planet", output: "a run fetches from its host now")
    let dry = try await machines.second("run", "planet", "--dry-run")
    gate.open()
    let ended = await first.ended()
    let last = try await machines.second("run", "--json")

    #expect(other.status == 0)
    #expect(other.json.last?["new-data"] as? Int == 1)
    #expect(named.json.last?["due"] as? Int == 0)
    #expect(named.json.last?["left"] as? Int == 1)
    #expect(under.output.contains("under way, process "), "\(under.output)")
    #expect(dry.output.contains("the command line; a run fetches from its host now"), "\(dry.output)")
    #expect(ended.json.last?["new-data"] as? Int == 1)
    #expect(last.json.last?["due"] as? Int == 0)
    #expect(server.requests.map(\.path).sorted() == ["/moon", "/planet"])
    #expect(try await machines.ask("SELECT count(*) FROM bgfetch.claim") == "0")
  }

  @Test func `on each machine one run at a time fetches what is due, and named feeds do not wait for it`()
    async throws
  {
    let (machines, gate) = try await machinesWithMoon()
    try await machines.first("run", "moon", status: 0)

    let first = try machines.started(machines.first, "run", "--json")
    await server.received(2)
    let timer = try await machines.first("run", "--json")
    let named = try await machines.first("run", "moon", "--json")
    let waiting = try machines.started(machines.first, "run", "--wait", "--json")
    gate.open()
    let ends = [await first.ended(), await waiting.ended()]

    #expect(timer.status == 0, "\(timer.errors)")
    #expect(timer.json.last?["due"] as? Int == 0, "\(timer.errors)")
    #expect(named.json.last?["due"] as? Int == 1)
    #expect(ends.map { $0.json.last?["due"] as? Int } == [1, 0])
    // The run of nothing, and runs that found nothing due, are no runs.
    #expect(try await machines.ask("SELECT count(*) FROM bgfetch.run") == "3")
  }

  @Test func `many due feeds are divided by host, and each is fetched once`() async throws {
    let gate = server.gatedFeed("/0")
    let machines = try await Machines(server, feeds: ["0"])
    let places = (1..<800).map { number in
      server.feed("/\(number)", ["a"])
      return "  \(number): \"\(server.url("/\(number)", host: "host\(number % 50).localhost"))\"\n"
    }
    try machines.configure(network: "connections: 2", more: places.joined())

    let first = try machines.started(machines.first, "run", "--json")
    await server.received(1)
    let second = try machines.started(machines.second, "run", "--json")
    await server.received(800)
    gate.open()
    let ends = [await first.ended(), await second.ended()]

    #expect(ends.map(\.status) == [0, 0])
    #expect(ends.compactMap { $0.json.last?["new-data"] as? Int }.reduce(0, +) == 800)
    #expect(Set(server.requests.map(\.path)).count == 800)
    #expect(server.requests.count == 800)

    // A feed that is due within a minute does not keep a run busy.
    _ = try await machines.ask(
      "UPDATE bgfetch.feed SET last_counted = extract(epoch FROM now())::bigint - 3440, due_at = NULL "
        + "WHERE name = '7'")
    let idle = try await machines.first("run", "--json")
    let next = try await machines.ask(
      "SELECT due_at - extract(epoch FROM now())::bigint < 60 FROM bgfetch.feed WHERE name = '7'")
    #expect(idle.json.last?["due"] as? Int == 0)
    #expect(next == "t")
    #expect(try await machines.ask("SELECT count(*) FROM bgfetch.claim") == "0")
  }

  @Test func `a state is copied to the database and back, with every number`() async throws {
    let machines = try await Machines(server, feeds: ["planet"], items: ["a", "b", "c"])
    let directory = machines.first.home.file("alone")
    try machines.configure(directory: directory)
    try await machines.first("run")
    try await machines.first("seen", "2")
    let before = try await machines.first("items", "planet", "--json").output
    try machines.configure()

    let copied = try await machines.first("fleet", "copy", directory, "postgres", "--json", status: 0)
    try await machines.first(
      "fleet", "copy", directory, "postgres", status: 74, errors: "has a state already")
    try await machines.first(
      "fleet", "copy", directory + "-other", "postgres", status: 2, errors: "has no state of bgfetch")
    let items = try await machines.second("items", "planet", "--json")
    let run = try await machines.second("run", "--json")
    try await machines.second("seen", "3")
    let changed = try await machines.second("items", "planet", "--json").output
    let back = machines.first.home.file("back")
    try await machines.first("fleet", "copy", "postgres", back, status: 0)
    try machines.configure(directory: back)
    let shown = try await machines.first("items", "planet", "--json")
    let history = try await machines.first("history", "--json")
    let badge = try await machines.first("badge")

    #expect((copied.json.first?["rows"] as? Int ?? 0) > 5)
    #expect(items.output == before)
    #expect(run.json.last?["due"] as? Int == 0)
    #expect(server.requests.count == 1)
    #expect(shown.output == changed)
    #expect(badge.output == "1\n")
    #expect(history.json.compactMap { $0["run"] as? Int } == [1])
  }

  @Test
  func `who writes the database makes no machine read a file, run a command or change a hook's environment`()
    async throws
  {
    let machines = try await Machines(server, feeds: ["planet"], items: ["a"])
    let hook = try machines.first.script("say", "env >> \"$HOME/environment\"")
    let text = machines.first.text(of: "bgfetch.yaml")
    try machines.configure("hooks: {say: {events: [new-item], run: [\(hook)]}}\n" + text)
    _ = try await machines.ask(
      """
      INSERT INTO bgfetch.catalog (name, url, tags, changed) VALUES
        ('file', 'file:///etc/passwd', '', 1), ('../up', 'https://up.example/', '', 1),
        ('words', 'https://u:p@words.example/', '', 1), ('command', NULL, 'touch \(machines.first.home.file("run"))', 1);
      UPDATE bgfetch.owner SET catalog_version = 1;
      INSERT INTO bgfetch.event (id, kind, time, cause, fields)
        VALUES ('evil', 'new-item', extract(epoch FROM now()), 'timer', '{\\"LD_PRELOAD\\": \\"/evil.so\\", \\"title\\": \\"Evil\\"}');
      INSERT INTO bgfetch.delivery (event, hook, queued, not_before)
        SELECT number, hook, time, time FROM bgfetch.event, (VALUES ('say'), ('/bin/evil')) AS hooks (hook) WHERE id = 'evil'
      """)

    try await machines.first("run", status: 0)

    #expect(server.requests.count == 1)
    let environment = machines.first.text(of: "environment")
    #expect(environment.contains("Evil"))
    #expect(!environment.split(separator: "\n").contains { $0.hasPrefix("LD_PRELOAD") })
    #expect(!FileManager.default.fileExists(atPath: machines.first.home.file("run")))
    #expect(
      try await machines.ask("SELECT string_agg(name, ',') FROM bgfetch.feed WHERE last_asked > 0")
        == "planet")
  }

  @Test func `no hook gets the variable with the password`() async throws {
    let machines = try await Machines(server, feeds: ["planet"], items: ["a"])
    let path = try machines.first.script("say", "env > \"$HOME/said\"")
    try machines.configure(
      password: ", password: {env: DB_SECRET}",
      more: "hooks: {say: {events: [new-item], run: [\"\(path)\"]}}\n")

    try await machines.first("run", status: 74, errors: "DB_SECRET")
    try await machines.first("run", environment: ["DB_SECRET": "geheim"], status: 0)

    #expect(machines.first.said.contains("BGFETCH_ITEM_ID"))
    #expect(!machines.first.said.contains("geheim"))
  }

  @Test func `a run that was stopped for long changes nothing when it goes on`() async throws {
    let gate = server.gatedFeed("/planet")
    let machines = try await Machines(server, feeds: ["planet", "moon"])
    server.feed("/moon", ["c"])

    // One connection: the other feed is still to come.
    try machines.configure(network: "connections: 1")
    let first = try machines.started(machines.first, "run", "--json")
    await server.received(1)
    // A process that is stopped while it plans keeps the lock of all machines until its session ends.
    let isPlanned = try await machines.reaches(
      "0",
      "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' "
        + "AND datname = current_database()")
    #expect(isPlanned)
    first.signal(SIGSTOP)
    try await machines.endLeases()
    gate.open()
    let second = try await machines.second("run", "--json")
    let before = try await machines.ask("SELECT count(*) FROM bgfetch.fetch")
    let ended = await first.ended(after: SIGCONT)

    #expect(second.json.last?["new-data"] as? Int == 2)
    #expect(ended.status == 74)
    #expect(ended.errors.contains("no sign of life"))
    #expect(try await machines.ask("SELECT count(*) FROM bgfetch.fetch") == before)
    #expect(server.requests.count == 3)
  }
}
