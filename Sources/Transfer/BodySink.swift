// Where the bytes of a body go: memory now, and whatever else takes bytes in order.

import Core

/// Where a transfer's body is to go; the sink itself is made on the thread that fills it.
enum BodyDestination: Sendable {
  /// Into memory, at most so many bytes after decompression.
  case memory(limit: ByteCount)
  /// To somebody who takes it as it comes.
  case receiver(any BodyReceiver)

  func makeSink() -> any BodySink {
    switch self {
    case .memory(let limit): MemoryBody(limit: limit)
    case .receiver(let receiver): ReceivedBody(receiver)
    }
  }
}

/// Takes the body of one answer.
protocol BodySink: AnyObject {
  /// The request is sent now.
  func begin()

  /// The head of a 2xx answer is complete; the sink may say already here that it wants none of the body.
  func begin(_ head: Response) -> BodyVerdict

  /// Takes the next bytes, decompressed; they are valid only during the call. The head is complete.
  func take(_ bytes: UnsafeRawBufferPointer, of head: AnswerHead) -> BodyVerdict

  /// Nothing more comes for the moment: what was kept together until now is wanted.
  func flush() -> BodyVerdict

  /// The body to hand to the caller, once it is whole; empty where it went elsewhere.
  func release() -> [UInt8]
}

extension BodySink {
  func begin() {}

  func flush() -> BodyVerdict { .goOn }
}

/// Keeps the body in memory.
final class MemoryBody: BodySink {
  private let limit: Int64
  private var bytes: [UInt8] = []

  init(limit: ByteCount) { self.limit = limit.bytes }

  func begin(_ head: Response) -> BodyVerdict { .goOn }

  func take(_ new: UnsafeRawBufferPointer, of head: AnswerHead) -> BodyVerdict {
    guard Int64(bytes.count) + Int64(new.count) <= limit else { return .failed(.tooLarge(ByteCount(limit))) }
    if bytes.isEmpty {
      // A server's word about the length saves copies, but must not cost memory.
      let told = head["Content-Length"].flatMap { Int($0) } ?? 0
      bytes.reserveCapacity(max(new.count, min(told, 1 << 20)))
    }
    bytes.append(contentsOf: new)
    return .goOn
  }

  func release() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }
}

/// Hands the body on to a download's receiver.
///
/// libcurl hands out 16 KiB at a time however much has come (CURL_MAX_WRITE_SIZE), which is little for a file: they are
/// put together as long as more comes at once.
final class ReceivedBody: BodySink {
  private static let size = 128 << 10

  private let receiver: any BodyReceiver
  private var gathered: [UInt8] = []

  init(_ receiver: any BodyReceiver) { self.receiver = receiver }

  func begin() { receiver.begin() }

  func begin(_ head: Response) -> BodyVerdict { receiver.begin(head) }

  func take(_ bytes: UnsafeRawBufferPointer, of head: AnswerHead) -> BodyVerdict {
    if gathered.isEmpty { gathered.reserveCapacity(Self.size) }
    gathered.append(contentsOf: bytes)
    return gathered.count < Self.size ? .goOn : flush()
  }

  func flush() -> BodyVerdict {
    guard !gathered.isEmpty else { return .goOn }
    defer { gathered.removeAll(keepingCapacity: true) }
    return gathered.withUnsafeBytes { receiver.receive($0) }
  }

  func release() -> [UInt8] { [] }
}

/// Reads away a body that nobody wants, as long as that is cheaper than a new connection.
final class DiscardedBody: BodySink {
  private var left = 64 << 10

  func begin(_ head: Response) -> BodyVerdict { .goOn }

  func take(_ bytes: UnsafeRawBufferPointer, of head: AnswerHead) -> BodyVerdict {
    left -= bytes.count
    return left >= 0 ? .goOn : .enough
  }

  func release() -> [UInt8] { [] }
}
