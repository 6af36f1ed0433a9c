// Processes that die at any moment: what is committed stays, no file is there in part, and every session ends once.

import Foundation
import TestKit
import Testing

@Suite struct DownloadKillTests {
  /// Waits until the server has sent so many bytes more, or the run has ended; then kills it.
  private func kill(_ run: RunningProgram, of server: ScriptedServer, after bytes: Int) async {
    let reached = server.bytesSent + bytes
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        _ = await run.ended()
        return true
      }
      group.addTask {
        await server.sent(reached)
        return false
      }
      if await group.next() == false { run.signal(SIGKILL) }
      group.cancelAll()
    }
  }

  @Test(arguments: 1...4)
  func `killed at any moment, every file is there once and whole at last`(seed: UInt64) async throws {
    var random = SeededNumbers(seed: seed)
    let contents = (0..<6).map { FileContent(60_000 + $0 * 40_000, seed: seed * 100 + UInt64($0)) }
    func file(_ place: Int) -> AssetFile { AssetFile(contents[place], .slow(bytesPerSecond: 3 << 20)) }
    let program = try DownloadProgram(
      [
        "a.mp3": file(0), "b.mp3": file(1), "c.mp3": file(2), "d.mp3": file(3), "e.mp3": file(4),
        "f.mp3": file(5),
      ], network: "connections-per-host: 3")
    let whole = contents.reduce(0) { $0 + $1.size }

    for round in 0..<12 {
      // Small numbers hit the fetch phase and the queueing, large ones the placing.
      let bytes = random.next(below: round.isMultiple(of: 3) ? 20_000 : whole / 4)
      await kill(try program.started(at: round), of: program.server, after: bytes)
      for name in program.placed {
        let bytes = try program.bytes(name)
        #expect(contents.contains { $0.isWhole(bytes) }, "\(name) after round \(round)")
      }
    }
    // What hooks were not told within 12 hours would expire.
    try await program.settle(from: 11)

    try expectAllOnce(program, contents)
  }

  @Test func `what a killed process left under way is listed as suspended`() async throws {
    let program = try DownloadProgram([
      "a.mp3": AssetFile(FileContent(90_000, seed: 4), .stall(after: 40_000))
    ])
    let run = try program.started()
    await program.server.sent(40_000, of: "/a.mp3")
    let alive = try await program.bgfetch("transfers", "list", "--json")
    let aliveWaiting = try await program.bgfetch("transfers", "list", "--status", "suspended")

    run.signal(SIGKILL)
    _ = await run.ended()

    let dead = try await program.bgfetch("transfers", "list", "--json")
    let waiting = try await program.bgfetch("transfers", "list", "--status", "suspended")
    let one = try await program.bgfetch("transfers", "list", "1", "--status", "running", "--json")
    let running = try await program.bgfetch("transfers", "list", "--status", "running")
    #expect(alive.json.map { $0["status"] as? String } == ["running"])
    #expect(aliveWaiting.output == "")
    #expect(dead.json.map { $0["status"] as? String } == ["suspended"])
    #expect(dead.json.map { $0["reason"] as? String } == ["interrupted"])
    #expect(waiting.output.contains("interrupted; the next run continues"), "\(waiting.output)")
    #expect(one.json.map { $0["status"] as? String } == ["suspended"])
    #expect(running.output == "")
  }

  // Such a run was listed as complete, with exit status 0, from the end of its fetch phase on.
  @Test func `a run that dies while it brings files says so in the history`() async throws {
    let program = try DownloadProgram([
      "a.mp3": AssetFile(FileContent(90_000, seed: 4), .stall(after: 40_000))
    ])
    let run = try program.started()
    await program.server.sent(40_000, of: "/a.mp3")
    let alive = try #require(try await program.bgfetch("history", "--json").json.last)
    let aliveTable = try await program.bgfetch("history")

    run.signal(SIGKILL)
    _ = await run.ended()

    let dead = try #require(try await program.bgfetch("history", "--json").json.last)
    let table = try await program.bgfetch("history")
    #expect(alive["ending"] is NSNull && alive["exit-status"] is NSNull)
    #expect(alive["new-data"] as? Int == 1)
    #expect(aliveTable.output.contains("under way, process"))
    #expect(dead["ending"] as? String == "crash")
    #expect(dead["exit-status"] is NSNull && dead["unsettled-transfers"] is NSNull)
    #expect(table.output.hasSuffix("  crash\n"), "\(table.output)")
  }

  @Test func `killed while a file is being placed, it is there once and whole`() async throws {
    // The last byte of a file is the moment at which everything about its end begins.
    let contents = (0..<12).map { FileContent(20_000, seed: UInt64($0 + 1)) }
    let program = try DownloadProgram([:], network: "connections-per-host: 1")
    for (place, content) in contents.enumerated() {
      program.server.serve(AssetFile(content), at: "/\(place).mp3")
    }
    program.serve(
      contents.indices.map {
        Episode(id: "\($0)", url: program.server.url("/\($0).mp3"), day: 28 - $0)
      })
    try await program.run(at: 0, "--no-transfers")

    for round in 0..<contents.count {
      let run = try program.started(at: round + 1)
      await kill(run, of: program.server, after: 20_000 * (round % 3 + 1))
    }
    // What hooks were not told within 12 hours would expire.
    try await program.settle(from: contents.count)

    try expectAllOnce(program, contents)
  }

  /// Like `expectSettled`, but that hooks may hear an event again whose delivery was running when the program died.
  private func expectAllOnce(_ program: DownloadProgram, _ contents: [FileContent]) throws {
    let files = try program.placed.map { try program.bytes($0) }
    #expect(files.count == contents.count, "\(program.placed)")
    for content in contents {
      #expect(files.filter { content.isWhole($0) }.count == 1)
    }
    #expect(program.leftovers == [])
    func ids(_ event: String) -> Set<String> {
      Set(program.events.filter { $0["event"] as? String == event }.compactMap { $0["event-id"] as? String })
    }
    #expect(ids("asset-placed").count == contents.count)
    #expect(ids("transfer-failed").isEmpty)
    #expect(ids("session-finished").count == 1)
    program.expectPoliteRanges()
  }

  @Test(arguments: [(SIGTERM, 143), (SIGINT, 130)] as [(Int32, Int32)])
  func `a signal suspends, and a later run goes on without fetching anything twice`(
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
    run.signal(signal)
    let ended = await run.ended()
    gate.open()
    let between = try await program.unsettled(at: 1)
    try await program.settle(from: 1)

    #expect(ended.status == status)
    #expect(between.first?["status"] as? String == "suspended")
    #expect(between.first?["written"] as? Int == 200_000)
    #expect(program.server.requests("/a.mp3").last?["Range"] == "bytes=200000-")
    try program.expectSettled([content])
  }

  @Test func `a run says that the person suspended a transfer, and what is queued waits for that run`()
    async throws
  {
    let gate = Gate()
    let program = try DownloadProgram(
      [
        "a.mp3": AssetFile(FileContent(500_000, seed: 4), .pause(after: 200_000, gate)),
        "b.mp3": AssetFile(FileContent(10_000, seed: 5)),
      ], network: "connections-per-host: 1")

    let run = try program.bgfetch.started(
      ["run", "-v"], environment: ["BGFETCH_NOW": DownloadProgram.moment(0)])
    await program.server.sent(200_000, of: "/a.mp3")
    try await arrived(200_000, in: program)
    let listed = try await program.bgfetch("transfers")
    _ = try await program.bgfetch("transfers", "suspend", "1")
    let ended = await run.ended()
    gate.open()

    #expect(listed.output.contains("waiting for its turn in the current run"), "\(listed.output)")
    #expect(!listed.output.contains("the next run continues"), "\(listed.output)")
    #expect(ended.errors.contains("suspended, by transfers suspend\n"), "\(ended.errors)")
  }

  @Test func `a run says that somebody else has cancelled a transfer`() async throws {
    let gate = Gate()
    let program = try DownloadProgram(
      ["a.mp3": AssetFile(FileContent(500_000, seed: 4), .pause(after: 200_000, gate))])

    let run = try program.bgfetch.started(
      ["run", "-v"], environment: ["BGFETCH_NOW": DownloadProgram.moment(0)])
    await program.server.sent(200_000, of: "/a.mp3")
    try await arrived(200_000, in: program)
    _ = try await program.bgfetch("transfers", "cancel", "1")
    let ended = await run.ended()
    gate.open()

    #expect(ended.errors.contains("cancelled, by another process\n"), "\(ended.errors)")
    #expect(!ended.errors.contains("suspended"), "\(ended.errors)")
  }

  /// Returns when a partial file has so many bytes.
  private func arrived(_ count: Int, in program: DownloadProgram) async throws {
    let isThere = await eventually {
      program.leftovers.contains { name in
        let path = program.documents + "/.bgfetch/" + name
        return (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0 >= count
      }
    }
    try #require(isThere)
  }

  @Test func `a partial file can be read by its owner alone`() async throws {
    let gate = Gate()
    let program = try DownloadProgram([
      "a.mp3": AssetFile(FileContent(500_000), inTurn: [.pause(after: 200_000, gate)], [])
    ])

    let run = try program.started()
    try await arrived(200_000, in: program)
    let attributes = try program.leftovers.map {
      try FileManager.default.attributesOfItem(atPath: program.documents + "/.bgfetch/" + $0)
    }
    let placedMeanwhile = program.placed
    gate.open()
    _ = await run.ended()

    #expect(attributes.compactMap { $0[.posixPermissions] as? Int } == [0o600])
    #expect(placedMeanwhile == [])
    try program.expectSettled([FileContent(500_000)])
  }
}

/// Numbers that look random and are the same for the same seed.
struct SeededNumbers {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  mutating func next(below bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(max(1, bound)))
  }
}
