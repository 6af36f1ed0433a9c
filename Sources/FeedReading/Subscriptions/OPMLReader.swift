// OPML 1.0 and 2.0 (opml.org/spec2.opml), as programs really write it, to entries of a list of subscriptions.

import Core

/// Reads OPML; attributes may be in any case, quotes of either kind, `&` bare.
func readOPML(_ source: UnsafeBufferPointer<UInt8>) -> Result<[SubscriptionEntry], SubscriptionListFailure> {
  var reader = OPMLReader(documentSize: source.count)
  var xml = XMLScanner(source, address: nil)
  if let entries = reader.read(&xml) { return .success(entries) }
  var other = XMLScanner(source, address: nil)
  return switch other.findRoot() {
  case .rss, .atom: .failure(.feed)
  case .html: .failure(.other("a web page"))
  case .other(let found): .failure(.other(found))
  }
}

/// One walk over an OPML document.
private struct OPMLReader {
  /// An outline that is no feed, while it is open.
  private struct Folder {
    /// How many elements are open inside it and with it.
    let depth: Int
    /// What it and those around it are called, as far as they are, the outermost first.
    let names: [String]
    /// Whether it, or one around it, is commented out.
    let isComment: Bool
  }

  private var entries = SubscriptionEntries()
  private var folders: [Folder] = []
  private var isOPML = false
  private var line = 1
  private var countedTo = 0
  /// The bytes that tags may still have: without a bound every feed would repeat the names of all folders around it.
  private var tagBytesLeft: Int

  init(documentSize: Int) {
    tagBytesLeft = documentSize * 2 + 1 << 16
  }

  /// More folders than any feed is in; an import keeps 20 tags.
  private static let mostFolders = 20

  /// Everything there is in the document; nil if it is no OPML.
  mutating func read(_ xml: inout XMLScanner) -> [SubscriptionEntry]? {
    while true {
      switch xml.next() {
      case .open(let element):
        if element.word == .opml || element.word == .outline { isOPML = true }
        if element.word == .outline { takeOutline(element, &xml) }
      case .close:
        while let folder = folders.last, folder.depth > xml.depth { folders.removeLast() }
      case .text, .literal:
        break
      case .end:
        guard isOPML else { return nil }
        count(to: xml.position, xml.source)
        if xml.passedOver > 0 { entries.add(.tooDeep(xml.passedOver), line: line) }
        if xml.isTruncated { entries.add(.cutOff, line: line) }
        return entries.all
      }
    }
  }

  /// Takes an outline as a feed, as something to be left out, or as a folder for what lies in it.
  private mutating func takeOutline(_ element: XMLScanner.Element, _ xml: inout XMLScanner) {
    count(to: element.name.lowerBound, xml.source)
    let type = xml.attributeText(.type)?.lowercased()
    let isComment =
      folders.last?.isComment == true || xml.attributeText(.iscomment)?.lowercased() == "true"
    // What an outline's kind is matters only where the address does not say that it is a feed.
    let isLink = type == "link" || type == "include"
    let url = xml.attributeLink(.xmlurl) ?? (mayBeFeed(type) ? xml.attributeLink(.url) : nil)
    let link = xml.attributeLink(.htmlurl)
    if let url {
      guard !isComment else { return entries.add(.commentedOut, line: line) }
      if let type, isMadeOfPage(type) { return entries.add(.madeOfPage(type), line: line) }
      let tags = tags(categories(xml.attributeText(.category)))
      entries.add(Subscription(url: url, title: title(&xml), link: link, tags: tags), line: line)
    } else if isLink {
      entries.add(.link, line: line)
    } else if type == "rss" || type == "atom" || link != nil {
      entries.add(isComment ? .commentedOut : .noAddress, line: line)
    } else {
      let around = folders.last?.names ?? []
      let name = around.count < Self.mostFolders ? title(&xml) : nil
      folders.append(
        Folder(depth: xml.depth, names: name.map { around + [$0] } ?? around, isComment: isComment))
    }
  }

  /// The tags of a feed that is here: the folders around it and its categories.
  private mutating func tags(_ categories: [String]) -> [String] {
    let names = folders.last?.names ?? []
    // An array takes room for each of its strings, however short they are.
    tagBytesLeft -= (names + categories).reduce(0) { $0 + $1.utf8.count + MemoryLayout<String>.size }
    guard tagBytesLeft > 0 else { return [] }
    // Feeds of one folder share one array.
    return categories.isEmpty ? names : names + categories
  }

  /// Whether an outline of some type may have a feed at its `url`; at that of a `podcast-episode`, as Overcast lists
  /// them by the thousand, there is a page.
  private func mayBeFeed(_ type: String?) -> Bool {
    type == nil || type == "" || type == "rss" || type == "atom"
  }

  /// Whether a type says that the other program makes the feed itself, as FreshRSS does by `HTML+XPath` and
  /// `JSON+DotNotation`; at the address there is none.
  private func isMadeOfPage(_ type: String) -> Bool {
    type.contains("xpath") || type.hasPrefix("json+")
  }

  /// What an outline is called: its `text`, which OPML 2.0 requires, or its `title`.
  private func title(_ xml: inout XMLScanner) -> String? {
    for word in [Word.text, .title] {
      // Far more than is kept of it, so that a title of megabytes costs nothing.
      guard let value = xml.attribute(word)?.prefix(65_536) else { continue }
      if let title = plainTitle(xml.decoded(UnsafeBufferPointer(rebasing: value)), .unsaid) { return title }
    }
    return nil
  }

  /// The steps of comma-separated paths such as `/Boston/Weather,/Tech` (OPML 2.0, "category").
  private func categories(_ text: String?) -> [String] {
    guard let text else { return [] }
    return text.split(maxSplits: 100) { $0 == "," || $0 == "/" }.prefix(100).map(String.init)
  }

  private mutating func count(to position: Int, _ source: UnsafeBufferPointer<UInt8>) {
    let passed = UnsafeBufferPointer(rebasing: source[countedTo..<max(countedTo, position)])
    var start = 0
    while let found = place(of: UInt8(ascii: "\n"), in: passed, from: start) {
      line += 1
      start = found + 1
    }
    countedTo += passed.count
  }
}
