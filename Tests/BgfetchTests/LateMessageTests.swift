// Messages whose hook failed at first, told after newer ones.

import Foundation
import TestKit
import Testing

@Suite struct LateMessageTests {
  /// A program with one feed and a hook that appends its arguments to `said` and prints the length of that; it fails
  /// while `broken` is there.
  private func program(_ server: ScriptedServer) throws -> BuiltProgram {
    let bgfetch = try BuiltProgram()
    let path = try bgfetch.script(
      "say", "test -e \"$HOME/broken\" && exit 1; echo \"$@\" >> \"$HOME/said\"; wc -l < \"$HOME/said\"")
    try bgfetch.configure(
      """
      feeds: {planet: {url: "\(server.url("/planet"))", first-run: all, notify: {body: "{titles}"}}}
      hooks:
        say:
          events: [notification]
          run: ["\(path)", [--tag, "{identifier}"], [--replace-id, "{replaces}"], --, "{title}", "{body}"]
      """)
    _ = try bgfetch.home.write("", to: "broken")
    return bgfetch
  }

  private func run(_ bgfetch: BuiltProgram, minute: Int) async throws {
    _ = try await bgfetch(
      "run", "planet", "--force", environment: ["BGFETCH_NOW": "2026-11-21T08:0\(minute):30Z"])
  }

  @Test func `a message that failed is told beside the newer one that was told before its retry`()
    async throws
  {
    let server = try ScriptedServer()
    let bgfetch = try program(server)

    server.feed("/planet", ["a"])
    try await run(bgfetch, minute: 0)
    server.feed("/planet", ["b", "a"])
    try await run(bgfetch, minute: 1)
    unlink(bgfetch.home.file("broken"))
    server.feed("/planet", ["c", "b", "a"])
    try await run(bgfetch, minute: 1)
    try await run(bgfetch, minute: 5)
    server.feed("/planet", ["d", "c", "b", "a"])
    try await run(bgfetch, minute: 6)

    #expect(
      bgfetch.text(of: "said").split(separator: "\n") == [
        "--tag planet -- Planet Title of c", "-- Planet Title of a", "-- Planet Title of b",
        "--tag planet --replace-id 1 -- Planet Title of d",
      ])
  }

  @Test func `that a feed is failing is not told any more once it was told that it has recovered`()
    async throws
  {
    let server = try ScriptedServer(["/planet": .status(500)])
    let bgfetch = try program(server)

    for minute in 0...2 { try await run(bgfetch, minute: minute) }
    let waiting = try await bgfetch("hooks", "list", "--json")
    unlink(bgfetch.home.file("broken"))
    server.feed("/planet", ["a"])
    try await run(bgfetch, minute: 2)
    try await run(bgfetch, minute: 5)

    #expect(waiting.json.map { $0["status"] as? String } == ["pending"])
    let said = bgfetch.text(of: "said").split(separator: "\n")
    #expect(said.contains { $0.contains("Planet has recovered") })
    #expect(!said.contains { $0.contains("is failing") }, "\(said)")
  }
}
