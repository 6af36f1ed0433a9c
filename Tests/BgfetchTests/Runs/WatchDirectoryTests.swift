// `run --watch` when its state directory is replaced, removed or emptied.

import Foundation
import TestKit
import Testing

@Suite struct WatchDirectoryTests {
  /// A watching program whose state directory is a link to the directory `first`.
  private func watched() async throws -> (WatchProgram, Watching) {
    let program = try WatchProgram(["planet"])
    try await program.bgfetch.shell("cd \"$HOME\" && mkdir -m 700 first && ln -s first state", status: 0)
    let watch = try await program.started(fetched: 1)
    await watch.heard(Self.idle)
    return (program, watch)
  }

  private static let idle = "STATUS=watching 1 feed; next at 2026-11-21 13:02:00"

  /// Expects that the present directory is locked and that pushes in it start a fetch, after one earlier fetch.
  private func expectHold(_ program: WatchProgram, _ watch: Watching) async throws {
    await program.server.received(2)
    try await program.bgfetch.shell("flock -n '\(program.bgfetch.state)/watch.lock' true", status: 1)
    _ = try await program("push", "--feed", "planet")
    await program.server.received(3)
    await watch.stopped()
  }

  @Test func `a state directory that could not be made at once is used later`() async throws {
    let (program, watch) = try await watched()
    let state = program.bgfetch.state

    // The link comes first, so that the program has no chance to make the directory.
    try await program.bgfetch.shell(
      "cd \"$HOME\" && : > file && ln -s file next && mv -T next state && mv first gone", status: 0)
    await watch.said("\(state): ")
    #expect(unlink(state) == 0)
    // With a fixed clock the minute's wait would not end; SIGHUP ends it.
    try program.configure(["planet"], settings: "free-space: 0B")
    watch.program.signal(SIGHUP)

    try await expectHold(program, watch)
  }

  @Test func `a state directory that another watching program uses ends the program`() async throws {
    let (program, watch) = try await watched()

    // By its own name, because the first program may notice the replacement at any time.
    let other = try await program.started(
      "--config",
      try program.bgfetch.home.write(
        program.bgfetch.text(of: "bgfetch.yaml").replacing("/state\n", with: "/second\n"), to: "second.yaml"))
    await program.server.received(2)
    try await program.bgfetch.shell("cd \"$HOME\" && ln -s second next && mv -T next state", status: 0)
    watch.program.signal(SIGHUP)

    #expect(await watch.program.ended().status == 75)
    await other.stopped()
  }
}

// One slow feed does not delay others.

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

  @Test func `a removed state directory is made again`() async throws {
    let program = try WatchProgram(["planet"])
    let watch = try await program.started(fetched: 1)
    await watch.heard("STATUS=watching 1 feed; next at 2026-11-21 13:02:00")

    // Foundation fails if SQLite removes a file first; the loop repeats because the program may be creating files.
    try await program.bgfetch.shell(
      "for try in 1 2 3 4 5; do rm -rf \"\(program.bgfetch.state)\" && exit; done; exit 1", status: 0)
    await program.server.received(2)

    #expect(await eventually { program.bgfetch.badge == "1\n" })
    await watch.stopped()
  }

  @Test func `a state directory that loses its files while a hook runs is filled again`() async throws {
    let program = try WatchProgram(["planet"])
    let pipe = program.bgfetch.home.file("pipe")
    mkfifo(pipe, 0o600)
    _ = try program.bgfetch.script("say", "read line < \"$HOME/pipe\"")
    try program.configure(
      ["planet"], settings: "hooks: {say: {events: [new-data], run: [HOME/say], timeout: 1h}}")
    let watch = try await program.started()
    let writing = try FileHandle(forUpdating: URL(fileURLWithPath: pipe))
    await watch.heard("STATUS=watching 1 feed; next at 2026-11-21 13:02:00")

    try await program.bgfetch.shell("find \"\(program.bgfetch.state)\" -mindepth 1 -delete", status: 0)
    try writing.write(contentsOf: Data("go\n".utf8))
    await program.server.received(2)

    await watch.stopped()
  }
}
