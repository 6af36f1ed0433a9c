// Atom 1.0 (RFC 4287) and 0.3. How its text constructs become text is AtomText's business.

import Core

/// Reads Atom.
struct AtomReader {
  private var feed: ParsedFeed
  private var link = ItemDraft.Ranked<String>()

  /// A reader of documents of a format.
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
          xml.passOverItem()
        } else {
          feed.take(readEntry(&xml))
        }
      } else if child.space == .plain || child.space == .atom {
        takeChild(child, &xml)
      }
    }
    feed.link = link.value
    feed.isComplete = !xml.isTruncated
    return feed
  }

  private mutating func takeChild(_ child: XMLScanner.Element, _ xml: inout XMLScanner) {
    switch child.word {
    case .title:
      let title = xml.atomTitle()
      feed.title = feed.title ?? title
    case .id: feed.id = nonEmpty(trimmed(xml.text().bytes)) ?? feed.id
    case .link:
      let found = xml.atomLink()
      switch found.relation {
      case .alternate: link.take(found.address, rank: found.isPage ? 2 : 1)
      case .itself: feed.hubLinks.take(topic: found.address)
      case .hub: feed.hubLinks.add(hub: found.address)
      case .enclosure, .other: break
      }
    case .published: feed.published = feedDate(xml.text().bytes) ?? feed.published
    case .updated, .modified: feed.updated = feedDate(xml.text().bytes) ?? feed.updated
    default: break
    }
  }

  /// Reads the entry that was just opened; nil if the document ends within it, or if it says nothing.
  private func readEntry(_ xml: inout XMLScanner) -> ParsedItem? {
    let depth = xml.depth
    var draft = ItemDraft()
    while let child = xml.nextChild(of: depth) {
      switch child.space {
      case .plain, .atom: takeElement(child, &xml, &draft)
      case .media: takeMedia(child, &xml, &draft)
      default: takeModule(child, &xml, &draft)
      }
    }
    if let id = draft.id, isWebAddress(id) { draft.link.take(id, rank: 1) }
    return xml.isTruncated ? nil : draft.item
  }

  private func takeElement(
    _ child: XMLScanner.Element, _ xml: inout XMLScanner, _ draft: inout ItemDraft
  ) {
    switch child.word {
    case .title: draft.title.take(xml.atomTitle(), rank: 4)
    case .id: draft.id = nonEmpty(trimmed(xml.text().bytes)) ?? draft.id
    case .link: takeLink(&xml, &draft)
    case .summary: draft.summary.take(xml.atomMarkup(), rank: 4)
    case .content: draft.content.take(xml.atomMarkup(), rank: 4)
    case .published: draft.published.take(feedDate(xml.text().bytes), rank: 4)
    case .issued: draft.published.take(feedDate(xml.text().bytes), rank: 3)
    case .created: draft.published.take(feedDate(xml.text().bytes), rank: 2)
    case .updated, .modified: draft.updated = feedDate(xml.text().bytes) ?? draft.updated
    case .author: draft.add(author: xml.personName(), rank: 3)
    case .category: draft.add(category: xml.attributeText(.term))
    default: break
    }
  }

  private func takeModule(
    _ child: XMLScanner.Element, _ xml: inout XMLScanner, _ draft: inout ItemDraft
  ) {
    switch (child.space, child.word) {
    case (.feedburner, .origlink): draft.link.take(xml.resolved(xml.text().bytes), rank: 6)
    case (.dublinCore, .date): draft.published.take(feedDate(xml.text().bytes), rank: 1)
    case (.dublinCore, .creator): draft.add(author: xml.personName(), rank: 2)
    case (.dublinCore, .subject): draft.add(category: plainTitle(xml.text(), .unsaid))
    case (.itunes, .image): draft.add(image: xml.imageAddress())
    default: break
    }
  }

  private func takeLink(_ xml: inout XMLScanner, _ draft: inout ItemDraft) {
    let type = xml.attributeText(.type)
    let length = xml.attributeLength(.length)
    let found = xml.atomLink()
    guard let address = found.address else { return }
    switch found.relation {
    case .alternate: draft.link.take(address, rank: found.isPage ? 5 : 4)
    case .itself: draft.link.take(address, rank: 2)
    case .enclosure: draft.add(Enclosure(url: address, type: type, length: length))
    case .hub, .other: break
    }
  }
}

/// What an Atom link leads to, as far as it matters here.
enum AtomRelation {
  /// Another form of the entry or feed: its page.
  case alternate
  /// The entry or feed in Atom.
  case itself
  /// A file.
  case enclosure
  /// Where changes can be subscribed to (W3C WebSub, section 4).
  case hub
  /// Anything else.
  case other
}

extension XMLScanner {
  /// Reads the `link` that was opened last: its address is in `href`, in feeds that never saw a validator in
  /// its text.
  fileprivate mutating func atomLink() -> (relation: AtomRelation, address: String?, isPage: Bool) {
    var relation = AtomRelation.other
    if let name = attribute(.rel) {
      // RFC 4287 section 4.2.7.2: the registered names may be written as addresses.
      let last = trimmed(name).split(separator: UInt8(ascii: "/")).last.map(
        UnsafeBufferPointer.init(rebasing:))
      if last.map({ equals($0, "alternate") }) ?? true { relation = .alternate }
      if last.map({ equals($0, "self") }) ?? false { relation = .itself }
      if last.map({ equals($0, "enclosure") }) ?? false { relation = .enclosure }
      if last.map({ equals($0, "hub") }) ?? false { relation = .hub }
    } else {
      relation = .alternate
    }
    let type = attribute(.type).map(trimmed)
    let isPage =
      type.map { $0.isEmpty || equals($0, "text/html") || equals($0, "application/xhtml+xml") } ?? true
    if let address = attributeLink(.href) { return (relation, address, isPage) }
    return (relation, resolved(text().bytes), isPage)
  }
}
