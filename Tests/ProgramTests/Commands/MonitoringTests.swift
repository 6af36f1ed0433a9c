// The output for monitoring: `bgfetch metrics` and `bgfetch status --problems`.

import Foundation
import TestKit
import Testing

@Suite final class MonitoringTests: ServerSuite {
  private static let noon = "2026-11-21T12:00:00Z"

  /// Two feeds, of which one fails, and a hook with these keys that fails permanently.
  private func program(hook: String? = nil) async throws -> BuiltProgram {
    server.feed("/a", ["1", "2"])
    server.on("/b", .status(500))
    let hooks = hook.map { "hooks: {mail: {\($0), run: [\"false\"]}}" } ?? ""
    let keys = "first-run: all, minimum-interval: 1h"
    let program = try BuiltProgram(server, ["a", "b"], keys: keys, more: hooks)
    try await program("run", at: Self.noon)
    return program
  }

  @Test func `metrics contain results, items, deliveries and lateness`() async throws {
    let bgfetch = try await program(hook: "events: [notification]")

    let now = try await bgfetch("metrics", at: Self.noon)
    let later = try await bgfetch("metrics", at: "2026-11-21T15:00:00Z")

    for line in [
      "bgfetch_feeds{result=\"new-data\"} 1", "bgfetch_feeds{result=\"failed\"} 1", "bgfetch_items_unseen 2",
      "bgfetch_deliveries_waiting{hook=\"mail\"} 1", "bgfetch_lateness_seconds 0", "bgfetch_feeds_due 0",
      "bgfetch_last_run_start_timestamp_seconds 1795262400", "bgfetch_last_run_exit_status 3",
    ] { #expect(now.lines.contains(line)) }
    func value(_ name: String, _ metrics: Invoked) -> Int {
      let line = metrics.lines.first { $0.hasPrefix(name + " ") }
      return line.flatMap { Int($0.dropFirst(name.count + 1)) } ?? -1
    }
    #expect(value("bgfetch_last_run_received_bytes", now) > 100, "the document of a")
    #expect(later.lines.contains("bgfetch_feeds_due 2"))
    #expect((7000..<10_800).contains(value("bgfetch_lateness_seconds", later)), "of the failing feed")
  }

  @Test(.enabled(if: access("/usr/bin/promtool", X_OK) == 0))
  func `Prometheus accepts the metrics`() async throws {
    let checked = try await program().shell(
      "\"$BGFETCH\" metrics -o metrics.prom && promtool check metrics < metrics.prom", status: 0)

    #expect(checked.errors == "")
    #expect(checked.output == "")
  }

  @Test func `lengths that feeds make up do not end the program`() async throws {
    let episodes = (1...20).map { Episode(id: "\($0)", url: server.url("/\($0).mp3"), length: Int.max) }
    server.on("/huge", .document(podcast(episodes)))
    let bgfetch = try BuiltProgram(server, ["huge"], keys: "download: {}, first-run: all")
    try await bgfetch("run", "--no-transfers")

    let ended = try await bgfetch("metrics", status: 0)

    #expect(ended.lines.contains("bgfetch_downloads_queued 20"))
    #expect(ended.lines.contains("bgfetch_downloads_queued_bytes \(Int64.max)"))
  }

  @Test func `named feeds have only their own problems`() async throws {
    let bgfetch = try await program(hook: "events: [new-item], retries: 0")

    let lost = try await bgfetch("status", "--problems", "a", at: Self.noon, status: 3).output
    #expect(lost.components(separatedBy: " mail ").count == 3)
    #expect(!lost.contains("500"))
    let failing = try await bgfetch("status", "--problems", "b", at: Self.noon, status: 3).output
    #expect(!failing.contains(" mail "))
  }

  @Test(arguments: ["exit 1", "exit 75", "kill -9 $$"])
  func `a delivery that has failed is a problem before it is given up`(hook: String) async throws {
    server.feed("/a", ["1"])
    let hooks = "hooks: {mail: {events: [new-item], run: [HOME/hook]}}"
    let bgfetch = try BuiltProgram(
      server, ["a"], keys: "first-run: all", more: hooks, scripts: ["hook": hook])
    try await bgfetch("run", at: Self.noon)

    try await bgfetch("status", "--problems", at: Self.noon, status: 3, output: "mail")
    _ = try bgfetch.script("hook", "exit 0")
    let later = "2026-11-21T12:10:00Z"
    try await bgfetch("run", at: later)
    try await bgfetch("status", "--problems", at: later, status: 0)
  }
}
