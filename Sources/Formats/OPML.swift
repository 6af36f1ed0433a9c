// OPML 1.0 and 2.0 (opml.org/spec2.opml): reading it as programs really write it, and writing it.

public import Core

/// Reads OPML.
///
/// Attributes may be in any case, in quotes of either kind, and with a bare `&`.
func readOPML(_ source: UnsafeBufferPointer<UInt8>) -> Result<[SubscriptionEntry], SubscriptionListFailure> {
  var reader = OPMLReader(documentSize: source.count)
  var xml = XMLScanner(source, address: nil)
  if let entries = reader.read(&xml) { return .success(entries) }
  var other = XMLScanner(source, address: nil)
  return switch other.findRoot() {
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
    /// Whether this folder or one around it is commented out.
    let isComment: Bool
  }

  private var entries = SubscriptionEntries()
  private var folders: [Folder] = []
  private var isOPML = false
  private var line = 1
  private var countedTo = 0
  /// The bytes left for tags.
  ///
  /// Without this bound, every feed would repeat the names of all folders around it.
  private var tagBytesLeft: Int

  init(documentSize: Int) {
    tagBytesLeft = documentSize * 2 + 1 << 16
  }

  /// The maximum number of folders around a feed; an import keeps 20 tags.
  static let mostFolders = 20

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
    let isComment =
      folders.last?.isComment == true || xml.attributeText(.iscomment)?.lowercased() == "true"
    // The type matters only if no `xmlUrl` says that the outline is a feed.
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

  /// The tags of a feed at this place: the folders around it and its categories.
  private mutating func tags(_ categories: [String]) -> [String] {
    let names = folders.last?.names ?? []
    // A feed that was exported has its folders as categories, too.
    let categories = categories.filter { !names.contains($0) }
    // An array needs memory for each of its strings, however short they are.
    tagBytesLeft -= (names + categories).reduce(0) { $0 + $1.utf8.count + MemoryLayout<String>.size }
    guard tagBytesLeft > 0 else { return [] }
    // Feeds of one folder share one array.
    return categories.isEmpty ? names : names + categories
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
    return text.split(maxSplits: 100) { $0 == "," || $0 == "/" }.prefix(100).map(String.init)
  }

  private mutating func countLines(to position: Int, _ source: UnsafeBufferPointer<UInt8>) {
    let passed = UnsafeBufferPointer(rebasing: source[countedTo..<max(countedTo, position)])
    var start = 0
    while let found = firstIndex(of: UInt8(ascii: "\n"), in: passed, from: start) {
      line += 1
      start = found + 1
    }
    countedTo += passed.count
  }
}

/// Subscriptions as OPML 2.0, which every feed reader can import: an outline for each, in nested folders of its tags.
///
/// The same subscriptions give the same bytes, so there is no date in it.
public func opmlText(_ subscriptions: [Subscription]) -> String {
  """
  <?xml version="1.0" encoding="UTF-8"?>
  <opml version="2.0">
    <head>
      <title>Feeds of bgfetch</title>
    </head>
    <body>
  \(outlines(subscriptions[...], depth: 0))  </body>
  </opml>

  """
}

/// Subscriptions, and a folder for the next tag of each that has one, at the place of its first subscription.
private func outlines(_ subscriptions: ArraySlice<Subscription>, depth: Int) -> String {
  func folder(_ subscription: Subscription) -> String? {
    // A deeper folder would not be read again, so such tags are only categories.
    depth < OPMLReader.mostFolders ? subscription.tags.dropFirst(depth).first : nil
  }
  let members = Dictionary(grouping: subscriptions, by: folder)
  let indentation = String(repeating: "  ", count: depth + 2)
  var written: Set<String> = []
  var text = ""
  for subscription in subscriptions {
    if let name = folder(subscription) {
      guard written.insert(name).inserted, let inside = members[name] else { continue }
      text += "\(indentation)<outline\(attributes([("text", name), ("title", name)]))>\n"
      text += outlines(inside[...], depth: depth + 1) + indentation + "</outline>\n"
    } else {
      text += "\(indentation)<outline type=\"rss\"\(attributes(of: subscription))/>\n"
    }
  }
  return text
}

