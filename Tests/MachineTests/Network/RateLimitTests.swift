// The rate limit of downloads.

import Core
import Machine
import TestKit
import Testing

@Suite(.unlessItHangs) struct RateLimitTests {
  static let framings: [ScriptedAnswer] = [
    .document(pattern(60_000)), ScriptedAnswer.document(pattern(60_000)).chunked(),
    .body(.send(pattern(60_000)), framing: .close),
  ]

  @Test(arguments: framings.rows)
  func `a download takes the time that the rate limit gives it, and is whole`(_ row: TableRow) async throws {
    let server = try ScriptedServer(["/": Self.framings[row.index]])
    let receiver = Recorder()
    let began = ContinuousClock.now

    _ = try await makeDownloadLoop(rateLimit: 40_000).download(request(server.url("/")), into: receiver)

    #expect(receiver.bytes == pattern(60_000))
    // The first piece is owed, so it may be a twentieth of a second early.
    #expect(ContinuousClock.now - began > .milliseconds(1400))
  }

  @Test func `a download slowed by the limit does not count as stalled`() async throws {
    let server = try ScriptedServer(["/": .document(pattern(12_000))])
    let loop = makeDownloadLoop(rateLimit: 8000)
    let request = try request(server.url("/")) {
      $0.network.stall = briefStall
      $0.network.stall.below = ByteCount(1 << 20)
    }
    let (first, second) = (Recorder(), Recorder())

    async let one = loop.outcome(request, into: first)
    async let other = loop.outcome(request, into: second)

    #expect(try await one.get().bytesReceived == 12_000)
    #expect(try await other.get().bytesReceived == 12_000)
    #expect(first.bytes == second.bytes)
  }

  @Test func `a server that stalls is stalled beside one that uses the whole limit`() async throws {
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

  @Test func `the receiver's result for a delayed piece counts`() async throws {
    let server = try ScriptedServer(["/": .document(pattern(60_000))])
    let loop = makeDownloadLoop(rateLimit: 100_000)
    let fails = Recorder(atPiece: { $0 == 4 ? .failed(.file("full")) : .proceed })
    let hasEnough = Recorder(atPiece: { $0 == 4 ? .enough : .proceed })

    #expect(await loop.failure(try request(server.url("/")), into: fails) == .file("full"))
    #expect(try await loop.download(request(server.url("/")), into: hasEnough).status == 200)
  }

  @Test func `a connection that ends while its download is held up loses nothing that came`() async throws {
    let server = try ScriptedServer(["/": .document(pattern(30_000)).cut(after: 20_000)])
    let receiver = Recorder()

    let failure = await makeDownloadLoop(rateLimit: 20_000).failure(
      try request(server.url("/")), into: receiver)

    expect(failure, "cut")
    #expect(receiver.bytes == Array(pattern(30_000).prefix(20_000)))
  }

  @Test func `fetches are not held up`() async throws {
    let server = try ScriptedServer(["/": .document(pattern(100_000))])

    // One byte a second would take a day.

    #expect(try await makeDownloadLoop(rateLimit: 1).fetch(request(server.url("/"))).body.count == 100_000)
  }
}
