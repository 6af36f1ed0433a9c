// Killed, crashed and interrupted downloads: what is committed stays, no partial file is placed, each session
// ends once.

import Foundation
import TestKit
import Testing

@Suite struct DownloadKillTests {
  // Such a run was listed as complete, with exit status 0.
  @Test func `a run that dies is a crash in the history, and its transfers are suspended`() async throws {
    let program = try DownloadProgram([
      "a.mp3": AssetFile(FileContent(90_000, seed: 4), .stall(after: 40_000))
    ])
    let bgfetch = program.bgfetch
    let run = try program.started()
    await program.server.sent(40_000, of: "/a.mp3")
    let alive = try #require(try await bgfetch("history", "--json").json.last)
    #expect(alive["ending"] is NSNull)
    #expect(alive["exit-status"] is NSNull)
    #expect(alive["new-data"] as? Int == 1)
    try await bgfetch("history", output: "under way, process")
    #expect(try await program.transfers().map { $0["status"] as? String } == ["running"])
    try await bgfetch("transfers", "list", "--status", "suspended", prints: "")

    await run.ended(after: SIGKILL)

    let dead = try #require(try await bgfetch("history", "--json").json.last)
    #expect(dead["ending"] as? String == "crash")
    #expect(dead["exit-status"] is NSNull)
    #expect(dead["unsettled-transfers"] is NSNull)
    #expect(try await bgfetch("history").output.hasSuffix("  crash\n"))
    expect(try await program.transfers().first, ["status": "suspended", "reason": "interrupted"])
    try await bgfetch(
      "transfers", "list", "--status", "suspended", output: "interrupted; the next run continues")
    let one = try await bgfetch("transfers", "list", "1", "--status", "running", "--json").json
    #expect(one.map { $0["status"] as? String } == ["suspended"])
    try await bgfetch("transfers", "list", "--status", "running", prints: "")
  }

  @Test(arguments: [(SIGTERM, 143), (SIGINT, 130)] as [(Int32, Int32)])
  func `a signal suspends downloads, and a later run downloads no byte twice`(
    signal: Int32, status: Int32
  ) async throws {
    let gate = Gate()
    let content = FileContent(500_000, seed: 4)
    let program = try DownloadProgram([
      "a.mp3": AssetFile(content, inTurn: [.pause(after: 200_000, gate)], [])
    ])

    let run = try program.started()
    await program.server.sent(200_000, of: "/a.mp3")
    try await arrived(200_000, in: program)
    let ended = await run.ended(after: signal)
    gate.open()
    let between = try await program.unsettled(at: 1)
    try await program.settle(from: 1)

    #expect(ended.status == status)
    expect(between.first, ["status": "suspended", "written": 200_000])
    #expect(program.server.requests("/a.mp3").last?["Range"] == "bytes=200000-")
    try program.expectSettled([content])
  }

  /// Waits until a partial file has this many bytes.
  private func arrived(_ count: Int, in program: DownloadProgram) async throws {
    let isThere = await eventually {
      program.leftovers.contains { name in
        let path = program.documents + "/.bgfetch/" + name
        return (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0 >= count
      }
    }
    try #require(isThere)
  }
}

// Many downloads with few open files.

@Suite struct DownloadOpenFilesTests {
  @Test func `a run closes the file of each finished download`() async throws {
    let contents = (0..<200).map { FileContent(2_000, seed: UInt64($0 + 1)) }
    let program = try DownloadProgram([:])
    for (number, content) in contents.enumerated() {
      program.server.serve(AssetFile(content), at: "/\(number).mp3")
    }
    program.serve(
      contents.indices.map { Episode(id: "\($0)", url: program.server.url("/\($0).mp3"), day: 1) })

    // Fewer than the downloads, but enough for those at one time.
    try await program.bgfetch.shell(
      "ulimit -n 190; BGFETCH_NOW=\(moment(hours: 0)) exec \"$BGFETCH\" run", status: 0)

    try program.expectSettled(contents)
  }
}
