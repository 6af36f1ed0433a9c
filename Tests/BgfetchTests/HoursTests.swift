// Hours in the built program: feeds outside theirs are left alone, messages outside theirs become one in the morning.

import Foundation
import TestKit
import Testing

@Suite struct HoursTests {
  /// A program with two feeds and a hook that appends what it is told to `said`.
  private func program(_ server: ScriptedServer, keys: String, hook: String = "") throws -> BuiltProgram {
    let bgfetch = try BuiltProgram()
    let path = try bgfetch.script(
      "say", "printf '%s|%s\\n' \"$BGFETCH_TITLE\" \"$BGFETCH_BODY\" >> \"$HOME/said\"")
    try bgfetch.configure(
      """
      defaults: {first-run: all, \(keys)}
      feeds:
        planet: "\(server.url("/planet"))"
        moon: "\(server.url("/moon"))"
      hooks:
        say: {events: [notification], run: ["\(path)", --, "{title}"]\(hook)}
      """)
    return bgfetch
  }

  private func run(_ bgfetch: BuiltProgram, at time: String, _ arguments: String...) async throws -> Invoked {
    try await bgfetch.started(["run", "--json"] + arguments, environment: ["BGFETCH_NOW": time]).ended()
  }

  private func due(_ invoked: Invoked) -> Int? { invoked.json.last?["due"] as? Int }

  @Test func `a feed outside its hours is left alone, and fetched when they begin`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a"])
    server.feed("/moon", ["m"])
    let bgfetch = try program(server, keys: "hours: mon-fri 08:00-18:00")

    // 2026-11-21 is a Saturday.
    #expect(due(try await run(bgfetch, at: "2026-11-21T10:00:00Z")) == 0)
    #expect(due(try await run(bgfetch, at: "2026-11-23T07:59:59Z")) == 0)
    #expect(server.requests.isEmpty)
    #expect(due(try await run(bgfetch, at: "2026-11-23T08:00:00Z")) == 2)
    #expect(due(try await run(bgfetch, at: "2026-11-23T20:00:00Z", "planet")) == 1)
    #expect(server.requests.count == 3)

