// Sessions, notifications that wait for files, and changes to transfers during a run.

import Foundation
import TestKit
import Testing

@Suite struct DownloadSessionTests {
  private static let (one, two) = (FileContent(200_000, seed: 31), FileContent(80_000, seed: 32))

  /// Two files, the first of which stalls until the gate opens.
  private func paused(_ gate: Gate, keys: String = "") throws -> DownloadProgram {
    try DownloadProgram(
      [
        "a.mp3": AssetFile(Self.one, inTurn: [.pause(after: 100_000, gate)], []),
        "b.mp3": AssetFile(Self.two),
      ], keys: keys)
  }

  private func number(_ file: String, _ program: DownloadProgram) async throws -> String {
    let transfer = try await program.unsettled().first { ($0["url"] as? String)?.hasSuffix(file) == true }
    return "\(try #require(transfer?["number"] as? Int))"
  }

  @Test func `a session finishes once, after all of its transfers, with their totals`() async throws {
    let program = try DownloadProgram([
      "a.mp3": AssetFile(Self.one), "b.mp3": AssetFile(Self.two, inTurn: [.status(503)], []),
      "c.mp3": AssetFile(Self.two, .status(404)),
    ])

    let first = try await program.run()
    let between = program.count(of: "session-finished")
    try await program.settle(from: 6)
    try await program.run(at: 100)

    #expect(first.status == 3)
    #expect(between == 0)
    try program.expectSettled([Self.one, Self.two], failed: 1)
    let finished = try #require(program.events.last { $0["event"] as? String == "session-finished" })
    #expect((finished["feed"] as? [String: Any])?["name"] as? String == "planet")
    #expect(finished["count"] as? Int == 2)
    #expect(finished["failed"] as? Int == 1)
  }

  @Test func `a later file is a session of its own`() async throws {
    let program = try DownloadProgram(["a.mp3": AssetFile(Self.one)])
    try await program.run()
    program.add(AssetFile(Self.two), named: "b.mp3")

    try await program.run(at: 6)

    try program.expectSettled([Self.one, Self.two], sessions: 2)
  }

  @Test func `a notification waits for the files of its items`() async throws {
    let program = try DownloadProgram(["a.mp3": AssetFile(Self.one, inTurn: [.status(503)], [])])

    try await program.run()
    let before = program.count(of: "notification")
    try await program.run(at: 6)

    #expect(before == 0)
    #expect(program.count(of: "notification") == 1)
    let placed = program.events.first { $0["event"] as? String == "asset-placed" }
    let item = placed?["item"] as? [String: Any]
    #expect((item?["link"] as? String)?.hasPrefix("https://planet.example/") == true)
  }

  @Test func `a notification waits for files at most a day`() async throws {
    let program = try DownloadProgram(["a.mp3": AssetFile(Self.one, .status(503))])

    try await program.run()
    try await program.run(at: 23)
    let before = program.count(of: "notification")
    try await program.run(at: 25)

    #expect(before == 0)
    #expect(program.told == ["Title of a.mp3 (0 of 1 file)"])
  }

  @Test func `a notification counts its files if some failed`() async throws {
    let program = try DownloadProgram(
      ["a.mp3": AssetFile(Self.one), "b.mp3": AssetFile(Self.two, .status(404))])

    try await program.run()

    #expect(program.told == ["Title of a.mp3\nTitle of b.mp3\n(1 of 2 files)"])
    let message = program.events.first { $0["event"] as? String == "notification" }
    let files = (message?["items"] as? [[String: Any]])?.compactMap { $0["files"] as? [String] }
    #expect(files?.map(\.count) == [1, 0])
    #expect(files?.first?.first.map { $0.hasPrefix(program.documents + "/") } == true)
  }

  @Test func `a summary of notifications counts their files too`() async throws {
    let program = try DownloadProgram([:])
    program.server.serve(AssetFile(Self.one), at: "/a.mp3")
    let feeds = ["planet": "a.mp3", "moon": "b.mp3"].map { feed, file in
      program.server.on(
        "/" + feed, .document(podcast([Episode(id: file, url: program.server.url("/" + file))])))
      return
        "  \(feed): {url: \"\(program.server.url("/" + feed))\", download: {}, notify: {group: run, "
        + "hours: \"12:00-22:00\", body: \"{count}\"}}\n"
    }
    try program.write(feeds: feeds.joined())

    // The hours join them: otherwise each is delivered when its own file is finished.
    try await program.run()
    try await program.run(at: 3)

    #expect(program.told == ["2 (1 of 2 files)"])
  }

