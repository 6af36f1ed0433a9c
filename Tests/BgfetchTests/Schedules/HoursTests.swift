// Hours and pauses: feeds are not fetched outside their hours, and notifications of the night become one in
// the morning.

import Foundation
import TestKit
import Testing

@Suite struct HoursTests {
  /// A program with two feeds and a hook that appends each notification to `said`.
  private func program(_ server: ScriptedServer, keys: String, hook: String = "") throws -> BuiltProgram {
    try BuiltProgram(
      scripts: ["say": "printf '%s|%s\\n' \"$BGFETCH_TITLE\" \"$BGFETCH_BODY\" >> \"$HOME/said\""],
      configuration: """
        defaults: {first-run: all, \(keys)}
        feeds:
          planet: "\(server.url("/planet"))"
          moon: "\(server.url("/moon"))"
        hooks:
          say: {events: [notification], run: ["HOME/say", --, "{title}"]\(hook)}
        """)
  }

  private func run(_ bgfetch: BuiltProgram, at time: String, _ arguments: String...) async throws -> Invoked {
    try await bgfetch(["run", "--json"] + arguments, at: time)
  }

  /// The summary of a night in which Planet had three new items and Moon two.
  private static let summary =
    "Planet, Moon: 5 new|Planet: Title of c; Title of b; Title of a\nMoon: Title of n; Title of m\n"

  private func due(_ invoked: Invoked) -> Int? { invoked.json.last?["due"] as? Int }

  @Test func `notifications of the night become one summary in the morning`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    server.feed("/moon", ["m"], title: "Moon")
    let bgfetch = try program(server, keys: "minimum-interval: 1h, notify: {hours: 07:00-22:00}")

    _ = try await run(bgfetch, at: "2026-11-21T23:00:00Z")
    server.feed("/planet", ["b", "a"])
    _ = try await run(bgfetch, at: "2026-11-22T01:00:00Z")
    server.feed("/planet", ["c", "b", "a"])
    server.feed("/moon", ["n", "m"], title: "Moon")
    _ = try await run(bgfetch, at: "2026-11-22T06:59:59Z")
    #expect(bgfetch.said == "")
    #expect(bgfetch.badge == "5\n")
    let listed = try await bgfetch("hooks", at: "2026-11-22T06:59:59Z")
    #expect(listed.lines.filter { $0.contains("postponed until 2026-11-22 07:00:00") }.count == 5)
    let elsewhere = try await bgfetch(
      "hooks", environment: ["BGFETCH_NOW": "2026-11-22T06:59:59Z", "TZ": "Asia/Kathmandu"])
    #expect(elsewhere.lines.contains { $0.contains("2026-11-22 04:45:00") })

    // The run delivers even though no feed is due.
    #expect(due(try await run(bgfetch, at: "2026-11-22T07:00:00Z")) == 0)
    #expect(bgfetch.said == Self.summary)

    _ = try await run(bgfetch, at: "2026-11-22T07:10:00Z")
    #expect(bgfetch.said == Self.summary)
  }

  @Test func `edited hours apply to postponed notifications`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"], "/moon": ["m"]])
    let bgfetch = try program(server, keys: "notify: {hours: 07:00-22:00}")
    _ = try await run(bgfetch, at: "2026-11-21T23:00:00Z")

    try bgfetch.edit("07:00-22:00", to: "always")
    _ = try await run(bgfetch, at: "2026-11-21T23:10:00Z")

    #expect(bgfetch.said.contains(": 2 new|"))
  }
}

@Suite final class PauseTests: ServerSuite {
  private static let noon = "2026-11-21T12:00:00Z"

  private func program(_ server: ScriptedServer) throws -> BuiltProgram {
    server.feed("/planet", ["a"])
    server.feed("/moon", ["m"])
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
    try await bgfetch(["run", "--json"] + arguments, at: Self.noon).json.last?["due"]
      as? Int
  }

