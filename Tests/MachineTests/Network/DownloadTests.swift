// Downloads, and the helpers that receive them.

import Core
import Machine
import Synchronization
import TestKit
import Testing

@Suite(.unlessItHangs) struct DownloadTests {
  @Test func `the body goes to the receiver, the head before it, and the response comes without it`()
    async throws
  {
    let body = pattern(3_000_000)
    let server = try ScriptedServer(["/": .document(body, etag: "\"1\"")])
    let receiver = Recorder()

    let response = try await makeDownloadLoop().download(request(server.url("/")), into: receiver)

    #expect(receiver.bytes == body)
    #expect(receiver.bytesBeforeHead == 0)
    #expect(receiver.heads.map(\.status) == [200])
    #expect(receiver.heads.first?["ETag"] == "\"1\"")
    #expect(receiver.heads.first?.innerAddress == NetworkAddress("127.0.0.1"))
    #expect(response.status == 200)
    #expect(response.body.isEmpty)
    #expect(response.bytesReceived == 3_000_000)
    #expect(response["ETag"] == "\"1\"")
  }

  static let statuses: [(answer: ScriptedAnswer, heads: [Int], text: String)] = [
    (.status(200, body: "all"), [200], "all"),
    (.status(206, [("Content-Range", "bytes 2-4/5")], body: "ast"), [206], "ast"),
    (.status(200, body: ""), [200], ""), (.status(204), [204], ""),
    (ScriptedAnswer.status(200, body: "pieces").chunked(), [200], "pieces"), (.status(304), [], ""),
    (.redirect(to: "/elsewhere"), [], ""),
    (.status(302, [("Location", "/elsewhere")], body: "moved"), [], ""),
    (.status(404, body: "not here"), [], ""),
    (.status(416, [("Content-Range", "bytes */5")], body: "beyond"), [], ""),
    (.status(503, [("Retry-After", "60")], body: "busy"), [], ""),
  ]

  @Test(arguments: statuses.rows)
  func `only the body of a 2xx response goes to the receiver`(_ row: TableRow) async throws {
    let (answer, heads, text) = Self.statuses[row.index]
    let server = try ScriptedServer(["/": answer])
    let receiver = Recorder()

    let response = try await makeDownloadLoop().download(request(server.url("/")), into: receiver)

    #expect(receiver.heads.map(\.status) == heads)
    #expect(receiver.text == text)
    #expect(answer.statusLine.contains(" \(response.status) "))
    #expect(response.body.isEmpty)
  }

  @Test func `the body is asked for, and handed on, without a content coding`() async throws {
    let plain = Array("plain".utf8)
    let server = try ScriptedServer(["/": ScriptedAnswer.document(plain).gzipped()])
    let receiver = Recorder()

    _ = try await makeDownloadLoop().download(
      request(server.url("/"), [HeaderField("Range", "bytes=0-"), HeaderField("Accept", "*/*")]),
      into: receiver)

    let sent = try #require(server.requests.first)
    #expect(sent.fields.filter { $0.name.lowercased() == "accept-encoding" }.map(\.value) == ["identity"])
    #expect(sent["Range"] == "bytes=0-")
    #expect(receiver.bytes.starts(with: [0x1F, 0x8B]))
    #expect(receiver.bytes.count == receiver.heads.first?["Content-Length"].flatMap { Int($0) })
  }

  @Test func `a fetch after a download is decoded again`() async throws {
    let server = try ScriptedServer(["/": ScriptedAnswer.document("plain").gzipped()])
    let loop = makeDownloadLoop(connections: 1)
    _ = try await loop.download(request(server.url("/")), into: Recorder())

    #expect(try await loop.fetch(request(server.url("/"))).text == "plain")
  }

