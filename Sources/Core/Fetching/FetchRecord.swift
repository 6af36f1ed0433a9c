// A fetch as the history has it.

/// One fetch in the history; every fetch has exactly one.
public struct FetchRecord: Hashable, Sendable {
  public var started: Instant
  public var ended: Instant
  /// The result.
  public var result: FetchResult
  /// The reason in words.
  public var reason: String
  /// The requests in the order they were sent; none if it failed before the first one.
  public var requests: [RequestRecord]
  /// The number of new and updated items.
  public var count: Int
  /// Whether it counts for the feed; some failures are about this machine or the run.
  public var isCounted = true

  public init(
    started: Instant, ended: Instant, result: FetchResult, reason: String, requests: [RequestRecord] = [],
    count: Int = 0
  ) {
    (self.started, self.ended, self.result, self.reason) = (started, ended, result, reason)
    (self.requests, self.count) = (requests, count)
  }

  /// The reason of a fetch that the budget or a signal ended.
  public static let suspended = "suspended"
  /// The reason of a fetch whose process died.
  public static let interrupted = "interrupted"

  /// Whether it was cut short, so that `failed` says nothing about feed or run.
  public var wasCut: Bool { !isCounted && [Self.suspended, Self.interrupted].contains(reason) }

  /// The status code of the last response, if there was one.
  public var status: Int? { requests.last?.status }

  /// The bytes received by all requests, at most an exbibyte.
  public var bytes: Int64 {
    let most: Int64 = 1 << 60
    return requests.reduce(0) { sum, request in min(sum + min(max(request.bytes ?? 0, 0), most), most) }
  }
}