private func attributes(of subscription: Subscription) -> String {
  // OPML requires `text`; some programs read only `title`.
  let title = subscription.title ?? subscription.url
  return attributes([
    ("text", title), ("title", title), ("xmlUrl", subscription.url), ("htmlUrl", subscription.link ?? ""),
    ("category", subscription.tags.joined(separator: ",")),
  ])
}

private func attributes(_ pairs: [(name: String, value: String)]) -> String {
  pairs.map { $0.value.isEmpty ? "" : " \($0.name)=\"\(escapedMarkup(cleanText($0.value, limit: 65_536)))\"" }
    .joined()
}

/// Reads a list of subscriptions: OPML 1.0 and 2.0, or newsboat's file `urls`, distinguished by content.
///
/// Broken documents are read as far as they make sense, in any encoding that feeds come in. At most 100,000 entries are
/// read, the maximum of a configuration. Time and memory are proportional to the size of the list.
///
/// - Parameter bytes: the whole file.
/// - Returns: the entries in the list's order.
/// - Throws: the reason why the bytes are not a list.
public func readSubscriptions(_ bytes: [UInt8]) throws(SubscriptionListFailure) -> [SubscriptionEntry] {
  if let kind = fileKind(bytes) { throw .other(kind) }
  let text = decodedText(bytes, contentType: nil)
  guard let first = text.first(where: { $0 > 0x20 }) else { throw .empty }
  let result = text.withUnsafeBufferPointer {
    source -> Result<[SubscriptionEntry], SubscriptionListFailure> in
    first == UInt8(ascii: "<") ? readOPML(source) : readNewsboatList(source)
  }
  return try result.get()
}

/// The entries read so far, bounded in number.
struct SubscriptionEntries {
  private var entries: [SubscriptionEntry] = []
  private var beyond: (line: Int, count: Int)?

  private static let most = 100_000

  mutating func add(_ subscription: Subscription, line: Int) {
    add(.feed(subscription, line: line), line: line)
  }

  mutating func add(_ kind: SubscriptionRemark.Kind, line: Int) {
    add(.remark(SubscriptionRemark(line: line, kind)), line: line)
  }

  private mutating func add(_ entry: SubscriptionEntry, line: Int) {
    if entries.count < Self.most {
      entries.append(entry)
    } else {
      beyond = (beyond?.line ?? line, (beyond?.count ?? 0) + 1)
    }
  }

  /// Ends the list with a remark on the number of further entries, if there are any.
  mutating func finish() -> [SubscriptionEntry] {
    if let beyond { entries.append(.remark(SubscriptionRemark(line: beyond.line, .tooMany(beyond.count)))) }
    return entries
  }
}

/// Reads newsboat's file `urls`: an address in each line, followed by tags (newsboat(1), "First steps" and "Tags").
///
/// Text in which no line begins with an address is not such a list.
func readNewsboatList(
  _ source: UnsafeBufferPointer<UInt8>
) -> Result<[SubscriptionEntry], SubscriptionListFailure> {
  var entries = SubscriptionEntries()
  var hasAddress = false
  var number = 0
  var start = 0
  while start < source.count {
    let end = firstIndex(of: UInt8(ascii: "\n"), in: source, from: start) ?? source.count
    defer { start = end + 1 }
    number += 1
    // Longer than any address with its tags: this bounds the words of a line of 60 MB.
    let words = words(of: source[start..<end].prefix(65_536))
    guard let address = words.first else { continue }
    hasAddress = hasAddress || looksLikeAddress(address)
    parseLine(address, words.dropFirst().prefix(mostTags), line: number, into: &entries)
  }
  return hasAddress ? .success(entries.finish()) : .failure(.other("text"))
}

/// The maximum number of tags of a feed; an import keeps 20.
private let mostTags = 100

