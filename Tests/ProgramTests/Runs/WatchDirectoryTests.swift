// `run --watch` when its state directory is removed or replaced, and beside a slow feed.

import Foundation
import TestKit
import Testing

@Suite struct WatchDirectoryTests {
  // A directory that only loses its files is no event; the next look finds it. SQLite may remove files of its own meanwhile, which find(1)
  // and rm(1) without -f take for a failure.
  @Test(arguments: [
    ("rm -rf state", false), ("mv state gone", false), ("rm -rf state/*", true),
  ])
  func `a state directory that is removed or replaced ends the program`(
    change: String, isFoundLater: Bool
  ) async throws {
    let program = try WatchProgram(["planet"])
    let watch = try await program.started(fetched: 1)
    await watch.heard("STATUS=watching 1 feed; next at 2026-11-21 13:02:00")

    try await program.bgfetch.shell("cd \"$HOME\" && \(change)", status: 0)
    if isFoundLater { watch.program.signal(SIGHUP) }

    let ended = await watch.program.ended()
    #expect(ended.status == 74)
    #expect(
      ended.errors.contains(
        "\(program.bgfetch.state): was removed or replaced; start this run --watch again"),
      "\(ended.errors)")
  }
}

@Suite struct WatchBesideTests {
  @Test func `a slow feed does not delay feeds of other hosts`() async throws {
    let program = try WatchProgram(["planet"], environment: [:])
    let gate = program.server.gatedFeed("/slow")
    let slow = program.server.url("/slow").replacing("127.0.0.1", with: "localhost")
    try program.bgfetch.edit("minimum-interval: 1h", to: "minimum-interval: 1s")
    try program.bgfetch.edit("\nfeeds:\n", to: "\nfeeds:\n  slow: \"\(slow)\"\n")
    let watch = try await program.started()

    // One request for the slow feed and three for the other, all before the first response.
    await program.server.received(4)
    #expect(program.server.requests("/slow").count == 1)
    #expect(program.server.requests("/planet").count >= 3)

    gate.open()
    await watch.stopped()
  }
}
