// Messages with a delay in the built program: told by a later run, or by the one that stays for them.

import Foundation
import TestKit
import Testing

@Suite struct DelayTests {
  /// A program with two feeds and a hook that appends what it is told to `said`.
  private func program(
    _ server: ScriptedServer, notify: String, more: String = "", hook: String = ""
  ) throws -> BuiltProgram {
    let bgfetch = try BuiltProgram()
    let path = try bgfetch.script(
      "say",
      """
      # That a feed without items was added is not what these tests are about.
      case $BGFETCH_TITLE in *" added") exit 0;; esac
      printf '%s|%s\\n' "$BGFETCH_TITLE" "$BGFETCH_BODY" >> "$HOME/said"
      """)
    try bgfetch.configure(
      """
      defaults: {first-run: all, minimum-interval: 1m, notify: {\(notify)}}
      feeds:
        planet: {url: "\(server.url("/planet"))"\(more)}
        moon: "\(server.url("/moon"))"
      hooks:
        say: {events: [notification], run: ["\(path)", --, "{title}"]\(hook)}
      """)
    return bgfetch
  }

  private func run(_ bgfetch: BuiltProgram, at time: String, _ arguments: String...) async throws {
    let run = try bgfetch.started(
      ["run"] + arguments, environment: ["BGFETCH_NOW": "2026-11-21T\(time)Z"])
    #expect(await run.ended().status == 0)
  }

  @Test func `a message with a delay is told by the first run after it, with what came meanwhile`()
    async throws
  {
    let server = try ScriptedServer()
    server.feed("/planet", ["a"])
    server.feed("/moon", [])
    let bgfetch = try program(server, notify: "delay: 10m")

    try await run(bgfetch, at: "10:00:00", "planet")
    server.feed("/planet", ["b", "a"])
    try await run(bgfetch, at: "10:09:59", "planet")
    #expect(bgfetch.text(of: "said") == "")
    #expect(bgfetch.badge == "2\n")
    let listed = try await bgfetch("hooks", environment: ["BGFETCH_NOW": "2026-11-21T10:09:59Z"])
    #expect(listed.lines.filter { $0.contains("delayed until 2026-11-21T10:10:00Z") }.count == 1)
    #expect(listed.lines.filter { $0.contains("delayed until 2026-11-21T10:19:59Z") }.count == 1)

    try await run(bgfetch, at: "10:10:00")
    try await run(bgfetch, at: "10:20:00", "moon")
    #expect(bgfetch.text(of: "said") == "Planet|2 new: Title of b; Title of a\n")
  }

  @Test func `what was seen during the delay drops out, and with all of it the message`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a", "b"])
    server.feed("/moon", ["m"], title: "Moon")
    let bgfetch = try program(server, notify: "delay: 10m")

    try await run(bgfetch, at: "10:00:00")
    _ = try await bgfetch(
      "seen", "planet", "--item", "a", environment: ["BGFETCH_NOW": "2026-11-21T10:05:00Z"])
    _ = try await bgfetch("seen", "moon", environment: ["BGFETCH_NOW": "2026-11-21T10:05:00Z"])
    try await run(bgfetch, at: "10:10:00", "planet")

