// The end of a transfer, written in one transaction with everything that follows from it.

/// The end of a transfer.
public struct TransferSettlement: Sendable {
  /// The transfer.
  public var number: Int64
  /// `finished`, `failed` or `cancelled`.
  public var status: TransferStatus
  /// How it ended, in words; nil where there is nothing to say.
  public var reason: String?
  /// The placed file; nil where none was placed.
  public var file: PlacedFile?
  /// Validators of what was placed, for the next time that the same address is wanted.
  public var partial = PartialDownload()
  /// When it ended.
  public var ended: Instant
  /// The requests of its last attempt, for the history; none where they are in `commit`.
  public var requests: [RequestRecord] = []
  /// `asset-placed` or `transfer-failed`, and what else is to be told, for the hooks that hear of it.
  public var events: [EventRecord] = []
  /// What is to be told if this was the last unsettled transfer of its session; recorded after `events`.
  public var sessionFinished: @Sendable (SessionTotals) -> [EventRecord]
  /// What the transfer says of its feed, where it is the fetch of one of kind `asset`, and when that is next due.
  public var commit: (feed: FeedCommit, nextDue: Instant?)?

  /// A settlement without events.
  public init(
    number: Int64, status: TransferStatus, reason: String?, file: PlacedFile? = nil, ended: Instant,
    sessionFinished: @escaping @Sendable (SessionTotals) -> [EventRecord]
  ) {
    self.number = number
    self.status = status
    self.reason = reason
    self.file = file
    self.ended = ended
    self.sessionFinished = sessionFinished
  }
}

/// What the transfers of a session came to.
public struct SessionTotals: Hashable, Sendable {
  /// The store's number for the session, never used twice.
  public var session: Int64
  /// Its feed.
  public var feed: FeedName
  /// The transfers that finished.
  public var finished: Int
  /// Those that failed for good.
  public var failed: Int
  /// Those that were cancelled.
  public var cancelled: Int

  /// The totals of a session.
  public init(session: Int64, feed: FeedName, finished: Int, failed: Int, cancelled: Int) {
    self.session = session
    self.feed = feed
    self.finished = finished
    self.failed = failed
    self.cancelled = cancelled
  }
}

/// What becomes of a running transfer that is not settled: it waits for its next attempt or was suspended.
public struct TransferLeave: Hashable, Sendable {
  /// The transfer.
  public var number: Int64
  /// `queued` or `suspended`.
  public var status: TransferStatus
  /// Why, in words.
  public var reason: String
  /// Not to be tried before this moment; nil is at once.
  public var notBefore: Instant?
  /// Attempts in a row without progress.
  public var failures = 0
  /// When the first of the failed attempts began; nil if the last one did not fail.
  public var failingSince: Instant?
  /// How often in a row a budget cut it though it cannot resume.
  public var cuts = 0
  /// Processes in a row that died while it ran.
  public var crashes = 0
  /// What is there of it.
  public var partial: PartialDownload
  /// The requests of its last attempt, for the history; none where they are in a commit beside it.
  public var requests: [RequestRecord] = []

  /// A transfer that stops for now.
  public init(number: Int64, status: TransferStatus, reason: String, partial: PartialDownload) {
    self.number = number
    self.status = status
    self.reason = reason
    self.partial = partial
  }
}
