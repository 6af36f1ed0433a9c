// The values that a store accepts and returns, whichever database keeps them: selections of items and transfers, and
// the statistics of a feed. The history has a file of its own.

public import Core

/// The access that a command needs to the store.
public enum StoreMode: Sendable {
  /// Read only: takes no lock and waits for no writer; a store that does not exist yet is empty.
  case reading
  /// Reading and writing; creates the store if it does not exist.
  case writing
}

/// Which items to list.
public struct ItemQuery: Sendable {
  /// The feeds whose items to list, among the configured ones; nil means all of these.
  public var feeds: [FeedName]?
  /// The only items to list; nil means any.
  public var numbers: [Int64]?
  public var unseenOnly: Bool
  public var starredOnly: Bool
  /// Whether to list only items with files.
  public var withFilesOnly = false
  /// The earliest date of an item.
  public var since: Instant?
  /// The moment before which items are dated.
  public var before: Instant?
  /// Words in title, author, summary or content; the last may be the beginning of a word, and `"two words"` is a phrase.
  public var words: String?
  /// The maximum number of items; nil means any.
  public var limit: Int?

  public init(
    feeds: [FeedName]? = nil, numbers: [Int64]? = nil, unseenOnly: Bool = false, starredOnly: Bool = false,
    since: Instant? = nil, before: Instant? = nil, words: String? = nil, limit: Int? = nil
  ) {
    (self.feeds, self.numbers, self.unseenOnly, self.starredOnly) = (feeds, numbers, unseenOnly, starredOnly)
    (self.since, self.before, self.words, self.limit) = (since, before, words, limit)
  }
}

/// The statistics of a feed.
public struct FeedFacts: Equatable, Sendable {
  /// Items that are listed: neither filtered out nor pruned.
  public var items = 0
  /// Listed items that are unseen.
  public var unseen = 0
  /// Items that a filter left out.
  public var filtered = 0
  /// Older items of which only the identity is stored.
  public var pruned = 0
  /// When the first item was stored, if any was.
  public var firstItem: Instant?
  /// When the current series of failures began; nil if the last fetch that counts did not fail.
  public var failingSince: Instant?
  public var hubLinks = HubLinks()
  /// The latest fetches, newest first.
  public var lastFetches: [FetchRecord] = []

  public init() {}
}

/// The numbers of all feeds.
public struct FeedOverview: Sendable {
  /// The feeds that were ever fetched, by their last result.
  public var results: [FetchResult: Int] = [:]
  /// Feeds that fail, are gone or crash the program.
  public var problems = 0
  public var paused = 0
  /// Feeds that are due, or that the next run looks at.
  public var due = 0
  /// How late the feeds are that are due, for each of `percents` of them at most; empty if none is.
  public var lateness: [(percent: Int, by: Interval)] = []
  /// The hosts with the most feeds that are late.
  public var lateHosts: [LateHost] = []
  /// Hosts that want no requests now, the longest first; at most ten.
  public var limitedHosts: [(host: String, until: Instant)] = []
  /// Downloads that were given up.
  public var failedTransfers = 0
  /// Deliveries that were given up.
  public var lostDeliveries = 0

  public init() {}

  public static let percents = [50, 90, 95, 99, 100]

  /// The lateness of due feeds, by percent.
  public static func lateness(_ feeds: [Interval]) -> [(percent: Int, by: Interval)] {
    let sorted = feeds.map { max($0, .zero) }.sorted(by: >)
    guard !sorted.isEmpty else { return [] }
    return percents.map { ($0, sorted[sorted.count * (100 - $0) / 100]) }
  }
}

/// A host whose feeds are late.
public struct LateHost: Equatable, Sendable {
  public var host: String
  public var feeds: Int
  /// When the first of them was due.
  public var since: Instant
}

/// A selection of transfers.
public struct TransferFilter: Sendable {
  /// The feeds whose transfers to list; nil means all.
  public var feeds: [FeedName]?
  /// The statuses to list; nil means all.
  public var statuses: Set<TransferStatus>?
  /// The maximum number of transfers, from the start of the list.
  public var limit: Int?

  public init(feeds: [FeedName]? = nil, statuses: Set<TransferStatus>? = nil, limit: Int? = nil) {
    (self.feeds, self.statuses, self.limit) = (feeds, statuses, limit)
  }
}

/// The numbers of a feed's transfers by status.
public struct TransferCounts: Sendable {
  public var unsettled = 0
  /// Unsettled transfers that a process works on, or did when it died.
  public var running = 0
  /// Failed transfers that are not pruned yet.
  public var failed = 0

  public init() {}
}
