// `bgfetch simulate`: hooks get made-up results, and nothing is stored.

import Foundation
import TestKit
import Testing

@Suite final class SimulationTests: ServerSuite {
  private static let clock = "2026-11-26T09:00:00Z"

  /// A program with a feed and hooks that log their events.
  private func program(
    _ url: String, keys: String = "",
    events: String = "[new-item, new-data, failed, failing, recovered]"
  ) throws -> BuiltProgram {
    let values = ["SIMULATED", "EVENT", "FEED"].map { "\"$BGFETCH_\($0)\"" }.joined(separator: " ")
    return try BuiltProgram(
      scripts: ["say": "printf '%s|%s|%s|%s\\n' \(values) \"$1\" >> \"$HOME/said\""],
      configuration: """
        documents: HOME/documents
        feeds:
          planet: {url: "\(url)", minimum-interval: 1h\(keys)}
          other: {url: "\(url)?other", minimum-interval: 1h}
        hooks:
          say: {events: \(events), run: [HOME/say, "{item.title}"]}
          note: {events: [notification], run: [HOME/say, "{title}: {body}"]}
        """)
  }

  /// Simulates this result for the feed `planet`.
  @discardableResult
  private func simulate(
    _ bgfetch: BuiltProgram, _ result: String = "new-data", _ options: String..., status: Int32? = nil
  ) async throws -> Invoked {
    try await bgfetch(["simulate", "planet", "--result", result] + options, at: Self.clock, status: status)
  }

  @Test(arguments: ["kind: html", "kind: html, html: {items: .story}", "body: {key: {env: KEY}}"])
  func `a page without a feed, and a request with a body, are rehearsed as any feed`(keys: String)
    async throws
  {
    let bgfetch = try program(server.url("/page"), keys: ", " + keys)

    try await simulate(bgfetch, status: 0)

    #expect(bgfetch.said.contains("|new-data|planet|"))
    #expect(server.requests.isEmpty)
  }

  /// Everything below a directory, byte for byte, with modes and times.
  private func everything(_ bgfetch: BuiltProgram) async throws -> String {
    try await bgfetch.shell(
      """
      cd "$HOME"; files=$(find state documents -type f ! -name '*-wal' ! -name '*-shm' | sort)
      stat -c '%n %a %s %Y %Z %i' $files; sha256sum $files
      """
    ).output
  }

