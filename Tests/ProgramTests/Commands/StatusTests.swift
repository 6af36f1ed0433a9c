// The table of `bgfetch status`: its order, what it leaves out, and the lines below it.

import TestKit
import Testing

@Suite final class StatusTests: ServerSuite {
  private static let noon = "2026-11-21T12:00:00Z"

  /// Three feeds: b fails, c has two unseen items, a none.
  private func program(hooks: String = "") async throws -> BuiltProgram {
    server.feed("/a", [])
    server.on("/b", .status(500))
    server.feed("/c", ["1", "2"])
    let program = try BuiltProgram(
      configuration: """
        defaults: {first-run: all, minimum-interval: 1h}
        feeds:
          a: {url: "\(server.url("/a"))", tags: [one]}
          b: {url: "\(server.url("/b"))"}
          c: {url: "\(server.url("/c"))", tags: [one]}

        """ + hooks)
    try await program("run", at: Self.noon)
    return program
  }

  @Test(arguments: [
    ([], ["a", "b", "c"]), (["--problems"], ["b"]), (["@one"], ["a", "c"]), (["@one", "--problems"], []),
  ])
  func `feeds are listed in the order of the configuration`(words: [String], expected: [String]) async throws
  {
    let listed = try await program()(["status", "--json"] + words, at: Self.noon)

    #expect(listed.json.compactMap { $0["feed"] as? String } == expected)
  }

  @Test func `the last line has the totals`() async throws {
    let bgfetch = try await program()
    try await bgfetch("pause", "a", at: Self.noon)

    let status = try await bgfetch("status", at: Self.noon)

    #expect(status.lines.last == "3 feeds: 1 with problems, 1 paused; 2 items unseen")
    #expect(try await bgfetch("status", "a", at: Self.noon).output.contains("feeds:") == false)
    #expect(try await bgfetch("status", "--problems", at: Self.noon).output.contains("feeds:") == false)
  }

  @Test func `lost deliveries are apart from the feeds`() async throws {
    let hooks = "hooks: {lost: {events: [notification], run: [\"false\"], retries: 0}}\n"
    try await program(hooks: hooks)("status", at: Self.noon, output: "\n\nDELIVERY ")
  }

  @Test func `the lines below the totals say what deliveries wait for`() async throws {
    let hooks = """
      hooks:
        desk: {popup: true}
        mail: {events: [notification], run: [sh, -c, "echo no route >&2; exit 1"]}

      """
    let bgfetch = try await program(hooks: hooks)

    let status = try await bgfetch("status", at: Self.noon)
    let listed = try await bgfetch("hooks", at: Self.noon, output: "pending, waits for a session bus")
    let later = try await bgfetch("status", at: "2026-11-21T12:30:00Z")

    let failed = "mail: 2 deliveries failed (exit status 1: no route); "
    #expect(
      status.lines.suffix(2) == [
        "desk: 2 deliveries wait until you log in to a desktop, at most 12h (there is no session bus)",
        failed + "next attempt in 1 min",
      ])
    #expect(later.lines.last == failed + "the next run tries again")
    #expect(listed.output.contains("pending, next attempt in 1 min"))
  }
}
