// The transfers that a person asks the store for, and their numbers by status.

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
