// Where the bytes of a body go: memory now, and whatever else takes bytes in order.

internal import Model

/// Where a transfer's body is to go; the sink itself is made on the thread that fills it.
enum BodyDestination: Sendable {
  /// Into memory, at most so many bytes after decompression.
  case memory(limit: ByteCount)

  func makeSink() -> any BodySink {
    switch self {
    case .memory(let limit): MemoryBody(limit: limit)
    }
  }
}

/// What a sink says to the bytes it was given.
enum SinkVerdict {
  /// Taken; go on.
  case taken
  /// Nothing more is wanted; the transfer ends, and that is no failure.
  case enough
  /// The transfer fails.
  case failed(FetchFailure)
}

/// Takes the body of one answer.
protocol BodySink: AnyObject {
  /// Takes the next bytes, decompressed; they are valid only during the call. The head is complete.
  func take(_ bytes: UnsafeRawBufferPointer, of head: AnswerHead) -> SinkVerdict

  /// The body to hand to the caller, once it is whole; empty where it went elsewhere.
  func release() -> [UInt8]
}

/// Keeps the body in memory.
final class MemoryBody: BodySink {
  private let limit: Int64
  private var bytes: [UInt8] = []

  init(limit: ByteCount) { self.limit = limit.bytes }

  func take(_ new: UnsafeRawBufferPointer, of head: AnswerHead) -> SinkVerdict {
    guard Int64(bytes.count) + Int64(new.count) <= limit else { return .failed(.tooLarge(ByteCount(limit))) }
    if bytes.isEmpty {
      // A server's word about the length saves copies, but must not cost memory.
      let told = head["Content-Length"].flatMap { Int($0) } ?? 0
      bytes.reserveCapacity(max(new.count, min(told, 1 << 20)))
    }
    bytes.append(contentsOf: new)
    return .taken
  }

  func release() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }
}

/// Reads away a body that nobody wants, as long as that is cheaper than a new connection.
final class DiscardedBody: BodySink {
  private var left = 64 << 10

  func take(_ bytes: UnsafeRawBufferPointer, of head: AnswerHead) -> SinkVerdict {
    left -= bytes.count
    return left >= 0 ? .taken : .enough
  }

  func release() -> [UInt8] { [] }
}
