// Servers that say any number, and transfers that ran when processes died: one transfer never takes the others with it.

import Foundation
import TestKit
import Testing

@Suite struct DownloadCrashTests {
  private static let content = FileContent(300_000, seed: 7)

  /// Found by a proof of concept: the end of this range plus one overflowed, in every process that resumed.
  @Test(
    arguments: [
      "bytes 100000-9223372036854775807/*", "bytes 100000-9223372036854775806/9223372036854775807",
      "bytes 100000-4611686018427387903/*", "bytes 100000-1152921504606846976/*",
      "bytes 9223372036854775807-9223372036854775807/*", "bytes 0-9223372036854775807/*",
    ])
  func `a part of any size is not taken, and ends neither its process nor another file`(range: String)
    async throws
  {
    let file = AssetFile(Self.content, inTurn: [.cut(after: 100_000)], [])
    let program = try DownloadProgram(["a.mp3": file, "b.mp3": AssetFile(FileContent(50_000, seed: 8))])
    try await program.run()
    program.server.on("/a.mp3") { request in
      guard request["Range"] != nil else { return file.answer(to: request) }
      var answer = ScriptedAnswer.body(
        .stream(Self.content, 100_000..<300_000), framing: .chunked(trailers: []))
      answer.statusLine = "HTTP/1.1 206 Partial Content"
      answer.fields = [
        ("Content-Range", range), ("Content-Type", "audio/mpeg"), ("ETag", "\"7-300000\""),
      ]
      return answer
    }

    let run = try await program.run(at: 6)
    program.server.serve(file, at: "/a.mp3")
    try await program.settle(from: 12)

    #expect((0..<128).contains(run.status), "\(run)")
    try program.expectSettled([Self.content, FileContent(50_000, seed: 8)])
  }

  @Test func `what ran when two processes died goes last, and its attempts are counted`() async throws {
    let program = try DownloadProgram(
      [
        "a.mp3": AssetFile(Self.content, .noValidators, .stall(after: 10_000)),
        "b.mp3": AssetFile(FileContent(50_000, seed: 8)),
      ], network: "connections-per-host: 1")

    for crash in 1...3 {
      let run = try program.started(at: crash)
      await program.server.sent(10_000 * crash, of: "/a.mp3")
      run.signal(SIGKILL)
      _ = await run.ended()
    }

    // The third run placed the other one before it asked for the first one.
    #expect(
      program.server.requests.map(\.path).filter { $0.hasSuffix(".mp3") } == [
        "/a.mp3", "/a.mp3", "/b.mp3", "/a.mp3",
      ])
    #expect(program.placed == ["planet/2026-10-27 Title of b.mp3"])
    let left = try #require(try await program.unsettled(at: 3).first)
    #expect(left["status"] as? String == "running" || left["status"] as? String == "suspended")
  }
}
