// What a fetch came to, for the history.

/// What a fetch came to, for the history: exactly one for every fetch.
public struct FetchRecord: Hashable, Sendable {
  /// When it began.
  public var started: Instant
  /// When it ended.
  public var ended: Instant
  /// What it came to.
  public var result: FetchResult
  /// Why, in words.
  public var reason: String
  /// Its requests in the order they were sent; none where it failed before the first one.
  public var requests: [RequestRecord]
  /// How many items were new or updated.
  public var count: Int
  /// Whether it says something about the feed; a failure may be about this machine or about the run alone.
  public var isCounted = true

  /// A record.
  public init(
    started: Instant, ended: Instant, result: FetchResult, reason: String, requests: [RequestRecord] = [],
    count: Int = 0
  ) {
    self.started = started
    self.ended = ended
    self.result = result
    self.reason = reason
    self.requests = requests
    self.count = count
  }

  /// The reason of a fetch that the budget or a signal ended.
  public static let suspended = "suspended"
  /// The reason of a fetch whose process died.
  public static let interrupted = "interrupted"

  /// Whether it was cut before it came to anything: `failed` then says nothing, not even of the run.
  public var wasCut: Bool { !isCounted && [Self.suspended, Self.interrupted].contains(reason) }

  /// The status code of the last answer; nil if the last request had none.
  public var status: Int? { requests.last?.status }

  /// Bytes received by all requests, an exbibyte at most.
  public var bytes: Int64 {
    let most: Int64 = 1 << 60
    return requests.reduce(0) { sum, request in min(sum + min(max(request.bytes ?? 0, 0), most), most) }
  }
}
