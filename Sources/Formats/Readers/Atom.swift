// Atom 1.0 (RFC 4287) and 0.3, and their text constructs: text, HTML or XHTML, in 0.3 also escaped or in base64.

import Core

struct AtomReader {
  private var feed: ParsedFeed
  private var link = ItemDraft.Ranked<String>()
  /// The authors of the entries that have none.
  private var authors = ItemDraft.Authors()

  init(format: FeedFormat) {
    feed = ParsedFeed(format: format)
  }

  /// Reads a document whose root was just opened.
  mutating func read(_ xml: inout XMLScanner) -> ParsedFeed {
    let root = xml.depth
    while let child = xml.nextChild(of: root) {
      if child.isItem {
        if feed.isFull {
          feed.leftOut += 1
          xml.skipItem()
        } else {
          feed.accept(readEntry(&xml))
        }
      } else if child.space == .plain || child.space == .atom {
        parseChild(child, &xml)
      }
    }
    feed.link = link.value
    feed.finish(xml, authors)
    return feed
  }

  private mutating func parseChild(_ child: XMLScanner.Element, _ xml: inout XMLScanner) {
    switch child.word {
    case .title:
      let title = xml.atomTitle()
      feed.title = feed.title ?? title
    case .id: feed.id = xml.trimmedText() ?? feed.id
    case .link:
      let found = xml.atomLink()
      switch found.relation {
      case .alternate: link.accept(found.address, rank: found.isPage ? 2 : 1)
      case .itself: feed.hubLinks.accept(topic: found.address)
      case .hub: feed.hubLinks.add(hub: found.address)
      case .enclosure, .replies, .other: break
      }
    case .published: feed.published = xml.date() ?? feed.published
    case .updated, .modified: feed.updated = xml.date() ?? feed.updated
    case .author: authors.add(xml.personName(), rank: 1)
    default: break
    }
  }

  /// Reads the entry that was just opened; nil if the document ends within it.
  private func readEntry(_ xml: inout XMLScanner) -> ParsedItem? {
    let depth = xml.depth
    var draft = ItemDraft()
    while let child = xml.nextChild(of: depth) {
      switch child.space {
      case .plain, .atom: parseElement(child, &xml, &draft)
      case .media: parseMedia(child, &xml, &draft)
      default: parseModule(child, &xml, &draft)
      }
    }
    if let id = draft.id, isWebAddress(id) { draft.link.accept(id, rank: 1) }
    return xml.isTruncated ? nil : xml.item(draft)
  }

  private func parseElement(
    _ child: XMLScanner.Element, _ xml: inout XMLScanner, _ draft: inout ItemDraft
  ) {
    switch child.word {
    case .title: draft.title.accept(xml.atomTitle(), rank: 4)
    case .id: draft.id = xml.trimmedText() ?? draft.id
    case .link: parseLink(&xml, &draft)
    case .summary: draft.summary.accept(xml.atomMarkup(), rank: 4)
    case .content where xml.attribute(.src) != nil: parseSource(&xml, &draft)
    case .content: draft.content.accept(xml.atomMarkup(), rank: 4)
    case .published: draft.published.accept(xml.date(), rank: 4)
    case .issued: draft.published.accept(xml.date(), rank: 3)
    case .created: draft.published.accept(xml.date(), rank: 2)
    case .updated, .modified: draft.updated = xml.date() ?? draft.updated
    case .author: draft.add(author: xml.personName(), rank: 3)
    case .source:
      let depth = xml.depth
      while let part = xml.nextChild(of: depth), !part.isItem {
        // The authors of the feed that an entry is from come before those of this feed (RFC 4287 section 4.2.1).
        if part.word == .author { draft.add(author: xml.personName(), rank: 1) }
      }
    case .category: draft.add(category: xml.attributeText(.term))
    default: break
    }
  }

  private func parseModule(
    _ child: XMLScanner.Element, _ xml: inout XMLScanner, _ draft: inout ItemDraft
  ) {
    if parseEpisode(child, &xml, &draft) { return }
    switch (child.space, child.word) {
    case (.enclosures, .enclosure): parseEnclosure(&xml, &draft)
    case (.feedburner, .origlink): draft.link.accept(xml.resolved(xml.text().bytes), rank: 6)
    case (.dublinCore, .date): draft.published.accept(xml.date(), rank: 1)
    case (.dublinCore, .creator): draft.add(author: xml.personName(), rank: 2)
    case (.dublinCore, .subject): draft.add(category: plainTitle(xml.text(), .unknown))
    case (.itunes, .image): draft.add(image: xml.imageAddress())
    default: break
    }
  }

  private func parseLink(_ xml: inout XMLScanner, _ draft: inout ItemDraft) {
    let type = xml.attributeText(.type)
    let length = xml.attributeLength(.length)
    let found = xml.atomLink()
    guard let address = found.address else { return }
    switch found.relation {
    case .alternate: draft.link.accept(address, rank: found.isPage ? 5 : 4)
    case .itself: draft.link.accept(address, rank: 2)
    case .enclosure: draft.add(Enclosure(url: address, type: type, length: length))
    case .replies: draft.accept(comments: address)
    case .hub, .other: break
    }
  }
}

