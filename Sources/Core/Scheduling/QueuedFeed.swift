// A due feed while it waits. A hundred thousand feeds may wait at once, so everything else is read when its turn comes.

/// A due feed that waits for its host, or for the response of another feed.
public struct QueuedFeed: Hashable, Sendable {
  public var name: FeedName
  /// Its host, in lower case.
  public var host: String
  /// The earliest start; nil if it may start at once.
  public var waitUntil: Instant?
  /// Whether many people use the host, so that requests to it are spaced.
  public var isPublicHost: Bool
  /// Whether the document comes from a file or command of this machine.
  public var isLocal = false
  /// Whether it starts only after all others have finished, and alone.
  public var comesLast: Bool
  /// The most feeds of its host at a time; nil means the default.
  public var connections: Int?
  /// The least time between two requests to its host; nil means the default.
  public var delay: Interval?
  /// A hash of its request, the same only in this process; nil if it shares no response.
  var request: Int?
  /// Its place among the due feeds: the lowest comes first.
  var rank: Int64 = 0

  public init(
    name: FeedName, host: String, isPublicHost: Bool, waitUntil: Instant? = nil, comesLast: Bool = false,
    connections: Int? = nil, delay: Interval? = nil
  ) {
    self.name = name
    self.host = host
    self.isPublicHost = isPublicHost
    self.waitUntil = waitUntil
    self.comesLast = comesLast
    self.connections = connections
    self.delay = delay
  }

  /// A feed of a plan, with its state at that time.
  public init(_ planned: PlannedFeed, _ state: FeedState) {
    let feed = planned.feed
    let address = feed.addressToAsk(state)
    self.init(
      name: feed.name, host: feed.hostToAsk(address), isPublicHost: address?.isPublicHost ?? false,
      waitUntil: planned.decision.waitUntil, comesLast: planned.comesLast,
      connections: feed.network.connectionsPerHost, delay: feed.network.delayPerHost)
    isLocal = feed.isLocal
    if !comesLast, feed.sharesRequests { request = RequestSource(feed, state).hashValue }
    rank = planned.rank
  }
}

extension FeedSpec {
  /// The host to which the feed's fetch sends its first request.
  public func hostToAsk(_ state: FeedState) -> String { hostToAsk(addressToAsk(state)) }

  /// A file or command counts as a host of its own, and so does a secret address, because its host is not known.
  fileprivate func hostToAsk(_ address: WebAddress?) -> String { address?.host ?? "feed:" + name.text }
}
