// Lists of subscriptions, for other programs and bgfetch.
//
// Subscriptions.swift  a subscription, the entries of a list, and the list that `export` writes
// ImportPlan.swift     which entries the configuration can contain, and how
// NewsboatQuery.swift  what lists the same as a query of newsboat
// ListSettings.swift   settings of other programs that are about all feeds
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
  /// The name that its program uses, which is better than one made from the title.
  public var name: String?
  /// The address of its page.
  public var link: String?
  /// Its folders, the outermost first, and its tags, as the list writes them.
  ///
  /// There may be duplicates.
  public var tags: [String]
  /// Whether all files of its items are downloaded.
  public var downloads = false
  /// Whether its files so far are there already, so that only those of later items are downloaded.
  public var hasFiles = false
  /// Whether its program does not fetch it at present.
  public var isPaused = false
  /// The CSS selector of the text of a page to watch, empty for the whole page; nil for a feed.
  public var watched: String?
  /// Further keys of the configuration with their values; those below another key as in `network.timeout`.
  public var keys: [String: JSONValue] = [:]

  public init(url: String, title: String? = nil, link: String? = nil, tags: [String] = []) {
    (self.url, self.title, self.link, self.tags) = (url, title, link, tags)
  }
}

/// A subscription as a feed of the configuration.
public struct NamedSubscription: Equatable, Sendable {
  public var name: FeedName
  /// The subscription with tags that the configuration accepts; without a title if the title equals the name.
  public var subscription: Subscription

  public init(name: FeedName, subscription: Subscription) {
    (self.name, self.subscription) = (name, subscription)
  }
}

/// One entry of a list of subscriptions.
public enum SubscriptionEntry: Equatable, Sendable {
  /// A feed, with its line counted from 1.
  case feed(Subscription, line: Int)
  /// A remark that the owner of the list should read.
  case remark(SubscriptionRemark)
}

/// A remark on a list of subscriptions, for its owner.
public struct SubscriptionRemark: Equatable, Sendable {
  /// The line of the list, counted from 1.
  public var line: Int
  public var kind: Kind

  public init(line: Int, _ kind: Kind) {
    (self.line, self.kind) = (line, kind)
  }

  /// The text of a remark, and what became of its entry.
  public struct Kind: Error, Equatable, Sendable {
    public let text: String
    /// The number of entries that are left out because of it.
    public var leftOut = 0
    /// Whether it is a query, answered with a command.
    public var isQuery = false
    /// Whether it is about a feed that was imported.
    var isOfImported = false
    /// The setting that it is about, if an import can use it.
    public var setting: ListSetting?

    private static func leavesOut(_ reason: String, _ count: Int = 1) -> Kind {
      Kind(text: "left out: " + reason, leftOut: count)
    }

    private static func shown(_ text: String) -> String { cleanText(text, limit: 100) }

