// One feed as configured, with all defaults.

/// One configured feed.
public struct FeedSpec: Equatable, Sendable {
  public var name: FeedName
  /// Where the document is.
  public var source: FeedSource
  /// The program that prints the document, with its arguments; with an address it filters the response.
  ///
  /// Empty means none.
  public var command: [String] = []
  public var kind: FeedKind = .feed
  /// The configured title; nil uses the feed's own.
  public var title: String?
  /// Words that select several feeds as `@word`; unique, in the order of the configuration.
  public var tags: [String] = []
  /// The configured minimum interval; nil means 1 h, or 24 h while the server sends no validators.
  public var minimumInterval: MinimumInterval?
  /// Cron expressions, any of which makes the feed due; empty without a schedule.
  public var schedule: [CronExpression] = []
  /// The hours in which the feed can be due.
  public var hours: WeeklyHours = .always
  /// The conditions under which it is fetched; nil for none.
  @Shared public var conditions: Conditions?
  /// Additional request headers, in the order of the configuration.
  public var headers: [HeaderSpec] = []
  public var authentication: Authentication?
  /// The file with cookies of a browser to send; nil for none.
  public var cookies: String?
  /// The body of the request, which makes it a POST; nil means a GET.
  public var body: RequestBody?
  public var identity: IdentityRule = .guid
  /// The items of the first successful fetch that are announced.
  public var firstRun: FirstRun = .none
  /// The items of the first successful fetch whose assets are downloaded.
  public var firstRunDownload: FirstRun = .latest
  /// The filter of items.
  public var filter = ItemFilter()
  public var updated: UpdatedRule = .silent
  /// The most content to keep of an item; nil keeps none.
  public var contentLimit: ByteCount? = DetailBounds.content
  /// How to read the article on the page of an item; nil fetches no pages.
  @Shared public var articlePage: HTMLMapping?
  /// The most pages of items to fetch in an hour.
  public static let pagesPerHour = 20
  /// The assets to download; nil means none (a feed of kind `asset` always has a value).
  @Shared public var download: DownloadSpec?
  /// The notifications for new items; nil means none.
  @Shared public var notify: NotifySpec? = NotifySpec()
  /// The learned times that schedule the feed.
  public var adapt = Adaptation.none
  /// The effect of pushes.
  @Shared public var push = PushSpec()
  /// The network settings: global ones, overridden by `defaults` and the feed's own; `connections` is always global.
  @Shared public var network = NetworkSettings()
  /// A fingerprint of everything that is written for the feed, with `defaults` and `network`; its change ends waits.
  ///
  /// Secrets count by their sources.
  public var fingerprint: UInt64 = 0

  /// A feed with all defaults.
  public init(name: FeedName, _ source: FeedSource) {
    (self.name, self.source) = (name, source)
  }

  /// A feed with all defaults, at an address as it is written.
  public init(name: FeedName, url: SecretText) {
    self.init(name: name, FeedSource(url))
  }
}

/// Where the document of a feed is.
public enum FeedSource: Hashable, Sendable {
  case web(WebAddress)
  /// A file of this machine.
  case file(FileAddress)
  /// An address that only a fetch reads.
  case secret(Secret)
  /// The output of a command alone.
  case command

  /// Reads an address that is not a secret; a text that is none stands for a command.
  init(_ url: SecretText) {
    self =
      switch url {
      case .secret(let secret): .secret(secret)
      case .plain(let text):
        WebAddress(text).map(FeedSource.web) ?? FileAddress(text).map(FeedSource.file) ?? .command
      }
  }
}

/// The learned times by which fetches of a feed are placed.
public enum Adaptation: String, Sendable, CaseIterable {
  case none
  /// The times at which the person usually looks.
  case habits
  /// The times at which the publisher usually publishes.
  case publisher
  case both

  public var toHabits: Bool { self == .habits || self == .both }
  public var toPublisher: Bool { self == .publisher || self == .both }
}

/// A setting that many feeds share: copies have one value until it is set.
///
/// There may be a hundred thousand feeds, and few have their own settings; sharing takes one word in each feed.
@propertyWrapper public struct Shared<Value: Sendable>: Sendable {
  fileprivate final class Box: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  fileprivate var box: Box

  public init(wrappedValue: Value) { box = Box(wrappedValue) }

  public var wrappedValue: Value {
    get { box.value }
    set { box = Box(newValue) }
  }
  /// The setting itself, to share it with another feed.
  public var projectedValue: Shared {
    get { self }
    set { self = newValue }
  }

  /// Whether two feeds share one value.
  public static func === (left: Shared, right: Shared) -> Bool { left.box === right.box }
}

extension Shared: Equatable where Value: Equatable {
  public static func == (left: Shared, right: Shared) -> Bool {
    left === right || left.wrappedValue == right.wrappedValue
  }
}

public struct HeaderSpec: Hashable, Sendable {
  public var name: String
  public var value: SecretText

  public init(name: String, value: SecretText) {
    (self.name, self.value) = (name, value)
  }
}

/// The credentials of a feed.
public enum Authentication: Hashable, Sendable {
  /// A name and password for HTTP Basic or Digest; the server's challenge decides.
  case password(username: String, password: Secret)
  case bearer(Secret)
  /// The files of a client certificate and its private key, with the password that decrypts the key; nil if the key is
  /// not encrypted.
  case certificate(file: String, key: String, password: Secret?)
  /// The credentials for the host in `~/.netrc`.
  case netrc
}

/// The items of the first successful fetch that count as new; the others are stored as seen.
public enum FirstRun: Equatable, Sendable {
  case none
  /// The newest item.
  case latest
  case all
  /// This number of the newest items.
  case newest(Int)