  @Test func `a simulated item is delivered, and nothing is stored`() async throws {
    server.feed("/feed", ["a"])
    let bgfetch = try program(server.url("/feed"))
    try await bgfetch("run", at: Self.clock)
    let before = try await everything(bgfetch)
    let requests = server.requests.count
    let said = bgfetch.said

    let invoked = try await simulate(bgfetch, status: 0)

    #expect(
      invoked.output == """
        simulated: 1 due
        simulated: planet  1 new
        simulated:   Simulated item 1
        simulated: hook say  new-item, delivered
        simulated: hook say  new-data, delivered
        simulated: hook note  notification, delivered
        simulated: 1 due, 1 new-data (1 item), badge 1

        """)
    let message: Substring = "1|notification|planet|Planet: 1 new: Simulated item 1"
    let lines = Set(bgfetch.said.dropFirst(said.count).split(separator: "\n"))
    #expect(lines == ["1|new-item|planet|Simulated item 1", "1|new-data|planet|", message])
    #expect(server.requests.count == requests)
    #expect(try await everything(bgfetch) == before)
  }

  @Test(arguments: [
    ("no-data", "no-data", "not modified", Int32(0)), ("failed", "failed", "500", 4),
    ("timeout", "failed", "1m", 4), ("429", "failed", "429", 4),
  ])
  func `every result of a fetch can be simulated`(
    result: String, expected: String, reason: String, status: Int32
  ) async throws {
    let bgfetch = try program("https://planet.example/feed")

    let invoked = try await simulate(bgfetch, result, "--json", status: status)

    let fetch = try #require(invoked.json.first { $0["type"] as? String == "fetch" })
    #expect(fetch["result"] as? String == expected)
    #expect((fetch["reason"] as? String)?.contains(reason) == true)
    #expect(invoked.json.allSatisfy { $0["simulated"] as? Bool == true })
    #expect(invoked.json.last?["type"] as? String == "summary")
    #expect(bgfetch.said.contains("1|failed|planet|\n") == (expected == "failed"))
  }

  @Test func `enough simulated failures deliver that the feed is failing`() async throws {
    let bgfetch = try program("https://planet.example/feed", keys: ", notify: {failures: 3}")

    try await simulate(bgfetch, "failed", "--times", "2")
    #expect(!bgfetch.said.contains("failing"))
    try await simulate(bgfetch, "failed", "--times", "3")
    #expect(bgfetch.said.contains("1|failing|planet|\n"))
  }

  @Test func `a failing feed recovers only in the simulation`() async throws {
    server.on("/feed", .status(500))
    let bgfetch = try program(server.url("/feed"), keys: ", notify: {failures: 1}")
    try await bgfetch("run", "planet", at: Self.clock)

    try await simulate(bgfetch, "no-data")

    #expect(bgfetch.said.contains("1|recovered|planet|\n"))
    let status = try await bgfetch("status", "planet", "--json", at: Self.clock)
    #expect(status.json.first?["failures"] as? Int == 1)
  }

  @Test func `waiting deliveries are left waiting`() async throws {
    server.feed("/feed", ["a"])
    let bgfetch = try program(server.url("/feed"), keys: ", first-run: all, notify: {hours: 20:00-21:00}")
    try await bgfetch("run", "planet", at: Self.clock)
    let waiting = try await bgfetch("hooks", "--json", at: Self.clock)
    let said = bgfetch.said

    let output = try await simulate(bgfetch).output

    #expect(output.contains("simulated: hook note  notification, postponed until 2026-11-26 20:00:00\n"))
    #expect(bgfetch.said.dropFirst(said.count) == "1|new-item|planet|Simulated item 1\n1|new-data|planet|\n")
    try await bgfetch("hooks", "--json", at: Self.clock, prints: waiting.output)
  }

  @Test func `simulate waits for delayed notifications until the last one`() async throws {
    // The clock runs: with a fixed clock nothing becomes due. A busy machine takes seconds between the two fetches.
    let bgfetch = try program("https://planet.example/feed", keys: ", notify: {delay: 15s}")

    let invoked = try await bgfetch("simulate", "planet", "--result", "new-data", "--times", "2", status: 0)

    #expect(invoked.output.contains("simulated: hook note  notification, delivered\n"))
    let messages = bgfetch.said.split(separator: "\n").filter { $0.hasPrefix("1|notification|") }
    #expect(messages == ["1|notification|planet|planet: 2 new: Simulated item 2"])
  }

  @Test(arguments: [
    "kind: asset", "download: {types: [\"audio/*\"], max-size: 1KiB, name: \"{feed}/{title}{ext}\"}",
  ])
  func `a simulated download is placed in a temporary directory`(key: String) async throws {
    server.feed("/feed", ["a"])
    let events = "[asset-placed, session-finished]"
    let bgfetch = try program(server.url("/feed"), keys: ", " + key, events: events)
    let say = "cat \"$BGFETCH_ASSET_PATH\" >> \"$HOME/said\"; echo \"$BGFETCH_ASSET_PATH\" >> \"$HOME/paths\""
    _ = try bgfetch.script("say", say)
    try await bgfetch("run", "planet", at: Self.clock)
    let before = try await everything(bgfetch)
    unlink(bgfetch.home.file("paths"))

    let invoked = try await simulate(bgfetch, status: 0)

    #expect(invoked.output.contains("hook say  asset-placed, delivered\n"))
    #expect(bgfetch.said.contains("bgfetch simulate made this file up"))
    let placed = bgfetch.text(of: "paths").split(separator: "\n").first.map(String.init) ?? ""
    #expect(placed.hasPrefix("/"))
    #expect(!placed.hasPrefix(bgfetch.home.path + "/documents"))
    #expect(!FileManager.default.fileExists(atPath: placed))
    #expect(try await everything(bgfetch) == before)
  }

  @Test func `a feed can be simulated during a run`() async throws {
    let gate = server.gatedFeed("/feed")
    let bgfetch = try program(server.url("/feed"))
    let run = try bgfetch.started(["run", "--json", "planet"], at: Self.clock)
    await server.received(1)

    try await simulate(bgfetch, status: 0)
    gate.open()

    let ended = await run.ended()
    #expect(ended.status == 0)
    #expect(ended.json.last?["no-data"] as? Int == 1)
  }

  @Test func `a signal ends simulate during a hook, and leaves nothing behind`() async throws {
    let bgfetch = try program("https://planet.example/feed")
    let ready = bgfetch.home.file("ready")
    try await bgfetch.shell("mkfifo '\(ready)' && mkdir \"$HOME/tmp\"")
    _ = try bgfetch.script("say", "echo ready > '\(ready)'; exec sleep 600")
    let running = try bgfetch.started(
      ["simulate", "planet", "--result", "new-data"],
      at: Self.clock, environment: ["TMPDIR": bgfetch.home.file("tmp")])
    try await bgfetch.shell("head -n 1 '\(ready)'; ls -ld \"$HOME/tmp/\"*; ls \"$HOME/tmp/\"*")
    try await bgfetch.shell("stat -c %a \"$HOME\"/tmp/*", prints: "700\n")

    running.signal(SIGTERM)

    let ended = await running.ended()
    // No later run would deliver them.
    #expect(ended.status == 143)
    #expect(ended.output.contains(", pending\n"))
    try await bgfetch.shell("ls -A \"$HOME/tmp\"", prints: "")
  }

  @Test(.enabled(if: mayMount), .disabled(if: isSanitized, "a sanitizer writes a file there, too"))
  func `the error for a full TMPDIR names the copy`() async throws {
    server.feed("/feed", (1...100).map { "item\($0)" })
    let bgfetch = try program(server.url("/feed"))
    try await bgfetch("run", at: Self.clock)

    let invoked = try await bgfetch.shell(
      """
      cat > "$HOME/inside" <<'END'
      mkdir "$HOME/tmp"; mount -t tmpfs -o size=60k none "$HOME/tmp"
      TMPDIR="$HOME/tmp" exec "$BGFETCH" simulate planet --result new-data
      END
      exec unshare -m sh "$HOME/inside"
      """)

    #expect(invoked.status == 74)
    #expect(invoked.errors.contains(bgfetch.home.file("tmp") + "/bgfetch-"))
    #expect(!invoked.errors.contains(bgfetch.state))
  }

  @Test func `secrets and local files of feeds are not read, and their commands not run`() async throws {
    let bgfetch = try BuiltProgram(
      configuration: """
        feeds:
          hub: {url: {command: [touch, HOME/asked]}, headers: {Cookie: {command: [touch, HOME/asked]}}}
          notes: {url: "file:HOME/missing.xml"}
          tool: {url: "https://planet.example/", kind: json, json: {items: /releases, id: /tag, title: /name}}
          made: {command: [touch, HOME/asked]}
        """)

    for feed in ["hub", "notes", "tool", "made"] {
      let invoked = try await bgfetch("simulate", feed, "--result", "new-data", at: Self.clock)
      #expect(invoked.output.contains("\(feed)  1 new"))
    }
    #expect(!FileManager.default.fileExists(atPath: bgfetch.home.file("asked")))
  }

  @Test func `a simulated item in a feed of many is one new item`() async throws {
    server.feed("/feed", (1...30).map { "item\($0)" })
    let bgfetch = try program(server.url("/feed"), keys: ", filter: {exclude: [Simulated]}")
    try await bgfetch("run", at: Self.clock)

    let invoked = try await simulate(bgfetch, "new-data", "--times", "3", "--json")

    let fetches = invoked.json.filter { $0["type"] as? String == "fetch" }
    #expect(fetches.map { $0["count"] as? Int } == [1, 1, 1])
    #expect(invoked.json.last?["badge"] as? Int == 3)
  }

  @Test func `a hook cannot call simulate`() async throws {
    let words = ["simulate", "planet", "--result", "new-data"]

    try await program("https://planet.example/feed")(
      words, environment: ["BGFETCH_EVENT_ID": "1"], status: 75)
  }
}
