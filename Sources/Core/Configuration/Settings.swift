// The whole configuration as a value, every default filled in.

/// What the configuration says, checked and complete.
public struct Settings: Hashable, Sendable {
  /// The absolute path of the configuration file.
  public var path: String
  /// The documents directory.
  public var documents: String
  /// The state directory.
  public var state: String
  /// The badge file.
  public var badge: String
  /// The zone in which cron fields are read; nil is the system's.
  public var timezone: String?
  /// Below so many free bytes of a file system no transfer to it goes on.
  public var freeSpace = ByteCount(512 << 20)
  /// How long the phases of a run may take.
  public var budget = Budget()
  /// How the network is used by feeds that do not say otherwise; `FeedSpec.network` is what holds for one feed.
  public var network = NetworkSettings()
  /// The feeds, in the order of the configuration.
  public var feeds: [FeedSpec] = [] {
    didSet { feedNames = Set(feeds.map(\.name)) }
  }
  /// The names of the feeds.
  public private(set) var feedNames: Set<FeedName> = []
  /// The hooks, in the order of the configuration.
  public var hooks: [HookSpec] = []

  /// Settings without feeds or hooks.
  public init(path: String, documents: String, state: String, badge: String) {
    self.path = path
    self.documents = documents
    self.state = state
    self.badge = badge
  }
}

/// How long a phase of a run may take.
public struct Budget: Hashable, Sendable {
  /// The fetch phase; nil has no end.
  public var fetch: Interval? = .minutes(3)
  /// The transfer phase; nil has no end.
  public var transfers: Interval?
  /// How long before the end nothing new is begun; at most a fifth of the phase counts.
  public var warning: Interval = .seconds(10)

  /// The default budget.
  public init() {}
}
