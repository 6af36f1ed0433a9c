// A push that waits for its fetch.

/// A push that waits for a run.
public struct StoredPush: Hashable, Sendable {
  /// The store's number for it; a newer one that takes its place has another.
  public var number: Int64
  /// The feed.
  public var feed: FeedName
  /// The payload as JSON.
  public var payload: String
  /// When it was taken.
  public var received: Instant
  /// How many fetches it has caused that brought nothing.
  public var tries: Int
  /// Not to be taken before this moment; nil is at once.
  public var notBefore: Instant?

  /// A push.
  public init(
    number: Int64, feed: FeedName, payload: String, received: Instant, tries: Int = 0,
    notBefore: Instant? = nil
  ) {
    self.number = number
    self.feed = feed
    self.payload = payload
    self.received = received
    self.tries = tries
    self.notBefore = notBefore
  }
}

/// A push on its way into the store.
public struct NewPush: Hashable, Sendable {
  /// The feed.
  public var feed: FeedName
  /// What tells it from other pushes of the feed; a newer one with the same takes its place.
  public var contentID: String?
  /// The payload as JSON; nil where there is nothing to fetch, and only the events count.
  public var payload: String?
  /// What the badge is set to at once; nil leaves it.
  public var badge: Int?
  /// `push-received`, and the alert where it waits for no data.
  public var events: [EventRecord]

  /// A push.
  public init(feed: FeedName, contentID: String?, payload: String?, events: [EventRecord], badge: Int? = nil)
  {
    self.feed = feed
    self.contentID = contentID
    self.payload = payload
    self.badge = badge
    self.events = events
  }

  /// The most pushes of one feed that wait; the oldest ones make room.
  public static let mostOfFeed = 100
}

/// What became of a push that was taken.
public struct PushReceipt: Hashable, Sendable {
  /// Whether it took the place of one that waited.
  public var hasReplaced: Bool
  /// How many older ones of the feed were dropped, as too many wait.
  public var dropped: Int

  /// A receipt.
  public init(hasReplaced: Bool = false, dropped: Int = 0) {
    self.hasReplaced = hasReplaced
    self.dropped = dropped
  }
}

/// What a fetch means for the pushes of its feed; written with everything else that it changes.
public struct PushSettlement: Hashable, Sendable {
  /// Those that are done with, by number.
  public var settled: [Int64] = []
  /// Those that brought nothing and are tried once more, by number, with the moment.
  public var late: [Int64: Instant] = [:]
  /// When a push caused the fetch, which counts against the feed's limit; nil if none did.
  public var causedAt: Instant?
  /// What the badge is set to, after the items are in; nil leaves it.
  public var badge: Int?

  /// A fetch that has nothing to do with pushes.
  public init() {}

  /// Whether there is nothing to write.
  public var isEmpty: Bool { self == PushSettlement() }
}
