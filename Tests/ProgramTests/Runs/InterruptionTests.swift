// Locks, signals, budgets, kills and exhausted resources: nothing is lost.

import Foundation
import TestKit
import Testing

@Suite final class InterruptionTests: ServerSuite {
  /// A configuration without short timeouts, for busy machines.
  private func configuration(_ server: ScriptedServer, _ feeds: [String]) -> String {
    "network: {timeout: 1h}\nbudget: none\ndefaults: {first-run: all}\nfeeds:\n"
      + feeds.map { "  \($0): \"\(server.url("/" + $0, host: $0 + ".localhost"))\"\n" }.joined()
  }

  /// A program with a feed that is answered at once, and one that is held back by the gate.
  private func fastAndSlow() throws -> (BuiltProgram, Gate) {
    // One link in two feeds would count once.
    server.feed("/fast", ["b"])
    let gate = server.gatedFeed("/slow")
    return (try BuiltProgram(configuration: configuration(server, ["fast", "slow"])), gate)
  }

  @Test func `a second run ends at once and names the first`() async throws {
    let gate = server.gatedFeed("/planet")
    let bgfetch = try BuiltProgram(configuration: configuration(server, ["planet"]))

    let first = try bgfetch.started(["run"])
    await server.received(1)
    try await bgfetch("run", status: 75, errors: "another run holds")
    try await bgfetch("badge", prints: "0\n")
    try await bgfetch("status", status: 0)
    gate.open()

    #expect(await first.ended().status == 0)
    #expect(server.requests.count == 1)
  }

  @Test func `a run that lost its lock writes nothing of what another run has begun anew`() async throws {
    let gate = server.gatedFeed("/planet")
    let bgfetch = try BuiltProgram(configuration: configuration(server, ["planet"]))

    let first = try bgfetch.started(["run", "--json"])
    await server.received(1)
    try FileManager.default.removeItem(atPath: bgfetch.state + "/run.lock")
    let second = try bgfetch.started(["run", "--json"])
    await server.received(2)
    gate.open()
    let (late, other) = (await first.ended(), await second.ended())

    #expect(late.status == 0)
    #expect(other.status == 0)
    #expect(late.json.last?["left"] as? Int == 1)
    #expect(other.json.last?["new-data"] as? Int == 1)
    #expect(bgfetch.badge == "1\n")
    let history = try await bgfetch("history", "--json", "planet")
    #expect(history.json.compactMap { $0["reason"] as? String }.contains("interrupted"))
  }

  @Test func `a run with --wait continues when the other has ended, and waits no longer than its budget`()
    async throws
  {
    let gate = server.gatedFeed("/planet")
    let bgfetch = try BuiltProgram(configuration: configuration(server, ["planet"]))

    let first = try bgfetch.started(["run"])
    await server.received(1)
    try await bgfetch("run", "--wait", "--budget", "1s", status: 75, errors: "run")
    let second = try bgfetch.started(["run", "--wait", "--json"])
    gate.open()

    #expect(await first.ended().status == 0)
    let waited = await second.ended()
    #expect(waited.status == 0)
    #expect(waited.json.last?["due"] as? Int == 0)
  }

  @Test(arguments: [(SIGTERM, 143), (SIGINT, 130), (SIGHUP, 129)] as [(Int32, Int32)])
  func `a signal suspends fetches, and they do not count as failures`(
    signal: Int32, status: Int32
  ) async throws {
    let (bgfetch, gate) = try fastAndSlow()

    let run = try bgfetch.started(["run"])
    await server.received(2)
    let ended = await run.ended(after: signal)
    gate.open()
    try await bgfetch("run", "--json", status: 0)

    #expect(ended.status == status)
    #expect(bgfetch.badge == "2\n")
    #expect(try await !bgfetch("why", "slow").output.contains("backoff"))
  }

  /// Two feeds: a watched page that takes longer to read than a signal to arrive, held back by the gate, and one that says when it
  /// is committed.
  private func largePage() throws -> (BuiltProgram, Gate) {
    let gate = Gate()
    let line = String(repeating: "👩‍👩‍👧", count: 1_800_000)
    server.on(
      "/page",
      .document("<html><meta charset=utf-8><body><p>" + line + "</body></html>", type: "text/html").held(
        by: gate))
    server.feed("/planet", ["a"])
    let bgfetch = try BuiltProgram(
      scripts: ["tell": "echo \"$BGFETCH_FEED\" > \"$HOME/heard\""],
      configuration: """
        budget: none
        network: {timeout: 1h}
        defaults: {first-run: all}
        hooks: {tell: {events: [new-data], run: [HOME/tell], timeout: 1h}}
        feeds:
          page: {url: "\(server.url("/page", host: "localhost"))", kind: html, html: {text: body}}
          planet: "\(server.url("/planet"))"
        """)
    #expect(mkfifo(bgfetch.home.file("heard"), 0o600) == 0)
    return (bgfetch, gate)
  }

