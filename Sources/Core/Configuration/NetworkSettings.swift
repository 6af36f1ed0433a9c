// How the network is used; the defaults are those of the configuration.

/// Limits and manners of every request.
public struct NetworkSettings: Hashable, Sendable {
  /// Connections in all.
  public var connections = 32
  /// Connections to one host.
  public var connectionsPerHost = 1
  /// Time between two feed requests to one public host, across runs too.
  public var delayPerHost: Interval = .seconds(1)
  /// How long connecting may take.
  public var connectTimeout: Interval = .seconds(10)
  /// How long one feed may take, start to end.
  public var timeout: Interval = .seconds(60)
  /// A body slower than this for so long is given up.
  public var stall = StallLimit()
  /// The most bytes a second of all transfers together; nil is as fast as they go.
  public var rateLimit: ByteCount?
  /// The most bytes of a feed, after decompression.
  public var maxFeedSize = ByteCount(32 << 20)
  /// The most redirects followed for one feed.
  public var maxRedirects = 10
  /// Where redirects and items' links may point.
  public var privateAddresses: PrivateAddressRule = .sameAsFeed
  /// The longest freshness of a server that is obeyed; zero ignores it.
  public var freshnessLimit: Interval = .days(7)
  /// The proxy.
  public var proxy: ProxyRule = .environment
  /// The `User-Agent` field; nil is the program's own.
  public var userAgent: String?
  /// A file of trusted certificates, by absolute path; nil is the system's.
  public var caFile: String?

  /// The default manners.
  public init() {}
}

/// When a body that drips is given up.
public struct StallLimit: Hashable, Sendable {
  /// Bytes a second below which a body counts as stalled.
  public var below = ByteCount(1024)
  /// How long it may be so.
  public var `for`: Interval = .seconds(30)

  /// Slower than 1 KiB/s for 30 s.
  public init() {}
}

/// Which private, loopback and link-local addresses a redirect or an item's link may lead to.
public enum PrivateAddressRule: Hashable, Sendable {
  /// Only the feed's own private address.
  case sameAsFeed
  /// Any.
  case allow
  /// None.
  case refuse
  /// Those in these networks.
  case networks([AddressBlock])
}

/// Which proxy is used.
public enum ProxyRule: Hashable, Sendable {
  /// What `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say.
  case environment
  /// None.
  case none
  /// This one, as libcurl's CURLOPT_PROXY takes it.
  case url(String)
}
