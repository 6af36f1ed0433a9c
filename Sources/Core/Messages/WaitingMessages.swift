// Messages that wait for their delivery, by feed.

/// Messages of one feed that wait, all held back until the same moment or not at all.
public struct WaitingMessages: Hashable, Sendable {
  /// The feed.
  public var feed: FeedName
  /// Until when they are held back, or were; nil if they never were.
  public var heldUntil: Instant?

  /// Messages of a feed.
  public init(feed: FeedName, heldUntil: Instant?) {
    self.feed = feed
    self.heldUntil = heldUntil
  }
}
