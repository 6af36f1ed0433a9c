// Habits in the built program: openings that are recorded, what `why` and `history --habits` make of them, and the run
// that comes for a peak.

import Foundation
import TestKit
import Testing

@Suite struct HabitProgramTests {
  /// A program whose person looked at noon on the three days before 2026-11-19, a Thursday.
  private func program(_ server: ScriptedServer, adapt: String = "habits") async throws -> BuiltProgram {
    server.feed("/planet", ["a"])
    let bgfetch = try BuiltProgram(
      configuration: """
        feeds:
          planet: {url: "\(server.url("/planet"))", minimum-interval: 1h, adapt: \(adapt)}
        """)
    for day in 16...18 {
      _ = try await bgfetch("opened", "planet", environment: ["BGFETCH_NOW": "2026-11-\(day)T12:00:00Z"])
    }
    return bgfetch
  }

  private func due(_ bgfetch: BuiltProgram, at time: String) async throws -> Int? {
    let run = try await bgfetch("run", "--json", environment: ["BGFETCH_NOW": time])
    return run.json.last?["due"] as? Int
  }

  @Test func `a run comes ten minutes before the person is likely to look`() async throws {
    let server = try ScriptedServer()
    let bgfetch = try await program(server)

    #expect(try await due(bgfetch, at: "2026-11-19T08:00:00Z") == 1)
    #expect(try await due(bgfetch, at: "2026-11-19T09:30:00Z") == 0)
    #expect(try await due(bgfetch, at: "2026-11-19T09:55:00Z") == 1)
    #expect(try await due(bgfetch, at: "2026-11-19T11:49:00Z") == 0)
    #expect(try await due(bgfetch, at: "2026-11-19T11:50:00Z") == 1)
    let history = try await bgfetch("history", "planet", "--json")
    #expect(
      history.json.compactMap { $0["started"] as? String } == [
        "2026-11-19T08:00:00Z", "2026-11-19T09:55:00Z", "2026-11-19T11:50:00Z",
      ])
  }

  @Test func `why tells the peaks and the moment that would be without them`() async throws {
    let server = try ScriptedServer()
    let bgfetch = try await program(server)
    _ = try await due(bgfetch, at: "2026-11-19T08:00:00Z")

    let why = try await bgfetch("why", "planet", environment: ["BGFETCH_NOW": "2026-11-19T08:30:00Z"])

    let row = try #require(why.lines.first { $0.contains(" habits ") })
    #expect(row.hasPrefix("  >  habits"))
    #expect(row.contains("looks 12:00 on working days; none yet at weekends"))
    #expect(row.contains("from 2026-11-19T09:54:00Z"))
    #expect(row.contains("without them 2026-11-19T08:58:00Z"))
    #expect(try #require(why.lines.last).contains("held until then by the rule habits"))
  }

  @Test func `the day is drawn, also of a feed that does not adapt`() async throws {
    let server = try ScriptedServer()
    let bgfetch = try await program(server, adapt: "none")
    _ = try await due(bgfetch, at: "2026-11-19T08:00:00Z")
    let at = ["BGFETCH_NOW": "2026-11-19T08:30:00Z", "LC_ALL": "C.UTF-8"]

    let drawn = try await bgfetch("history", "--habits", "planet", environment: at)
    #expect(drawn.lines.first == "planet: openings on 3 days; not used, because adapt is none")
    #expect(drawn.lines.contains("  working days: looks 12:00"))
    #expect(drawn.lines.contains { $0.hasPrefix("looks ") && $0.contains("█") })

    let rows = try await bgfetch("history", "--habits", "planet", "--json", environment: at).json
    #expect(rows.compactMap { $0["days"] as? String } == ["working", "weekend"])
    let peaks = try #require(rows.first?["peaks"] as? [[String: String]])
    #expect(peaks == [["begins": "12:00", "ends": "12:01"]])
    // Whoever is woken each minute fetches by the slack: every 58 minutes.
    #expect((rows.first?["fetches"] as? [String])?.count == 25)
  }

  @Test func `what the person looked at is forgotten when they say so`() async throws {
    let server = try ScriptedServer()
    let bgfetch = try await program(server)

    #expect(try await bgfetch("opened", "--forget", "planet").status == 0)

    let drawn = try await bgfetch("history", "--habits", "planet")
    #expect(drawn.lines.first == "planet: no openings; a prediction needs 3 days with openings")
  }

  @Test(arguments: [
    ["--habits"], ["--habits", "planet", "--requests"], ["--habits", "planet", "--limit", "3"],
  ])
  func `a drawing takes feeds and nothing else`(arguments: [String]) async throws {
    let bgfetch = try BuiltProgram(configuration: "feeds: {planet: \"https://planet.example/\"}\n")

    #expect(try await bgfetch.started(["history"] + arguments).ended().status == 2)
  }
}