    let why = try await bgfetch(
      "why", "planet", "--json", environment: ["BGFETCH_NOW": "2026-11-27T18:30:00Z"])
    #expect(why.json.first?["due-at"] as? String == "2026-11-30T08:00:00Z")
    let status = try await bgfetch(
      "status", "planet", "--json", environment: ["BGFETCH_NOW": "2026-11-27T18:30:00Z"])
    #expect(status.json.first?["next"] as? String == "2026-11-30T08:00:00Z")
  }

  @Test func `messages of the night become one summary in the morning`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a"])
    server.feed("/moon", ["m"], title: "Moon")
    let bgfetch = try program(server, keys: "minimum-interval: 1h, notify: {hours: 07:00-22:00}")

    _ = try await run(bgfetch, at: "2026-11-21T23:00:00Z")
    server.feed("/planet", ["b", "a"])
    _ = try await run(bgfetch, at: "2026-11-22T01:00:00Z")
    server.feed("/planet", ["c", "b", "a"])
    server.feed("/moon", ["n", "m"], title: "Moon")
    _ = try await run(bgfetch, at: "2026-11-22T06:59:59Z")
    #expect(bgfetch.text(of: "said") == "")
    #expect(bgfetch.badge == "5\n")
    let listed = try await bgfetch("hooks", environment: ["BGFETCH_NOW": "2026-11-22T06:59:59Z"])
    #expect(listed.lines.filter { $0.contains("postponed until 2026-11-22T07:00:00Z") }.count == 5)
    let elsewhere = try await bgfetch(
      "hooks", environment: ["BGFETCH_NOW": "2026-11-22T06:59:59Z", "TZ": "Asia/Kathmandu"])
    #expect(elsewhere.lines.contains { $0.contains("2026-11-22T04:45:00+05:45") })

    // Nothing is due, and yet the run tells.
    #expect(due(try await run(bgfetch, at: "2026-11-22T07:00:00Z")) == 0)
    #expect(bgfetch.text(of: "said") == "5 new in 2 feeds|Planet: 3\nMoon: 2\n")

    _ = try await run(bgfetch, at: "2026-11-22T07:10:00Z")
    #expect(bgfetch.text(of: "said") == "5 new in 2 feeds|Planet: 3\nMoon: 2\n")
  }

  @Test func `messages of one feed become that feed's own message`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a"])
    server.feed("/moon", [])
    let bgfetch = try program(server, keys: "minimum-interval: 1h, notify: {hours: 07:00-22:00}")

    _ = try await run(bgfetch, at: "2026-11-21T23:00:00Z", "planet")
    server.feed("/planet", ["b", "a"])
    _ = try await run(bgfetch, at: "2026-11-22T01:00:00Z", "planet")
    _ = try await run(bgfetch, at: "2026-11-22T07:00:00Z", "planet")

    #expect(bgfetch.text(of: "said").hasPrefix("Planet|2 new: Title of "))
    #expect(bgfetch.text(of: "said").split(separator: "\n").count == 1)
  }

  @Test func `what was seen in the night is not told in the morning`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a", "b"])
    server.feed("/moon", ["m"], title: "Moon")
    let bgfetch = try program(server, keys: "notify: {hours: 07:00-22:00}")

    _ = try await run(bgfetch, at: "2026-11-21T23:00:00Z")
    _ = try await bgfetch("seen", "planet", environment: ["BGFETCH_NOW": "2026-11-21T23:30:00Z"])
    _ = try await run(bgfetch, at: "2026-11-22T07:00:00Z")
    #expect(bgfetch.text(of: "said") == "Moon|1 new: Title of m\n")
  }

  @Test func `when all of it was seen nothing is told`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a", "b"])
    server.feed("/moon", ["m"])
    let bgfetch = try program(server, keys: "notify: {hours: 07:00-22:00}")

    _ = try await run(bgfetch, at: "2026-11-21T23:00:00Z")
    _ = try await bgfetch("seen", "--all", environment: ["BGFETCH_NOW": "2026-11-21T23:30:00Z"])
    _ = try await run(bgfetch, at: "2026-11-22T07:00:00Z")

    #expect(bgfetch.text(of: "said") == "")
    #expect(try await bgfetch("hooks").output == "")
  }

  @Test func `what was held longer than a delivery lives is told all the same`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a"])
    server.feed("/moon", ["m"])
    let bgfetch = try program(server, keys: "notify: {hours: mon 08:00-09:00}", hook: ", expires: 1h")

    // From Saturday to Monday.
    _ = try await run(bgfetch, at: "2026-11-21T10:00:00Z")
    _ = try await run(bgfetch, at: "2026-11-22T10:00:00Z")
    _ = try await run(bgfetch, at: "2026-11-23T08:30:00Z")

    #expect(bgfetch.text(of: "said").hasPrefix("2 new in 2 feeds|"))
  }

  @Test func `a message that failed in the evening is not tried again in the night`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a"])
    server.feed("/moon", [])
    let bgfetch = try program(server, keys: "notify: {hours: 07:00-22:00}")
    _ = try bgfetch.script("say", "exit 1")
    _ = try await run(bgfetch, at: "2026-11-21T21:59:50Z", "planet")
    _ = try bgfetch.script("say", "echo \"$BGFETCH_TITLE\" >> \"$HOME/said\"")

    _ = try await run(bgfetch, at: "2026-11-21T22:05:00Z")
    #expect(bgfetch.text(of: "said") == "")
    _ = try await run(bgfetch, at: "2026-11-22T07:00:00Z")
    #expect(bgfetch.text(of: "said").contains("Planet"))
  }

  @Test func `hours that are edited let go what they held`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a"])
    server.feed("/moon", ["m"])
    let bgfetch = try program(server, keys: "notify: {hours: 07:00-22:00}")
    _ = try await run(bgfetch, at: "2026-11-21T23:00:00Z")
    let configuration = try String(contentsOfFile: bgfetch.configurationPath, encoding: .utf8)

    try bgfetch.configure(
      configuration.split(separator: "\n").dropFirst().joined(separator: "\n")
        .replacing("07:00-22:00", with: "always") + "\n")
    _ = try await run(bgfetch, at: "2026-11-21T23:10:00Z")

    #expect(bgfetch.text(of: "said").hasPrefix("2 new in 2 feeds|"))
  }

  @Test func `other events are told at any hour`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a"])
    server.feed("/moon", [])
    let bgfetch = try program(server, keys: "notify: {hours: 07:00-22:00}")
    let configuration = try String(contentsOfFile: bgfetch.configurationPath, encoding: .utf8)
    try bgfetch.configure(
      configuration.split(separator: "\n").dropFirst().joined(separator: "\n")
        .replacing("[notification]", with: "[new-item]").replacing("{title}", with: "{event}") + "\n")

    _ = try await run(bgfetch, at: "2026-11-21T23:00:00Z", "planet")

    #expect(bgfetch.text(of: "said") == "|\n")
  }

  @Test func `a feed that failed and recovered in the night has recovered`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a"])
    let bgfetch = try program(
      server, keys: "minimum-interval: 5m, notify: {hours: 07:00-22:00, failures: 1}")
    _ = try await run(bgfetch, at: "2026-11-21T12:00:00Z", "planet")
    let before = bgfetch.text(of: "said")

    server.on("/planet", .status(500))
    _ = try await run(bgfetch, at: "2026-11-21T23:00:00Z", "planet")
    server.feed("/planet", ["a"])
    _ = try await run(bgfetch, at: "2026-11-22T01:00:00Z", "planet")
    _ = try await run(bgfetch, at: "2026-11-22T07:00:00Z", "planet")

    #expect(
      bgfetch.text(of: "said") == before + "Planet has recovered|the feed can be fetched again\n")
  }

  @Test func `feeds added in the night are told of in the morning`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a"])
    server.feed("/moon", ["m"])
    let bgfetch = try program(server, keys: "notify: {hours: 07:00-22:00}")
    let configuration = try String(contentsOfFile: bgfetch.configurationPath, encoding: .utf8)
    try bgfetch.configure(
      configuration.split(separator: "\n").dropFirst().joined(separator: "\n")
        .replacing("first-run: all", with: "first-run: none") + "\n")

    _ = try await run(bgfetch, at: "2026-11-21T23:00:00Z")
    #expect(bgfetch.text(of: "said") == "")
    _ = try await run(bgfetch, at: "2026-11-22T07:00:00Z")
    #expect(bgfetch.text(of: "said") == "2 feeds added|Planet, Planet\n")
  }
}