  @Test(arguments: [(SIGTERM, 143), (SIGINT, 130)] as [(Int32, Int32)])
  func `a signal ends a run that reads a large document, and all else is committed`(
    signal: Int32, status: Int32
  ) async throws {
    let (bgfetch, gate) = try largePage()

    let run = try bgfetch.started(["run"])
    try await bgfetch.shell("timeout 600 cat \"$HOME/heard\"", prints: "planet\n")
    gate.open()
    await server.sent(32_000_000, of: "/page")
    let began = ContinuousClock.now
    let ended = await run.ended(after: signal)

    #expect(ended.status == status)
    // In practice half a second.
    #expect(ContinuousClock.now - began < .seconds(8))
    #expect(bgfetch.badge == "1\n")
    #expect(try await !bgfetch("why", "page").output.contains("backoff"))
  }

  @Test func `fetches beyond the budget are left to a later run, and are not failures`() async throws {
    let (bgfetch, gate) = try fastAndSlow()

    let run = try await bgfetch("run", "--budget", "1s", "--json", status: 0)
    gate.open()
    let next = try await bgfetch("run", "--json")

    let history = try await bgfetch("history", "--json")

    // On a busy machine a second may be too short even for the fast feed.
    let left = try #require(run.json.last?["left"] as? Int)
    #expect(left >= 1)
    #expect(next.json.last?["new-data"] as? Int == left)
    #expect(history.json.compactMap { $0["ending"] as? String } == ["budget", "complete"])
    #expect(bgfetch.badge == "2\n")
  }
}

// Too few open files.

@Suite struct OpenFilesTests {
  private static let feeds = (1...20).map { "feed\($0)" }

  /// Twenty feeds, fetched at once, and a hook that logs each feed.
  private func program() throws -> BuiltProgram {
    let server = try ScriptedServer()
    for feed in Self.feeds { server.feed("/" + feed, [feed]) }
    return try BuiltProgram(
      server, Self.feeds, keys: "first-run: all, minimum-interval: every-run",
      more: """
        network: {connections: 20}
        hooks: {log: {events: [new-data], run: [HOME/log], retries: 0}}
        """,
      scripts: ["log": "cat > /dev/null; echo \"$BGFETCH_FEED\" >> \"$HOME/heard\""], haveOwnHosts: true
    ).keeping(server)
  }

  @Test(arguments: [5, 12, 30, 48])
  func `a run with too few open files fails, and a later run does its work`(limit: Int) async throws {
    let bgfetch = try program()

    let run = try await bgfetch.shell("ulimit -n \(limit); exec timeout 600 \"$BGFETCH\" run", status: 74)

    #expect(
      run.errors
        == "bgfetch: too many open files; raise the limit with ulimit -n, or LimitNOFILE= of the unit\n")
    try await bgfetch("run", "--json", status: 0)
    #expect(Set(bgfetch.text(of: "heard").split(separator: "\n").map(String.init)) == Set(Self.feeds))
    #expect(bgfetch.badge == "20\n")
  }

  @Test func `connections are lowered to what the limit on open files allows, and the run says so`()
    async throws
  {
    let bgfetch = try program()
    try bgfetch.edit("connections: 20", to: "connections: 200")

    let run = try await bgfetch.shell("ulimit -n 100; exec \"$BGFETCH\" run -v", status: 0)

    #expect(
      run.errors.contains(/warning: \d connections instead of 200, because only 100 files may be open; raise/)
    )
    #expect(bgfetch.badge == "20\n")
  }

  @Test(arguments: ["-n 64", "-Sn 5"])
  func `a run raises its soft limit, and needs 64 files for twenty feeds`(limit: String) async throws {
    let bgfetch = try program()

    try await bgfetch.shell("ulimit \(limit); exec \"$BGFETCH\" run", status: 0)

    #expect(bgfetch.badge == "20\n")
  }
}
