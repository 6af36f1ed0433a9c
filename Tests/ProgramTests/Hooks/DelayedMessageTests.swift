// Delayed notifications: delivered by a later run, or by a run that waits for them.

import Foundation
import TestKit
import Testing

@Suite struct DelayTests {
  /// A program with two feeds and a hook that appends each notification to `said`.
  private func program(_ server: ScriptedServer, notify: String, more: String = "") throws -> BuiltProgram {
    try BuiltProgram(
      scripts: [
        // These tests ignore the notification that a feed was added.
        "say": """
        case $BGFETCH_TITLE in *" added") exit 0;; esac
        printf '%s|%s\\n' "$BGFETCH_TITLE" "$BGFETCH_BODY" >> "$HOME/said"
        """
      ],
      configuration: """
        defaults: {first-run: all, minimum-interval: 1m, notify: {\(notify)}}
        feeds:
          planet: {url: "\(server.url("/planet"))"\(more)}
          moon: "\(server.url("/moon"))"
        hooks: {say: {events: [notification], run: ["HOME/say", --, "{title}"]}}
        """)
  }

  private func run(_ bgfetch: BuiltProgram, at time: String, _ arguments: String...) async throws {
    try await bgfetch(["run"] + arguments, at: "2026-11-21T\(time)Z", status: 0)
  }

  @Test func `the first run after the delay delivers, with the items of the meantime`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"], "/moon": []])
    let bgfetch = try program(server, notify: "delay: 10m")

    try await run(bgfetch, at: "10:00:00", "planet")
    server.feed("/planet", ["b", "a"])
    try await run(bgfetch, at: "10:09:59", "planet")
    #expect(bgfetch.said == "")
    #expect(bgfetch.badge == "2\n")
    let listed = try await bgfetch("hooks", at: "2026-11-21T10:09:59Z")
    #expect(listed.lines.filter { $0.contains("postponed until 2026-11-21 10:10:00") }.count == 1)
    #expect(listed.lines.filter { $0.contains("postponed until 2026-11-21 10:19:59") }.count == 1)

    try await run(bgfetch, at: "10:10:00")
    try await run(bgfetch, at: "10:20:00", "moon")
    #expect(bgfetch.said == "Planet: 2 new|Title of b\nTitle of a\n")
  }

  // From here on the clock runs: with a fixed clock nothing becomes due.

  @Test func `a run waits for a notification that is due in a moment`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"], "/moon": []])
    let bgfetch = try program(server, notify: "delay: 10s")

    try await bgfetch("run", "-v", status: 0, errors: "for a postponed notification")

    #expect(bgfetch.said == "Planet: 1 new|Title of a\n")
  }

  @Test(arguments: [["run"], ["transfers", "run"]])
  func `a run without due feeds waits too, and so does transfers run`(arguments: [String]) async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"], "/moon": []])
    let bgfetch = try program(server, notify: "delay: 4s")

    // With a fixed clock this run does not wait.
    let now = Date().ISO8601Format()
    try await bgfetch("run", at: now)
    let before = bgfetch.said
    try await bgfetch(arguments, status: 0)

    #expect(before == "")
    #expect(bgfetch.said == "Planet: 1 new|Title of a\n")
  }

  /// A program whose hook `slow` ends only when the delayed notification was delivered, and is killed if that comes too late.
  private func programWithSlowHook(_ server: ScriptedServer, of event: String) throws -> BuiltProgram {
    let bgfetch = try BuiltProgram(
      server, keys: "first-run: all, minimum-interval: 1h, notify: {delay: 2s}",
      more: """
        hooks:
          say: {events: [notification], run: [sh, HOME/say]}
          slow: {events: [\(event)], run: [sh, HOME/slow], timeout: 10m}
        """,
      scripts: [
        "say": """
        case $BGFETCH_TITLE in *" added") exit 0;; esac
        echo "$BGFETCH_TITLE" >> "$HOME/said"; echo > "$HOME/gate"
        """,
        "slow": "read line < \"$HOME/gate\"; echo freed >> \"$HOME/said\"; echo > \"$HOME/done\"",
      ])
    for gate in ["gate", "done"] { #expect(mkfifo(bgfetch.home.file(gate), 0o600) == 0) }
    return bgfetch
  }

  @Test(arguments: [("new-item", ["run"]), ("run-finished", ["run"]), ("new-item", ["run", "--watch"])])
  func `a notification that is due while another hook runs does not wait for it`(
    event: String, command: [String]
  ) async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try programWithSlowHook(server, of: event)

    let run = try bgfetch.started(command)
    try await bgfetch.shell("timeout 600 cat \"$HOME/done\"")
    if command.contains("--watch") { run.signal(SIGTERM) }

    #expect(await run.ended().status == (command.contains("--watch") ? 143 : 0))
    #expect(bgfetch.said == "Planet: 1 new\nfreed\n")
  }

  @Test func `a notification is delivered on time while a server keeps the run waiting`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let gate = server.gatedFeed("/moon")
    let bgfetch = try program(server, notify: "delay: 1s")
    _ = try bgfetch.script("say", "echo \"$BGFETCH_TITLE\" > \"$HOME/heard\"")
    #expect(mkfifo(bgfetch.home.file("heard"), 0o600) == 0)

    let run = try bgfetch.started(["run"])
    try await bgfetch.shell("timeout 600 cat \"$HOME/heard\"", prints: "Planet: 1 new\n")
    gate.open()

    #expect(await run.ended().status == 0)
  }

  @Test func `a run waits neither beyond its budget nor for later notifications`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"], "/moon": ["m"]])
    let bgfetch = try program(server, notify: "delay: 25s", more: ", notify: {delay: 1h}")

    #expect(try await !bgfetch("run", "-v", "--budget", "20s", status: 0).errors.contains("stays"))
    #expect(bgfetch.said == "")
  }

  @Test func `a waiting run holds no lock, and a signal ends it`() async throws {
    let server = try ScriptedServer(feeds: ["/planet": ["a"], "/moon": []])
    let bgfetch = try program(server, notify: "delay: 29s")
    #expect(mkfifo(bgfetch.home.file("ended"), 0o600) == 0)
    let path = try bgfetch.script("end", "echo ended > \"$HOME/ended\"")
    try bgfetch.edit(
      "\nhooks: {", to: "\nhooks: {end: {events: [run-finished], run: [\"\(path)\"], timeout: 1h}, ")

    let run = try bgfetch.started(["run"])
    try await bgfetch.shell("cat \"$HOME/ended\"")
    try await bgfetch("run", "--no-hooks", status: 0)

    #expect(await run.ended(after: SIGTERM).status == 143)
    #expect(bgfetch.said == "")
    #expect(try await bgfetch("hooks").output.contains("postponed until"))
  }
}