  /// The largest number of items that count as new.
  var count: Int {
    switch self {
    case .none: 0
    case .latest: 1
    case .all: .max
    case .newest(let count): count
    }
  }
}

/// The effect of an edited item besides storing it.
public struct UpdatedRule: Equatable, Sendable {
  /// Whether an edit is announced and makes the result new-data.
  var isReported: Bool
  /// The least time between two reports of one item; zero reports every edit.
  public var atMost = Interval.days(1)

  public static let silent = UpdatedRule(isReported: false)
  public static let notify = UpdatedRule(isReported: true)
}

/// A feed's name: 1 to 100 ASCII letters, digits, `-`, `_` and `.`, without a leading dot or dash.
///
/// The feed's state is stored under this name.
public struct FeedName: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let text: String

  /// The name of a feed that has none yet, as in `defaults`.
  public static let unnamed = FeedName(unchecked: "")

  private init(unchecked text: String) { self.text = text }

  public init?(_ text: String) {
    let bytes = text.utf8
    guard (1...100).contains(bytes.count), let first = bytes.first, first != ".",
      first != "-",
      bytes.allSatisfy({ $0.isASCIILetterOrDigit || "-_.".utf8.contains($0) })
    else { return nil }
    self.text = text
  }

  public var description: String { text }

  public static func < (left: FeedName, right: FeedName) -> Bool { left.text < right.text }
}

/// The kind of content at a feed's address.
public enum FeedKind: Hashable, Sendable {
  /// RSS, Atom or JSON Feed, detected by content.
  case feed
  /// Any other JSON, with a mapping to items.
  case json(JSONMapping)
  /// An HTML page, with selectors of its items or of its text.
  indirect case html(HTMLMapping)
  /// A single file: the body is the asset.
  case asset

  /// The selectors of a page; nil for another kind.
  public var page: HTMLMapping? {
    if case .html(let mapping) = self { mapping } else { nil }
  }

  /// The document that 204 stands for; nil for a kind whose documents are never empty.
  public var emptyFeed: ParsedFeed? {
    switch self {
    case .json: ParsedFeed(format: .mapped)
    case .html(let page) where page.items != nil && page.allowsEmpty: ParsedFeed(format: .page)
    case .feed, .html, .asset: nil
    }
  }

  /// Whether changes of a page's text are its items.
  public var isPageText: Bool { page.map { $0.items == nil } ?? false }
}

extension FeedSpec {
  /// The feed's web address; nil for a file and for a secret, which only a fetch resolves.
  public var address: WebAddress? {
    if case .web(let address) = source { address } else { nil }
  }

  /// The feed's file, if its address names a local file.
  public var file: FileAddress? {
    if case .file(let file) = source { file } else { nil }
  }

  /// The address as it is written; empty if the document comes from a command alone.
  public var url: SecretText {
    get {
      switch source {
      case .web(let address): .plain(address.text)
      case .file(let file): .plain(file.text)
      case .secret(let secret): .secret(secret)
      case .command: .plain("")
      }
    }
    set { source = FeedSource(newValue) }
  }

  public var host: String? { address?.host }

  /// Whether the feed's whole address is a secret, so that no part of it may be stored or shown.
  public var hasSecretAddress: Bool { if case .secret = source { true } else { false } }

  /// Whether the document is the output of a command alone.
  public var isCommand: Bool { source == .command && !command.isEmpty }

  /// Whether the document comes from this machine, so that no request is sent.
  public var isLocal: Bool { isCommand || file != nil }
}

extension FeedSpec {
  /// Whether a word on the command line or in a hook selects the feed: its name, a glob of names (`*` any text, `?` any
  /// character), or `@` and one of its tags.
  ///
  /// No name begins with `@`.
  public func isSelected(by word: String) -> Bool {
    guard word.hasPrefix("@") else { return glob(matches: name.text, pattern: word) }
    let tag = word.dropFirst()
    return tags.contains { $0 == tag }
  }
}

/// The parts of an item that make its identity.
public enum IdentityRule: String, Sendable, CaseIterable {
  /// The guid, else the link, else title and content.
  case guid
  /// The link, else title and content.
  case link
  /// The title, else the content.
  case title
}

/// The minimum time between two fetches of a feed.
public enum MinimumInterval: Equatable, Sendable {
  /// This time after the start of the last round that fetched the feed without a failure.
  case every(Interval)
  case everyRun
  /// Only when the feed is named or pushed.
  case never
}

extension FeedSpec {
  /// The environment variables that hold secrets of the feed.
  public var secretVariables: [String] {
    let credential: Secret? =
      switch authentication {
      case .password(_, let secret), .bearer(let secret): secret
      case .certificate(_, _, let password): password
      case .netrc, nil: nil
      }
    let others = [url.secret] + headers.map(\.value.secret) + (body?.pieces ?? []).map(\.secret)
    return ([credential] + others).compactMap { $0?.variable }
  }
}

/// The source of a secret, read only when needed; the first line counts.
public enum Secret: Hashable, Sendable {
  case environment(String)
  /// The absolute path of a file.
  case file(String)
  /// A systemd credential: a file name in `$CREDENTIALS_DIRECTORY` (systemd.exec(5)).
  case credential(String)
  /// The standard output of a command.
  case command([String])

  /// The environment variable, if it is one.
  public var variable: String? {
    if case .environment(let name) = self { name } else { nil }
  }
}

/// Text in the configuration, or a secret.
public enum SecretText: Hashable, Sendable {
  case plain(String)
  /// Text that is read when needed and masked in all output.
  case secret(Secret)

  var secret: Secret? { if case .secret(let secret) = self { secret } else { nil } }
  public var isSecret: Bool { secret != nil }
}
