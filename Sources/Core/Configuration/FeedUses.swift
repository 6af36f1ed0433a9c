// What feeds use of the machine, collected while they are read: `bgfetch check` looks at each thing once.

/// The directories, programs and proxies that feeds use.
public struct FeedUses: Hashable, Sendable {
  /// A thing, and the first feed that uses it.
  public struct Use: Hashable, Sendable {
    public var feed: FeedName
    public var path: String
  }

  /// The documents directories of single feeds, each once, in the order of the configuration.
  public private(set) var directories: [Use] = []
  /// The programs of feeds that are the output of commands, in the order of the configuration.
  public private(set) var programs: [Use] = []
  public private(set) var proxies: Set<ProxyRule> = []
  private var known: Set<String> = []

  public init() {}

  /// The uses of feeds that have been read already.
  public init(_ feeds: some Sequence<FeedSpec>) { for feed in feeds { add(feed) } }

  public mutating func add(_ feed: FeedSpec) {
    if let directory = feed.download?.directory, known.insert(directory).inserted {
      directories.append(Use(feed: feed.name, path: directory))
    }
    if let program = feed.command.first { programs.append(Use(feed: feed.name, path: program)) }
    proxies.insert(feed.network.proxy)
  }
}
