// What a look at a feed leaves for later looks.

/// What was found about a feed when its state was looked at.
public struct FeedLook: Hashable, Sendable {
  public var feed: FeedName
  /// When it is due next, or `DueDecision.never`; nil if that is not known, or has come.
  public var dueAt: Instant?
  /// The host that its next fetch begins at; nil if nobody asks.
  public var host: String?

  public init(_ feed: FeedName, dueAt: Instant? = nil, host: String? = nil) {
    (self.feed, self.dueAt, self.host) = (feed, dueAt, host)
  }
}
