// What the download tests hand to a loop: a receiver that remembers what it was given, and objects to calls that come
// too late.

import Core
import Synchronization
import TestKit
import Testing
import Transfer

/// Keeps what it is given, and says what a test wants it to say.
final class Recorder: BodyReceiver {
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
  /// Is given the number of the piece, from 1.
  private let atPiece: @Sendable (Int) -> BodyVerdict

  init(
    atHead: @escaping @Sendable (Response) -> BodyVerdict = { _ in .goOn },
    atPiece: @escaping @Sendable (Int) -> BodyVerdict = { _ in .goOn }
  ) {
    self.atHead = atHead
    self.atPiece = atPiece
  }

  /// How many requests were sent for it.
  var begun: Int { state.withLock { $0.begun } }
  var heads: [Response] { state.withLock { $0.heads } }
  var bytes: [UInt8] { state.withLock { $0.bytes } }
  var pieces: Int { state.withLock { $0.pieces } }
  var text: String { String(decoding: bytes, as: UTF8.self) }
  var bytesBeforeHead: Int { state.withLock { $0.bytesBeforeHead } }
  /// Calls after `isOver` was said.
  var lateCalls: Int { state.withLock { $0.lateCalls } }

  /// Says that no call may come any more.
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
func makeDownloadLoop(
  connections: Int = 8, connectionsPerHost: Int = 8, rateLimit: Int64? = nil
) -> TransferLoop {
  TransferLoop(
    connections: connections, connectionsPerHost: connectionsPerHost, proxies: .empty,
    ownAddresses: { [] }, netrcFile: "/nonexistent", rateLimit: rateLimit.map { ByteCount($0) })
}

extension TransferLoop {
  /// Downloads and gives what came of it, failures included.
  func outcome(_ request: Request, into receiver: any BodyReceiver) async -> Result<Response, FetchFailure> {
    do throws(FetchFailure) {
      return .success(try await download(request, into: receiver))
    } catch {
      return .failure(error)
    }
  }

  /// The failure of a download that must fail.
  func failure(_ request: Request, into receiver: any BodyReceiver) async -> FetchFailure? {
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