    /// newsboat's search over other feeds, with the command that lists the same, if there is one.
    public static func query(_ name: String, _ expression: String) -> Kind {
      switch QueryAnswer(to: expression) {
      case .command(let command, let difference):
        Kind(
          text: "query \(shown(name)): \(command)" + (difference.isEmpty ? "" : " (\(difference))"),
          isQuery: true)
      case .impossible(let reason): leavesOut("query \(shown(name)), \(shown(expression)): \(shown(reason))")
      }
    }
    /// A command that only a shell could run, such as newsboat's `exec`.
    public static func shellCommand(_ kind: String) -> Kind {
      leavesOut("\(kind): needs a shell; put the command into a script, and write command: [/path/to/script]")
    }
    /// A program that mails items, with the hook that does the same.
    public static func mails(_ hook: MailHook) -> Kind {
      Kind(
        text:
          "it mails to \(shown(hook.to.joined(separator: ", "))); before the next run, write \(hook.text) below hooks:",
        setting: ListSetting(mail: hook))
    }
    /// The directory of downloaded files.
    public static func documents(_ path: String) -> Kind {
      Kind(
        text: "downloaded files are in \(shown(path)); write documents: \(shown(path))",
        setting: ListSetting(documents: path))
    }
    /// How long downloaded files are kept.
    public static func keep(_ age: String) -> Kind {
      Kind(
        text: "podcasts that are imported with it keep files for \(age), by download: {keep: \(age)}",
        setting: ListSetting(keep: age))
    }
    /// A setting of another program, with what is written for it.
    public static func setting(_ name: String, _ cure: String) -> Kind {
      Kind(text: "\(shown(name)): \(cure)")
    }
    /// The parts that an entry is imported without, each with the reason or a cure, which may be empty.
    public static func without(_ parts: [(name: String, reason: String)]) -> Kind {
      Kind(
        text: "imported without "
          + parts.map { shown($0.name) + ($0.reason.isEmpty ? "" : " (\($0.reason))") }.joined(
            separator: ", "), isOfImported: true)
    }
    /// An entry that bgfetch cannot do, with what it lacks or a cure.
    public static func impossible(_ reason: String) -> Kind { leavesOut(cleanText(reason, limit: 300)) }
    static func command(_ command: String, isTaken: Bool) -> Kind {
      isTaken
        ? Kind(text: "each fetch runs \(shown(command)); imported")
        : leavesOut("it runs \(shown(command)); use --allow-commands to import it")
    }
    /// A page that only a browser can make.
    public static func needsBrowser(_ address: String) -> Kind {
      impossible(
        "\(URIReference(address).masked.text) needs a browser; write a command that runs one, with kind: html"
      )
    }
    /// An outline of a type for which its program makes the feed from a page or document.
    public static func madeOfPage(_ type: String) -> Kind {
      leavesOut(
        "\(cleanText(type, limit: 40)): that reader makes the feed of a page; "
          + "write kind: html with the selectors of its items, or kind: json with their pointers")
    }
    /// An outline that is a feed by its type or page, but has no address.
    public static func noAddress(_ lacking: String) -> Kind {
      leavesOut("it has no address; give it \(lacking)")
    }
    static func unusableAddress(_ address: String) -> Kind {
      leavesOut("\"\(shown(address))\" is not the address of a feed; write https://…")
    }
    static func credentials(_ address: String) -> Kind {
      leavesOut(
        "\(shown(address)) contains a user name or a password; "
          + "write it into the configuration yourself, with auth: and a secret")
    }
    static func file(_ address: String, isTaken: Bool) -> Kind {
      let what = "\(shown(address)) is a file on this machine; "
      return isTaken ? Kind(text: what + "imported") : leavesOut(what + "use --allow-files to import it")
    }
    static func privateAddress(_ address: String) -> Kind {
      Kind(text: "\(shown(address)) is on this machine or a private network; imported")
    }
    static func duplicate(_ address: String, of name: FeedName) -> Kind {
      Kind(text: "\(shown(address)) is already the address of \(name)")
    }
    public static func tooDeep(_ count: Int) -> Kind {
      leavesOut("\(counted(count, "outline")) nested more than 256 deep", count)
    }
    public static func tooMany(_ count: Int) -> Kind {
      leavesOut("\(counted(count, "more entry", plural: "more entries")) after the first 100000", count)
    }
    /// newsboat's mark for feeds that its list does not show.
    public static let hidden = Kind(text: "bgfetch has no hidden feeds, so the ! is ignored; imported")
    static func unwritableTag(_ tag: String) -> Kind {
      Kind(text: "the tag \"\(shown(tag))\" is not one (1 to 100 letters and digits); imported without it")
    }
    public static let cutOff = Kind(text: "the list ends in the middle; complete entries are imported")
  }
}

/// The reason why bytes are not a list of subscriptions, as the rest of a sentence about them.
public struct SubscriptionListFailure: Error, Equatable, Sendable {
  public let text: String

  private static let lists =
    "a list is OPML, newsboat's urls or cache.db, rss2email.cfg, podget's serverlist or podgetrc, or the YAML of urlwatch or webchanges"
  public static let empty = Self(text: "is empty; \(lists)")
  public static let feed = Self(
    text: "is a feed, not a list of feeds; write its address into the configuration")
  /// A list of pages to watch with a mistake in its YAML.
  public static func notYAML(line: Int, _ what: String) -> Self {
    Self(text: "is not YAML (line \(line): \(cleanText(what, limit: 300)))")
  }
  /// Another file, for example `a PNG image`.
  public static func other(_ found: String) -> Self {
    Self(text: "is \(found), not a list of feeds; \(lists)")
  }
}

/// The configured feeds as a list of subscriptions that other programs can read.
public struct ExportedFeeds: Sendable {
  /// A feed that is left out.
  public struct LeftOut: Equatable, Sendable {
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
      case (.json, _), (.html, _), (.asset, _): leaveOut("is no feed that other feed readers can read")
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