  @Test func `a body that ends with the connection is whole`() async throws {
    var answer = ScriptedAnswer.body(.send(Array("old".utf8)), framing: .close)
    answer.statusLine = "HTTP/1.0 200 OK"
    let server = try ScriptedServer(["/": answer])
    let receiver = Recorder()

    let response = try await makeDownloadLoop().download(request(server.url("/")), into: receiver)

    #expect(receiver.text == "old")
    #expect(response.bytesReceived == 3)
  }

  @Test func `an incomplete body fails as cut, and the receiver keeps its bytes`() async throws {
    let server = try ScriptedServer(["/": .document("twelve bytes").cut(after: 5)])
    let receiver = Recorder()

    let failure = await makeDownloadLoop().failure(try request(server.url("/")), into: receiver)

    expect(failure, "cut")
    #expect(receiver.heads.count == 1)
    #expect(receiver.text == "twelv")
  }

  @Test func `a body longer than its Content-Length ends there`() async throws {
    let body = ScriptedAnswer.body(.send(Array("five, and more".utf8)), .close, framing: .declared(4))
    let server = try ScriptedServer(["/": body])
    let receiver = Recorder()

    _ = try await makeDownloadLoop().download(request(server.url("/")), into: receiver)

    #expect(receiver.text == "five")
  }

  @Test func `a receiver that has enough ends the exchange without a failure`() async throws {
    let server = try ScriptedServer(["/": .body(.endless(pattern(10_000)), framing: .chunked())])
    let receiver = Recorder(atPiece: { $0 == 20 ? .enough : .proceed })

    let response = try await makeDownloadLoop().download(request(server.url("/")), into: receiver)

    #expect(response.status == 200)
    #expect(!receiver.bytes.isEmpty)
    #expect(response.bytesReceived == receiver.bytes.count)
    await server.closed(1)
  }

  @Test func `a receiver that has enough of the head gets no body`() async throws {
    let server = try ScriptedServer(["/": .document("body")])
    let receiver = Recorder(atHead: { _ in .enough })

    #expect(try await makeDownloadLoop().download(request(server.url("/")), into: receiver).status == 200)
    #expect(receiver.heads.count == 1)
    #expect(receiver.bytes.isEmpty)
  }

  @Test func `the receiver's error is the failure`() async throws {
    let server = try ScriptedServer(["/": .document(pattern(1_000_000))])
    let atHead = Recorder(atHead: { _ in .failed(.file("head")) })
    let atPiece = Recorder(atPiece: { $0 == 2 ? .failed(.file("body")) : .proceed })
    let loop = makeDownloadLoop()

    #expect(await loop.failure(try request(server.url("/")), into: atHead) == .file("head"))
    #expect(await loop.failure(try request(server.url("/")), into: atPiece) == .file("body"))
    #expect(atHead.bytes.isEmpty)
  }

  @Test func `bytes are delivered as they come, and none wait for more`() async throws {
    let gate = Gate()
    let server = try ScriptedServer([
      "/": .body(
        .send(Array("first".utf8)), .wait(gate), .send(pattern(1_000_000)), .close,
        framing: .declared(1_000_005))
    ])
    let receiver = Recorder()
    let file = try request(server.url("/"))
    let download = Task { await makeDownloadLoop().outcome(file, into: receiver) }

    await receiver.began()
    #expect(receiver.text == "first")
    gate.open()
    _ = try await download.value.get()

    #expect(receiver.bytes.dropFirst(5).elementsEqual(pattern(1_000_000)))
  }

  @Test func `a slow receiver does not delay another loop`() async throws {
    let gate = Gate()
    let server = try ScriptedServer(["/file": .document(pattern(100_000)), "/feed": .document("feed")])
    let receiver = Recorder(atPiece: {
      if $0 == 1 { gate.pass() }
      return .proceed
    })
    let downloads = makeDownloadLoop()
    let file = try request(server.url("/file"))
    let download = Task { await downloads.outcome(file, into: receiver) }
    await receiver.began()

    #expect(try await makeLoop().fetch(request(server.url("/feed"))).text == "feed")
    gate.open()

    #expect(try await download.value.get().bytesReceived == 100_000)
  }
}

