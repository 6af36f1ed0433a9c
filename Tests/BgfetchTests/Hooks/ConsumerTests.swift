// `bgfetch events`: the events of a consumer, each once; and hooks whose deliveries run at the same time.

import Foundation
import TestKit
import Testing

@Suite struct ConsumerTests {
  private func program(_ server: ScriptedServer) throws -> BuiltProgram {
    try BuiltProgram(
      server, keys: "first-run: all, minimum-interval: 1m",
      more: """
        hooks:
          search: {events: [new-item], consumer: true}
          desktop: {events: [new-item], run: ["true"]}
        """)
  }

  private func titles(_ output: String) -> [String] {
    jsonLines(output).map { ($0["item"] as? [String: Any])?["title"] as? String ?? "no title" }
  }

  @Test func `each event is printed once, and the next call goes on`() async throws {
    let server = try ScriptedServer(planet: ["b", "a"])
    let bgfetch = try program(server)
    try await bgfetch("run", at: "2026-11-21T10:00:00Z")

    let first = try await bgfetch("events", "--consumer", "search", "--limit", "1", status: 0)
    #expect(titles(first.output) == ["Title of a"])
    #expect(try await bgfetch("hooks").output.hasPrefix("search: 1 event unread, since 2026-11-21 10:00:00"))
    #expect(titles(try await bgfetch("events", "--consumer", "search").output) == ["Title of b"])
    #expect(try await bgfetch("events", "--consumer", "search").output == "")

    server.feed("/planet", ["c", "b", "a"])
    try await bgfetch("run", at: "2026-11-21T10:05:00Z")
    #expect(titles(try await bgfetch("events", "--consumer", "search").output) == ["Title of c"])
  }

  @Test func `a reader that follows gets events of later runs, and keeps others out`() async throws {
    let server = try ScriptedServer(planet: ["a"])
    let bgfetch = try program(server)
    try await bgfetch("run")
    let reader = try bgfetch.started(["events", "--consumer", "search", "--follow", "--limit", "2"])
    #expect(await eventually { reader.output.contains("Title of a") })

    try await bgfetch(
      "events", "--consumer", "search", status: 75, errors: "another process prints the events of search")

    server.feed("/planet", ["b", "a"])
    try await bgfetch("run", "planet", "--force")
    let end = await reader.ended()
    #expect(end.status == 0)
    #expect(titles(end.output) == ["Title of a", "Title of b"])
  }

  @Test func `a hook that is no consumer is refused`() async throws {
    let bgfetch = try program(try ScriptedServer(planet: []))

    try await bgfetch(
      "events", "--consumer", "desktop", status: 2, errors: "the hook \"desktop\" is no consumer")
    #expect(try await bgfetch("hooks", "test", "search").status == 2)
  }
}

@Suite struct ParallelHookTests {
  @Test func `a parallel hook runs for several feeds at once, and for each feed in order`() async throws {
    let server = try ScriptedServer(feeds: ["/a": ["2", "1"], "/b": ["2", "1"], "/c": ["2", "1"]])
    let bgfetch = try BuiltProgram(
      server, ["a", "b", "c"], keys: "first-run: all",
      more: """
        network: {delay-per-host: 0s, connections-per-host: 4}
        hooks: {index: {events: [new-item], run: ["HOME/index"], parallel: 3}}
        """)
    // All fail in the first run. In the second one the first deliveries wait for each other, so they end only if they run at
    // the same time.
    _ = try bgfetch.script(
      "index",
      """
      [ -z "$FAILS" ] || exit 75
      case $BGFETCH_ITEM_TITLE in *1)
        : > "$HOME/began-$BGFETCH_FEED"
        until [ -e "$HOME/began-a" ] && [ -e "$HOME/began-b" ] && [ -e "$HOME/began-c" ]; do sleep 0.05; done;;
      esac
      echo "$BGFETCH_FEED $BGFETCH_ITEM_TITLE" >> "$HOME/indexed"
      """)

    try await bgfetch("run", at: "2026-11-01T08:00:00Z", environment: ["FAILS": "1"])
    try await bgfetch("run", at: "2026-11-01T09:00:00Z", status: 0)

    let indexed = bgfetch.text(of: "indexed").split(separator: "\n").map(String.init)
    #expect(indexed.count == 6)
    for feed in ["a", "b", "c"] {
      #expect(indexed.filter { $0.hasPrefix(feed) } == ["\(feed) Title of 1", "\(feed) Title of 2"])
    }
  }
}
