// The state of very many feeds in numbers, which a store counts without reading each of them.

/// The numbers of all feeds.
public struct FeedOverview: Sendable {
  /// The feeds that were ever fetched, by their last result.
  public var results: [FetchResult: Int] = [:]
  /// Feeds that fail, are gone or crash the program.
  public var problems = 0
  public var paused = 0
  /// Feeds that are due, or that the next run looks at.
  public var due = 0
  /// How late the feeds are that are due, for 50, 90, 99 and 100 percent of them at most; empty if none is.
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
}

/// A host whose feeds are late.
public struct LateHost: Hashable, Sendable {
  public var host: String
  public var feeds: Int
  /// When the first of them was due.
  public var since: Instant

  public init(host: String, feeds: Int, since: Instant) {
    (self.host, self.feeds, self.since) = (host, feeds, since)
  }
}
