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

  /// The text of a remark, and the number of feeds that are left out because of it.
  public struct Kind: Error, Hashable, Sendable {
    public let text: String
    public var leftOut = 0

    private static func leavesOut(_ reason: String, _ count: Int = 1) -> Kind {
      Kind(text: "left out: " + reason, leftOut: count)
    }

    private static func shown(_ text: String) -> String { cleanText(text, limit: 100) }

    /// newsboat's search over other feeds.
    public static let query = leavesOut(
      "query: searches other feeds, which bgfetch does not do; see bgfetch items --format")
    /// newsboat's `exec` or `filter` with a command that only a shell could run.
    public static func shellCommand(_ kind: String) -> Kind {
      leavesOut("\(kind): needs a shell; put the command into a script, and write command: [/path/to/script]")
    }
    public static func command(_ command: String, isTaken: Bool) -> Kind {
      isTaken
        ? Kind(text: "each fetch runs \(shown(command)); imported")
        : leavesOut("it runs \(shown(command)); use --allow-commands to import it")
    }
    /// An outline of type `link` or `include`.
    public static let link = leavesOut("a link to a page or to another list, not a feed")
    /// An outline of a type for which its program makes the feed from a page or document.
    public static func madeOfPage(_ type: String) -> Kind {
      leavesOut(
        "\(cleanText(type, limit: 40)): that reader scrapes a page into a feed, which bgfetch cannot; "
          + "if the page is JSON, use kind: json")
    }
    /// An outline that is commented out, or inside one that is.
    public static let commentedOut = leavesOut("commented out")
    /// An outline that is a feed by its type or page, but has no address.
    public static let noAddress = leavesOut("it has no address; give it an xmlUrl")
    public static func unusableAddress(_ address: String) -> Kind {
      leavesOut("\"\(shown(address))\" is not the address of a feed; write https://…")
    }
    public static func credentials(_ address: String) -> Kind {
      leavesOut(
        "\(shown(address)) contains a user name or a password; "
          + "write it into the configuration yourself, with auth: and a secret")
    }
    public static func file(_ address: String, isTaken: Bool) -> Kind {
      let what = "\(shown(address)) is a file on this machine; "
      return isTaken ? Kind(text: what + "imported") : leavesOut(what + "use --allow-files to import it")
    }
    public static func privateAddress(_ address: String) -> Kind {
      Kind(text: "\(shown(address)) is on this machine or a private network; imported")
    }
    public static func duplicate(_ address: String, of name: FeedName) -> Kind {
      leavesOut("\(shown(address)) is already the address of \(name)")
    }
    public static func tooDeep(_ count: Int) -> Kind {
      leavesOut("\(counted(count, "outline")) nested more than 256 deep", count)
    }
    public static func tooMany(_ count: Int) -> Kind {
      leavesOut("\(counted(count, "more entry", plural: "more entries")) after the first 100000", count)
    }
    /// newsboat's mark for feeds that its list does not show.
    public static let hidden = Kind(text: "bgfetch has no hidden feeds, so the ! is ignored; imported")
    public static func unwritableTag(_ tag: String) -> Kind {
      Kind(text: "the tag \"\(shown(tag))\" cannot be written in Latin letters; imported without it")
    }
    public static let cutOff = Kind(text: "the list ends in the middle; complete entries are imported")
  }
}

/// The reason why bytes are not a list of subscriptions, as the rest of a sentence about them.
public struct SubscriptionListFailure: Error, Hashable, Sendable {
  public let text: String

  public static let empty = Self(text: "is empty; a list is OPML or newsboat's urls")
  public static let feed = Self(
    text: "is a feed, not a list of feeds; write its address into the configuration")
  /// Another file, for example `a PNG image`.
  public static func other(_ found: String) -> Self {
    Self(text: "is \(found), not a list of feeds; a list is OPML or newsboat's urls")
  }
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
