// Importing a list of subscriptions: which entries the configuration can contain, and how.

/// The result of importing a list of subscriptions.
public struct ImportPlan: Sendable {
  /// The feeds in the order of the list, with distinct addresses and names.
  public var feeds: [NamedSubscription] = []
  /// The remarks in the order of the list.
  public var remarks: [SubscriptionRemark] = []

  /// The number of entries that the configuration has already, or that the list repeats.
  public var known = 0

  /// The number of entries left out.
  public var leftOut: Int { remarks.reduce(0) { $0 + $1.kind.leftOut } }
}

/// Takes the entries that a configuration can contain, and says why the others are left out.
///
/// The same list gives the same names. Entries added at its end do not change the names of earlier ones.
///
/// - Parameters:
///   - entries: the list, which may come from a stranger.
///   - takesFiles: whether to take feeds that are files of this machine.
public func importPlan(_ entries: [SubscriptionEntry], takingFiles takesFiles: Bool) -> ImportPlan {
  var planning = ImportPlanning(among: [], takesFiles: takesFiles, takesCommands: false)
  planning.add(entries)
  return planning.plan
}

/// One walk over lists.
public struct ImportPlanning {
  let takesFiles: Bool
  let takesCommands: Bool
  public private(set) var plan = ImportPlan()
  private var naming: FeedNaming
  /// The place in the plan of each source.
  private var places: [ListedSource: Int] = [:]
  /// The sources that the configuration has.
  private let configured: Set<ListedSource>
  /// The person's home, where programs of lists begin with `~/`.
  private let home: String

  public init(among feeds: FeedList, takesFiles: Bool, takesCommands: Bool, home: String = "~") {
    (self.takesFiles, self.takesCommands, self.home) = (takesFiles, takesCommands, home)
    naming = FeedNaming(taken: feeds.names)
    configured = Set(feeds.compactMap(ListedSource.init))
  }

  /// Adds the entries of a list.
  public mutating func add(_ entries: [SubscriptionEntry]) {
    // The line of the last entry if it was not taken.
    var untaken: Int?
    for entry in entries {
      switch entry {
      case .feed(let subscription, let line):
        let before = plan.feeds.count
        add(subscription, line: line)
        untaken = plan.feeds.count == before ? line : nil
      case .remark(let remark) where remark.kind.isOfImported && remark.line == untaken: break
      case .remark(let remark): plan.remarks.append(remark)
      }
    }
  }

  private mutating func add(_ listed: Subscription, line: Int) {
    let command = listed.command.joined(separator: " ")
    var source = ListedSource(listed, home: home)
    var address: FoundAddress?
    if command.isEmpty || !listed.url.isEmpty {
      do throws(SubscriptionRemark.Kind) {
        address = try FoundAddress(listed.url)
      } catch {
        return remark(error, line)
      }
    }
    guard !configured.contains(source) else {
      plan.known += 1
      return
    }
    if !command.isEmpty, !takesCommands { return remark(.command(command, isTaken: false), line) }
    if let address, address.isFile, !takesFiles {
      return remark(.file(address.masked, isTaken: false), line)
    }
    source.keys = listed.keys
    if let earlier = places[source] {
      plan.known += 1
      remark(.duplicate(address?.masked ?? command, of: plan.feeds[earlier].name), line)
      // Feed readers list a feed once in each of its folders.
      let both = tags(listed.tags, line, after: plan.feeds[earlier].subscription.tags)
      plan.feeds[earlier].subscription.tags = both
      return
    }
    guard add(listed, at: address, source, line) else { return }
    if !command.isEmpty { remark(.command(command, isTaken: true), line) }
    if let note = address?.note { remark(note, line) }
  }

  /// Adds a feed, named as in its list, or else by its title, address or program; false if no name is left.
  private mutating func add(
    _ listed: Subscription, at address: FoundAddress?, _ source: ListedSource, _ line: Int
  ) -> Bool {
    var subscription = listed
    subscription.url = address?.text ?? ""
    subscription.title = listed.title.map { cleanText($0, limit: 256) }
    let program = address == nil ? listed.command.first?.split(separator: "/").last : nil
    let stem = program?.split(separator: ".").first.map(String.init)
    let name = naming.name(
      title: subscription.title ?? stem, preferred: listed.name, address: address?.normalized ?? "")
    guard let name else { return false }
    // Without one, a page's own title is shown.
    let isShown = subscription.title == name.text && subscription.watched == nil
    if isShown || subscription.title == "" { subscription.title = nil }
    subscription.tags = tags(listed.tags, line)
    places[source] = plan.feeds.count
    plan.feeds.append(NamedSubscription(name: name, subscription: subscription))
    return true
  }