  @Test func `a notification that does not wait for files is delivered at once`() async throws {
    let program = try DownloadProgram(
      ["a.mp3": AssetFile(Self.one, .status(503))], keys: "notify: {when: at-once}")

    try await program.run()

    #expect(program.count(of: "notification") == 1)
  }

  // MARK: Changes while a run is at work

  @Test func `a suspended transfer stops, and continues when it is resumed`() async throws {
    let gate = Gate()
    let program = try paused(gate)

    let run = try program.started()
    await program.server.sent(100_000, of: "/a.mp3")
    let suspended = try await program.bgfetch(
      "transfers", "suspend", try await number("a.mp3", program), at: moment())
    let ended = await run.ended()
    gate.open()
    try await program.run(at: 6)
    let between = (program.placed, program.count(of: "session-finished"))
    let resumed = try await program.bgfetch("transfers", "resume", "planet", at: moment(hours: 6))
    try await program.settle(from: 12)

    #expect(suspended.status == 0 && resumed.status == 0)
    #expect(ended.status == 0)
    #expect(between.0.count == 1 && between.1 == 0)
    #expect(program.server.requests("/a.mp3").last?["Range"] == "bytes=100000-")
    try program.expectSettled([Self.one, Self.two])
  }

  @Test func `a cancelled transfer stops, leaves no file and ends its session`() async throws {
    let gate = Gate()
    let program = try paused(gate)

    let run = try program.started()
    await program.server.sent(100_000, of: "/a.mp3")
    let cancelled = try await program.bgfetch(
      "transfers", "cancel", try await number("a.mp3", program), at: moment())
    let ended = await run.ended()
    gate.open()
    try await program.run(at: 24, "--force")

    #expect(cancelled.status == 0)
    #expect(ended.status == 0)
    #expect(program.server.requests("/a.mp3").count == 1)
    try program.expectSettled([Self.two])
    // A further run does not deliver the session again.
    try await program.run(at: 48)
    #expect(program.count(of: "session-finished") == 1)
  }

  @Test func `a cancelled transfer that waits leaves no file`() async throws {
    let program = try DownloadProgram([
      "a.mp3": AssetFile(Self.one, inTurn: [.cut(after: 50_000)], [])
    ])
    try await program.run()
    #expect(program.leftovers.count == 1)

    _ = try await program.bgfetch("transfers", "cancel", "planet", at: moment())
    try await program.run(at: 6)

    #expect(program.leftovers == [])
    #expect(program.placed == [])
    #expect(program.server.requests("/a.mp3").count == 1)
    #expect(program.count(of: "session-finished") == 1)
  }

  @Test func `a failed transfer can be retried, in a session of its own`() async throws {
    let program = try DownloadProgram(["a.mp3": AssetFile(Self.one, inTurn: [.status(404)], [])])
    try await program.run()
    #expect(program.count(of: "session-finished") == 1)

    let retried = try await program.bgfetch("transfers", "retry", "planet")
    try await program.settle(from: 6)

    #expect(retried.status == 0)
    try program.expectSettled([Self.one], sessions: 2, failed: 1)
  }

  @Test func `a feed that left the configuration keeps its transfers and its files`() async throws {
    let program = try DownloadProgram([
      "a.mp3": AssetFile(Self.one), "b.mp3": AssetFile(Self.two, inTurn: [.cut(after: 1_000)], []),
    ])
    try await program.run()
    try program.write(feeds: "  other: {url: \"\(program.server.url("/other"))\"}")
    for hour in 1...3 { try await program.run(at: hour * 24) }
    let asked = program.server.requests("/b.mp3").count
    let placed = program.placed
    try program.configure()
    try await program.settle(from: 96)

    #expect(asked == 1)
    #expect(placed.count == 1)
    try program.expectSettled([Self.one, Self.two])
  }

  @Test func `a transfer suspended and resumed during a run continues in that run`() async throws {
    let (gate, other) = (Gate(), Gate())
    let program = try DownloadProgram([
      "a.mp3": AssetFile(Self.one, inTurn: [.pause(after: 100_000, gate)], []),
      "b.mp3": AssetFile(Self.two, inTurn: [.pause(after: 40_000, other)], []),
    ])

    let run = try program.started()
    await program.server.sent(100_000, of: "/a.mp3")
    let number = try await number("a.mp3", program)
    _ = try await program.bgfetch("transfers", "suspend", number, at: moment())
    _ = try await program.bgfetch("transfers", "resume", number, at: moment())
    await program.server.sent(Self.one.size, of: "/a.mp3")
    other.open()
    _ = await run.ended()
    gate.open()

    try program.expectSettled([Self.one, Self.two])
  }
}
