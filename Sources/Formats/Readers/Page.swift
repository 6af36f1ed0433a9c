// Feeds of kind html: the items of a page by selectors of the configuration, or its text as lines.

import Core

/// Reads a page by selectors.
func readPage(
  _ source: UnsafeBufferPointer<UInt8>, _ mapping: HTMLMapping, contentType: String?, address: String?,
  shouldStop: @escaping ShouldStop
) -> Result<ParsedFeed, FeedReadingFailure> {
  if mapping.items == nil, isPlain(source, mapping, contentType) {
    return plainPage(source, mapping, address: address, shouldStop)
  }
  if let other = otherThanHTML(source) { return .failure(.unmapped(other)) }
  guard let tree = HTMLTree(source, shouldStop: shouldStop) else { return .failure(.stopped) }
  var reader = PageReader(tree, address: address, shouldStop: shouldStop)
  let result = mapping.items.map { reader.items($0, mapping) } ?? reader.text(mapping)
  return reader.isStopped ? .failure(.stopped) : result
}

/// Whether a document is text without markup; of a file or the output of a program, the first letter says so.
private func isPlain(
  _ source: UnsafeBufferPointer<UInt8>, _ mapping: HTMLMapping, _ contentType: String?
) -> Bool {
  guard let contentType else {
    return !mapping.isArticle && source.first { $0 > 0x20 } != "<"
  }
  return contentType.lowercased().hasPrefix("text/plain")
}

/// A text file as a page.
private func plainPage(
  _ source: UnsafeBufferPointer<UInt8>, _ mapping: HTMLMapping, address: String?, _ shouldStop: ShouldStop
) -> Result<ParsedFeed, FeedReadingFailure> {
  var lines = PageContent(ignoring: mapping.ignoredLines)
  var rest = source[...]
  var count = 0
  while !rest.isEmpty {
    if count & 0xFFF == 0xFFF, shouldStop() { return .failure(.stopped) }
    let line = rest.prefix { $0 != "\n" }
    lines.add(line: line)
    rest = rest[line.endIndex...].dropFirst()
    count += 1
  }
  guard !lines.isEmpty || mapping.allowsEmpty else { return .failure(.empty) }
  return .success(watchedPage(lines.text, title: nil, address: address))
}

/// A page whose only item is its text.
private func watchedPage(_ content: String, title: String?, address: String?) -> ParsedFeed {
  var item = ParsedItem()
  item.title = title
  item.link = address
  item.content = content
  var feed = ParsedFeed(format: .page)
  feed.title = title
  feed.link = address
  feed.items = [item]
  return feed
}

/// A description of a document that is not a page; nil if it may be one.
private func otherThanHTML(_ source: UnsafeBufferPointer<UInt8>) -> String? {
  switch source.first(where: { $0 > 0x20 }) {
  case "{", "[": return "not a page: JSON, which kind: json reads"
  case "<":
    if case .feed = rootOfXML(source) { return "not a page: RSS or Atom, which kind: feed reads" }
    return nil
  default: return nil
  }
}

/// Reads items or text from a tree.
private struct PageReader {
  private let tree: HTMLTree
  private let address: String?
  private let shouldStop: ShouldStop
  private(set) var isStopped = false
  private var links: LinkResolver
  /// The nodes and bytes of text that may still be read: elements inside one another would be read again and again.
  private var bytesLeft: Int

  init(_ tree: HTMLTree, address: String?, shouldStop: @escaping ShouldStop) {
    (self.tree, self.address, self.shouldStop) = (tree, address, shouldStop)
    links = LinkResolver(at: address, documentSize: tree.source.count)
    bytesLeft = tree.source.count * 8 + 1 << 16
    if let node = tree.first(.base),
      let href = tree.value(Names.href, of: node),
      let link = link(href)
    {
      links.base = documentBase(link)
    }
  }

  private enum Names {
    static let (href, src, datetime) = (
      nameHash("href".utf8), nameHash("src".utf8), nameHash("datetime".utf8)
    )
  }

  // MARK: Text

