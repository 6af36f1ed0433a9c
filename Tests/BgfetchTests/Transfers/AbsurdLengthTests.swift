// Lengths that no file has: the transfer fails for good, and says that it is too large, instead of waiting for room.

import Foundation
import TestKit
import Testing

@Suite struct AbsurdLengthTests {
  @Test(
    arguments: [
      "9223372036854775807", "9223372036854775808", "99999999999999999999999", "8000000000000000000",
      "1000000000000000000",
    ])
  func `a file that is larger than its whole file system is too large`(length: String) async throws {
    let program = try DownloadProgram([:])
    program.serve([Episode(id: "a", url: program.server.url("/a.mp3"))])
    // The server stays silent behind what it promised, or ends.
    program.server.on(
      "/a.mp3",
      .raw(
        .send(
          Array("HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nContent-Length: \(length)\r\n\r\nID3".utf8)),
        .close))

    for hours in [0, 1, 2] { try await program.run(at: hours) }
    let events = program.bgfetch.text(of: "events")

    #expect(events.contains("\"transfer-failed\""))
    #expect(events.contains("too large"))
    #expect(program.placed == [])
  }

  @Test(arguments: ["9223372036854775807", "99999999999999999999999", "-1", "1e30"])
  func `what the document declares for a length is no reason to wait`(length: String) async throws {
    let content = FileContent(1000, seed: 1)
    let program = try DownloadProgram(["a.mp3": AssetFile(content)])
    program.server.on(
      "/feed",
      .document(
        podcast([Episode(id: "a", url: program.server.url("/a.mp3"))]).replacingOccurrences(
          of: "type=\"audio/mpeg\"", with: "type=\"audio/mpeg\" length=\"\(length)\"")))

    try await program.run()

    #expect(program.placed.count == 1)
  }
}
