// Hooks: which events they get, what their exit status means, and retries.

import Foundation
import Glibc
import TestKit
import Testing

@Suite struct HookTests {
  /// A program with one feed and one hook that appends each notification to `said`.
  private func program(
    _ server: ScriptedServer, events: String = "notification", script: String? = nil, feed: String = "",
    hook: String = ""
  ) throws -> BuiltProgram {
    let bgfetch = try BuiltProgram()
    let path = try bgfetch.script(
      "say", script ?? "printf '%s|%s\\n' \"$BGFETCH_TITLE\" \"$BGFETCH_BODY\" >> \"$HOME/said\"")
    try bgfetch.configure(
      """
      feeds:
        planet:
          url: "\(server.url("/planet"))"
          first-run: all
      \(feed)
      hooks:
        say:
          events: [\(events)]
          run: ["\(path)", --, "{event}"]
      \(hook)
      """)
    return bgfetch
  }

  @Test func `the new items of a feed are one notification per run`() async throws {
    let server = try ScriptedServer(planet: ["a", "b"])
    let bgfetch = try program(server)

    _ = try await bgfetch("run")

    #expect(bgfetch.text(of: "said") == "Planet: 2 new|Title of a\nTitle of b\n")
  }

  @Test func `nothing is delivered twice`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(server)

    _ = try await bgfetch("run")
    _ = try await bgfetch("run", "--force")
    _ = try await bgfetch("run")

