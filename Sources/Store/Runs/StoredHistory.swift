// Past runs, fetches and download requests, as commands show them.

public import Core

/// A part of the history.
public struct HistoryPart: Sendable {
  /// The feeds to show; nil means all.
  public var feeds: [FeedName]?
  /// The earliest moment at which an entry may have begun.
  public var since: Instant?
  /// The maximum number of entries, counted from the latest.
  public var limit: Int?

  public init(feeds: [FeedName]? = nil, since: Instant? = nil, limit: Int? = nil) {
    (self.feeds, self.since, self.limit) = (feeds, since, limit)
  }
}

/// A run of the past or the present.
public struct RunRecord: Equatable, Sendable {
  /// The store's number for the run, in the order of their starts.
  public var number: Int64
  public var cause: RunCause
  /// Whether feeds were named on the command line, which ignores their intervals.
  public var wasNamed = false
  /// Whether the run was forced, which ignores rate limits too.
  public var wasForced = false
  public var process: Int32
  public var started: Instant
  /// The end of the fetch; nil during it, and if the process died in it.
  public var ended: Instant?
  /// Whether the process died.
  ///
  /// The next run records a death in the fetch. During the downloads this is true; their end sets it to false.
  public var wasCut: Bool
  /// The end of the downloads; nil during them, if the process died in them, and if there were none.
  public var transfersEnded: Instant?
  /// The totals; nil as long as `ended` is.
  public var totals: RunTotals?
  /// The name of its machine, where machines share the store.
  public var machine: String?
  /// Whether it gave a sign of life lately; nil where one machine has the store for itself.
  public var isAlive: Bool?

  /// Whether the run is downloading, or its process died meanwhile.
  public var isInTransfers: Bool { ended != nil && wasCut }
}

/// A fetch of the past and the run that made it.
public struct PastFetch: Sendable {
  /// The store's number for the fetch, in the order in which fetches ended.
  public var number: Int64
  public var feed: FeedName
  public var record: FetchRecord
  /// When the rules of that time allowed the next fetch; nil if never.
  public var nextDue: Instant?
  /// The number of its round, if it had one.
  public var round: Int64?
  /// The cause of the run; nil if the run is pruned.
  public var cause: RunCause?
  /// Whether feeds were named on the command line of the run.
  public var wasNamed: Bool
  /// Whether the run was forced.
  public var wasForced: Bool
}

/// One request of a download of the past.
public struct DownloadRequest: Sendable {
  /// The store's number for the request, ascending.
  public var number: Int64
  public var feed: FeedName
  public var transfer: Int64
  /// The position of the request in its attempt: 0 for the first, more for redirects and second tries.
  public var hop: Int
  /// The number of the last fetch that ended before this request was recorded, or 0.
  var fetchBefore: Int64
  public var record: RequestRecord
}

/// An entry of the history of requests.
public enum RequestEntry: Sendable {
  /// A fetch with all its requests.
  case fetch(PastFetch)
  case download(DownloadRequest)
}
