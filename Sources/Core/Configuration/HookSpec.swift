// A command of the user's, as configured.

/// A command that is run on events, directly and never through a shell.
public struct HookSpec: Hashable, Sendable {
  /// Its name in the configuration.
  public var name: String
  /// The events it is run for.
  public var events: Set<EventKind>
  /// The program and its arguments.
  public var run: [HookArgument]
  /// The feeds it hears of, by name, glob or `@tag`; events without a feed always match.
  public var feeds: [String] = ["*"]
  /// What it reads on standard input.
  public var stdin: HookInput = .json
  /// How long it may run before its process group is ended.
  public var timeout: Interval = .seconds(30)
  /// How often a failed delivery is tried again.
  public var retries = 5
  /// A delivery older than this is dropped.
  public var expires: Interval = .hours(12)
  /// Whether deliveries wait for the user's session bus.
  public var needsSessionBus = false
  /// Further environment variables, by name.
  public var environment: [HeaderSpec] = []

  /// A hook with the defaults of every other key.
  public init(name: String, events: Set<EventKind>, run: [HookArgument]) {
    self.name = name
    self.events = events
    self.run = run
  }

  /// Whether the hook hears of each file that this feed brings, and so may change it: programs that tag do.
  public func hearsOfFiles(of feed: FeedSpec) -> Bool {
    events.contains(.assetPlaced) && hears(of: feed)
  }

  /// Whether the hook hears of this feed.
  public func hears(of feed: FeedSpec) -> Bool {
    feeds.contains { feed.isSelected(by: $0) }
  }
}

/// One entry of a hook's command line.
public enum HookArgument: Hashable, Sendable {
  /// One argument.
  case one(Template)
  /// Several arguments that are left out together when a placeholder in them is empty.
  case optional([Template])
}

/// What a hook reads on standard input.
public enum HookInput: Hashable, Sendable {
  /// The event as one JSON object.
  case json
  /// Nothing.
  case none
  /// A text.
  case text(Template)
}
