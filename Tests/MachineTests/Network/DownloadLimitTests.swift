// The time limits and the rate limit of downloads.

import Core
import TestKit
import Testing

@testable import Machine

@Suite struct PatienceTests {
  /// The second in which a server that sends this many bytes in each of these seconds is given up; nil if it never is.
  private func end(_ bytes: [Int], of patience: Patience) -> (second: Int, failure: FetchFailure)? {
    var patience = patience
    for (second, count) in bytes.enumerated() {
      patience.take(count)
      // CurlThread asks twice a second.
      for _ in 0..<2 { if let failure = patience.pass(0.5) { return (second + 1, failure) } }
    }
    return nil
  }

  /// Defaults: 1 KiB/s for 30 s.
  private func patience(answered isWanted: Bool? = true, _ change: (inout NetworkSettings) -> Void = { _ in })
    -> Patience
  {
    var network = NetworkSettings()
    change(&network)
    var patience = Patience(network)
    patience.connected()
    if let isWanted { patience.receivedHead(isWanted: isWanted) }
    return patience
  }

  static let rates: [(what: String, bytes: [Int], second: Int?)] = [
    ("nothing", none, 30), ("half of it", [Int](repeating: 512, count: 100), 30),
    ("just below", [Int](repeating: 1000, count: 100), 30),
    ("just enough", [Int](repeating: 1024, count: 1000), nil),
    ("much, then nothing", [Int](repeating: 1_000_000, count: 60) + none, 90),
    ("enough, in bursts", (0..<1000).map { $0 % 10 == 0 ? 11_000 : 0 }, nil),
    ("too little, in bursts", (0..<1000).map { $0 % 10 == 0 ? 9000 : 0 }, 30),
  ]
  private static let none = [Int](repeating: 0, count: 100)

  @Test(arguments: rates.rows)
  func `a body slower than the limit on average over its time is stalled`(_ row: TableRow) {
    let (what, bytes, second) = Self.rates[row.index]

    let end = end(bytes, of: patience())

    #expect(end?.second == second, "\(what)")
    if second != nil { #expect(end?.failure == .stalled(StallLimit())) }
  }

  /// Whether a response was wanted, nil before there is one; the limit for a body; and the bytes of each second.
  static let asFeeds: [(isWanted: Bool?, below: Int64, bytes: [Int])] = [
    (nil, 0, none), (nil, 1024, none), (false, 0, none), (false, 1024, [Int](repeating: 1 << 20, count: 100)),
  ]

  @Test(arguments: asFeeds.rows)
  func `a response and the body of an error have the time of a feed, whatever the limit for a body`(
    _ row: TableRow
  ) {
    let (isWanted, below, bytes) = Self.asFeeds[row.index]

    let end = end(bytes, of: patience(answered: isWanted) { $0.stall.below = ByteCount(below) })

    #expect(end?.second == 60)
    #expect(end?.failure == .timeout(.seconds(60)))
  }

  @Test func `connecting has no time limit here, and a limit of 0 bytes a second is none`() {
    #expect(end(Self.none, of: Patience(NetworkSettings())) == nil)
    #expect(end(Self.none, of: patience { $0.stall.below = ByteCount(0) }) == nil)
  }

  @Test func `a thread that came late does not blame the server`() {
    var patience = patience()

    #expect(patience.pass(3600) == nil)
  }

  @Test func `a download below the limit is detected within a check or two`() {
    #expect(end([0, 0, 0], of: patience { $0.stall.for = .seconds(1) })?.second == 1)
  }
}

@Suite struct SharedRateTests {
  private let shared = SharedRate(ByteCount(1000))
  private let start = MonotonicTime(nanoseconds: 0)

