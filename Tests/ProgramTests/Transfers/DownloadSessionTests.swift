// Sessions, notifications that wait for files, and changes to transfers during a run.

import Foundation
import TestKit
import Testing

@Suite struct DownloadSessionTests {
  private static let (one, two) = (FileContent(200_000, seed: 31), FileContent(80_000, seed: 32))

  /// Two files, the first of which stalls until the gate opens.
  private func paused(_ gate: Gate) throws -> DownloadProgram {
    try DownloadProgram([
      "a.mp3": AssetFile(Self.one, inTurn: [.pause(after: 100_000, gate)], []), "b.mp3": AssetFile(Self.two),
    ])
  }

  private func number(_ file: String, _ program: DownloadProgram) async throws -> String {
    let transfer = try await program.unsettled().first { ($0["url"] as? String)?.hasSuffix(file) == true }
    return "\(try #require(transfer?["number"] as? Int))"
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

  // MARK: Changes while a run is at work

  @Test func `a suspended transfer stops, which the run reports, and continues when it is resumed`()
    async throws
  {
    let gate = Gate()
    let program = try paused(gate)

    let run = try program.bgfetch.started(["run", "-v"], at: moment())
    await program.server.sent(100_000, of: "/a.mp3")
    try await program.bgfetch(
      "transfers", "pause", try await number("a.mp3", program), at: moment(), status: 0)
    let ended = await run.ended()
    gate.open()
    try await program.run(at: 6)
    let between = (program.placed, program.count(of: "session-finished"))
    try await program.bgfetch("transfers", "resume", "planet", at: moment(hours: 6), status: 0)
    try await program.settle(from: 12)

    #expect(ended.status == 0, "\(ended.errors)")
    #expect(ended.errors.contains("suspended, by transfers pause\n"), "\(ended.errors)")
    #expect(between.0.count == 1)
    #expect(between.1 == 0)
    #expect(program.server.requests("/a.mp3").last?["Range"] == "bytes=100000-")
    try program.expectSettled([Self.one, Self.two])
  }

  @Test func `a cancelled transfer stops, which the run reports, leaves no file and ends its session`()
    async throws
  {
    let gate = Gate()
    let program = try paused(gate)

    let run = try program.bgfetch.started(["run", "-v"], at: moment())
    await program.server.sent(100_000, of: "/a.mp3")
    try await program.bgfetch(
      "transfers", "cancel", try await number("a.mp3", program), at: moment(), status: 0)
    let ended = await run.ended()
    gate.open()
    try await program.run(at: 24, "--force")

    #expect(ended.status == 0, "\(ended.errors)")
    #expect(ended.errors.contains("cancelled, by another process\n"), "\(ended.errors)")
    #expect(program.server.requests("/a.mp3").count == 1)
    try program.expectSettled([Self.two])
    // A further run does not deliver the session again.
    try await program.run(at: 48)
    #expect(program.count(of: "session-finished") == 1)
  }

  @Test func `a transfer suspended and resumed during a run continues in that run`() async throws {
    let (gate, other) = (Gate(), Gate())
    // At most one download at a time is from one host.
    let host = try ScriptedServer(on: "127.0.0.2")
    let program = try DownloadProgram(
      ["a.mp3": AssetFile(Self.one, inTurn: [.pause(after: 100_000, gate)], [])],
      network: "private-addresses: allow")
    host.serve(AssetFile(Self.two, inTurn: [.pause(after: 40_000, other)], []), at: "/b.mp3")
    program.serve([
      Episode(id: "a.mp3", url: program.server.url("/a.mp3"), day: 28),
      Episode(id: "b.mp3", url: host.url("/b.mp3"), day: 27),
    ])

    let run = try program.started()
    await program.server.sent(100_000, of: "/a.mp3")
    let number = try await number("a.mp3", program)
    try await program.bgfetch("transfers", "pause", number, at: moment())
    try await program.bgfetch("transfers", "resume", number, at: moment())
    await program.server.sent(Self.one.size, of: "/a.mp3")
    other.open()
    _ = await run.ended()
    gate.open()

    try program.expectSettled([Self.one, Self.two])
  }
}
