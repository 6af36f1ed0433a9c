// Hooks whose deliveries run at the same time.

import Foundation
import TestKit
import Testing

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
