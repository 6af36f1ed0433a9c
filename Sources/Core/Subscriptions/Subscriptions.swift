// Lists of subscriptions, for OPML, newsboat and bgfetch.
//
// Subscriptions.swift  a subscription, the entries of a list, and the list that `export` writes
// ImportPlan.swift     which entries the configuration can contain, and how
// FeedNaming.swift     names for new feeds
// FoundFeeds.swift     the feeds of a page: which to try, which are the same
//
// Reading and writing the file formats is Formats's task.

/// One feed of a list of subscriptions.
public struct Subscription: Hashable, Sendable {
  /// The feed's address, as the list writes it; empty if only a command makes its document.
  public var url: String
  /// The program with its arguments that makes the document, or filters the response of the address; empty means none.
  public var command: [String] = []
  public var title: String?
  /// The address of its page.
  public var link: String?
  /// Its folders, the outermost first, and its tags, as the list writes them.
  ///
  /// There may be duplicates.
  public var tags: [String]
  /// Whether all files of its items are downloaded.
  public var downloads = false
  /// The CSS selector of the text of a page to watch, empty for the whole page; nil for a feed.
  public var watched: String?

  public init(url: String, title: String? = nil, link: String? = nil, tags: [String] = []) {
    (self.url, self.title, self.link, self.tags) = (url, title, link, tags)
  }
}

/// A subscription as a feed of the configuration.
public struct NamedSubscription: Hashable, Sendable {
  public var name: FeedName
  /// The subscription with tags that the configuration accepts; without a title if the title equals the name.
  public var subscription: Subscription

  public init(name: FeedName, subscription: Subscription) {
    (self.name, self.subscription) = (name, subscription)
  }
}

/// One entry of a list of subscriptions.
public enum SubscriptionEntry: Hashable, Sendable {
  /// A feed, with its line counted from 1.
  case feed(Subscription, line: Int)
  /// A remark that the owner of the list should read.
  case remark(SubscriptionRemark)
}

/// A remark on a list of subscriptions, for its owner.
public struct SubscriptionRemark: Hashable, Sendable {
  /// The line of the list, counted from 1.
  public var line: Int
  public var kind: Kind

  public init(line: Int, _ kind: Kind) {
    (self.line, self.kind) = (line, kind)
  }

  /// The subject of a remark.
  ///
  /// Texts are as the list has them, and must be cleaned before they are printed.
  public enum Kind: Hashable, Sendable {
    /// newsboat's search over other feeds.
    case query
    /// newsboat's `exec` or `filter` with a command that only a shell could run.
    case shellCommand(String)
    /// The command of a feed, and whether it is taken.
    case command(String, isTaken: Bool)
    /// An outline of type `link` or `include`, which leads to a page or to another list.
    case link
    /// An outline of a type for which its program makes the feed from a page or document.
    case madeOfPage(String)
    /// An outline that is commented out, or inside one that is.
    case commentedOut
    /// An outline that is a feed by its type or page, but has no address.
    case noAddress
    /// An address that no feed can have.
    case unusableAddress(String)
    /// An address with a user name or a password in it.
    case credentials(String)
    /// An address of a file of this machine, and whether it is taken.
    case file(String, isTaken: Bool)
    /// An address on a private network, which is taken.
    case privateAddress(String)
    /// The address of an earlier feed.
    case duplicate(String, of: FeedName)
    /// The number of outlines nested too deep to be read.
    case tooDeep(Int)
    /// The number of entries after the last one that is read.
    case tooMany(Int)
    /// newsboat's mark for feeds that its list does not show.
    case hidden
    /// A folder or tag that cannot be written in the letters of a tag.
    case unwritableTag(String)
    /// The document is cut off.
    case cutOff

    /// The number of feeds left out because of it.
    public var leftOut: Int {
      switch self {
      case .query, .shellCommand, .command(_, isTaken: false), .link, .madeOfPage, .commentedOut, .noAddress,
        .unusableAddress, .credentials, .duplicate, .file(_, isTaken: false):
        1
      case .tooDeep(let count), .tooMany(let count): count
      case .hidden, .unwritableTag, .cutOff, .privateAddress, .file(_, isTaken: true),
        .command(_, isTaken: true):
        0
      }
    }
  }
}

/// The reason why bytes are not a list of subscriptions.
public enum SubscriptionListFailure: Error, Hashable, Sendable {
  /// Nothing but white space.
  case empty
  /// A feed, which is subscribed to by its address.
  case feed
  /// Something else, in words, for example `a PNG image`.
  case other(String)
}

/// The configured feeds as a list of subscriptions that other programs can read.
public struct ExportedFeeds: Hashable, Sendable {
  /// A feed that is left out.
  public struct LeftOut: Hashable, Sendable {
    public let feed: FeedName
    /// The reason in words, as the rest of a sentence about the feed.
    public let reason: String
  }

  /// The feeds that other programs can read, in the order of the configuration.
  public var subscriptions: [Subscription] = []
  /// All other feeds, in the order of the configuration.
  public var leftOut: [LeftOut] = []

  /// The feeds with their configured or learned titles and pages.
  public init(_ feeds: [FeedSpec], _ states: [FeedName: FeedState]) {
    for feed in feeds {
      func leaveOut(_ reason: String) { leftOut.append(LeftOut(feed: feed.name, reason: reason)) }
      switch (feed.kind, feed.url) {
      case (.json, _): leaveOut("has kind json, which other feed readers cannot read")
      case (.html, _): leaveOut("has kind html, which other feed readers cannot read")
      case (.asset, _): leaveOut("has kind asset: it is a file, not a feed")
      case _ where !feed.command.isEmpty: leaveOut("its items come from a command")
      case _ where feed.body != nil: leaveOut("its request has a body, which other feed readers do not send")
      // The secret is not even read.
      case (.feed, .secret): leaveOut("its url is a secret")
      case (.feed, .plain(let url)):
        let label = FeedLabel(feed, states[feed.name] ?? FeedState())
        subscriptions.append(
          Subscription(
            url: url, title: label.title, link: label.link.isEmpty ? nil : label.link, tags: feed.tags))
      }
    }
  }
}
