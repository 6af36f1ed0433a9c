// A fetch of the past, with what is known of it besides its record.

public import Core

/// A fetch of the past.
public struct PastFetch: Hashable, Sendable {
  /// The store's number for it; ascending in the order in which fetches ended.
  public var number: Int64
  /// The feed.
  public var feed: FeedName
  /// What it came to, with its requests.
  public var record: FetchRecord
  /// The moment from which on the rules allowed the next fetch, as they were when it ended; nil where they never did.
  public var nextDue: Instant?
  /// The number of its run; nil where it had none.
  public var run: Int64?
  /// What woke the run; nil where the run has been forgotten.
  public var cause: RunCause?
  /// Whether feeds were named in the run.
  public var wasNamed: Bool
  /// Whether the run was forced.
  public var wasForced: Bool
}

/// Which part of the history is wanted.
public struct HistoryPart: Hashable, Sendable {
  /// Only these feeds; nil is all of them.
  public var feeds: [FeedName]?
  /// Only what began at this moment or later.
  public var since: Instant?
  /// Only so many, the last ones.
  public var limit: Int?

  /// All of it.
  public init(feeds: [FeedName]? = nil, since: Instant? = nil, limit: Int? = nil) {
    self.feeds = feeds
    self.since = since
    self.limit = limit
  }

  /// The feeds' names as SQLite takes them.
  var feedList: String? { feeds.map { JSONValue.array($0.map { .string($0.text) }).text } }
}
