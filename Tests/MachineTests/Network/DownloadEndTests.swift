// Downloads that are cancelled, shut down or given up for the time they take.

import Core
import Machine
import Synchronization
import TestKit
import Testing

@Suite(.unlessItHangs) struct DownloadEndTests {
  @Test func `after a cancelled download has returned, its receiver is no longer called`() async throws {
    let server = try ScriptedServer { _ in .body(.endless(pattern(50_000)), framing: .chunked()) }
    let loop = makeDownloadLoop()
    let request = try request(server.url("/"))

    for _ in 0..<40 {
      let receiver = Recorder()
      let task = Task {
        let outcome = await loop.outcome(request, into: receiver)
        receiver.isOver()
        return outcome
      }
      await receiver.began()

      task.cancel()

      #expect(await task.value.failure == .suspended)
      #expect(receiver.lateCalls == 0)
    }
    await server.closed(40)
  }

  @Test func `a download that is cancelled in its receiver's own call ends`() async throws {
    let server = try ScriptedServer(["/": .body(.endless(pattern(50_000)), framing: .chunked())])
    let loop = makeDownloadLoop()
    let request = try request(server.url("/"))
    let running = Mutex<Task<Result<Response, FetchFailure>, Never>?>(nil)
    let gate = Gate()
    let receiver = Recorder(atPiece: {
      if $0 == 1 { gate.pass() }
      if $0 == 3 { running.withLock { $0 }?.cancel() }
      return .proceed
    })
    let task = Task { await loop.outcome(request, into: receiver) }
    running.withLock { $0 = task }

    gate.open()

    #expect(await task.value.failure == .suspended)
  }

  @Test(arguments: [nil, 2000] as [Int64?])
  func `shutting down suspends downloads that run, wait or are held up`(_ rateLimit: Int64?) async throws {
    let server = try ScriptedServer(["/": .body(.endless(pattern(50_000)), framing: .chunked())])
    let loop = makeDownloadLoop(connections: 2, rateLimit: rateLimit)
    let request = try request(server.url("/"))
    let receivers = (0..<6).map { _ in Recorder() }
    let tasks = receivers.map { receiver in Task { await loop.outcome(request, into: receiver) } }
    await server.received(2)

    loop.shutdown()
    for receiver in receivers { receiver.isOver() }

    for task in tasks { #expect(await task.value.failure == .suspended) }
    #expect(receivers.map(\.lateCalls) == [0, 0, 0, 0, 0, 0])
    #expect(await loop.failure(request, into: Recorder()) == .suspended)
  }

  @Test func `a download may take longer than a feed may`() async throws {
    let gate = Gate()
    let server = try ScriptedServer(["/": .body(.send([65]), .wait(gate), .send([66]), framing: .length)])
    let loop = makeDownloadLoop()
    let long = try request(server.url("/")) { $0.network.timeout = .seconds(1) }
    let receiver = Recorder()
    let task = Task { await loop.outcome(long, into: receiver) }
    await receiver.began()

    // The time limit of another loop is the clock here. It is longer than the limit that must not apply.
    let blocker = try ScriptedServer(["/": .raw(.hold)])
    _ = await makeLoop().failure(try request(blocker.url("/")) { $0.network.timeout = .seconds(3) })
    gate.open()

    #expect(try await task.value.get().status == 200)
    #expect(receiver.text == "AB")
  }

  static let slow: [(what: String, isStall: Bool, answer: ScriptedAnswer)] = [
    ("a head and nothing else", true, .body(.hold, framing: .declared(10))),
    ("a body that stands still", true, .body(.send([65]), .hold, framing: .declared(10))),
    (
      "a body that drips", true,
      .body(.drip([UInt8](repeating: 65, count: 1000), milliseconds: 20), framing: .declared(1000))
    ),
    ("no answer", false, .raw(.hold)),
    (
      "a head that drips", false,
      .raw(
        .drip(Array(("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 1000)).utf8), milliseconds: 20))
    ),
  ]

  @Test(arguments: slow.rows)
  func `a download that stalls or drips is given up as stalled, without a response after the time of a feed`(
    _ row: TableRow
  ) async throws {
    let (what, isStall, answer) = Self.slow[row.index]
    let server = try ScriptedServer(["/": answer])

    let failure = await makeDownloadLoop().failure(
      try request(server.url("/")) {
        if isStall { $0.network.stall = briefStall } else { $0.network.timeout = .seconds(1) }
      }, into: Recorder())

    let expected: FetchFailure = isStall ? .stalled(briefStall) : .timeout(.seconds(1))
    #expect(failure == expected, "\(what)")
    await server.closed(1)
  }

  @Test(arguments: [true, false])
  func `an error or redirect whose body does not end is taken without it`(_ hasStallLimit: Bool) async throws
  {
    var answer = ScriptedAnswer.body(.send([65]), .hold, framing: .declared(10))
    answer.statusLine = "HTTP/1.1 302 Found"
    let server = try ScriptedServer(["/": answer.with("Location", "/there")])
    let receiver = Recorder()

    let response = try await makeDownloadLoop().download(
      request(server.url("/")) {
        if hasStallLimit { $0.network.stall = briefStall } else { $0.network.timeout = .seconds(1) }
      }, into: receiver)

    #expect(response.status == 302)
    #expect(response["Location"] == "/there")
    #expect(receiver.heads.isEmpty)
  }
}
