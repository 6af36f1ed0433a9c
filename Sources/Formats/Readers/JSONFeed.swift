// JSON Feed 1.0 and 1.1 (jsonfeed.org).

import Core

/// Reads a document that begins with a bracket.
///
/// A member of a wrong type counts as missing. Numbers as ids are taken as they are written. A document without the
/// `version` of JSON Feed is accepted if it has items with some content.
func readJSONFeed(
  _ source: UnsafeBufferPointer<UInt8>, address: String?, shouldStop: @escaping ShouldStop
) -> Result<ParsedFeed, FeedReadingFailure> {
  var json = JSONScanner(source, shouldStop: shouldStop)
  guard json.peek() == "{" else { return .failure(.unknown("a JSON array")) }
  var reader = JSONFeedReader(links: LinkResolver(at: address, documentSize: source.count))
  let feed = reader.read(&json)
  if json.stopCheck.isStopped { return .failure(.stopped) }
  if json.isBroken { return .failure(.unknown("JSON that is broken or incomplete")) }
  guard reader.isFeed || !feed.items.isEmpty else {
    return .failure(.unknown("JSON that is not a feed, but that kind: json may read"))
  }
  return .success(feed)
}

private struct JSONFeedReader {
  private var links: LinkResolver
  /// Whether the document has the `version` of JSON Feed.
  var isFeed = false
  private var feed = ParsedFeed(format: .json)
  /// The authors of the items that have none.
  private var authors = ItemDraft.Authors()

  init(links: LinkResolver) { self.links = links }

  mutating func read(_ json: inout JSONScanner) -> ParsedFeed {
    guard json.enter("{") else { return feed }
    while let name = json.nextName() {
      switch name {
      case .version:
        let version = json.text().map { String(decoding: $0, as: UTF8.self) }
        isFeed = version?.contains("jsonfeed.org") ?? false
      case .title: feed.title = json.singleLine()
      case .homepageurl: feed.link = link(&json)
      case .feedurl: feed.hubLinks.accept(topic: link(&json))
      case .hubs:
        guard json.enter("[") else { continue }
        while json.nextValue() { parseHub(&json) }
      case .items:
        guard json.enter("[") else { continue }
        while json.nextValue() { feed.accept(readItem(&json)) }
      case .authors, .author: Self.parseAuthors(&json, &authors, rank: name == .authors ? 2 : 1)
      default: json.skip()
      }
    }
    feed.partsLeftOut = links.partsLeftOut
    feed.inherit(authors)
    return feed
  }

  private mutating func readItem(_ json: inout JSONScanner) -> ParsedItem? {
    guard json.enter("{") else { return nil }
    var draft = ItemDraft()
    while let name = json.nextName() {
      switch name {
      case .id: draft.item.id = json.trimmedText()
      case .title: draft.title.accept(json.singleLine(), rank: 1)
      case .url: draft.link.accept(link(&json), rank: 2)
      case .externalurl: draft.link.accept(link(&json), rank: 1)
      case .contenthtml: draft.content.accept(json.trimmedText().map { ItemMarkup(text: $0) }, rank: 2)
      case .contenttext: draft.content.accept(json.plainText().map { ItemMarkup(text: $0) }, rank: 1)
      case .summary: draft.summary.accept(json.plainText().map { ItemMarkup(text: $0) }, rank: 1)
      case .datepublished: draft.published.accept(json.text().flatMap(feedDate), rank: 1)
      case .datemodified: draft.item.updated = json.text().flatMap(feedDate)
      case .image, .bannerimage: draft.add(image: link(&json))
      case .authors, .author: Self.parseAuthors(&json, &draft.authors, rank: name == .authors ? 2 : 1)
      case .tags:
        guard json.enter("[") else { continue }
        while json.nextValue() { draft.add(category: json.singleLine()) }
      case .attachments:
        guard json.enter("[") else { continue }
        var files: [Attachment] = []
        while json.nextValue() {
          if let file = parseAttachment(&json, &draft) { files.append(file) }
        }
        // Attachments of one title are forms of one file (JSON Feed 1.1, "attachments").
        for group in files.grouped(by: \.group) { draft.add(group: group.map { .init(file: $0.file) }) }
      default: json.skip()
      }
    }
    return draft.item(&links)
  }

  /// Reads `author` (one, in version 1.0) or `authors` (an array, in version 1.1); feeds mix them up.
  private static func parseAuthors(_ json: inout JSONScanner, _ authors: inout ItemDraft.Authors, rank: Int) {
    guard json.peek() == "[" else {
      parseAuthor(&json, &authors, rank: rank)
      return
    }
    guard json.enter("[") else { return }
    while json.nextValue() { parseAuthor(&json, &authors, rank: rank) }
  }

  private static func parseAuthor(_ json: inout JSONScanner, _ authors: inout ItemDraft.Authors, rank: Int) {
    if json.peek() == "\"" {
      authors.add(json.singleLine(), rank: rank)
      return
    }
    guard json.enter("{") else { return }
    while let name = json.nextName() {
      if name == .name {
        authors.add(json.singleLine(), rank: rank)
      } else {
        json.skip()
      }
    }
  }

  /// Reads a hub.
  ///
  /// Only WebSub hubs count, under either of WebSub's names.
  private mutating func parseHub(_ json: inout JSONScanner) {
    guard json.enter("{") else { return }
    var isWebSub = false
    var address: String?
    while let name = json.nextName() {
      switch name {
      case .type: isWebSub = json.text().map { equals($0, "websub") || equals($0, "pubsubhubbub") } ?? false
      case .url: address = link(&json)
      default: json.skip()
      }
    }
    if isWebSub { feed.hubLinks.add(hub: address) }
  }

  /// Reads the next value as a resolved link; skips any other value and returns nil.
  private mutating func link(_ json: inout JSONScanner) -> String? {
    json.text().flatMap { links.link($0) }
  }

  private struct Attachment {
    let file: Enclosure
    /// The title, or the address of a file without one.
    let group: String
  }

  private mutating func parseAttachment(
    _ json: inout JSONScanner, _ draft: inout ItemDraft
  ) -> Attachment? {
    guard json.enter("{") else { return nil }
    var title: String?
    var url: String?
    var type: String?
    var length: Int64?
    while let name = json.nextName() {
      switch name {
      case .title: title = json.singleLine()
      case .url: url = link(&json)
      case .mimetype: type = json.trimmedText()
      case .sizeinbytes: length = json.text().flatMap { number($0) }
      case .durationinseconds: draft.accept(duration: json.text().flatMap(playingTime), rank: 1)
      default: json.skip()
      }
    }
    guard let url else { return nil }
    return Attachment(
      file: Enclosure(url: url, type: type, length: length == 0 ? nil : length), group: title ?? url)
  }
}

extension JSONScanner {
  /// Reads a title, name or category.
  fileprivate mutating func singleLine() -> String? { text().flatMap { plainTitle($0, .text) } }

  fileprivate mutating func trimmedText() -> String? { text().flatMap { nonEmpty(trimmed($0)) } }

  /// Reads plain text, as HTML with the same meaning.
  fileprivate mutating func plainText() -> String? {
    guard let text = text().map(trimmed), !text.isEmpty else { return nil }
    return escapedMarkup(text, for: .html)
  }
}