    #expect(bgfetch.text(of: "said") == "Planet|1 new: Title of b\n")
    #expect(try await bgfetch("hooks").output == "")
  }

  @Test func `that a feed is failing and has recovered is told without delay`() async throws {
    let server = try ScriptedServer(["/planet": .status(500)])
    let bgfetch = try program(server, notify: "delay: 10m, failures: 1")

    _ = try await bgfetch("run", "planet", environment: ["BGFETCH_NOW": "2026-11-21T10:00:00Z"])
    server.feed("/planet", ["a"])
    try await run(bgfetch, at: "10:05:00", "planet")

    #expect(
      bgfetch.text(of: "said")
        == "planet is failing|1 failure: the server answered 500\n"
        + "Planet has recovered|the feed can be fetched again\n")
  }

  @Test func `feeds of one identifier are one summary at the first one's time`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a"])
    server.feed("/moon", ["m", "n"], title: "Moon")
    let bgfetch = try program(server, notify: "delay: 10m, identifier: news")

    try await run(bgfetch, at: "10:00:00", "planet")
    try await run(bgfetch, at: "10:05:00", "moon")
    try await run(bgfetch, at: "10:10:00", "planet")
    try await run(bgfetch, at: "10:16:00", "planet")

    #expect(bgfetch.text(of: "said") == "3 new in 2 feeds|Planet: 1\nMoon: 2\n")
  }

  @Test func `messages of runs are one at the first one's time`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a"])
    server.feed("/moon", ["m"], title: "Moon")
    let bgfetch = try program(server, notify: "delay: 10m, group: run, body: \"{feeds}\"")

    try await run(bgfetch, at: "10:00:00", "planet")
    try await run(bgfetch, at: "10:05:00", "moon")
    try await run(bgfetch, at: "10:10:00", "planet")

    #expect(bgfetch.text(of: "said") == "2 new|Moon, Planet\n")
  }

  @Test func `an item that is edited before its message is told is told once, as it is then`() async throws {
    let server = try ScriptedServer()
    server.on("/planet", .document(rss([("a", "Teh news")])))
    let bgfetch = try program(
      server, notify: "delay: 10m, group: item", more: ", updated: notify")

    try await run(bgfetch, at: "10:00:00", "planet")
    server.on("/planet", .document(rss([("a", "The news")])))
    try await run(bgfetch, at: "10:05:00", "planet")
    try await run(bgfetch, at: "10:10:00", "planet")
    try await run(bgfetch, at: "10:20:00", "planet")

    #expect(bgfetch.text(of: "said") == "Planet|The news\n")
  }

  @Test func `hours hold what a delay ends outside of them`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a"])
    let bgfetch = try program(server, notify: "delay: 30m, hours: \"07:00-10:15\"")

    try await run(bgfetch, at: "10:00:00", "planet")
    try await run(bgfetch, at: "10:30:00", "planet")
    #expect(bgfetch.text(of: "said") == "")
    _ = try await bgfetch("run", "planet", environment: ["BGFETCH_NOW": "2026-11-22T07:00:00Z"])

    #expect(bgfetch.text(of: "said") == "Planet|1 new: Title of a\n")
  }

  @Test func `a delay does not make a message grow old`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a"])
    let bgfetch = try program(server, notify: "delay: 2h", hook: ", expires: 1h")

    try await run(bgfetch, at: "10:00:00", "planet")
    try await run(bgfetch, at: "12:30:00", "planet")

    #expect(bgfetch.text(of: "said") == "Planet|1 new: Title of a\n")
  }

  // From here on the clock runs, as nothing ever comes due by one that stands still.

  @Test func `a run stays for a message that is due in a moment`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a"])
    server.feed("/moon", [])
    let bgfetch = try program(server, notify: "delay: 2s")

    let run = try await bgfetch("run", "-v")

    #expect(run.status == 0)
    #expect(run.errors.contains("for a postponed notification"))
    #expect(bgfetch.text(of: "said") == "Planet|1 new: Title of a\n")
  }

  @Test(arguments: [["run"], ["transfers", "run"]])
  func `a run in which nothing is due stays, too, and so do transfers alone`(arguments: [String]) async throws
  {
    let server = try ScriptedServer()
    server.feed("/planet", ["a"])
    server.feed("/moon", [])
    let bgfetch = try program(server, notify: "delay: 4s")

    // A clock that stands still: this run does not stay.
    let now = Date().ISO8601Format()
    _ = try await bgfetch("run", environment: ["BGFETCH_NOW": now])
    let before = bgfetch.text(of: "said")
    #expect(try await bgfetch.started(arguments).ended().status == 0)

    #expect(before == "")
    #expect(bgfetch.text(of: "said") == "Planet|1 new: Title of a\n")
  }

  @Test func `a run stays neither beyond its budget nor for what is due later`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a"])
    server.feed("/moon", ["m"])
    let bgfetch = try program(server, notify: "delay: 25s", more: ", notify: {delay: 1h}")

    let run = try await bgfetch("run", "-v", "--budget", "20s")

    #expect(run.status == 0)
    #expect(!run.errors.contains("stays"))
    #expect(bgfetch.text(of: "said") == "")
  }

  @Test func `a run that stays holds no lock, and a signal ends it`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a"])
    server.feed("/moon", [])
    let bgfetch = try program(server, notify: "delay: 29s")
    #expect(mkfifo(bgfetch.home.file("ended"), 0o600) == 0)
    let configuration = try String(contentsOfFile: bgfetch.configurationPath, encoding: .utf8)
    let path = try bgfetch.script("end", "echo ended > \"$HOME/ended\"")
    try bgfetch.configure(
      configuration.split(separator: "\n").dropFirst().joined(separator: "\n")
        + "\n  end: {events: [run-finished], run: [\"\(path)\"], timeout: 1h}\n")

    let run = try bgfetch.started(["run"])
    _ = try await bgfetch.shell("cat \"$HOME/ended\"")
    let beside = try await bgfetch("run", "--no-hooks")
    run.signal(SIGTERM)

    #expect(beside.status == 0)
    #expect(await run.ended().status == 143)
    #expect(bgfetch.text(of: "said") == "")
    #expect(try await bgfetch("hooks").output.contains("delayed until"))
  }
}
