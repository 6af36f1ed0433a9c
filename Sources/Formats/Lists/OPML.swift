// OPML 1.0 and 2.0 (opml.org/spec2.opml): reading it as programs really write it, and writing it.

public import Core

/// Reads OPML.
///
/// Attributes may be in any case, in quotes of either kind, and with a bare `&`.
func readOPML(_ source: UnsafeBufferPointer<UInt8>) -> Result<[SubscriptionEntry], SubscriptionListFailure> {
  var reader = OPMLReader()
  var xml = XMLScanner(source, address: nil)
  if let entries = reader.read(&xml) { return .success(entries) }
  return switch rootOfXML(source) {
  case .feed: .failure(.feed)
  case .html: .failure(.other("a web page"))
  case .other(let found): .failure(.other(found))
  }
}

private struct OPMLReader {
  /// An open outline that is not a feed.
  private struct Folder {
    /// The number of open elements, including this one.
    let depth: Int
    /// The names of this folder and the ones around it, the outermost first.
    let names: [String]
  }

  private var entries = SubscriptionEntries()
  private var folders: [Folder] = []
  private var isOPML = false
  private var line = 1
  private var countedTo = 0

  /// The maximum number of tags of a feed, those of its folders first; an import keeps as many.
  static let mostTags = 20

  /// The entries of the document; nil if it is not OPML.
  mutating func read(_ xml: inout XMLScanner) -> [SubscriptionEntry]? {
    while true {
      switch xml.next() {
      case .open(let element):
        if element.word == .opml || element.word == .outline { isOPML = true }
        if element.word == .outline { parseOutline(element, &xml) }
      case .close:
        while let folder = folders.last, folder.depth > xml.depth { folders.removeLast() }
      case .text, .literal:
        break
      case .end:
        guard isOPML else { return nil }
        countLines(to: xml.position, xml.source)
        if xml.skippedElements > 0 { entries.add(.tooDeep(xml.skippedElements), line: line) }
        if xml.isTruncated { entries.add(.cutOff, line: line) }
        return entries.finish()
      }
    }
  }

  /// Reads an outline: a feed, an entry to leave out, or a folder.
  private mutating func parseOutline(_ element: XMLScanner.Element, _ xml: inout XMLScanner) {
    countLines(to: element.name.lowerBound, xml.source)
    let type = xml.attributeText(.type)?.lowercased()
    let url = xml.attributeLink(.xmlurl) ?? (mayBeFeed(type) ? xml.attributeLink(.url) : nil)
    let link = xml.attributeLink(.htmlurl)
    if let url {
      if let type, isMadeOfPage(type) { return entries.add(.madeOfPage(type), line: line) }
      let tags = tags(categories(xml.attributeText(.category)))
      entries.add(Subscription(url: url, title: title(&xml), link: link, tags: tags), line: line)
    } else if link != nil || ["rss", "atom", "link", "include"].contains(type) {
      entries.add(.noAddress("an xmlUrl"), line: line)
    } else {
      let around = folders.last?.names ?? []
      let name = around.count < Self.mostTags ? title(&xml) : nil
      folders.append(
        Folder(depth: xml.depth, names: name.map { around + [$0] } ?? around))
    }
  }

  /// The tags of a feed at this place: the folders around it and its categories.
  private func tags(_ categories: [String]) -> [String] {
    let names = folders.last?.names ?? []
    // A feed that was exported has its folders as categories, too.
    let categories = categories.filter { !names.contains($0) }
    // Feeds of one folder share one array.
    return categories.isEmpty ? names : Array((names + categories).prefix(Self.mostTags))
  }

  /// Whether an outline of this type may have a feed at its `url`.
  ///
  /// A `podcast-episode`, which Overcast lists by the thousand, has a page there.
  private func mayBeFeed(_ type: String?) -> Bool {
    type == nil || type == "" || type == "rss" || type == "atom"
  }

  /// Whether the other program makes the feed itself, such as FreshRSS with the types `HTML+XPath` and
  /// `JSON+DotNotation`.
  ///
  /// Then there is no feed at the address.
  private func isMadeOfPage(_ type: String) -> Bool {
    type.contains("xpath") || type.hasPrefix("json+")
  }

  /// The title of an outline: its `text`, which OPML 2.0 requires, or its `title`.
  private func title(_ xml: inout XMLScanner) -> String? {
    for word in [Word.text, .title] {
      // Far more than is kept, so that a title of megabytes stays cheap.
      guard let value = xml.attribute(word)?.prefix(65_536) else { continue }
      if let title = plainTitle(xml.decoded(UnsafeBufferPointer(rebasing: value)), .title) { return title }
    }
    return nil
  }

  /// The steps of comma-separated paths such as `/Boston/Weather,/Tech` (OPML 2.0, "category").
  private func categories(_ text: String?) -> [String] {
    guard let text else { return [] }
    return text.split(maxSplits: Self.mostTags) { $0 == "," || $0 == "/" }.prefix(Self.mostTags).map(
      String.init)
  }

  private mutating func countLines(to position: Int, _ source: UnsafeBufferPointer<UInt8>) {
    let passed = source.slice(countedTo..<max(countedTo, position))
    var start = 0
    while let found = firstIndex(of: "\n", in: passed, from: start) {
      line += 1
      start = found + 1
    }
    countedTo += passed.count
  }
}

/// Subscriptions as OPML 2.0, which every feed reader can import: a folder for each first tag, and each feed once.
///
/// Readers such as newsboat and miniflux make one category of the folder around a feed, and skip a feed that comes again. All
/// tags are in `category`. The same subscriptions give the same bytes, so there is no date in it.
public func opmlText(_ subscriptions: [Subscription]) -> String {
  let members = Dictionary(grouping: subscriptions) { $0.tags.first }
  var written: Set<String> = []
  var outlines = ""
  for subscription in subscriptions {
    guard let folder = subscription.tags.first else {
      outlines += "    " + outline(subscription)
      continue
    }
    guard written.insert(folder).inserted else { continue }
    outlines += "    <outline\(attributes([("text", folder), ("title", folder)]))>\n"
    outlines += (members[folder] ?? []).map { "      " + outline($0) }.joined() + "    </outline>\n"
  }
  return """
    <?xml version="1.0" encoding="UTF-8"?>
    <opml version="2.0">
      <head>
        <title>Feeds of bgfetch</title>
      </head>
      <body>
    \(outlines)  </body>
    </opml>

    """
}

private func outline(_ subscription: Subscription) -> String {
  // OPML requires `text`; some programs read only `title`.
  let title = subscription.title ?? subscription.url
  let attributes = attributes([
    ("type", "rss"), ("text", title), ("title", title), ("xmlUrl", subscription.url),
    ("htmlUrl", subscription.link ?? ""), ("category", subscription.tags.joined(separator: ",")),
  ])
  return "<outline\(attributes)/>\n"
}

private func attributes(_ pairs: [(name: String, value: String)]) -> String {
  pairs.map { $0.value.isEmpty ? "" : " \($0.name)=\"\(escapedMarkup(cleanText($0.value, limit: 65_536)))\"" }
    .joined()
}