  @Test func `a paused feed is not fetched until it is unpaused`() async throws {
    let bgfetch = try program(server)

    let paused = try await bgfetch("pause", "planet", at: Self.noon)
    #expect(paused.output == "planet  paused\n")
    #expect(try await due(bgfetch) == 1)
    #expect(try await due(bgfetch, "--force") == 1)
    #expect(server.requests.map(\.path) == ["/moon", "/moon"])
    #expect(try await due(bgfetch, "planet") == 1)
    #expect(bgfetch.badge == "2\n")

    let unpaused = try await bgfetch("unpause", "planet", at: Self.noon)
    #expect(unpaused.output == "planet  unpaused\n")
    #expect(try await due(bgfetch) == 2)
  }

  @Test func `status, why and run show that a feed is paused`() async throws {
    let bgfetch = try program(server)
    try await bgfetch("pause", "planet", "--until", "2026-12-24 08:00", at: Self.noon)
    try await bgfetch("pause", "moon", at: Self.noon)

    let status = try await bgfetch("status", at: Self.noon)
    #expect(status.lines[1].contains("paused until 2026-12-24 08:00:00"))
    #expect(status.lines[2].contains("paused"))
    let json = try await bgfetch("status", "--json", at: Self.noon).json
    #expect(json.map { $0["paused"] as? Bool } == [true, true])
    #expect(json.map { $0["paused-until"] as? String } == ["2026-12-24T08:00:00Z", nil])
    let why = try await bgfetch("why", "planet", at: Self.noon)
    #expect(why.lines.last == "  not before 2026-12-24 08:00:00 (in 32d): pause")
    let other = try await bgfetch("why", "moon", at: Self.noon)
    #expect(other.lines.last == "  paused; name it to fetch it anyway")
    #expect(try await bgfetch("run", "-v", "moon", at: Self.noon).errors.hasPrefix("1 due"))
    try await bgfetch("unpause", "moon", at: Self.noon)
    #expect(try await bgfetch("run", "-v", at: Self.noon).errors.hasPrefix("1 due, 1 paused\n"))
  }

  @Test func `pausing or unpausing twice changes nothing and says so`() async throws {
    let bgfetch = try program(server)

    let never = try await bgfetch("unpause", "--all", at: Self.noon)
    try await bgfetch("pause", "m*", at: Self.noon)
    let again = try await bgfetch("pause", "moon", at: Self.noon)
    let json = try await bgfetch("pause", "planet", "moon", "--json", at: Self.noon).json

    #expect(never.output == "" && never.errors == "nothing to change: none of them is paused\n")
    #expect(again.output == "" && again.errors == "nothing to change: already paused\n")
    #expect(again.status == 0 && never.status == 0)
    #expect(json.map { $0["feed"] as? String } == ["planet", "moon"])
    #expect(json.map { $0["changed"] as? Bool } == [true, false])
    #expect(json.map { $0["paused"] as? Bool } == [true, true])
  }

  @Test func `a wrong pause is refused`() async throws {
    let bgfetch = try program(server)
    for (arguments, message) in [
      (["pause"], "name the feeds, or write --all"),
      (["pause", "--all", "moon"], "write feeds or --all, not both"),
      (["unpause"], "name the feeds, or write --all"),
      (["pause", "mon"], "no feed is named \"mon\"; did you mean \"moon\"?"),
      (["pause", "moon", "--until", "soon"], "--until \"soon\" is not a time; write 2d"),
      (
        ["pause", "moon", "--until", "2026-11-21 11:00"], "has passed; write a time in the future, or unpause"
      ),
      (["pause", "moon", "--until", "0s"], "has passed; write a time in the future, or unpause"),
      (["pause", "moon", "--until", "999999d"], "is too long; write 3650d or less"),
    ] { try await bgfetch(arguments, at: Self.noon, status: 2, errors: message) }
  }
}
