// Destinations of a response body: memory, the receiver of a download, or nothing. DecodedBody is in front of them.

import Core

/// Takes the body of one response.
protocol BodySink: AnyObject {
  /// The request is being sent.
  func begin()

  /// The head of a 2xx response is complete; the sink may refuse the body.
  func begin(_ head: Response) -> BodyVerdict

  /// Takes the next bytes, valid only during the call.
  func receive(_ bytes: UnsafeRawBufferPointer, of head: ResponseHead) -> BodyVerdict

  /// The body has ended.
  func finish(of head: ResponseHead) -> BodyVerdict

  /// No more bytes are available for the moment: pass on what was gathered.
  func flush() -> BodyVerdict

  /// The whole body for the caller; empty if it went elsewhere.
  func release() -> [UInt8]
}

extension BodySink {
  func begin() {}

  func begin(_ head: Response) -> BodyVerdict { .proceed }

  func finish(of head: ResponseHead) -> BodyVerdict { .proceed }

  func flush() -> BodyVerdict { .proceed }

  func release() -> [UInt8] { [] }
}

final class MemoryBody: BodySink {
  private let limit: Int64
  private var bytes: [UInt8] = []

  init(limit: ByteCount) { self.limit = limit.bytes }

  func receive(_ new: UnsafeRawBufferPointer, of head: ResponseHead) -> BodyVerdict {
    guard Int64(bytes.count) + Int64(new.count) <= limit else {
      // The beginning of an error's body says enough.
      return head.hasWantedBody ? .failed(.tooLarge(ByteCount(limit))) : .enough
    }
    if bytes.isEmpty {
      // Reserving the announced length saves copies; the bound protects memory from a lying server. Compressed documents
      // become about six times as long.
      let announced = head["Content-Length"].flatMap { Int($0) } ?? 0
      let growth = head["Content-Encoding"] == nil ? 1 : 6
      bytes.reserveCapacity(max(new.count, min(announced, (1 << 20) / growth) * growth))
    }
    bytes.append(contentsOf: new)
    return .proceed
  }

  func release() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }
}

/// Passes the body to a download's receiver.
///
/// libcurl delivers at most 16 KiB a call (CURL_MAX_WRITE_SIZE), so pieces are joined while more is available.
final class ReceivedBody: BodySink {
  private static let size = 128 << 10

  private let receiver: any BodyReceiver
  private var gathered: [UInt8] = []

  init(_ receiver: any BodyReceiver) { self.receiver = receiver }

  func begin() { receiver.begin() }

  func begin(_ head: Response) -> BodyVerdict { receiver.begin(head) }

  func receive(_ bytes: UnsafeRawBufferPointer, of head: ResponseHead) -> BodyVerdict {
    if gathered.isEmpty { gathered.reserveCapacity(Self.size) }
    gathered.append(contentsOf: bytes)
    return gathered.count < Self.size ? .proceed : flush()
  }

  func flush() -> BodyVerdict {
    guard !gathered.isEmpty else { return .proceed }
    defer { gathered.removeAll(keepingCapacity: true) }
    return gathered.withUnsafeBytes { receiver.receive($0) }
  }
}

/// Discards an unwanted body, as long as reading it is cheaper than a new connection.
final class DiscardedBody: BodySink {
  private var left = 64 << 10

  func receive(_ bytes: UnsafeRawBufferPointer, of head: ResponseHead) -> BodyVerdict {
    left -= bytes.count
    return left >= 0 ? .proceed : .enough
  }
}