/// Keeps the bytes that it receives, and replies as a test wants.
final class Recorder: BodyReceiver, Sendable {
  struct State: Sendable {
    var begun = 0
    var heads: [Response] = []
    var bytes: [UInt8] = []
    var pieces = 0
    var isOver = false
    var lateCalls = 0
    var bytesBeforeHead = 0
  }

  private let state = Mutex(State())
  private let atHead: @Sendable (Response) -> BodyVerdict
  /// Gets the number of the piece, from 1.
  private let atPiece: @Sendable (Int) -> BodyVerdict

  init(
    atHead: @escaping @Sendable (Response) -> BodyVerdict = { _ in .proceed },
    atPiece: @escaping @Sendable (Int) -> BodyVerdict = { _ in .proceed }
  ) {
    self.atHead = atHead
    self.atPiece = atPiece
  }

  /// The number of requests that were sent for it.
  var begun: Int { state.withLock { $0.begun } }
  var heads: [Response] { state.withLock { $0.heads } }
  var bytes: [UInt8] { state.withLock { $0.bytes } }
  var pieces: Int { state.withLock { $0.pieces } }
  var text: String { String(decoding: bytes, as: UTF8.self) }
  var bytesBeforeHead: Int { state.withLock { $0.bytesBeforeHead } }
  /// Calls after `isOver` was set.
  var lateCalls: Int { state.withLock { $0.lateCalls } }

  /// Marks the point after which no call may come.
  func isOver() { state.withLock { $0.isOver = true } }

  /// Returns once there is a first byte; the test fails if none comes within `longestWait`.
  func began() async {
    if await !eventually({ !bytes.isEmpty }) { recordWaitInVain(for: "a first byte") }
  }

  func begin() { state.withLock { $0.begun += 1 } }

  func begin(_ head: Response) -> BodyVerdict {
    state.withLock { state in
      state.heads.append(head)
      if state.isOver { state.lateCalls += 1 }
    }
    return atHead(head)
  }

  func receive(_ bytes: UnsafeRawBufferPointer) -> BodyVerdict {
    let piece = state.withLock { state in
      if state.isOver { state.lateCalls += 1 }
      if state.heads.isEmpty { state.bytesBeforeHead += bytes.count }
      // Endless bodies are not kept whole.
      if state.bytes.count < 8 << 20 { state.bytes.append(contentsOf: bytes) }
      state.pieces += 1
      return state.pieces
    }
    return atPiece(piece)
  }
}

/// A loop for downloads without a proxy and without the user's netrc.
func makeDownloadLoop(connections: Int = 8, rateLimit: Int64? = nil) -> CurlLoop {
  CurlLoop(
    connections: connections, proxies: .empty, ownAddresses: { [] }, netrcFile: "/nonexistent",
    rateLimit: rateLimit.map { ByteCount($0) })
}

extension CurlLoop {
  /// Downloads and returns the result, failures included.
  func outcome(_ request: Request, into receiver: any BodyReceiver & Sendable) async -> Result<
    Response, FetchFailure
  > {
    do throws(FetchFailure) {
      return .success(try await download(request, into: receiver))
    } catch {
      return .failure(error)
    }
  }

  /// The failure of a download that must fail.
  func failure(_ request: Request, into receiver: any BodyReceiver & Sendable) async -> FetchFailure? {
    switch await outcome(request, into: receiver) {
    case .failure(let failure): return failure
    case .success(let response):
      Issue.record("answered \(response.status), \(response.bytesReceived) bytes")
      return nil
    }
  }
}

extension Result where Failure == FetchFailure {
  /// The failure, if it is one.
  var failure: FetchFailure? {
    if case .failure(let failure) = self { failure } else { nil }
  }
}

/// A stall limit of one second, as low as the configuration allows.
var briefStall: StallLimit {
  var stall = StallLimit()
  stall.for = .seconds(1)
  return stall
}

/// Bytes that differ, so that a lost or doubled piece shows.
func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }
