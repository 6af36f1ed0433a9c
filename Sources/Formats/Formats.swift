// Documents in and out: bytes to feeds and lists of subscriptions; lists, feeds and pages of items back to text.
//
// Doors: readFeed (this file), parseReport (this file), those of Lists/SubscriptionLists.swift,
// PageLinks (PageLinks.swift: the feeds that an HTML page links to), atomFeed and jsonFeed (Writers.swift) and newsPage
// (NewsPage.swift), which write items for others to read.
// Everything is pure: no file, no network, no clock. Deciding which items are new is Core's task.
//
// Values/    text encodings, addresses, titles and dates, shared by all formats
// Scanners/  a tolerant scanner for XML; JSON is read in Core/Text, and the tree of HTML and CSS selectors are in Core/HTML
// Lists/     subscription lists of other programs; readSubscriptions and opmlText
// Readers/   the formats themselves; ItemDraft.swift ranks what several elements say about one item
//
// CONTRIBUTING.md lists the places of a new feed format.

public import Core

/// Reads a feed document: RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, JSON Feed, any JSON by a mapping, or an HTML page by
/// selectors.
///
/// Broken documents are read as far as they make sense. A cut-off document gives its complete items and a false
/// `isComplete`; cut-off JSON fails, because nothing in it can be trusted. Items without any content are left out.
/// Entities and references to other documents are never followed. Time and memory are proportional to the document's
/// size.
///
/// - Parameters:
///   - bytes: the body, with transfer and content encodings undone.
///   - kind: the feed's configured kind.
///   - contentType: the value of the HTTP field, for its `charset`, which the document itself may correct.
///   - address: the document's address, to which its links are relative.
///   - shouldStop: asked now and then; if it returns true, reading fails with `.stopped`.
/// - Returns: the feed, with its items in the document's order.
/// - Throws: the reason why the bytes are not a feed.
public func readFeed(
  _ bytes: [UInt8], as kind: FeedKind = .feed, contentType: String?, address: String?,
  shouldStop: @escaping ShouldStop = { false }
) throws(FeedReadingFailure) -> ParsedFeed {
  if let kind = fileKind(bytes) { throw .other(kind) }
  let page = kind.page
  let type = page == nil ? contentType : pageType(contentType, of: bytes)
  let text = decodedText(bytes, contentType: type, shouldStop: shouldStop)
  guard let first = text.first(where: { $0 > 0x20 }) else { throw .empty }
  let result = text.withUnsafeBufferPointer { source -> Result<ParsedFeed, FeedReadingFailure> in
    if case .json(let mapping) = kind {
      return readMappedJSON(source, mapping, address: address, shouldStop: shouldStop)
    }
    if let page {
      return readPage(source, page, contentType: contentType, address: address, shouldStop: shouldStop)
    }
    if first == "{" || first == "[" {
      return readJSONFeed(source, address: address, shouldStop: shouldStop)
    }
    return readXMLFeed(source, address: address, shouldStop: shouldStop)
  }
  return try result.get()
}

private func readXMLFeed(
  _ source: UnsafeBufferPointer<UInt8>, address: String?, shouldStop: @escaping ShouldStop
) -> Result<ParsedFeed, FeedReadingFailure> {
  var xml = XMLScanner(source, address: address, shouldStop: shouldStop)
  let result: Result<ParsedFeed, FeedReadingFailure>
  switch xml.findRoot() {
  case .feed(let format):
    var reader = XMLFeedReader(format)
    result = .success(reader.read(&xml))
  case .html:
    result = .failure(.html)
  case .other(let found):
    result = .failure(.unknown(found))
  }
  return xml.stopCheck.isStopped ? .failure(.stopped) : result
}

/// The kind of a file that cannot be a feed, for example `a PNG image`, by its first bytes; nil if it may be a feed.
func fileKind(_ bytes: [UInt8]) -> String? {
  for (start, kind) in signatures where bytes.starts(with: start) { return kind }
  if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
    return "a WebP image"
  }
  if bytes.dropFirst(4).starts(with: Array("ftyp".utf8)) { return "an MP4 file" }
  return nil
}

private let signatures: [([UInt8], String)] = [
  ([0x89] + Array("PNG".utf8), "a PNG image"), ([0xFF, 0xD8, 0xFF], "a JPEG image"),
  (Array("GIF8".utf8), "a GIF image"), (Array("%PDF-".utf8), "a PDF document"),
  (Array("PK\u{3}\u{4}".utf8), "a zip archive"), ([0x1F, 0x8B], "gzip data"),
  (Array("ID3".utf8), "an MP3 file"),
  (Array("SQLite format 3\u{0}".utf8), "an SQLite database"),
]

/// A feed as the object that `bgfetch parse --json` prints.
///
/// Missing values are `null`.
public func parseReport(_ feed: ParsedFeed) -> JSONValue {
  JSONValue([
    "format": feed.format.rawValue, "title": feed.title, "link": feed.link, "id": feed.id,
    "published": feed.published, "updated": feed.updated, "truncated": !feed.isComplete,
    "left-out": feed.leftOut, "parts-left-out": feed.partsLeftOut, "items": feed.items.map(itemReport),
  ])
}

private func itemReport(_ item: ParsedItem) -> JSONValue {
  JSONValue([
    "id": item.id, "title": item.title, "link": item.link, "published": item.published,
    "updated": item.updated, "summary": item.summary, "enclosures": item.enclosures.map(enclosureJSON),
    "content": item.content, "author": item.author, "categories": item.categories, "comments": item.comments,
    "image": item.images.first?.url ?? item.cover, "duration": item.duration?.seconds, "season": item.season,
    "episode": item.episode,
  ])
}
