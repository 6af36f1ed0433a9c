// What the history keeps of fetches and runs, and for how long.

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

/// What a run came to, in numbers.
public struct RunTotals: Hashable, Sendable {
  /// Feeds that were due.
  public var due = 0
  /// Fetches with the result `new-data`.
  public var newData = 0
  /// Fetches with the result `no-data`.
  public var noData = 0
  /// Fetches with the result `failed`.
  public var failed = 0
  /// New and updated items.
  public var items = 0
  /// Feeds that were due and were left for a later run.
  public var left = 0
  /// Transfers that finished.
  public var transfers = 0
  /// Those of them that went on with what earlier runs had left.
  public var resumed = 0
  /// Transfers that failed for good.
  public var failedTransfers = 0
  /// Transfers that were left unsettled for a later run.
  public var unsettledTransfers = 0
  /// The exit status, unless a signal ended the run.
  public var exitStatus: Int32 = 0
  /// What ended the run.
  public var ending = RunEnding.complete

  /// A run in which nothing happened.
  public init() {}
}

/// What ended a run.
public enum RunEnding: String, Hashable, Sendable {
  /// Nothing was left to do.
  case complete
  /// The budget ended first.
  case budget
  /// A signal came first.
  case signal
}

/// How long things are kept that nobody asks for any more.
public enum Retention {
  /// Past runs, fetches and requests, events, and what is known of hosts.
  public static let history = Interval.days(90)
  /// The state and the items of a feed that has left the configuration.
  public static let dormantFeeds = Interval.days(90)
  /// Deliveries to a hook that has left the configuration: as long as those of a hook that does not say.
  public static let deliveriesOfNoHook = Interval.hours(12)

  /// How many rows a run looks at to find old ones, after so many fetches of its own.
  ///
  /// More than a run can add, or the history would grow faster than it goes; and bounded, as a person waits for the run.
  public static func pruned(after fetches: Int) -> Int { 1000 + 2 * fetches }
}
