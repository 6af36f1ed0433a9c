// The program as process 1, as in a container without an init.

import TestKit
import Testing

@Suite(.enabled(if: mayMount, "a process namespace needs root")) final class ProcessOneTests: ServerSuite {
  /// Runs the program as process 1, with a hook of this script.
  private func runAsFirst(_ script: String) async throws -> (BuiltProgram, Invoked) {
    server.feed("/planet", ["a"])
    let bgfetch = try BuiltProgram(
      server, keys: "first-run: all", more: "hooks: {say: {events: [new-item], run: [HOME/say]}}",
      scripts: ["say": script])
    return (bgfetch, try await bgfetch.shell("exec unshare --pid --fork --mount-proc \"$BGFETCH\" run"))
  }

  @Test func `processes that a hook leaves behind are reaped`() async throws {
    let (bgfetch, run) = try await runAsFirst(
      """
      (sleep 0 & echo $! > "$HOME/orphan")
      tries=0
      while test -e "/proc/$(cat "$HOME/orphan")"; do
        test $((tries += 1)) -lt 2000 || exit 1
        sleep 0.01
      done
      echo $PPID > "$HOME/said"
      """)

    #expect(run.status == 0, "\(run.errors)")
    #expect(!["", "1\n"].contains(bgfetch.said))
  }

  @Test func `a signal ends the run, and its status is that of the container`() async throws {
    let (_, run) = try await runAsFirst("kill -TERM 1; exec sleep 300")

    #expect(run.status == 143, "\(run.errors)")
  }
}
