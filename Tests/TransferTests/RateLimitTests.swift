// The rate limit that all downloads of a loop share, with a real server. How it divides is in SharedRateTests, where
// time is a number.

import Core
import TestKit
import Testing
import Transfer

@Suite(.unlessItHangs) struct RateLimitTests {
  static let framings: [ScriptedAnswer] = [
    .document(pattern(60_000)), ScriptedAnswer.document(pattern(60_000)).chunked(),
    .body(.send(pattern(60_000)), framing: .close),
  ]

  @Test(arguments: framings.indices)
  func `a download takes the time that the rate limit gives it, and is whole`(_ row: Int) async throws {
    let server = try ScriptedServer(["/": Self.framings[row]])
    let receiver = Recorder()
    let began = ContinuousClock.now

    _ = try await makeDownloadLoop(rateLimit: 40_000).download(request(server.url("/")), into: receiver)

    #expect(receiver.bytes == pattern(60_000))
    // The first piece is owed, so it may be a twentieth of a second early.
    #expect(ContinuousClock.now - began > .milliseconds(1400))
  }

  @Test func `the limit holds for all downloads together`() async throws {
    let server = try ScriptedServer(["/": .document(pattern(20_000))])
    let loop = makeDownloadLoop(rateLimit: 60_000)
    let request = try request(server.url("/"))
    let began = ContinuousClock.now

    let wholes = await withTaskGroup { group in
      for _ in 0..<6 {
        group.addTask {
          let receiver = Recorder()
          _ = await loop.outcome(request, into: receiver)
          return receiver.bytes == pattern(20_000)
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }

    #expect(wholes == 6)
    #expect(ContinuousClock.now - began > .milliseconds(1700))
  }

  @Test func `what the limit holds up is not stalled, even below the rate that counts as stalled`()
    async throws
  {
    let server = try ScriptedServer(["/": .document(pattern(12_000))])
    let loop = makeDownloadLoop(rateLimit: 8000)
    let request = try request(server.url("/")) {
      $0.network.stall = briefStall
      $0.network.stall.below = ByteCount(1 << 20)
    }
    let first = Recorder()
    let second = Recorder()

    async let one = loop.outcome(request, into: first)
    async let other = loop.outcome(request, into: second)

    #expect(try await one.get().bytesReceived == 12_000)
    #expect(try await other.get().bytesReceived == 12_000)
    #expect(first.bytes == second.bytes)
  }

  @Test func `a server that stands still is stalled beside one that uses the whole limit`() async throws {
    let server = try ScriptedServer([
      "/endless": .body(.endless(pattern(10_000)), framing: .chunked()),
      "/still": .body(.send([65]), .hold, framing: .declared(10)),
    ])
    let loop = makeDownloadLoop(rateLimit: 50_000)
    let endless = try request(server.url("/endless"))
    let receiver = Recorder()
    let task = Task { await loop.outcome(endless, into: receiver) }
    await receiver.began()

    let failure = await loop.failure(
      try request(server.url("/still")) { $0.network.stall = briefStall }, into: Recorder())

    #expect(failure == .stalled(briefStall))
    task.cancel()
    _ = await task.value
  }

  @Test func `a download that is held up is cancelled at once`() async throws {
    let server = try ScriptedServer(["/": .body(.endless(pattern(10_000)), framing: .chunked())])
    let loop = makeDownloadLoop(rateLimit: 1)
    let request = try request(server.url("/"))
    // One piece is owed for a quarter of an hour.
    let held = Recorder()
    let task = Task { await loop.outcome(request, into: held) }
    await held.began()

    task.cancel()

    #expect(await task.value.failure == .suspended)
    await server.closed(1)
  }

  @Test func `what the receiver says to a piece that was held up counts`() async throws {
    let server = try ScriptedServer(["/": .document(pattern(60_000))])
    let loop = makeDownloadLoop(rateLimit: 100_000)
    let fails = Recorder(atPiece: { $0 == 4 ? .failed(.file("full")) : .goOn })
    let hasEnough = Recorder(atPiece: { $0 == 4 ? .enough : .goOn })

    #expect(await loop.failure(try request(server.url("/")), into: fails) == .file("full"))
    #expect(try await loop.download(request(server.url("/")), into: hasEnough).status == 200)
  }

  @Test func `a connection that ends while its download is held up loses nothing that came`() async throws {
    let server = try ScriptedServer(["/": .document(pattern(30_000)).cut(after: 20_000)])
    let receiver = Recorder()

    let failure = await makeDownloadLoop(rateLimit: 20_000).failure(
      try request(server.url("/")), into: receiver)

    guard case .cut = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(receiver.bytes == Array(pattern(30_000).prefix(20_000)))
  }

  @Test func `fetches are not held up`() async throws {
    let server = try ScriptedServer(["/": .document(pattern(100_000))])

    // One byte a second would take a day.
    let response = try await makeDownloadLoop(rateLimit: 1).fetch(request(server.url("/")))

    #expect(response.body.count == 100_000)
  }
}
