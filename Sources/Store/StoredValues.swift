// The values that a store accepts and returns, whichever database keeps them: its failures, selections of items and transfers, and
// the statistics of a feed. The history has a file of its own.

public import Core

/// Why the store could not open, read or write; the change that failed is rolled back, and the store stays usable.
public enum StoreFailure: Error, Hashable, Sendable {
  /// The state directory belongs to another configuration, whose path is given.
  case belongsTo(configuration: String, path: String)
  /// A newer program made the tables: their version, and the version of this program, which works with the one after it too.
  case newerSchema(path: String, found: Int, known: Int)
  /// The file is damaged or not a database; the detail is the first problem that SQLite found.
  ///
  /// If the file is moved away, the next run starts from scratch: every feed gets a new baseline.
  case corrupt(path: String, detail: String)
  /// The file is the database of another program.
  case foreign(path: String)
  /// The path names a directory, a pipe or a device.
  case notAFile(path: String)
  /// The disk is full.
  case full(path: String, detail: String)
  /// Reading or writing failed below SQLite.
  case inputOutput(path: String, detail: String)
  /// The file, its directory or this connection does not allow writing.
  case readOnly(path: String, detail: String)
  /// Another process locked the file for longer than the busy timeout.
  case busy(path: String, detail: String)
  /// The file cannot be opened or created: no such directory, or no permission.
  case cannotOpen(path: String, detail: String)
  /// This process, or the whole system, has too many files open.
  case tooManyOpenFiles(path: String)
  /// The server of the store cannot be reached, or the connection to it was lost and reconnecting failed.
  case unreachable(path: String, detail: String)
  /// The server has answered with an error: its code (PostgreSQL, "Error Codes") and its words; without a code it was not asked.
  case refused(path: String, code: String, detail: String)
  /// A pooler gives each transaction another session of the server.
  case sharedSession(path: String)
  /// The database has no tables of bgfetch yet.
  case notPrepared(path: String)
  /// A state is to be copied to a store that has one already.
  case notEmpty(path: String)
  /// Other machines had no sign of life from this run for the time of its lease, and took its feeds over.
  case takenForDead(path: String)
  /// The store was closed before.
  case closed(path: String)
  /// SQLite was built without FTS5, so items cannot be searched.
  case noFullTextSearch
  /// Any other error of SQLite, with its extended result code.
  case other(path: String, code: Int, detail: String)

  /// Whether a try some seconds later may succeed: a server starts or stops, waits to be promoted, or has no connection left.
  public var mayPass: Bool {
    switch self {
    case .unreachable: true
    case .refused(_, let code, _):
      ["25006", "53300", "57P01", "57P02", "57P03", "57P05"].contains(code)
        || code.hasPrefix("08") && code != Self.uselessPlace
    default: false
    }
  }

  /// The code of a connection that cannot succeed as it is configured.
  public static let uselessPlace = "08001"
}

/// The access that a command needs to the store.
public enum StoreMode: Hashable, Sendable {
  /// Read only: takes no lock and waits for no writer; a store that does not exist yet is empty.
  case reading
  /// Reading and writing; creates the store if it does not exist.
  case writing
}

/// Which items to list.
public struct ItemQuery: Hashable, Sendable {
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
public struct FeedFacts: Hashable, Sendable {
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

/// The progress of the downloads that a message waits for.
public struct ReadyCounts: Hashable, Sendable {
  /// Files that are placed.
  public var placed = 0
  /// Files whose transfers have settled: placed, failed or cancelled.
  public var settled = 0
  /// All files that were wanted.
  public var all = 0
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
public struct LateHost: Hashable, Sendable {
  public var host: String
  public var feeds: Int
  /// When the first of them was due.
  public var since: Instant
}

/// A selection of transfers.
public struct TransferFilter: Hashable, Sendable {
  /// The feeds whose transfers to list; nil means all.
  public var feeds: [FeedName]?
  /// The statuses to list; nil means all.
  public var statuses: Set<TransferStatus>?
  /// The earliest moment at which a settled transfer may have settled; unsettled ones are not affected.
  public var settledSince: Instant?
  /// The maximum number of transfers, from the start of the list.
  public var limit: Int?

  public init(
    feeds: [FeedName]? = nil, statuses: Set<TransferStatus>? = nil, settledSince: Instant? = nil,
    limit: Int? = nil
  ) {
    (self.feeds, self.statuses, self.settledSince, self.limit) = (feeds, statuses, settledSince, limit)
  }
}

/// The numbers of a feed's transfers by status.
public struct TransferCounts: Hashable, Sendable {
  public var unsettled = 0
  /// Unsettled transfers that a process works on, or did when it died.
  public var running = 0
  /// Unsettled transfers that the person suspended.
  public var suspendedByUser = 0
  /// Failed transfers that are not pruned yet.
  public var failed = 0

  public init() {}
}

/// The result of a person's request to change a transfer.
public enum TransferAnswer: Hashable, Sendable {
  case done
  /// The transfer had this state already.
  case unchanged
  /// No transfer has this number.
  case unknown
  /// A transfer with this status cannot be changed this way.
  case refused(TransferStatus)
  /// The file is complete and is being placed right now; after a crash, the next process finishes that.
  case beingPlaced
  /// Another transfer, whose number is given, downloads the same asset or has its file.
  case superseded(by: Int64)
}
