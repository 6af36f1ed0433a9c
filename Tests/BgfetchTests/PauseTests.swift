// `bgfetch pause` and `unpause`.

import TestKit
import Testing

@Suite struct PauseTests {
  private static let noon = ["BGFETCH_NOW": "2026-11-21T12:00:00Z"]

  private func program(_ server: ScriptedServer) throws -> BuiltProgram {
    server.feed("/planet", ["a"])
    server.feed("/moon", ["a"])
    return try BuiltProgram(
      configuration: """
        defaults: {first-run: all, minimum-interval: every-run}
        network: {timeout: 1h, stall: {for: 1h}}
        budget: none
        timezone: UTC
        feeds:
          planet: "\(server.url("/planet"))"
          moon: "\(server.url("/moon"))"

        """)
  }

  private func due(_ bgfetch: BuiltProgram, _ arguments: String...) async throws -> Int? {
    try await bgfetch.started(["run", "--json"] + arguments, environment: Self.noon).ended().json.last?["due"]
      as? Int
  }

  @Test func `a paused feed is left alone until it is unpaused`() async throws {
    let server = try ScriptedServer()
    let bgfetch = try program(server)

    let paused = try await bgfetch("pause", "planet", environment: Self.noon)
    #expect(paused.output == "planet  paused\n")
    #expect(try await due(bgfetch) == 1)
    #expect(try await due(bgfetch, "--force") == 1)
    #expect(server.requests.map(\.path) == ["/moon", "/moon"])
    #expect(try await due(bgfetch, "planet") == 1)
    #expect(bgfetch.badge == "2\n")

    let unpaused = try await bgfetch("unpause", "planet", environment: Self.noon)
    #expect(unpaused.output == "planet  unpaused\n")
    #expect(try await due(bgfetch) == 2)
  }

  @Test func `a pause with an end is over by itself`() async throws {
    let server = try ScriptedServer()
    let bgfetch = try program(server)

    let paused = try await bgfetch("pause", "--all", "--until", "2d", environment: Self.noon)
    #expect(
      paused.output
        == "planet  paused until 2026-11-23T12:00:00Z\nmoon  paused until 2026-11-23T12:00:00Z\n")

    func due(_ time: String) async throws -> Int? {
      try await bgfetch("run", "--json", environment: ["BGFETCH_NOW": time]).json.last?["due"] as? Int
    }
    #expect(try await due("2026-11-23T11:59:59Z") == 0)
    #expect(try await due("2026-11-23T12:00:00Z") == 2)
  }

  @Test func `status, why and run say that a feed is paused`() async throws {
    let server = try ScriptedServer()
    let bgfetch = try program(server)
    _ = try await bgfetch("pause", "planet", "--until", "2026-12-24 08:00", environment: Self.noon)
    _ = try await bgfetch("pause", "moon", environment: Self.noon)

    let status = try await bgfetch("status", environment: Self.noon)
    #expect(status.lines[1].contains("paused until 2026-12-24T08:00:00Z"))
    #expect(status.lines[2].contains("paused"))
    let json = try await bgfetch("status", "--json", environment: Self.noon).json
    #expect(json.map { $0["paused"] as? Bool } == [true, true])
    #expect(json.map { $0["paused-until"] as? String } == ["2026-12-24T08:00:00Z", nil])
    let why = try await bgfetch("why", "planet", environment: Self.noon)
    #expect(
      why.lines.last == "  next fetch at 2026-12-24T08:00:00Z: held until then by the rule pause")
    let other = try await bgfetch("why", "moon", environment: Self.noon)
    #expect(other.lines.last == "  paused; name it to fetch it all the same")
    #expect(try await bgfetch("run", "-v", "moon", environment: Self.noon).errors.hasPrefix("1 due"))
    _ = try await bgfetch("unpause", "moon", environment: Self.noon)
    #expect(try await bgfetch("run", "-v", environment: Self.noon).errors.hasPrefix("1 due, 1 paused\n"))
  }

  @Test func `saying it twice changes nothing and says so`() async throws {
    let server = try ScriptedServer()
    let bgfetch = try program(server)

    let never = try await bgfetch("unpause", "--all", environment: Self.noon)
    _ = try await bgfetch("pause", "m*", environment: Self.noon)
    let again = try await bgfetch("pause", "moon", environment: Self.noon)
    let json = try await bgfetch("pause", "planet", "moon", "--json", environment: Self.noon).json

    #expect(never.output == "" && never.errors == "nothing to change: none of them is paused\n")
    #expect(again.output == "" && again.errors == "nothing to change: already paused\n")
    #expect(again.status == 0 && never.status == 0)
    #expect(json.map { $0["feed"] as? String } == ["planet", "moon"])
    #expect(json.map { $0["changed"] as? Bool } == [true, false])
    #expect(json.map { $0["paused"] as? Bool } == [true, true])
  }

  @Test(arguments: [
    (["pause"], "name the feeds, or write --all"),
    (["pause", "--all", "moon"], "write feeds or --all, not both"),
    (["unpause"], "name the feeds, or write --all"),
    (["pause", "mon"], "no feed is named \"mon\"; did you mean \"moon\"?"),
    (["pause", "moon", "--until", "tomorrow"], "--until \"tomorrow\" is not a time; write 2d"),
    (["pause", "moon", "--until", "2026-11-21 11:00"], "has passed; write a time to come, or unpause"),
    (["pause", "moon", "--until", "0s"], "has passed; write a time to come, or unpause"),
    (["pause", "moon", "--until", "999999d"], "is too long; write 3650d or less"),
  ])
  func `a wrong command line is refused`(arguments: [String], message: String) async throws {
    let bgfetch = try program(try ScriptedServer())

    let invoked = try await bgfetch.started(arguments, environment: Self.noon).ended()

    #expect(invoked.status == 2)
    #expect(invoked.errors.contains(message))
  }

  @Test func `a pause said while the feed is in flight outlives the run's commit`() async throws {
    let server = try ScriptedServer()
    let gate = Gate()
    let bgfetch = try program(server)
    server.on("/planet", ScriptedAnswer.document(rss([("a", "A")])).held(by: gate))
    let run = try bgfetch.started(["run", "planet"], environment: Self.noon)
    await server.received(1)

    let paused = try await bgfetch("pause", "planet", environment: Self.noon)
    gate.open()
    #expect(await run.ended().status == 0)

    #expect(paused.status == 0)
    let status = try await bgfetch("status", "planet", "--json", environment: Self.noon).json.first
    #expect(status?["paused"] as? Bool == true)
    #expect(status?["result"] as? String == "new-data")
    #expect(try await due(bgfetch) == 1)
  }
}