  /// Downloads from servers that send without end, in pieces of a size; returns the bytes of each in this many seconds.
  ///
  /// The thread checks every two milliseconds, like one that also has other work.
  private func simulate(rate: Int64, pieces: [Int], seconds: Double, stopping: [Int: Double] = [:]) -> [Int] {
    let shared = SharedRate(ByteCount(rate))
    var now = MonotonicTime(nanoseconds: 0)
    let end = now + seconds
    var taken = [Int](repeating: 0, count: pieces.count)
    var isHeld = [Bool](repeating: false, count: pieces.count)
    for index in pieces.indices { shared.add(Ticket(number: index), at: now) }
    while now < end {
      while let ticket = shared.next(at: now) { isHeld[ticket.number] = false }
      for index in pieces.indices where !isHeld[index] {
        if let stop = stopping[index], MonotonicTime(nanoseconds: 0) + stop < now { continue }
        // The bytes that libcurl would pass on before it turns to the next transfer.
        for _ in 0..<4 where !isHeld[index] {
          if shared.take(pieces[index], by: Ticket(number: index), at: now) {
            taken[index] += pieces[index]
          } else {
            isHeld[index] = true
          }
        }
      }
      now = now + 0.002
    }
    return taken
  }

  @Test(arguments: [500, 10_000, 2 << 20, 200 << 20] as [Int64], [1, 2, 7, 32])
  func `all downloads together use the whole rate`(_ rate: Int64, _ count: Int) {
    let size = SharedRate(ByteCount(rate)).pieceSize
    let piece = min(size, 16_384)
    let seconds = 20.0

    let total = simulate(
      rate: rate, pieces: [Int](repeating: piece, count: count), seconds: seconds
    ).reduce(0, +)

    // Beyond that only the last piece is owed, and only the last step was not given out.
    let expected = Double(rate) * seconds
    #expect(Double(total) <= expected + Double(piece))
    // At most 32 times four pieces in two milliseconds.
    let most = Double(4 * piece * count) * seconds / 0.002
    #expect(Double(total) >= min(expected, most) * 0.95 - Double(piece))
  }

  @Test func `each of several takes the same`() {
    let taken = simulate(rate: 1_000_000, pieces: [16_384, 16_384, 4096, 1024], seconds: 20)

    for one in taken { #expect((4_500_000...5_500_000).contains(one), "\(taken)") }
  }

  @Test func `bandwidth that one download leaves is used by the others`() {
    let taken = simulate(rate: 1_000_000, pieces: [8192, 8192], seconds: 20, stopping: [0: 4])

    #expect((1_800_000...2_300_000).contains(taken[0]), "\(taken)")
    #expect((17_000_000...18_300_000).contains(taken[1]), "\(taken)")
  }

  @Test func `nothing is saved up while nothing is downloaded`() {
    shared.add(Ticket(number: 1), at: start)
    shared.remove(Ticket(number: 1))

    shared.add(Ticket(number: 2), at: start + 100)

    #expect(!shared.take(1, by: Ticket(number: 2), at: start + 100))
  }

  @Test func `the next download also waits for the excess`() {
    shared.add(Ticket(number: 1), at: start)
    #expect(shared.take(5000, by: Ticket(number: 1), at: start + 0.1))
    shared.remove(Ticket(number: 1))

    shared.add(Ticket(number: 2), at: start + 1)
    #expect(!shared.take(1, by: Ticket(number: 2), at: start + 1))

    #expect(shared.secondsToNext(at: start + 1).map { ($0 * 100).rounded() } == 402)
    #expect(shared.next(at: start + 5.01) == nil)
    #expect(shared.next(at: start + 5.03) == Ticket(number: 2))
  }

  @Test func `the time for which a download was held up is reported once`() {
    let ticket = Ticket(number: 1)
    shared.add(ticket, at: start)
    #expect(!shared.take(10, by: ticket, at: start))

    #expect(shared.secondsHeld(ticket, at: start + 0.01) == 0.01)
    #expect(shared.next(at: start + 0.03) == ticket)
    #expect((shared.secondsHeld(ticket, at: start + 1) * 1000).rounded() == 20)
    #expect(shared.secondsHeld(ticket, at: start + 2) == 0)
  }

  @Test func `a download that ended while it waited is not resumed`() {
    shared.add(Ticket(number: 1), at: start)
    #expect(!shared.take(10, by: Ticket(number: 1), at: start))

    shared.remove(Ticket(number: 1))

    #expect(shared.next(at: start + 10) == nil)
    #expect(shared.secondsToNext(at: start + 10) == nil)
  }
}

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
