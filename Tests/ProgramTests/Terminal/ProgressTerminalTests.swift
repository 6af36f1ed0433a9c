// The live line of downloads on a real terminal (a pty).

import Foundation
import TestKit
import Testing

@Suite struct ProgressTerminalTests {
  @Test func `the line of a download is drawn on a terminal, and gone at the end of the run`() async throws {
    let gate = Gate()
    let file = AssetFile(FileContent(900_000, seed: 2), inTurn: [.pause(after: 100_000, gate)], [])
    let program = try DownloadProgram(["a.mp3": file])
    let window = try #require(Window())
    let run = try program.bgfetch.start(["run"], on: window)

    #expect(await eventually { window.text().contains("\u{1B}[?7h\r") })
    gate.open()

    // A terminal that nobody reads blocks its writers.
    #expect(await eventually { window.text().contains("\u{1B}[?7h\r\r\u{1B}[J") })
    #expect(await eventually { window.text().contains("1 feed fetched, 1 new") })
    #expect(await run.ended() == 0)
  }
}
