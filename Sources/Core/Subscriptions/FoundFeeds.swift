// The feeds that a page links to: which addresses are worth a request, and which feeds are the same.

/// A link of a page that may lead to a feed.
public struct FeedLink: Hashable, Sendable {
  /// The absolute address.
  public var address: WebAddress
  /// The title in the page, not cleaned.
  public var title: String?

  public init(address: WebAddress, title: String? = nil) {
    self.address = address
    self.title = title
  }
}

/// A feed that was found and read.
public struct FoundFeed: Hashable, Sendable {
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
  /// The text that distinguishes its items from those of another feed.
  var itemKeys: [String]

  /// The facts of a document that was read from an address.
  public init(address: String, _ document: ParsedFeed, preferredName: String? = nil) {
    self.address = address
    title = document.title.map { cleanText($0, limit: 256) }.flatMap { $0.isEmpty ? nil : $0 }
    link = document.link
    items = document.items.count
    hasFiles = document.items.contains { !$0.enclosures.isEmpty }
    newest = document.items.compactMap { $0.published ?? $0.updated }.max()
    self.preferredName = preferredName
    itemKeys = document.items.prefix(3).map { $0.link ?? $0.title ?? $0.id ?? "" }
  }

  /// Whether another document is the same feed, usually in another format.
  func isSame(as other: FoundFeed) -> Bool {
    !itemKeys.isEmpty && itemKeys == other.itemKeys
  }
}

/// The found feeds without those that an earlier one repeats in another format.
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
public func wellKnownPlaces(of page: WebAddress) -> [WebAddress] {
  let path = URIReference(page.text).path
  let steps = path.split(separator: "/")
  let isFile = steps.last?.contains(".") ?? false
  let below = isFile ? steps.dropLast() : steps[...]
  var places = ["/feed", "/rss.xml", "/atom.xml", "/index.xml", "/feed.json"]
  if !below.isEmpty {
    let base = "/" + below.joined(separator: "/")
    places = [base + "/feed", base + "/index.xml", "/feed", "/rss.xml", "/atom.xml"]
  }
  return places.compactMap { page.resolving($0) }
}

extension FeedLink {
  /// Whether it seems to be a comment feed, to which every WordPress page links.
  fileprivate var isOfComments: Bool {
    let words = (title ?? "").lowercased()
    return words.contains("comments") || words.contains("kommentar")
      || URIReference(address.text).path.lowercased().contains("comments")
  }
}
