// The feeds that a page links to: which addresses are worth a request, which feeds are the same, and
// sites whose feeds follow from the address of a page.

/// A link of a page that may lead to a feed.
public struct FeedLink: Equatable, Sendable {
  /// The absolute address.
  public var address: WebAddress
  /// The title in the page, not cleaned.
  public var title: String?

  public init(address: WebAddress, title: String? = nil) {
    (self.address, self.title) = (address, title)
  }
}

/// A feed that was found and read.
public struct FoundFeed: Sendable {
  /// The address to write into the configuration.
  public var address: String
  public var title: String?
  /// The feed's own page.
  public var link: String?
  public var items: Int
  /// Whether items have files, such as episodes.
  public var hasFiles: Bool
  /// The time of its newest item.
  public var newest: Instant?
  /// The name that the site uses, which is better than the title.
  public var preferredName: String?
  /// The lines of a watched page; none of any other feed.
  public var text: [String] = []
  /// The text that distinguishes its items from those of another feed.
  var itemKeys: [String]

  /// The facts of a document that was read from an address.
  public init(address: String, _ document: ParsedFeed) {
    self.address = address
    title = document.title.map { cleanText($0, limit: 256) }.flatMap { $0.isEmpty ? nil : $0 }
    link = document.link
    items = document.items.count
    hasFiles = document.items.contains { !$0.enclosures.isEmpty }
    newest = document.items.compactMap { $0.published ?? $0.updated }.max()
    if document.format == .page { text = pageLines(ofContent: document.items.first?.content ?? "") }
    itemKeys = document.items.prefix(3).map { $0.link ?? $0.title ?? $0.id ?? "" }
  }

  /// Whether another document is the same feed, usually in another format.
  func isSame(as other: FoundFeed) -> Bool {
    !itemKeys.isEmpty && itemKeys == other.itemKeys
  }
}

/// The found feeds without feeds that an earlier one repeats in another format.
public func distinct(_ feeds: [FoundFeed]) -> [FoundFeed] {
  var distinct: [FoundFeed] = []
  for feed in feeds where !distinct.contains(where: { $0.isSame(as: feed) }) { distinct.append(feed) }
  return distinct
}

/// The links to try, each address once, without comment feeds if there are others.
///
/// - Parameters:
///   - links: the links in the order of the page.
///   - page: the page's address. A link to the same host is requested by https if the page was.
///   - limit: the most links to keep, because each costs a request.
public func linksToTry(_ links: [FeedLink], of page: WebAddress, limit: Int) -> [FeedLink] {
  let posts = links.filter { !$0.isOfComments }
  var known: Set<String> = [page.normalized]
  var tried: [FeedLink] = []
  for link in posts.isEmpty ? links : posts {
    var link = link
    if page.scheme == "https", link.address.scheme == "http", link.address.host == page.host,
      link.address.port == 80, let safe = WebAddress("https" + link.address.text.dropFirst(4))
    {
      link.address = safe
    }
    if known.insert(link.address.normalized).inserted { tried.append(link) }
  }
  return Array(tried.prefix(limit))
}

/// Places where many sites have their feed, for a page without links: below the page first, then at its host.
public func wellKnownAddresses(of page: WebAddress) -> [WebAddress] {
  let path = URIReference(page.text).path
  let steps = path.split(separator: "/")
  let isFile = steps.last?.contains(".") ?? false
  let below = isFile ? steps.dropLast() : steps[...]
  var paths = ["/feed", "/rss.xml", "/atom.xml", "/index.xml", "/feed.json"]
  if !below.isEmpty {
    let base = "/" + below.joined(separator: "/")
    paths = [base + "/feed", base + "/index.xml", "/feed", "/rss.xml", "/atom.xml"]
  }
  return paths.compactMap { page.resolving($0) }
}

extension FeedLink {
  /// Whether it seems to be a comment feed, to which every WordPress page links.
  fileprivate var isOfComments: Bool {
    let words = (title ?? "").lowercased()
    return words.contains("comments") || words.contains("kommentar")
      || URIReference(address.text).path.lowercased().contains("comments")
  }
}

/// The feeds of a page of a known site, whose pages do not name them, or not the one of releases.
public enum SiteFeeds: Sendable {
  /// Addresses to try in this order, and the name that the site itself uses, such as a repository's.
  case feeds([WebAddress], name: String?)
  /// A podcast in Apple's directory, whose entry at this address has the feed.
  case podcast(lookup: WebAddress)

  /// The feeds of a page; nil if the page must be read, or is a feed itself.
  public init?(of page: WebAddress) {
    let site = SitePage(page)
    guard !site.isFeed, let found = Self.known(site) else { return nil }
    self = found
  }