    #expect(bgfetch.text(of: "said") == "Planet: 1 new|Title of a\n")
  }

  @Test func `a hook that ignores SIGTERM is killed after the budget, and retried`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let script = "trap '' TERM; echo told >> \"$HOME/said\"; sleep ${LONG:-0} & wait; sleep ${LONG:-0}"
    let bgfetch = try program(server, events: "new-data", script: script)

    let run = try await bgfetch("run", "--budget", "10s", environment: ["LONG": "3000"])
    _ = try await bgfetch("run")

    #expect(run.status == 0)
    #expect(bgfetch.text(of: "said") == "told\ntold\n")
  }

  @Test func `new-item is delivered once per item, oldest first`() async throws {
    let server = try ScriptedServer(planet: ["new", "old"])
    let bgfetch = try program(
      server, events: "new-item", script: "echo \"$BGFETCH_ITEM_TITLE\" >> \"$HOME/said\"")

    _ = try await bgfetch("run")

    #expect(bgfetch.text(of: "said") == "Title of old\nTitle of new\n")
  }

  @Test func `text of a feed is never executed`() async throws {
    let server = try ScriptedServer()
    let hostile = "$(touch HOME/owned); \"' `touch HOME/owned` --help {badge}"
    server.on("/planet", .document(rss([("a", hostile.replacingOccurrences(of: "\"", with: "&quot;"))])))
    let bgfetch = try BuiltProgram()
    let path = try bgfetch.script("say", "printf '%s\\n' \"$2\" > \"$HOME/said\"")
    try bgfetch.configure(
      """
      feeds: {planet: {url: "\(server.url("/planet"))", first-run: all, notify: {title: "{titles}"}}}
      hooks: {say: {events: [notification], run: ["\(path)", --, "{title}"]}}
      """)

    _ = try await bgfetch("run")

    #expect(bgfetch.text(of: "said") == hostile + "\n")
    #expect(!FileManager.default.fileExists(atPath: bgfetch.home.file("owned")))
  }

  @Test func `a hook reads the event as JSON`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(server, events: "new-data", script: "cat > \"$HOME/said\"")

    _ = try await bgfetch("run", "--cause", "timer")

    let event = try #require(jsonLines(bgfetch.text(of: "said").replacing("\n", with: "")).first)
    #expect(event["event"] as? String == "new-data")
    #expect(event["cause"] as? String == "timer")
    #expect((event["feed"] as? [String: Any])?["name"] as? String == "planet")
    #expect(event["count"] as? Int == 1)
  }

  @Test func `a message has its items in the JSON on standard input`() async throws {
    let server = try ScriptedServer(planet: ["a", "b"])
    let bgfetch = try program(server, script: "cat > \"$HOME/said\"")

    _ = try await bgfetch("run")

    let event = try #require(jsonLines(bgfetch.text(of: "said")).first)
    let items = try #require(event["items"] as? [[String: Any]])
    #expect(Set(items.map { $0["title"] as? String }) == ["Title of a", "Title of b"])
    #expect(
      Set(items.map { $0["link"] as? String }) == ["https://planet.example/a", "https://planet.example/b"])
    #expect(items.allSatisfy { $0["feed"] as? String == "planet" && $0["feed-title"] as? String == "Planet" })
  }

  @Test func `a hook with a limit of its own gets as many messages as that`() async throws {
    let server = try ScriptedServer(planet: ["a", "b", "c"])
    let bgfetch = try program(server, feed: "    notify: {group: item}", hook: "    limit: 2")
    let other = try program(server, feed: "    notify: {group: item}", hook: "    limit: none")

    _ = try await bgfetch("run")
    _ = try await other("run")

    #expect(bgfetch.text(of: "said").hasPrefix("Planet: 3 new|Title of "))
    #expect(other.text(of: "said").split(separator: "\n").filter { $0.hasPrefix("Planet|") }.count == 3)
  }

  @Test func `a hook may run bgfetch with the same configuration`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(
      server, script: "\"$BGFETCH\" seen planet > /dev/null; echo \"$BGFETCH_CONFIG\" >> \"$HOME/said\"")

    _ = try await bgfetch(
      "run", "--config", bgfetch.configurationPath, environment: ["BGFETCH_CONFIG": "/nowhere"])

    #expect(bgfetch.text(of: "said") == bgfetch.configurationPath + "\n")
    #expect(bgfetch.badge == "0\n")
  }

  @Test func `a hook may exit without reading its input`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(server, events: "new-item", script: "exit 0")

    _ = try await bgfetch("run")

    #expect(try await bgfetch("hooks").output == "")
  }

  @Test func `a failed delivery is retried after its wait, and not before`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(
      server, script: "test -e \"$HOME/mended\" || exit 1; echo told >> \"$HOME/said\"")

    _ = try await bgfetch("run", at: "2026-11-21T08:00:00Z")
    _ = try bgfetch.home.write("", to: "mended")
    _ = try await bgfetch("run", at: "2026-11-21T08:00:30Z")
    let early = bgfetch.text(of: "said")
    _ = try await bgfetch("run", at: "2026-11-21T08:02:00Z")

    #expect(early == "")
    #expect(bgfetch.text(of: "said") == "told\n")
  }

  @Test func `a dead delivery is reported once, listed, and can be retried`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(
      server, script: "test -e \"$HOME/mended\" || exit 1; echo told >> \"$HOME/said\"",
      hook: "    retries: 0")

    let run = try await bgfetch("run")
    let listed = try await bgfetch("hooks", "list", "--json")
    _ = try bgfetch.home.write("", to: "mended")
    let retried = try await bgfetch("hooks", "retry")
    _ = try await bgfetch("run")

    #expect(run.status == 0)
    #expect(run.errors.contains("hook say: giving up on notification: exit status 1"))
    #expect(listed.json.first?["status"] as? String == "dead")
    #expect(retried.status == 0)
    #expect(bgfetch.text(of: "said") == "told\n")
  }

  @Test func `a hook that takes too long is killed with its process group`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(
      server, script: "sleep 3000 & echo $! > \"$HOME/child\"; sleep 3000",
      hook: "    timeout: 1s\n    retries: 0")

    let run = try await bgfetch("run")

    // On a busy machine the hook may be killed before it starts its child.
    let child = Int32(bgfetch.text(of: "child").trimmingCharacters(in: .whitespacesAndNewlines))
    #expect(child.map(isGone) ?? true)
    #expect(run.errors.contains("took longer than 1s"))
  }

  @Test func `deliveries left by a run whose budget ended are made by the next run`() async throws {
    let server = try ScriptedServer()
    let gate = server.gatedFeed("/planet")
    let bgfetch = try program(
      server, events: "run-finished", script: "echo \"$BGFETCH_NEW_DATA\" >> \"$HOME/said\"")

    _ = try await bgfetch("run", "--budget", "1s")
    let first = bgfetch.text(of: "said")
    gate.open()
    _ = try await bgfetch("run")

    #expect(first == "")
    #expect(bgfetch.text(of: "said") == "0\n1\n")
  }

  @Test func `more than five notifications of a run become one`() async throws {
    let server = try ScriptedServer()
    let bgfetch = try BuiltProgram()
    let path = try bgfetch.script(
      "say", "printf '%s|%s\\n' \"$BGFETCH_TITLE\" \"$BGFETCH_COUNT\" >> \"$HOME/said\"")
    var text = "defaults: {first-run: all}\nfeeds:\n"
    for number in 1...8 {
      server.feed("/\(number)", ["a\(number)"], title: "Feed \(number)")
      text += "  feed\(number): \"\(server.url("/\(number)"))\"\n"
    }
    try bgfetch.configure(text + "hooks: {say: {events: [notification], run: [\"\(path)\"]}}\n")

    _ = try await bgfetch("run")

    #expect(bgfetch.text(of: "said").hasSuffix(" and 5 more: 8 new|8\n"))
  }

  @Test func `the new items of a run are one notification even if one feed is slow`() async throws {
    let server = try ScriptedServer()
    let gate = Gate()
    server.feed("/planet", ["a"])
    server.on("/moon", .document(rss([("m", "M")], title: "Moon")).held(by: gate))
    let bgfetch = try program(
      server,
      feed: """
            notify: {group: run, body: "{feeds}"}
          moon: {url: "\(server.url("/moon"))", first-run: all, notify: {group: run, body: "{feeds}"}}
        network: {connections-per-host: 2}
        """,
      hook: """
          ask:
            events: [new-data]
            run: [bash, -c, "exec 3<>/dev/tcp/127.0.0.1/\(server.port) && printf 'GET /told HTTP/1.0\\r\\n\\r\\n' >&3"]
        """)

    let run = Task { try await bgfetch("run") }
    // The third request comes from a hook: by then notifications that do not wait were delivered too.
    await server.received(3)
    #expect(bgfetch.text(of: "said") == "")
    gate.open()
    _ = try await run.value

    #expect(bgfetch.text(of: "said") == "Moon, Planet: 2 new|Moon, Planet\n")
  }

  @Test func `forty new feeds are one notification and a badge of 0`() async throws {
    let server = try ScriptedServer()
    let bgfetch = try BuiltProgram()
    let path = try bgfetch.script("say", "printf '%s\\n' \"$BGFETCH_TITLE\" >> \"$HOME/said\"")
    var text = "feeds:\n"
    for number in 1...40 {
      server.feed("/\(number)", ["a", "b", "c"])
      text += "  feed\(number): \"\(server.url("/\(number)"))\"\n"
    }
    try bgfetch.configure(text + "hooks: {say: {events: [notification], run: [\"\(path)\"]}}\n")

    _ = try await bgfetch("run")

    #expect(bgfetch.text(of: "said") == "40 feeds added\n")
    #expect(bgfetch.badge == "0\n")
  }

  @Test func `the number that a hook prints is passed to the next notification as {replaces}`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try BuiltProgram()
    let path = try bgfetch.script("say", "echo \"$@\" >> \"$HOME/said\"; echo 42")
    try bgfetch.configure(
      """
      feeds: {planet: {url: "\(server.url("/planet"))", first-run: all}}
      hooks: {say: {events: [notification], run: ["\(path)", [--replace-id, "{replaces}"], --, "{count}"]}}
      """)

    _ = try await bgfetch("run")
    server.feed("/planet", ["b", "a"])
    _ = try await bgfetch("run", "--force")

    #expect(bgfetch.text(of: "said") == "-- 1\n--replace-id 42 -- 1\n")
  }

  @Test func `after a hook that prints no number {replaces} is empty`() async throws {
    let server = try ScriptedServer()
    let bgfetch = try BuiltProgram()
    let path = try bgfetch.script("say", "echo \"$@\" >> \"$HOME/said\"; cat \"$HOME/number\"")
    try bgfetch.configure(
      """
      feeds: {planet: {url: "\(server.url("/planet"))", first-run: all}}
      hooks: {say: {events: [notification], run: ["\(path)", [--replace-id, "{replaces}"], --, "{count}"]}}
      """)

    for (number, items) in [("55", ["a"]), ("hello", ["b", "a"]), ("", ["c", "b", "a"])] {
      _ = try bgfetch.home.write(number + "\n", to: "number")
      server.feed("/planet", items)
      _ = try await bgfetch("run", "--force")
    }

    #expect(bgfetch.text(of: "said") == "-- 1\n--replace-id 55 -- 1\n-- 1\n")
  }

  @Test func `a run started by a hook of a run is refused`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(server, script: "\(BuiltProgram.path) run --force; echo $? > \"$HOME/said\"")

    _ = try await bgfetch("run")

    #expect(bgfetch.text(of: "said") == "75\n")
  }

  @Test func `three failures in a row are one failing event, and a success one recovery`() async throws {
    let server = try ScriptedServer(["/planet": .status(500)])
    let bgfetch = try program(server)

    for _ in 1...5 { _ = try await bgfetch("run", "planet") }
    server.feed("/planet", ["a"])
    _ = try await bgfetch("run", "planet")

    let said = bgfetch.text(of: "said").split(separator: "\n").map { String($0.prefix { $0 != "|" }) }
    #expect(said.first == "planet is failing")
    #expect(said.filter { $0.hasSuffix("is failing") }.count == 1)
    #expect(said.contains("Planet has recovered"))
  }

  @Test func `with --no-hooks nothing of the run is delivered, then or later`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(server)

    _ = try await bgfetch("run", "--no-hooks")
    _ = try await bgfetch("run")

    #expect(bgfetch.text(of: "said") == "")
    #expect(bgfetch.badge == "1\n")
  }

  @Test func `a status bar's hook gets badge changes from run and from seen`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(
      server, events: "badge-changed", script: "echo \"$BGFETCH_BADGE\" >> \"$HOME/said\"")

    _ = try await bgfetch("run")
    _ = try await bgfetch("badge", "set", "3")
    _ = try await bgfetch("seen", "--all")

    #expect(bgfetch.text(of: "said") == "1\n3\n0\n")
  }
}

/// Whether a process has ended; a zombie counts as ended.
private func isGone(_ process: Int32) -> Bool {
  guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
    return true
  }
  return status.split(separator: ")").last?.hasPrefix(" Z") ?? true
}
