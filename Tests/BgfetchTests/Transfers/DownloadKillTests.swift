// Killed, crashed and interrupted downloads: what is committed stays, no partial file is placed, each session
// ends once.

import Foundation
import TestKit
import Testing

@Suite struct DownloadKillTests {
  /// Kills a run once the server has sent this many more bytes.
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

  @Test(arguments: 1...7)
  func `after kills at any time every file is placed once and whole`(seed: UInt64) async throws {
    var random = SeededNumbers(seed: seed)
    let contents = (0..<6).map { FileContent(60_000 + $0 * 40_000, seed: seed * 100 + UInt64($0)) }
    func file(_ place: Int) -> AssetFile { AssetFile(contents[place], .slow(bytesPerSecond: 3 << 20)) }
    let program = try DownloadProgram(
      [
        "a.mp3": file(0), "b.mp3": file(1), "c.mp3": file(2), "d.mp3": file(3), "e.mp3": file(4),
        "f.mp3": file(5),
      ], network: "connections-per-host: 3")
    let whole = contents.reduce(0) { $0 + $1.size }

    // A transfer that eight processes died with is given up if no byte of it has arrived; on a busy machine none may have.
    for round in 0..<7 {
      // Small numbers hit the fetch phase and the queueing, large ones the placing.
      let bytes = random.next(below: round.isMultiple(of: 3) ? 20_000 : whole / 4)
      await kill(try program.started(at: round), of: program.server, after: bytes)
      for name in program.placed {
        let bytes = try program.bytes(name)
        #expect(contents.contains { $0.isWhole(bytes) }, "\(name) after round \(round)")
      }
    }
    // Deliveries expire after 12 hours.
    try await program.settle(from: 7)

    try expectAllOnce(program, contents)
  }

  @Test func `transfers of a killed process are listed as suspended`() async throws {
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

  // Such a run was listed as complete, with exit status 0.
  @Test func `a run that dies during its downloads is a crash in the history`() async throws {
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

  @Test func `a file whose placing was interrupted by a kill is there once and whole`() async throws {
    // Placing begins with the last byte.
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
    // Deliveries expire after 12 hours.
    try await program.settle(from: contents.count)

    try expectAllOnce(program, contents)
  }

  /// Like `expectSettled`, but a delivery that was running at the kill may be repeated.
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

  @Test func `a run reports a transfer that the person suspended`() async throws {
    let gate = Gate()
    let program = try DownloadProgram(
      [
        "a.mp3": AssetFile(FileContent(500_000, seed: 4), .pause(after: 200_000, gate)),
        "b.mp3": AssetFile(FileContent(10_000, seed: 5)),
      ], network: "connections-per-host: 1")

    let run = try program.bgfetch.started(["run", "-v"], at: moment(hours: 0))
    await program.server.sent(200_000, of: "/a.mp3")
    try await arrived(200_000, in: program)
    let listed = try await program.bgfetch("transfers")
    _ = try await program.bgfetch("transfers", "suspend", "1", at: moment())
    let ended = await run.ended()
    gate.open()

    #expect(listed.output.contains("waiting for its turn in the current run"), "\(listed.output)")
    #expect(!listed.output.contains("the next run continues"), "\(listed.output)")
    #expect(ended.errors.contains("suspended, by transfers suspend\n"), "\(ended.errors)")
  }

  @Test func `a run reports a transfer that another process cancelled`() async throws {
    let gate = Gate()
    let program = try DownloadProgram(
      ["a.mp3": AssetFile(FileContent(500_000, seed: 4), .pause(after: 200_000, gate))])

    let run = try program.bgfetch.started(["run", "-v"], at: moment(hours: 0))
    await program.server.sent(200_000, of: "/a.mp3")
    try await arrived(200_000, in: program)
    _ = try await program.bgfetch("transfers", "cancel", "1", at: moment())
    let ended = await run.ended()
    gate.open()

    #expect(ended.errors.contains("cancelled, by another process\n"), "\(ended.errors)")
    #expect(!ended.errors.contains("suspended"), "\(ended.errors)")
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

  @Test func `only the owner can read a partial file`() async throws {
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

/// Pseudo-random numbers from a seed.
struct SeededNumbers {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  mutating func next(below bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(max(1, bound)))
  }
}

// A transfer that crashes the program does not stop the others.

@Suite struct DownloadCrashTests {
  private static let content = FileContent(300_000, seed: 7)

  /// The end of this range plus one overflowed, in every process that resumed.
  @Test(
    arguments: [
      "bytes 100000-9223372036854775807/*", "bytes 100000-9223372036854775806/9223372036854775807",
      "bytes 100000-4611686018427387903/*", "bytes 100000-1152921504606846976/*",
      "bytes 9223372036854775807-9223372036854775807/*", "bytes 0-9223372036854775807/*",
    ])
  func `a range of absurd size is refused, and other files continue`(range: String) async throws {
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

  @Test func `a transfer that ran during two crashes goes last, with its attempts counted`() async throws {
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

    // The third run placed the other file before it requested the first.
    #expect(
      program.server.requests.map(\.path).filter { $0.hasSuffix(".mp3") } == [
        "/a.mp3", "/a.mp3", "/b.mp3", "/a.mp3",
      ])
    #expect(program.placed == ["planet/2026-10-27 Title of b.mp3"])
    // The hook had ended before that request, which may have killed the process.
    #expect(program.count(of: "asset-placed") == 1)
    let left = try #require(try await program.unsettled(at: 3).first)
    #expect(left["status"] as? String == "running" || left["status"] as? String == "suspended")
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
    let run = try await program.bgfetch.shell(
      "ulimit -n 190; BGFETCH_NOW=\(moment(hours: 0)) exec \"$BGFETCH\" run")

    #expect(run.status == 0, "\(run.errors)")
    try program.expectSettled(contents)
  }
}