  mutating func text(_ mapping: HTMLMapping) -> Result<ParsedFeed, FeedReadingFailure> {
    let selector = mapping.text
    if mapping.isArticle, selector == nil { return foundArticle() }
    let nodes: [Int32]
    if let selector {
      nodes = elements(selector)
      guard isStopped || !nodes.isEmpty || mapping.allowsEmpty else {
        return .failure(.unmapped(nothing(mapping.isArticle ? "content.page" : "html.text", selector)))
      }
    } else {
      nodes = [tree.first(.body).map(Int32.init) ?? 0]
    }
    var lines = PageLines(
      tree, ignoring: mapping.ignored.map { elements($0) } ?? [], lines: mapping.ignoredLines)
    var end: Int32 = 0
    // An element inside another one has been read with it.
    for node in nodes where node >= end {
      lines.add(Int(node), withoutNavigation: selector == nil, shouldStop: shouldStop)
      end = tree.nodes[Int(node)].end
    }
    isStopped = isStopped || shouldStop()
    if mapping.isArticle, case let article = article(nodes), !lines.lines.isEmpty || article.contains("<img")
    {
      return .success(watchedPage(article, title: pageTitle, address: address))
    }
    guard !lines.lines.isEmpty || mapping.allowsEmpty else {
      return .failure(
        .unmapped(
          "the page has no text" + (selector.map { " in \"\($0.text)\"" } ?? "")
            + "; JavaScript may create it")
      )
    }
    // The output of a program may name the page that it is of.
    let base = links.base?.text ?? ""
    return .success(
      watchedPage(
        lines.lines.text, title: pageTitle, address: address ?? (isWebAddress(base) ? base : nil)))
  }

  /// The article that is found without a selector.
  private mutating func foundArticle() -> Result<ParsedFeed, FeedReadingFailure> {
    let found = tree.article(shouldStop: shouldStop).map { article in
      ItemMarkup(text: tree.markup(in: article.element, without: article.leftOut), base: links.base)
    }
    let article = found ?? articleInData
    isStopped = shouldStop()
    guard let article else {
      return .failure(
        .unmapped(
          "no article found in the \(elementCount) of the page; JavaScript may create it, or a selector in content.page "
            + "may find it"))
    }
    return .success(
      watchedPage(article.resolved(at: nil, &links), title: tree.articleTitle, address: address))
  }

  /// The article in the data of a page, which JavaScript may show (schema.org, `articleBody`); the longest if it has several.
  private var articleInData: ItemMarkup? {
    let places = ["/articleBody", "/*/articleBody", "/@graph/*/articleBody"]
      .compactMap { try? JSONPointer(parsing: $0) }
    var longest = ""
    for node in tree.nodes.indices
    where tree.nodes[node].element == .script && tree.value("type", of: node) == "application/ld+json" {
      for child in tree.children(of: node) {
        let source = tree.source.slice(tree.nodes[child].range)
        guard let json = try? readJSON(source, shouldStop: shouldStop).value else { continue }
        for text in places.flatMap({ json.values(at: $0) }).compactMap(\.trimmedText)
        where text.utf8.count > longest.utf8.count {
          longest = text
        }
      }
    }
    guard longest.utf8.count > 200 else { return nil }
    return ItemMarkup(text: longest, base: links.base).keepingLines()
  }

  /// The content of elements as HTML with absolute addresses.
  private mutating func article(_ nodes: [Int32]) -> String {
    var parts: [String] = []
    var end: Int32 = 0
    for node in nodes where node >= end {
      end = tree.nodes[Int(node)].end
      parts.append(tree.markup(in: Int(node)))
    }
    let text = parts.count == 1 ? parts[0] : parts.map { "<div>" + $0 + "</div>" }.joined()
    return ItemMarkup(text: text, base: links.base).resolved(at: nil, &links)
  }

  private var pageTitle: String? {
    tree.first(.title).flatMap { title(of: $0) }
  }

  // MARK: Items

  mutating func items(_ selector: SelectorList, _ mapping: HTMLMapping) -> Result<
    ParsedFeed, FeedReadingFailure
  > {
    let nodes = elements(selector)
    guard isStopped || !nodes.isEmpty || mapping.allowsEmpty else {
      return .failure(.unmapped(nothing("html.items", selector)))
    }
    let places = PagePlaces(mapping) { elements($0) }
    var feed = ParsedFeed(format: .page)
    feed.title = pageTitle
    feed.link = address
    for (count, node) in nodes.enumerated() {
      if count & 0xFF == 0xFF, shouldStop() { isStopped = true }
      // Elements without a title and a link also count, so that a page cannot have a million of them tried.
      guard !isStopped, !feed.isFull, count < 2 * ParsedFeed.maximumItems else {
        feed.leftOut += 1
        continue
      }
      feed.accept(item(Int(node), places))
    }
    feed.partsLeftOut = links.partsLeftOut + (tree.readEnd < tree.source.count ? 1 : 0)
    guard isStopped || !feed.items.isEmpty || nodes.isEmpty else {
      return .failure(
        .unmapped(
          "html.items \"\(selector.text)\" matches \(counted(nodes.count, "element")), but there is no title and no "
            + "link in \(nodes.count == 1 ? "it" : "any of them"); see html.title and html.link"))
    }
    return .success(feed)
  }

