// `run --watch` and its state directory, in whose place another one comes.

import Foundation
import TestKit
import Testing

@Suite struct WatchDirectoryTests {
  /// The program with a feed, watched; its state directory is a link to another one, `first`.
  private func watched() async throws -> (WatchProgram, Watching) {
    let program = try WatchProgram(["planet"])
    let made = try await program.bgfetch.shell("cd \"$HOME\" && mkdir -m 700 first && ln -s first state")
    #expect(made.status == 0)
    let watch = try await program.started()
    await program.server.received(1)
    await watch.heard(Self.idle)
    return (program, watch)
  }

  private static let idle = "STATUS=watching 1 feed; next at 2026-11-21 13:00:00"

  /// Expects that the directory of that name now is locked, and that pushes are heard in it; one cycle was there already.
  private func expectHold(_ program: WatchProgram, _ watch: Watching) async throws {
    await program.server.received(2)
    let free = try await program.bgfetch.shell("flock -n '\(program.bgfetch.state)/watch.lock' true")
    #expect(free.status == 1)
    _ = try await program("push", "--feed", "planet")
    await program.server.received(3)
    await watch.stopped()
  }

  @Test func `one that could not be made at once is locked and listened to later`() async throws {
    let (program, watch) = try await watched()
    let state = program.bgfetch.state

    // The link first, so that it finds no moment in which it could make the directory.
    let replaced = try await program.bgfetch.shell(
      "cd \"$HOME\" && : > file && ln -s file next && mv -T next state && mv first gone")
    #expect(replaced.status == 0)
    await watch.said("\(state): ")
    #expect(unlink(state) == 0)
    // A new configuration ends the rest of a minute, which never ends where the clock stands still.
    try program.configure(["planet"], settings: "free-space: 0B")
    watch.program.signal(SIGHUP)

    try await expectHold(program, watch)
  }

  @Test func `one that nobody told of is locked and listened to at the next look`() async throws {
    let (program, watch) = try await watched()

    let replaced = try await program.bgfetch.shell(
      "cd \"$HOME\" && mkdir -m 700 second && ln -s second next && mv -T next state")
    #expect(replaced.status == 0)
    watch.program.signal(SIGHUP)

    try await expectHold(program, watch)
  }

  @Test func `one in which another stays already ends it`() async throws {
    let (program, watch) = try await watched()

    // By its own name, before it is put in the place: the first one may notice that at any moment.
    let other = try await program.started("--state", program.bgfetch.home.file("second"))
    await program.server.received(2)
    let replaced = try await program.bgfetch.shell("cd \"$HOME\" && ln -s second next && mv -T next state")
    #expect(replaced.status == 0)
    watch.program.signal(SIGHUP)

    #expect(await watch.program.ended().status == 75)
    await other.stopped()
  }
}
