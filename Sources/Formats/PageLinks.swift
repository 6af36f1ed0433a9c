// The feeds that an HTML page, or the header of its response, links to. Pages are hostile: time is proportional to their size, and links are bounded.

public import Core

/// The links of a page to feeds.
public struct PageLinks: Sendable {
  /// The links that the header and the page declare as its feeds (`rel=alternate` with the type of a feed), in this order.
  public var declared: [FeedLink] = []
  /// Other links whose addresses look like those of feeds, in the order of the page.
  public var likely: [FeedLink] = []

  /// The maximum number of bytes to search: some sites put megabytes of scripts before their links.
  public static let searched = 8 << 20

  /// Finds the links of a page, absolute and with http or https.
  ///
  /// Nothing in scripts, styles and comments counts.
  ///
  /// - Parameters:
  ///   - page: the response with the page.
  ///   - address: the page's address; nil finds absolute links only.
  ///   - limit: the number of bytes of the body to search.
  public init(of page: Response, address: String?, limit: Int = searched) {
    let text = decodedText(Array(page.body.prefix(limit)), contentType: page["Content-Type"])
    text.withUnsafeBufferPointer { source in
      var search = LinkSearch(base: address.flatMap(WebAddress.init))
      search.accept(WebLink.links(inField: page.joined("Link") ?? ""))
      search.run(over: HTMLTree(source))
      declared = search.declared
      likely = search.likely
    }
  }
}

/// One pass over a page.
private struct LinkSearch {
  private(set) var declared: [FeedLink] = []
  private(set) var likely: [FeedLink] = []

  /// The address of the page; then the address in its first `base`.
  private var base: WebAddress?
  private var hasBase = false

  /// The maximum number of links of each kind.
  private static let mostLinks = 30
  /// The maximum length of an address, in bytes.
  private static let longest = 2048

  init(base: WebAddress?) { self.base = base }

  mutating func run(over tree: HTMLTree?) {
    guard let tree else { return }
    for node in tree.nodes.indices where declared.count < Self.mostLinks {
      func text(_ attribute: String) -> String? {
        tree.value(attribute, of: node).map { cleanText($0, limit: 2 * Self.longest) }
      }
      switch tree.nodes[node].element {
      case .base:
        if !hasBase, let address = text("href").flatMap(resolved) { (base, hasBase) = (address, true) }
      case .link:
        let relations = Set((text("rel") ?? "").split(separator: " ").map { $0.lowercased() })
        accept(relations, href: text("href"), type: text("type") ?? "", title: text("title") ?? "")
      case .a:
        if likely.count < Self.mostLinks { acceptAnchor(text("href"), type: text("type") ?? "") }
      default: break
      }
    }
  }

  /// Takes the links of the header.
  mutating func accept(_ links: [WebLink]) {
    for link in links.prefix(Self.mostLinks) {
      accept(
        link.relations, href: link.target, type: link.type, title: link.title,
        needsType: !looksLikeFeed(link.target))
    }
  }

  /// Takes a link that declares a feed.
  private mutating func accept(
    _ relations: Set<String>, href: String?, type: String, title: String, needsType: Bool = true
  ) {
    let isAlternate = relations.contains("alternate") && !relations.contains("stylesheet")
    guard isAlternate || relations.contains("feed"), let href,
      !isAlternate || feedTypes.contains(mediaType(type)) || type.isEmpty && !needsType,
      let address = resolved(href)
    else { return }
    declared.append(FeedLink(address: address, title: title.isEmpty ? nil : title))
  }

  private mutating func acceptAnchor(_ href: String?, type: String) {
    // Resolving every link of a long page would take too long.
    guard let href, looksLikeFeed(href) || feedTypes.contains(mediaType(type)),
      let address = resolved(href)
    else { return }
    if !likely.contains(where: { $0.address == address }) { likely.append(FeedLink(address: address)) }
  }

  private func resolved(_ href: String) -> WebAddress? {
    guard href.utf8.count <= Self.longest else { return nil }
    let text = withoutFeedScheme(terminalSafeAddress(href))
    guard let found = base?.resolving(text) ?? WebAddress(text), !found.hasUser else { return nil }
    return found.text.utf8.count <= 2 * Self.longest ? found : nil
  }
}

/// The media types of feeds; `application/json` is not one, because WordPress uses it for its API.
private let feedTypes: Set = [
  "application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml",
  "application/x.atom+xml", "application/x-atom+xml", "text/rss+xml", "text/atom+xml", "application/xml",
  "text/xml",
]

private func mediaType(_ text: String) -> String {
  String(text.prefix { $0 != ";" && !$0.isWhitespace }).lowercased()
}

/// Whether an address has the scheme of feeds, or its last step is a usual name of a feed.
private func looksLikeFeed(_ href: String) -> Bool {
  if href.utf8.prefix(5).elementsEqual("feed:".utf8, by: { asciiLowercased($0) == $1 }) { return true }
  var path = href.utf8.prefix { $0 != "?" && $0 != "#" }
  let slash: UInt8 = "/"
  while path.last == slash { path.removeLast() }
  let start = path.lastIndex(of: slash).map { path.index(after: $0) } ?? path.startIndex
  let last = path[start...]
  guard last.count <= 100, let step = String(last)?.lowercased() else { return false }
  return feedSteps.contains(step) || [".rss", ".atom", ".rdf"].contains { step.hasSuffix($0) }
}

private let feedSteps: Set = [
  "rss", "rss2", "feed", "atom", "atom.xml", "rss.xml", "feed.xml", "index.xml", "feed.json",
]
