// `bgfetch run`: requests, output and exit status, and what is stored.

import Foundation
import TestKit
import Testing

@Suite final class RunTests: ServerSuite {
  @Test func `a first run stores all items, and a second one has nothing to do`() async throws {
    let server = try ScriptedServer(planet: ["a", "b"])
    let bgfetch = try BuiltProgram(server, keys: "first-run: all")

    let first = try await bgfetch("run", "--json", status: 0)
    let second = try await bgfetch("run", "--json")

    expect(first.json.first, ["result": "new-data", "count": 2])
    #expect(second.json.last?["due"] as? Int == 0)
    #expect(server.requests.count == 1)
    #expect(bgfetch.badge == "2\n")
  }

  @Test func `eight first commands at once all succeed`() async throws {
    let server = try ScriptedServer(planet: ["a", "b"])
    let bgfetch = try BuiltProgram(server, keys: "first-run: all")

    let ended = try await withThrowingTaskGroup(of: Invoked.self) { group in
      for number in 0..<8 {
        group.addTask {
          number % 2 == 0 ? try await bgfetch("run", "--wait") : try await bgfetch("seen", "--all")
        }
      }
      return try await group.reduce(into: [Invoked]()) { $0.append($1) }
    }

    for command in ended { #expect(command.status == 0, "\(command.errors)") }
    #expect(try await bgfetch("items", "--json").json.count == 2)
    #expect(server.requests.count == 1)
  }

  @Test func `a truncated document stores neither items nor validators`() async throws {
    let whole = rss([("a", "A"), ("b", "B")])
    server.on("/planet", .document(String(whole.dropLast(30)), etag: "\"half\"", lastModified: nil))
    let bgfetch = try BuiltProgram(server, keys: "first-run: all")

    let cut = try await bgfetch("run", "--json")
    server.feed("/planet", ["a", "b"])

    #expect(cut.json.first?["result"] as? String == "failed")
    #expect(server.requests.last?["If-None-Match"] == nil)
    #expect(try await bgfetch("run", "--force", "--json").json.first?["count"] as? Int == 2)
  }

  @Test func `a dry run lists due feeds and sends no request`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try BuiltProgram(server, keys: "first-run: all")

    #expect(try await bgfetch("run", "--dry-run", "--json").json.first?["feed"] as? String == "planet")
    #expect(server.requests.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: bgfetch.state + "/bgfetch.db"))
  }

  @Test func `a wrong configuration fetches nothing and creates nothing`() async throws {
    let bgfetch = try BuiltProgram(
      configuration: "feeds:\n  planet:\n    url: \"\(server.url("/planet"))\"\n    shedule: \"@hourly\"\n")

    try await bgfetch(
      "run", status: 78, errors: "bgfetch.yaml:5:5: unknown key \"shedule\"; did you mean \"schedule\"?")

    #expect(server.requests.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: bgfetch.state))
  }

  @Test func `relative links do not reveal a secret address to the store or to hooks`() async throws {
    server.on(
      "/l/geheim",
      .document(
        """
        <rss version="2.0"><channel><title>T</title><link>./</link>
        <item><title>A</title><link>a</link></item><item><title>B</title><link>#b</link></item>
        <item><title>C</title><link>https://planet.example/c</link></item></channel></rss>
        """))
    let bgfetch = try BuiltProgram(
      configuration: "feeds: {patron: {url: {env: PATRON}, first-run: all}}\n"
        + "hooks: {note: {events: [new-item], run: [sh, -c, 'env; cat'], retries: 0}}\n")
    let environment = ["PATRON": server.url("/l/geheim") + "?k=heimlich"]

    let run = try await bgfetch("run", "-v", environment: environment, status: 0)
    let items = try await bgfetch("items", "--json")
    let kept = try await bgfetch.shell("cat \"$HOME\"/state/bgfetch.db*")

    #expect(Set(items.json.compactMap { $0["link"] as? String }) == ["a", "#b", "https://planet.example/c"])
    for text in [run.output, run.errors, items.output, kept.output] {
      #expect(!text.contains("geheim"))
      #expect(!text.contains("heimlich"))
    }
  }

  @Test func `the timeout is for the whole fetch, redirects included`() async throws {
    server.on("/planet", .redirect(to: "/second"))
    let gate = server.gatedFeed("/second")
    let bgfetch = try BuiltProgram(server, more: "network: {timeout: 1s}")

    let run = try await bgfetch("run", "--json")
    gate.open()

    #expect((run.json.first?["reason"] as? String)?.contains("longer than 1s") == true)
  }
}