/// Reads a content that is elsewhere (RFC 4287 section 4.1.3.2): a page is the item's link, anything else a file.
func parseSource(_ xml: inout XMLScanner, _ draft: inout ItemDraft) {
  guard let address = xml.attributeLink(.src) else { return }
  let type = xml.attributeText(.type)
  let declared =
    type?.lowercased() ?? fileExtension(ofAddress: address).flatMap { mediaType(ofExtension: $0) } ?? ""
  let isPage =
    !declared.contains("/") || declared.hasPrefix("text/") || declared.contains("html")
    || declared.contains("xml")
  if isPage { draft.link.accept(address, rank: 3) } else { draft.add(Enclosure(url: address, type: type)) }
}

/// The relation of an Atom link, as far as feeds need it.
enum AtomRelation {
  /// The page of the entry or feed.
  case alternate
  /// The entry or feed in Atom: `self`.
  case itself
  case enclosure
  /// A page with the comments on an entry (RFC 4685).
  case replies
  /// A hub (W3C WebSub, section 4).
  case hub
  case other
}

extension XMLScanner {
  /// Reads the `link` that was opened last.
  ///
  /// Its address is in `href`, and in invalid feeds in its text.
  mutating func atomLink() -> (relation: AtomRelation, address: String?, isPage: Bool) {
    var relation = AtomRelation.other
    var isReplies = false
    if let name = attribute(.rel) {
      // RFC 4287 section 4.2.7.2: the registered names may be written as addresses.
      let last = trimmed(name).split(separator: UInt8(ascii: "/")).last.map(
        UnsafeBufferPointer.init(rebasing:))
      if last.map({ equals($0, "alternate") }) ?? true { relation = .alternate }
      if last.map({ equals($0, "self") }) ?? false { relation = .itself }
      if last.map({ equals($0, "enclosure") }) ?? false { relation = .enclosure }
      if last.map({ equals($0, "hub") }) ?? false { relation = .hub }
      isReplies = last.map { equals($0, "replies") } ?? false
    } else {
      relation = .alternate
    }
    let type = attribute(.type).map(trimmed)
    let isPage =
      type.map { $0.isEmpty || equals($0, "text/html") || equals($0, "application/xhtml+xml") } ?? true
    // Without a type the comments are a feed (RFC 4685 section 4).
    if isReplies, type != nil, isPage { relation = .replies }
    if let address = attributeLink(.href) { return (relation, address, isPage) }
    return (relation, resolved(text().bytes), isPage)
  }
}

/// The encoding of a text construct.
private enum AtomEncoding {
  case text
  case html
  /// An old feed calls it text, but it may be HTML.
  case unknown
  case base64
}

extension XMLScanner {
  /// Reads the title that was opened last, as plain text.
  mutating func atomTitle() -> String? {
    let encoding = atomEncoding()
    let found = text()
    switch encoding {
    case _ where found.isMarkup: return plainTitle(found.bytes, .unknown)
    case .text: return plainTitle(found.bytes, .text)
    case .html, .unknown: return plainTitle(found.bytes, .unknown)
    case .base64:
      guard let decoded = decodedBase64(found.bytes), isValidUTF8(decoded) else {
        return plainTitle(found.bytes, .unknown)
      }
      return withoutControls(decoded).withUnsafeBufferPointer { plainTitle($0, .unknown) }
    }
  }

  /// Reads the summary or content that was opened last, as HTML; nil if it is empty or not text.
  mutating func atomMarkup() -> ItemMarkup? {
    let base = declaredBase
    return atomText().map { ItemMarkup(text: $0, base: base) }
  }

  private mutating func atomText() -> String? {
    let encoding = atomEncoding()
    let found = text()
    let bytes = trimmed(found.bytes)
    switch encoding {
    case _ where bytes.isEmpty: return nil
    case .text where !found.isMarkup: return escapedMarkup(bytes, for: .html)
    case .base64 where !found.isMarkup:
      // A file inside the feed is not text and has no address.
      guard let decoded = decodedBase64(bytes), isValidUTF8(decoded) else { return nil }
      return String(decoding: withoutControls(decoded), as: UTF8.self)
    default: return nonEmpty(bytes)
    }
  }

  private func atomEncoding() -> AtomEncoding {
    if let mode = attribute(.mode), equals(trimmed(mode), "base64") { return .base64 }
    guard let type = attribute(.type).map(trimmed), !type.isEmpty else {
      return attribute(.mode).map { equals(trimmed($0), "escaped") } ?? false ? .unknown : .text
    }
    if equals(type, "html") || equals(type, "text/html") { return .html }
    if equals(type, "xhtml") || equals(type, "application/xhtml+xml") { return .unknown }
    if equals(type, "text") || hasPrefix(type, "text/") { return .text }
    let isXML = type.count > 3 && equals(UnsafeBufferPointer(rebasing: type.suffix(3)), "xml")
    // RFC 4287 section 4.1.3.3: any other media type is base64. A type without a slash is not a media type.
    return !isXML && type.contains(UInt8(ascii: "/")) ? .base64 : .unknown
  }
}
