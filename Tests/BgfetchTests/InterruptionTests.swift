// Locks, signals, budgets and kills: what is lost, which is nothing.

import Foundation
import TestKit
import Testing

@Suite struct InterruptionTests {
  /// A configuration in which no limit of time plays a part, however busy the machine is.
  private func configuration(_ server: ScriptedServer, _ feeds: [String], perHost: Int = 1) -> String {
    "network: {timeout: 1h, stall: {for: 1h}, connections-per-host: \(perHost)}\nbudget: none\ndefaults: {first-run: all}\nfeeds:\n"
      + feeds.map { "  \($0): \"\(server.url("/" + $0))\"\n" }.joined()
  }

  @Test func `a run beside a run leaves at once and says who is at work`() async throws {
    let server = try ScriptedServer()
    let gate = Gate()
    server.on("/planet", ScriptedAnswer.document(rss([("a", "A")])).held(by: gate))
    let bgfetch = try BuiltProgram(configuration: configuration(server, ["planet"]))

    let first = try bgfetch.started(["run"])
    await server.received(1)
    let second = try await bgfetch("run")
    let badge = try await bgfetch("badge")
    let status = try await bgfetch("status")
    gate.open()
    let ended = await first.ended()

    #expect(second.status == 75)
    #expect(second.errors.contains("another run holds"))
    #expect(badge.output == "0\n")
    #expect(status.status == 0)
    #expect(ended.status == 0)
    #expect(server.requests.count == 1)
  }

  @Test func `a run that waits goes on when the other has ended`() async throws {
    let server = try ScriptedServer()
    let gate = Gate()
    server.on("/planet", ScriptedAnswer.document(rss([("a", "A")])).held(by: gate))
    let bgfetch = try BuiltProgram(configuration: configuration(server, ["planet"]))

    let first = try bgfetch.started(["run"])
    await server.received(1)
    let second = try bgfetch.started(["run", "--wait", "--json"])
    gate.open()

    #expect(await first.ended().status == 0)
    let waited = await second.ended()
    #expect(waited.status == 0)
    #expect(waited.json.last?["due"] as? Int == 0)
  }

  @Test func `a run waits for the other no longer than its budget`() async throws {
    let server = try ScriptedServer()
    let gate = Gate()
    server.on("/planet", ScriptedAnswer.document(rss([("a", "A")])).held(by: gate))
    let bgfetch = try BuiltProgram(configuration: configuration(server, ["planet"]))

    let first = try bgfetch.started(["run"])
    await server.received(1)
    let second = try await bgfetch("run", "--wait", "--budget", "1s")
    gate.open()

    #expect(await first.ended().status == 0)
    #expect(second.status == 75)
    #expect(second.errors.contains("run"))
  }

  @Test(arguments: [(SIGTERM, 143), (SIGINT, 130), (SIGHUP, 129)] as [(Int32, Int32)])
  func `a signal suspends what is under way and counts nothing against the feed`(
    signal: Int32, status: Int32
  ) async throws {
    let server = try ScriptedServer()
    let gate = Gate()
    server.feed("/fast", ["a"])
    server.on("/slow", ScriptedAnswer.document(rss([("b", "B")])).held(by: gate))
    let bgfetch = try BuiltProgram(
      configuration: configuration(server, ["fast", "slow"], perHost: 2))

    let run = try bgfetch.started(["run"])
    await server.received(2)
    run.signal(signal)
    let ended = await run.ended()
    gate.open()
    let next = try await bgfetch("run", "--json")

    #expect(ended.status == status)
    #expect(next.status == 0)
    #expect(bgfetch.badge == "2\n")
    let why = try await bgfetch("why", "slow")
    #expect(!why.output.contains("backoff"))
  }

  @Test func `when the budget ends the rest is left for a later run, and that is no failure`() async throws {
    let server = try ScriptedServer()
    let gate = Gate()
    server.feed("/fast", ["a"])
    server.on("/slow", ScriptedAnswer.document(rss([("b", "B")])).held(by: gate))
    let bgfetch = try BuiltProgram(
      configuration: configuration(server, ["fast", "slow"], perHost: 2))

    let run = try await bgfetch("run", "--budget", "1s", "--json")
    gate.open()
    let next = try await bgfetch("run", "--json")

    let history = try await bgfetch("history", "--json")

    // On a busy machine a second may be too short for the fast one too.
    let left = try #require(run.json.last?["left"] as? Int)
    #expect(run.status == 0)
    #expect(left >= 1)
    #expect(next.json.last?["new-data"] as? Int == left)
    #expect(history.json.compactMap { $0["ending"] as? String } == ["budget", "complete"])
    #expect(bgfetch.badge == "2\n")
  }

  @Test func `killed at any moment, no item is lost and none comes twice`() async throws {
    let server = try ScriptedServer()
    let names = (1...12).map { "feed\($0)" }
    for name in names { server.feed("/" + name, ["a-\(name)", "b-\(name)"]) }
    let bgfetch = try BuiltProgram()
    let path = try bgfetch.script("say", "echo \"$BGFETCH_ITEM_ID\" >> \"$HOME/said\"")
    try bgfetch.configure(
      configuration(server, names, perHost: 3)
        + "hooks: {say: {events: [new-item], run: [\"\(path)\"]}}\n")

    for round in 1...12 {
      let run = try bgfetch.started(["run"])
      await server.received(round)
      run.signal(SIGKILL)
      _ = await run.ended()
    }
    var last = try await bgfetch("run", "--json")
    last = try await bgfetch("run", "--force", "--json")

    let expected = Set(names.flatMap { ["a-\($0)", "b-\($0)"] })
    let said = bgfetch.text(of: "said").split(separator: "\n").map(String.init)
    #expect(last.status == 0)
    #expect(bgfetch.badge == "24\n")
    #expect(Set(said) == expected)
    // At least once: only a delivery that was running when the program was killed may come again.
    #expect(said.count - expected.count <= 12)
  }

  @Test func `offline is one line, status 75, and no failure of any feed`() async throws {
    // No part of a host's name may be this long, so that no resolver is asked, and none makes up an answer.
    let nowhere = String(repeating: "a", count: 64)
    let bgfetch = try BuiltProgram(
      configuration: """
        network: {proxy: none}
        feeds:
          one: "http://\(nowhere).one.invalid/feed"
          two: "http://\(nowhere).two.invalid/feed"
        """)

    let run = try await bgfetch("run", environment: ["JOURNAL_STREAM": "no"])
    let verbose = try await bgfetch("run", "-v", "--force")
    let problems = try await bgfetch("status", "--problems")
    let why = try await bgfetch("why", "one")

    #expect(run.status == 75)
    #expect(run.errors == "")
    #expect(verbose.errors.contains("offline: 2 feeds were not reached; the next run tries again"))
    #expect(problems.status == 0)
    #expect(!why.output.contains("backoff"))
  }
}