  /// Folders and tags as the configuration writes them, each once, behind the existing ones.
  private mutating func tags(_ listed: [String], _ line: Int, after others: [String] = []) -> [String] {
    var tags = others
    for tag in listed where tag.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) {
      guard let written = tagText(tag.lowercased()) else {
        remark(.unwritableTag(tag), line)
        continue
      }
      // As many as a feed may have.
      if tags.count < 20, !tags.contains(written) { tags.append(written) }
    }
    return tags
  }

  private mutating func remark(_ kind: SubscriptionRemark.Kind, _ line: Int) {
    plan.remarks.append(SubscriptionRemark(line: line, kind))
  }
}

/// The facts that distinguish two feeds: the same address through another command, or another part of a page, is another feed.
public struct ListedSource: Hashable, Sendable {
  /// The same text for all spellings of one address; empty for a command alone.
  private let address: String
  private var command: [String]
  /// The selector of the text of a page to watch; nil for a feed.
  private let watched: String?
  /// The other keys of a listed feed; none of a configured one.
  fileprivate var keys: [String: JSONValue] = [:]

  private init(_ url: String, command: [String], watched: String?) {
    address = url.isEmpty ? "" : (try? FoundAddress(url))?.normalized ?? url
    (self.command, self.watched) = (command, watched)
  }

  /// The source of a listed feed, whose program is below a home if it begins with `~/`.
  public init(_ listed: Subscription, home: String = "~") {
    self.init(listed.url, command: listed.command, watched: listed.watched)
    // As the configuration reads it.
    if let program = command.first, program.hasPrefix("~/") { command[0] = home + program.dropFirst() }
  }

  /// The source of a configured feed; nil if its address is a secret.
  public init?(_ feed: FeedSpec) {
    guard case .plain(let url) = feed.url else { return nil }
    self.init(
      url, command: feed.command, watched: feed.kind.isPageText ? feed.kind.page?.text?.text ?? "" : nil)
  }
}

/// An address that a feed of the configuration may have: http, https or file, also behind the `feed:` of old browsers.
private struct FoundAddress {
  let text: String
  /// The same text for all spellings of one address.
  let normalized: String
  /// The address without secrets, for messages.
  let masked: String
  var isFile = false
  /// A remark on an address of this machine or of a private network.
  var note: SubscriptionRemark.Kind?

  init(_ listed: String) throws(SubscriptionRemark.Kind) {
    let listed = withoutFeedScheme(listed)
    // Servers and proxies refuse longer ones (RFC 9110 section 4.1 asks for 8000 octets), and a path may grow when it is
    // percent-encoded again.
    let isShort = listed.utf8.count <= 8192
    if isShort, let file = FileAddress(listed), !file.path.hasSuffix("/"), file.text.utf8.count <= 8192 {
      (text, normalized, masked) = (file.text, file.text, file.text)
      (isFile, note) = (true, .file(file.text, isTaken: true))
      return
    }
    guard isShort, let address = WebAddress(listed) else {
      throw .unusableAddress(URIReference(String(listed.prefix(200))).masked.text)
    }
    guard !address.hasUser else { throw .credentials(address.masked) }
    (text, normalized, masked) = (address.text, address.normalized, address.masked)
    if !address.isPublicHost { note = .privateAddress(masked) }
  }
}

/// The schemes that mean "subscribe to this".
public let feedSchemes: Set = ["feed", "itpc", "pcast", "podcast", "rss"]

/// The address behind a feed scheme: `feed:https://…` and `feed://https://…` have its own scheme, `feed://host/…` lacks one.
public func withoutFeedScheme(_ text: String) -> String {
  guard !text.hasPrefix("http"), let scheme = URIReference(text).scheme?.lowercased(),
    feedSchemes.contains(scheme)
  else { return text }
  let rest = String(text.dropFirst(scheme.count + 1))
  guard rest.hasPrefix("//") else { return rest }
  let inner = String(rest.dropFirst(2))
  return WebAddress(inner) == nil ? "https:" + rest : inner
}
