// Downloads that take longer than a run may: they are suspended and go on, or get the time they need.

import Foundation
import TestKit
import Testing

@Suite struct DownloadBudgetTests {
  /// Fetches the feed, and works off its transfers under a budget until nothing is left; the clock is the machine's.
  private func run(_ program: DownloadProgram, budget: String, atMost: Int) async throws -> [Invoked] {
    try await program.run(at: 0, "--no-transfers")
    var runs: [Invoked] = []
    for _ in 0..<atMost {
      runs.append(try await program.bgfetch("transfers", "run", "--json", "--budget", budget))
      guard try await program.unsettled().isEmpty else { continue }
      // No hook is begun after the budget: those that are left hear of the last file in the next run.
      _ = try await program.bgfetch("transfers", "run", "--json")
      return runs
    }
    Issue.record("not settled after \(atMost) runs")
    return runs
  }

  @Test func `a file slower than the budget is brought in parts, none of them twice`() async throws {
    let content = FileContent(900_000, seed: 2)
    let program = try DownloadProgram(["a.mp3": AssetFile(content, .slow(bytesPerSecond: 300_000))])

    let runs = try await run(program, budget: "2s", atMost: 60)

    try program.expectSettled([content])
    #expect(runs.allSatisfy { $0.status == 0 })
    #expect(runs.count > 1)
    // What the system took from the server when a run ended is lost, a buffer each time.
    let cuts = program.server.requests("/a.mp3").count - 1
    #expect(program.server.bodyBytes("/a.mp3") <= 900_000 + cuts * 200_000)
    let offsets = runs.lines("transfer-began").compactMap { $0["offset"] as? Int }
    #expect(offsets == offsets.sorted())
  }

  @Test(arguments: [Misbehaviour.noValidators, .noRanges, .newEntityTag])
  func `a file that cannot go on gets an attempt without a budget after it was cut`(
    why: Misbehaviour
  ) async throws {
    let content = FileContent(900_000, seed: 2)
    let program = try DownloadProgram(["a.mp3": AssetFile(content, why, .slow(bytesPerSecond: 200_000))])

    let runs = try await run(program, budget: "2s", atMost: 6)

    try program.expectSettled([content])
    #expect(runs.allSatisfy { $0.status == 0 })
    // A slow machine may have cut one before it asked; what a server's validators promise is believed once.
    #expect((1...4).contains(program.server.requests("/a.mp3").count))
  }

  @Test func `a run that the budget ends says what is left`() async throws {
    let gate = Gate()
    let content = FileContent(900_000, seed: 2)
    let program = try DownloadProgram([
      "a.mp3": AssetFile(content, inTurn: [.pause(after: 100_000, gate)], [])
    ])

    try await program.run(at: 0, "--no-transfers")
    let cut = try await program.bgfetch("transfers", "run", "--json", "--budget", "2s")
    gate.open()
    let left = try await program.unsettled()
    let last = try await program.bgfetch("run", "--json")

    #expect(cut.status == 0)
    #expect(left.first?["status"] as? String == "suspended")
    #expect(last.status == 0)
    try program.expectSettled([content])
  }

  @Test func `transfers together are no faster than the rate limit`() async throws {
    let content = FileContent(300_000, seed: 2)
    let other = FileContent(300_000, seed: 3)
    let program = try DownloadProgram(
      ["a.mp3": AssetFile(content), "b.mp3": AssetFile(other)], network: "rate-limit: 200KiB/s")

    let began = ContinuousClock.now
    try await program.run()

    // Less than the three seconds it should be, for what a bucket lets through at first.
    #expect(ContinuousClock.now - began > .seconds(1.5))
    try program.expectSettled([content, other])
  }

  @Test func `another run's fetches go on beside a long download and feed its queue`() async throws {
    let gate = Gate()
    let (long, short) = (FileContent(300_000, seed: 2), FileContent(20_000, seed: 3))
    let program = try DownloadProgram([
      "a.iso": AssetFile(long, inTurn: [.pause(after: 100_000, gate)], [])
    ])
    program.server.serve(AssetFile(short), at: "/b.mp3")

    let first = try program.started()
    await program.server.sent(100_000, of: "/a.iso")
    program.serve([
      Episode(id: "b", url: program.server.url("/b.mp3"), day: 29),
      Episode(id: "a.iso", url: program.server.url("/a.iso"), day: 28),
    ])
    let second = try await program.run(at: 2)
    let badge = program.bgfetch.badge
    await program.server.sent(20_000, of: "/b.mp3")
    gate.open()
    let ended = await first.ended()

    #expect(second.status == 0)
    #expect(badge == "2\n")
    #expect(ended.status == 0)
    #expect(second.json.contains { $0["type"] as? String == "transfer-began" } == false)
    try program.expectSettled([long, short])
  }

  @Test func `a run without transfers leaves them to another process`() async throws {
    let content = FileContent(30_000)
    let program = try DownloadProgram(["a.mp3": AssetFile(content)])

    let fetched = try await program.run(at: 0, "--no-transfers")
    let before = (program.placed, program.server.requests("/a.mp3").count)
    let transferred = try await program.bgfetch("transfers", "run", "--json")

    #expect(fetched.status == 0)
    #expect(before.0 == [] && before.1 == 0)
    #expect(transferred.status == 0)
    try program.expectSettled([content])
  }
}