private func parseLine(
  _ address: String, _ tags: ArraySlice<String>, line: Int, into entries: inout SubscriptionEntries
) {
  if address.hasPrefix("query:") { return entries.add(.query, line: line) }
  var address = address
  var command: [String] = []
  for kind in ["exec", "filter"] where address.hasPrefix(kind + ":") {
    let rest = address.dropFirst(kind.count + 1)
    let end = kind == "filter" ? rest.firstIndex(of: ":") ?? rest.endIndex : rest.endIndex
    guard let words = plainCommand(rest[..<end]) else { return entries.add(.shellCommand(kind), line: line) }
    command = words
    address = String(rest[end...].dropFirst())
    break
  }
  // As in OPML, so that an exported list is read back the same.
  var subscription = Subscription(url: address.withUTF8(cleanAddress))
  subscription.command = command
  for tag in tags {
    if tag.hasPrefix("~") {
      let title = plainTitle(String(tag.dropFirst()))
      subscription.title = subscription.title ?? title
    } else if tag.hasPrefix("!") {
      entries.add(.hidden, line: line)
    } else {
      subscription.tags.append(tag)
    }
  }
  entries.add(subscription, line: line)
}

/// The words of a command line that mean the same without a shell; nil if there are none, or a shell would change them.
///
/// Quotes join spaces and special characters into words, as in `sed 's/a/b/'`.
private func plainCommand(_ line: Substring) -> [String]? {
  var words: [String] = []
  var word: String?
  var quote: Unicode.Scalar?
  for scalar in line.unicodeScalars {
    if scalar == quote {
      quote = nil
    } else if quote != nil {
      if quote == "\"", "$`\\".unicodeScalars.contains(scalar) { return nil }
      word?.unicodeScalars.append(scalar)
    } else if scalar == " " {
      if let ended = word { words.append(ended) }
      word = nil
    } else if scalar == "'" || scalar == "\"" {
      // Unlike a shell, bgfetch would also expand the "~" of a program's path in quotes.
      if word == nil, words.isEmpty { return nil }
      quote = scalar
      word = word ?? ""
    } else {
      let isHome = scalar == "~" && word == nil && !words.isEmpty
      if isHome || "|&;<>()$`\\*?[]{}#!\n\t".unicodeScalars.contains(scalar) { return nil }
      if word == nil { word = "" }
      word?.unicodeScalars.append(scalar)
    }
  }
  guard quote == nil else { return nil }
  if let ended = word { words.append(ended) }
  return words.isEmpty ? nil : words
}

private func looksLikeAddress(_ text: String) -> Bool {
  ["query:", "exec:", "filter:"].contains { text.hasPrefix($0) } || text.contains("://")
}

private func plainTitle(_ text: String) -> String? {
  var text = text
  return text.withUTF8 { plainTitle($0, .text) }
}

/// The words of a line.
///
/// Double quotes enclose words with spaces, and in them `\` quotes the next character. `#` begins a comment.
private func words(of line: Slice<UnsafeBufferPointer<UInt8>>) -> [String] {
  var words: [String] = []
  var word: [UInt8]?
  var isQuoted = false
  var isEscaped = false
  characters: for byte in line {
    if isEscaped {
      word?.append(byte)
      isEscaped = false
    } else if isQuoted {
      switch byte {
      case UInt8(ascii: "\\"): isEscaped = true
      case UInt8(ascii: "\""): isQuoted = false
      default: word?.append(byte)
      }
    } else if byte <= 0x20 {
      if let ended = word { words.append(String(decoding: ended, as: UTF8.self)) }
      word = nil
    } else if byte == UInt8(ascii: "\"") {
      isQuoted = true
      word = word ?? []
    } else if byte == UInt8(ascii: "#"), word == nil {
      break characters
    } else {
      word = word ?? []
      word?.append(byte)
    }
  }
  if let ended = word { words.append(String(decoding: ended, as: UTF8.self)) }
  return words
}