  private func nothing(_ key: String, _ selector: SelectorList) -> String {
    "\(key) \"\(selector.text)\" matches none of the \(elementCount) of the page; "
      + "has the page changed, or does JavaScript create it?"
      + (key == "content.page" ? "" : " if there may be none, set html.allow-empty")
  }

  private var elementCount: String { counted(tree.nodes.count { $0.isElement } - 1, "element") }

  /// The elements that a selector matches, without those in templates, which scripts copy.
  private mutating func elements(_ selector: SelectorList) -> [Int32] {
    var found = SelectorMatch(selector).elements(of: tree, shouldStop: shouldStop)
    isStopped = isStopped || found.isEmpty && shouldStop()
    var (index, end) = (0, Int32(0))
    found.removeAll { node in
      while index <= node {
        if tree.nodes[index].element == .template { end = max(end, tree.nodes[index].end) }
        index += 1
      }
      return node < end && tree.nodes[Int(node)].element != .template
    }
    return found
  }

  private mutating func item(_ node: Int, _ places: PagePlaces) -> ParsedItem? {
    var draft = ItemDraft()
    draft.item.id = places.first(.id, in: node, tree) { text($0, $1) }
    draft.title.accept(
      places.first(.title, in: node, tree) { text($0, $1) }
        ?? (places.isConfigured(.title) ? nil : shortText(node)), rank: 1)
    draft.link.accept(
      places.first(.link, in: node, tree) { address($0, $1).flatMap { isWebAddress($0) ? $0 : nil } }, rank: 1
    )
    draft.published.accept(places.first(.published, in: node, tree) { date($0, $1) }, rank: 1)
    draft.item.updated = places.first(.updated, in: node, tree) { date($0, $1) }
    draft.summary.accept(
      places.first(.summary, in: node, tree) { markup($0, $1) }.map {
        ItemMarkup(text: $0, base: links.base)
      }, rank: 1)
    draft.authors.add(places.first(.author, in: node, tree) { text($0, $1) }, rank: 1)
    for place in places.all(.assets, in: node, tree).prefix(ItemDraft.maximumCount) {
      guard let url = address(Int(place), places.attribute(.assets)), isWebAddress(url) else { continue }
      draft.add(Enclosure(url: url))
    }
    return draft.identifiedItem(&links, keepsLines: false)
  }

  // MARK: Values

  /// The text of an element or attribute on one line; nil if it is empty.
  private mutating func text(_ node: Int, _ attribute: NameHash?) -> String? {
    if let attribute {
      return tree.value(attribute, of: node).flatMap { value in
        value.withUnsafeBufferPointer { plainTitle($0, .text) }
      }
    }
    guard spend(on: node) else { return nil }
    return title(of: node)
  }

  private mutating func shortText(_ node: Int) -> String? {
    text(node, nil).map { graphemePrefix(of: $0, limit: 200) }
  }

  /// The content of an element as HTML, or an attribute as text.
  private mutating func markup(_ node: Int, _ attribute: NameHash?) -> String? {
    if attribute != nil { return text(node, attribute).map { escapedMarkup($0) } }
    guard bytesLeft >= 0 else { return nil }
    var markup = tree.markup(in: node)
    bytesLeft -= markup.utf8.count
    return markup.withUTF8 { nonEmpty(trimmed($0)) }
  }

  private mutating func date(_ node: Int, _ attribute: NameHash?) -> Instant? {
    if let value = tree.value(attribute ?? Names.datetime, of: node, limit: 100),
      let date = value.withUnsafeBufferPointer(feedDate)
    {
      return date
    }
    guard attribute == nil, var text = text(node, nil), text.utf8.count <= 100 else { return nil }
    return text.withUTF8(feedDate)
  }

  private mutating func address(_ node: Int, _ attribute: NameHash?) -> String? {
    for name in attribute.map({ [$0] }) ?? [Names.href, Names.src] {
      if let value = tree.value(name, of: node) { return link(value) }
    }
    return nil
  }

  private mutating func link(_ bytes: [UInt8]) -> String? {
    bytes.withUnsafeBufferPointer { links.link($0) }
  }

  /// The text of an element as a title; nil if it is empty.
  private func title(of node: Int) -> String? {
    let text = cleanText(tree.plainText(in: node, limit: titleLimit), limit: titleLimit)
    return text.isEmpty ? nil : text
  }

  /// Whether an element may be read, and not too much has been.
  private mutating func spend(on node: Int) -> Bool {
    for item in tree.nodes[node..<Int(tree.nodes[node].end)] {
      guard bytesLeft >= 0 else { return false }
      bytesLeft -= item.isElement ? 1 : 1 + item.range.count
    }
    return bytesLeft >= 0
  }
}
