// Resumed downloads: after a cut, and after the budget. A download is resumed only if the server has the same file.

import Foundation
import TestKit
import Testing

@Suite struct DownloadResumeTests {
  private static let content = FileContent(300_000, seed: 5)
  private static let cut = Misbehaviour.cut(after: 100_000)

  /// The program with a file that is cut first, misbehaves at the second request, and is then served correctly.
  private func program(_ first: [Misbehaviour] = [], then second: [Misbehaviour]) throws -> DownloadProgram {
    try DownloadProgram(["a.mp3": AssetFile(Self.content, inTurn: first + [Self.cut], second, [])])
  }

  private func ranges(_ program: DownloadProgram) -> [String?] {
    program.server.requests("/a.mp3").map { $0["Range"] }
  }

  @Test func `a cut download is resumed, and reported as resumed`() async throws {
    let program = try program(then: [])

    let runs = try await program.settle()

    try program.expectSettled([Self.content])
    #expect(ranges(program) == [nil, "bytes=100000-"])
    #expect(program.server.requests("/a.mp3").last?["If-Range"] == "\"5-300000\"")
    await program.server.sent(300_000, of: "/a.mp3")
    #expect(program.server.bodyBytes("/a.mp3") == 300_000)
    #expect(runs.lines("transfer-began").compactMap { $0["offset"] as? Int } == [0, 100_000])
  }

  @Test(
    arguments: [
      [.noRanges], [.rangeLies(by: 10)], [.rangeLies(by: 10), .chunked], [.wholeFileAs206],
      [.refusesRanges(416)], [.refusesRanges(403)], [.newEntityTag, .ignoresIfRange], [.noValidators],
      [.rangeOfAnother(FileContent(300_000, seed: 6)), .newEntityTag, .ignoresIfRange],
      [.rangeAtMost(50_000)], [.cut(after: 1)], [.lengthTooLong(by: 10)], [.status(500)], [.chunked],
      [.endsByClose], [.garbageBehind([1, 2, 3])],
    ] as [[Misbehaviour]])
  func `a wrong second response never leads to a wrong file`(how: [Misbehaviour]) async throws {
    let program = try program(then: how)

    try await program.settle()

    try program.expectSettled([Self.content])
    // The first part, one useless response, and the whole file again.
    #expect(program.server.bodyBytes("/a.mp3") <= 100_000 + 300_000 + 300_000 + 1_000)
  }
}

// Downloads longer than the budget: they are suspended and resumed, or get the time they need.

@Suite struct DownloadBudgetTests {
  /// Fetches the feed and runs its transfers under a budget until none is left, by the machine's clock.
  private func run(_ program: DownloadProgram, budget: String, atMost: Int) async throws -> [Invoked] {
    try await program.run(at: 0, "--no-transfers")
    var runs: [Invoked] = []
    for _ in 0..<atMost {
      runs.append(try await program.bgfetch("transfers", "run", "--json", "--budget", budget))
      guard try await program.unsettled().isEmpty else { continue }
      // No hook is started after the budget: the next run delivers the rest.
      try await program.bgfetch("transfers", "run", "--json")
      return runs
    }
    Issue.record("not settled after \(atMost) runs")
    return runs
  }

  @Test func `a file slower than the budget is downloaded in parts, none of them twice`() async throws {
    let content = FileContent(900_000, seed: 2)
    let program = try DownloadProgram(["a.mp3": AssetFile(content, .slow(bytesPerSecond: 300_000))])

    let runs = try await run(program, budget: "2s", atMost: 60)

    try program.expectSettled([content])
    #expect(runs.allSatisfy { $0.status == 0 })
    #expect(runs.count > 1)
    // Each end of a run loses the bytes in the socket buffer.
    let cuts = program.server.requests("/a.mp3").count - 1
    #expect(program.server.bodyBytes("/a.mp3") <= 900_000 + cuts * 200_000)
    let offsets = runs.lines("transfer-began").compactMap { $0["offset"] as? Int }
    #expect(offsets == offsets.sorted())
  }

  @Test func `other runs fetch during a long download and add to its queue`() async throws {
    let gate = Gate()
    let (long, short) = (FileContent(300_000, seed: 2), FileContent(20_000, seed: 3))
    // At most one download at a time is from one host.
    let other = try ScriptedServer(on: "127.0.0.2")
    let program = try DownloadProgram(
      ["a.iso": AssetFile(long, inTurn: [.pause(after: 100_000, gate)], [])],
      network: "private-addresses: allow")
    other.serve(AssetFile(short), at: "/b.mp3")

    let first = try program.started()
    await program.server.sent(100_000, of: "/a.iso")
    program.serve([
      Episode(id: "b", url: other.url("/b.mp3"), day: 29),
      Episode(id: "a.iso", url: program.server.url("/a.iso"), day: 28),
    ])
    let second = try await program.run(at: 2, status: 0)
    let badge = program.bgfetch.badge
    await other.sent(20_000, of: "/b.mp3")
    gate.open()
    let ended = await first.ended()

    #expect(badge == "2\n")
    #expect(ended.status == 0)
    #expect(second.json.contains { $0["type"] as? String == "transfer-began" } == false)
    try program.expectSettled([long, short])
  }
}
