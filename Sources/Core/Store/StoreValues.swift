// Values that a store and the run exchange.

/// What a commit brought about.
public struct CommitOutcome: Hashable, Sendable {
  /// The numbers of the new items, in the order of the commit.
  public var newItems: [Int64]
  /// The badge from now on.
  public var badge: Int

  public init(newItems: [Int64], badge: Int) {
    self.newItems = newItems
    self.badge = badge
  }
}

/// What a hook printed for an identifier.
public struct PrintedIdentifier: Hashable, Sendable {
  /// The identifier of the notification.
  public var identifier: String
  /// The login session in which the hook ran.
  public var session: String
  /// The line it printed; nil is none that counts, and what it printed before does not count any more either.
  public var text: String?

  /// What was printed for an identifier in a session.
  public init(identifier: String, session: String, text: String?) {
    self.identifier = identifier
    self.session = session
    self.text = text
  }
}

/// How an attempt at a delivery ended.
public struct DeliveryEnd: Hashable, Sendable {
  /// How far the delivery is now; `pending` to try again.
  public var status: DeliveryStatus
  /// Not to be tried before this moment; nil is at once.
  public var notBefore: Instant?
  /// What the failed attempt said.
  public var error: String?
  /// Whether the attempt uses up one of the retries.
  public var isCounted = true
  /// What the hook printed for the notification's identifier.
  public var printed: PrintedIdentifier?

  /// An attempt that counts.
  public init(
    _ status: DeliveryStatus, notBefore: Instant? = nil, error: String? = nil, isCounted: Bool = true
  ) {
    self.status = status
    self.notBefore = notBefore
    self.error = error
    self.isCounted = isCounted
  }
}

/// How far the files of a message's items are.
public struct ReadyCounts: Hashable, Sendable {
  /// The files that are placed.
  public var placed = 0
  /// The files that are settled: placed, failed for good or cancelled.
  public var settled = 0
  /// The files that were wanted.
  public var all = 0

  /// No files.
  public init() {}
}

/// Which items' assets are wanted.
public enum WantedItems: Hashable, Sendable {
  /// Those of the newest items that have assets, so many.
  case latest(Int)
  /// Those of the items with these numbers.
  case numbers([Int64])
}