  private static func known(_ page: SitePage) -> SiteFeeds? {
    switch page.site {
    case "youtube.com", "m.youtube.com": return youTube(page)
    case "reddit.com", "old.reddit.com", "new.reddit.com": return reddit(page)
    case "github.com": return gitHub(page)
    case "podcasts.apple.com", "itunes.apple.com": return apple(page)
    default: return page.site.hasPrefix("gitlab.") ? gitLab(page) : nil
    }
  }

  private static func youTube(_ page: SitePage) -> SiteFeeds? {
    let feed = "https://www.youtube.com/feeds/videos.xml?"
    switch page.steps.first {
    case "channel" where page.steps.count >= 2: return feeds([feed + "channel_id=" + page.steps[1]])
    case "playlist": return page.query("list").flatMap { feeds([feed + "playlist_id=" + $0]) }
    default: return nil
    }
  }

  private static func reddit(_ page: SitePage) -> SiteFeeds? {
    guard page.steps.count >= 2, let kind = page.steps.first, ["r", "u", "user"].contains(kind) else {
      return nil
    }
    let path = ([kind == "u" ? "user" : kind] + page.steps.dropFirst()).joined(separator: "/")
    return feeds(["https://www.reddit.com/\(path)/.rss"], name: page.steps.count == 2 ? page.steps[1] : nil)
  }

  private static func gitHub(_ page: SitePage) -> SiteFeeds? {
    guard let owner = page.steps.first else { return nil }
    let origin = "https://github.com"
    guard page.steps.count >= 2 else { return feeds([origin + "/\(owner).atom"], name: owner) }
    let ends = ["releases": "/releases.atom", "tags": "/tags.atom"]
    return project(page.steps.prefix(2), page.steps.dropFirst(2).first, origin, ends)
  }

  /// GitLab, whose projects may be in groups of groups; `-` ends the path of a project.
  private static func gitLab(_ page: SitePage) -> SiteFeeds? {
    let path = page.steps.prefix { $0 != "-" }
    guard path.count >= 2 else { return nil }
    let ends = ["releases": "/-/releases.atom", "tags": "/-/tags?format=atom"]
    return project(path, page.steps.dropFirst(path.count + 1).first, page.origin, ends)
  }

  /// The feeds of a project of code: of its page, those of releases and tags; else the one that its page shows.
  ///
  /// - Parameter ends: how the address of the feed of a page ends.
  private static func project(
    _ path: ArraySlice<String>, _ shown: String?, _ origin: String, _ ends: [String: String]
  ) -> SiteFeeds? {
    guard let last = path.last else { return nil }
    let name = last.hasSuffix(".git") && last != ".git" ? String(last.dropLast(4)) : last
    let home = origin + "/" + (path.dropLast() + [name]).joined(separator: "/")
    let addresses = (shown.map { [$0] } ?? ["releases", "tags"]).compactMap { ends[$0] }.map { home + $0 }
    return feeds(addresses, name: shown == "tags" ? name + "-tags" : name)
  }

  private static func apple(_ page: SitePage) -> SiteFeeds? {
    guard let step = page.steps.last(where: { $0.hasPrefix("id") }),
      let number = UInt64(step.dropFirst(2)),
      let lookup = WebAddress("https://itunes.apple.com/lookup?id=\(number)")
    else { return nil }
    return .podcast(lookup: lookup)
  }

  private static func feeds(_ texts: [String], name: String? = nil) -> SiteFeeds? {
    let addresses = texts.compactMap(WebAddress.init)
    return addresses.isEmpty ? nil : .feeds(addresses, name: name)
  }
}

/// The entry of a podcast in Apple's directory as a feed with one item, whose link is the podcast's feed.
public var podcastLookupMapping: JSONMapping? {
  guard let results = try? JSONPointer(parsing: "/results"), let feed = try? JSONPointer(parsing: "/feedUrl")
  else { return nil }
  return JSONMapping(items: [results], parts: [.link: [.pointer(feed)]])
}

/// The parts of a page's address that say what it is.
private struct SitePage {
  /// The host without `www.`.
  let site: String
  /// Scheme, host and port as the address has them.
  let origin: String
  /// The path's steps, still percent-encoded.
  let steps: [String]
  private let parameters: [Substring]

  init(_ page: WebAddress) {
    let reference = URIReference(page.text)
    site = String(page.site)
    origin = "\(page.scheme)://" + (reference.authority ?? page.host)
    steps = reference.path.split(separator: "/").map(String.init)
    parameters = (reference.query ?? "").split(separator: "&")
  }

  /// Whether the address seems to name a feed already.
  var isFeed: Bool {
    guard let last = steps.last?.lowercased() else { return false }
    return [".rss", ".atom", ".xml", ".json"].contains { last.hasSuffix($0) } || last == "rss"
      || steps.contains("feeds") || last == "feed" || parameters.contains("format=atom")
  }

  func query(_ name: String) -> String? {
    parameters.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
  }
}
