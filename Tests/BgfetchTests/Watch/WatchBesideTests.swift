// A run that stays while one feed is slow: the others do not notice.

import Foundation
import TestKit
import Testing

@Suite struct WatchBesideTests {
  @Test func `a slow feed does not hold up the feeds of other hosts`() async throws {
    let program = try WatchProgram(["planet"], environment: [:])
    let gate = Gate()
    program.server.on("/slow", ScriptedAnswer.document(rss([("s", "slow")])).held(by: gate))
    let path = program.bgfetch.configurationPath
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let slow = program.server.url("/slow").replacing("127.0.0.1", with: "localhost")
    try (text.replacing("minimum-interval: 1h", with: "minimum-interval: 1s") + "  slow: \"\(slow)\"\n")
      .write(toFile: path, atomically: false, encoding: .utf8)
    let watch = try await program.started()

    // The slow one, and the other one three times, all while the first answer is held back.
    await program.server.received(4)
    #expect(program.server.requests("/slow").count == 1)
    #expect(program.server.requests("/planet").count >= 3)

    gate.open()
    await watch.stopped()
  }
}
