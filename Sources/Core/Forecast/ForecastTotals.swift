// What a forecast comes to for one feed and for one host.

/// The fetches of one feed in a forecast.
public struct FeedForecast: Hashable, Sendable {
  /// How many they are.
  public private(set) var fetches = 0
  /// How many of them another feed's request answers, too.
  public private(set) var shared = 0
  /// The runs of the first two.
  public private(set) var next: [Instant] = []
  /// The run of the last one.
  public private(set) var last: Instant?

  /// No fetches.
  public init() {}

  /// The requests that they take, redirects not counted.
  public var requests: Int { fetches - shared }

  /// Adds the next fetch.
  public mutating func add(_ fetch: ForecastFetch) {
    fetches += 1
    if fetch.isShared { shared += 1 }
    if next.count < 2 { next.append(fetch.run) }
    last = fetch.run
  }
}

/// The requests to one host in a forecast.
public struct HostForecast: Hashable, Sendable {
  /// The host; nil where the address is a secret.
  public var host: String?
  /// How many feeds it has.
  public var feeds: Int
  /// How many requests it gets.
  public var requests: Int

  /// A host with its feeds and requests.
  public init(host: String?, feeds: Int, requests: Int) {
    self.host = host
    self.feeds = feeds
    self.requests = requests
  }
}

/// What the hosts of some feeds get, the most requests first; files of this machine have none.
public func hostForecasts(
  _ feeds: [FeedSpec], _ states: [FeedName: FeedState], _ forecasts: [FeedForecast]
) -> [HostForecast] {
  var hosts: [String?: HostForecast] = [:]
  for (feed, forecast) in zip(feeds, forecasts) where feed.file == nil {
    let host = feed.addressToAsk(states[feed.name] ?? FeedState())?.host
    hosts[host, default: HostForecast(host: host, feeds: 0, requests: 0)].feeds += 1
    hosts[host]?.requests += forecast.requests
  }
  return hosts.values.sorted { left, right in
    (right.requests, left.host ?? "") < (left.requests, right.host ?? "")
  }
}
