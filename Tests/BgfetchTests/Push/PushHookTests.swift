// Pushes from inside a hook.

import Foundation
import TestKit
import Testing

@Suite struct PushHookTests {
  @Test func `a hook may push, and its run tells of it, but no hook may run`() async throws {
    let server = try ScriptedServer()
    server.feed("/planet", ["a"])
    server.feed("/other", ["b"])
    let bgfetch = try BuiltProgram()
    let push = try bgfetch.script(
      "push",
      """
      echo '{"aps": {"content-available": 1}, "feed": "other"}' > "$HOME/payload"
      "\(BuiltProgram.path)" push "$HOME/payload"; echo $? >> "$HOME/said"
      "\(BuiltProgram.path)" push "$HOME/payload" --run 2>> "$HOME/said"; echo $? >> "$HOME/said"
      """)
    let taken = try bgfetch.script("taken", "echo $BGFETCH_FEED >> \"$HOME/taken.log\"")
    try bgfetch.configure(
      """
      defaults: {first-run: all}
      feeds: {planet: "\(server.url("/planet"))", other: "\(server.url("/other"))"}
      hooks:
        push: {events: [new-item], feeds: [planet], run: ["\(push)"]}
        taken: {events: [push-received], run: ["\(taken)"]}
      """)

    // Under a clock that stands still no run stays for late data.
    let environment = ["BGFETCH_NOW": "2026-11-21T08:00:00Z"]
    let run = try await bgfetch("run", environment: environment)
    _ = try await bgfetch("run", environment: environment)

    #expect(run.status == 0)
    #expect(
      bgfetch.text(of: "said")
        == "0\nbgfetch: the push is stored, and left to the run whose hook this is, or to the next one; leave out --run\n75\n"
    )
    #expect(bgfetch.text(of: "taken.log") == "other\nother\n")
  }
}
