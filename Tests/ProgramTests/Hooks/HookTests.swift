// Hooks: which events they get, what their exit status means, and retries.

import Foundation
import Glibc
import TestKit
import Testing

@Suite final class HookTests: ServerSuite {
  /// A program with one feed and one hook that appends each notification to `said`.
  private func program(
    _ server: ScriptedServer, events: String = "notification", script: String? = nil, feed: String = "",
    hook: String = ""
  ) throws -> BuiltProgram {
    try BuiltProgram(
      scripts: ["say": script ?? "printf '%s|%s\\n' \"$BGFETCH_TITLE\" \"$BGFETCH_BODY\" >> \"$HOME/said\""],
      configuration: """
        feeds:
          planet:
            url: "\(server.url("/planet"))"
            first-run: all
        \(feed)
        hooks:
          say:
            events: [\(events)]
            run: ["HOME/say", --, "{event}"]
        \(hook)
        """)
  }

  @Test func `a hook may run bgfetch with the same configuration`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(
      server, script: "\"$BGFETCH\" seen planet > /dev/null; echo \"$BGFETCH_CONFIG\" >> \"$HOME/said\"")

    try await bgfetch(
      "run", "--config", bgfetch.configurationPath, environment: ["BGFETCH_CONFIG": "/nowhere"])

    #expect(bgfetch.said == bgfetch.configurationPath + "\n")
    #expect(bgfetch.badge == "0\n")
  }

  @Test func `deliveries left by a run whose budget ended are made by the next run`() async throws {
    let gate = server.gatedFeed("/planet")
    let bgfetch = try program(
      server, events: "run-finished", script: "echo \"$BGFETCH_NEW_DATA\" >> \"$HOME/said\"")

    try await bgfetch("run", "--budget", "1s")
    let first = bgfetch.said
    gate.open()
    try await bgfetch("run")

    #expect(first == "")
    #expect(bgfetch.said == "0\n1\n")
  }

  @Test func `the new items of a run are one notification even if one feed is slow`() async throws {
    let gate = Gate()
    server.feed("/planet", ["a"])
    server.on("/moon", .document(rss([("m", "M")], title: "Moon")).held(by: gate))
    let bgfetch = try program(
      server,
      feed: """
            notify: {body: "{feeds}"}
          moon: {url: "\(server.url("/moon", host: "moon.localhost"))", first-run: all, notify: {body: "{feeds}"}}
        """,
      hook: """
            group: run
          ask:
            events: [new-data]
            run: [bash, -c, "exec 3<>/dev/tcp/127.0.0.1/\(server.port) && printf 'GET /told HTTP/1.0\\r\\n\\r\\n' >&3"]
        """)

    let run = Task { try await bgfetch("run") }
    // The third request comes from a hook: by then notifications that do not wait were delivered too.
    await server.received(3)
    #expect(bgfetch.said == "")
    gate.open()
    _ = try await run.value

    #expect(bgfetch.said == "Moon, Planet: 2 new|Moon, Planet\n")
  }

  @Test func `the number that a hook prints is {replaces} of the next message, which has all unseen items`()
    async throws
  {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try BuiltProgram(
      server, keys: "first-run: all",
      more:
        "hooks: {say: {events: [notification], run: [\"HOME/say\", [--replace-id, \"{replaces}\"], --, \"{count}\"]}}",
      scripts: ["say": "echo \"$@\" >> \"$HOME/said\"; echo 42"])

    try await bgfetch("run")
    server.feed("/planet", ["b", "a"])
    try await bgfetch("run", "--force")

    #expect(bgfetch.said == "-- 1\n--replace-id 42 -- 2\n")
  }

  @Test func `a run started by a hook of a run is refused`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(server, script: "\(BuiltProgram.path) run --force; echo $? > \"$HOME/said\"")

    try await bgfetch("run")

    #expect(bgfetch.said == "75\n")
  }

  @Test func `with --no-hooks nothing of the run is delivered, then or later`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(server)

    try await bgfetch("run", "--no-hooks")
    try await bgfetch("run")

    #expect(bgfetch.said == "")
    #expect(bgfetch.badge == "1\n")
  }

  @Test func `a status bar's hook gets badge changes from run and from seen`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(
      server, events: "badge-changed", script: "echo \"$BGFETCH_BADGE\" >> \"$HOME/said\"")

    try await bgfetch("run")
    try await bgfetch("seen", "--all")

    #expect(bgfetch.said == "1\n0\n")
  }
}
