// RSS 0.9x and 2.0, RSS 1.0 and 1.1 (RDF), CDF, Atom 1.0 and 0.3, and the modules that extend them.

import Core

/// Reads a feed.
///
/// Items may be inside the channel, beside it (RDF), or after a channel that was closed too early. If several elements say
/// the same, the one of the highest rank counts.
struct XMLFeedReader {
  private var feed: ParsedFeed
  private let isAtom: Bool
  private var title = ItemDraft.Ranked<String>()
  private var link = ItemDraft.Ranked<String>()
  /// The cover of a podcast.
  private var cover: String?
  /// The authors of the items that have none.
  private var authors = ItemDraft.Authors()
  private var updateFrequency: Int64 = 1
  private var updatePeriod: Int64?

  init(_ format: FeedFormat) {
    feed = ParsedFeed(format: format)
    isAtom = format == .atom
  }

  /// Reads a document whose root was just opened.
  mutating func read(_ xml: inout XMLScanner) -> ParsedFeed {
    parseChildren(&xml)
    feed.title = title.value
    feed.link = link.value
    feed.finish(xml, authors)
    if let cover { addCover(cover) }
    if let updatePeriod { feed.hints.updateInterval = .seconds(updatePeriod / updateFrequency) }
    return feed
  }

  private mutating func addCover(_ cover: String) {
    for (index, item) in feed.items.enumerated() where item.images.isEmpty && !item.enclosures.isEmpty {
      feed.items[index].cover = cover
    }
  }

  private mutating func parseChildren(_ xml: inout XMLScanner) {
    let depth = xml.depth
    // RDF has the identity of a channel in an attribute, and CDF what others have in elements.
    feed.id = feed.id ?? xml.attributeText(.about)
    link.accept(xml.attributeLink(.href), rank: 1)
    feed.updated = feed.updated ?? xml.attribute(.lastmod).flatMap(feedDate)
    while let child = xml.nextChild(of: depth) {
      switch child.word {
      case _ where child.isItem: parseItem(&xml)
      case .channel where child.space == .plain: parseChildren(&xml)
      default: parseChild(child, &xml)
      }
    }
  }

  private mutating func parseItem(_ xml: inout XMLScanner) {
    guard !feed.isFull else {
      feed.leftOut += 1
      return xml.skipItem()
    }
    var reader = XMLItemReader(isAtom: isAtom)
    feed.accept(reader.read(&xml))
  }

  private mutating func parseChild(_ child: XMLScanner.Element, _ xml: inout XMLScanner) {
    switch (child.space(inAtom: isAtom), child.word) {
    case (.plain, .title): title.accept(plainTitle(xml.text(), .title), rank: 3)
    case (.atom, .title): title.accept(xml.atomTitle(), rank: 2)
    case (.dublinCore, .title): title.accept(plainTitle(xml.text(), .title), rank: 1)
    case (.plain, .link):
      let attribute = xml.attributeLink(.href)
      link.accept(xml.resolved(xml.text().bytes) ?? attribute, rank: 3)
    case (.atom, .link): parseAtomLink(&xml)
    case (.atom, .id): feed.id = xml.trimmedText() ?? feed.id
    case (.plain, .pubdate), (.atom, .published): feed.published = xml.date() ?? feed.published
    case (.dublinCore, .issued), (.dublinCore, .created):
      feed.published = feed.published ?? xml.date()
    case (.plain, .lastbuilddate), (.atom, .updated), (.atom, .modified):
      feed.updated = xml.date() ?? feed.updated
    case (.dublinCore, .modified), (.dublinCore, .date):
      feed.updated = feed.updated ?? xml.date()
    case (.itunes, .image): cover = cover ?? xml.imageAddress()
    case (.itunes, .newfeedurl): feed.newAddress = xml.resolved(xml.text().bytes) ?? feed.newAddress
    case (.dublinCore, .creator): authors.add(xml.personName(), rank: 4)
    case (.atom, .author): authors.add(xml.personName(), rank: 3)
    case (.itunes, .author): authors.add(xml.personName(), rank: 2)
    case (.plain, .managingeditor): authors.add(xml.personName(), rank: 1)
    default: parseHint(child, &xml)
    }
  }

  private mutating func parseAtomLink(_ xml: inout XMLScanner) {
    let found = xml.atomLink()
    switch found.relation {
    case .alternate: link.accept(found.address, rank: found.isPage ? 2 : 1)
    case .itself: feed.hubLinks.accept(topic: found.address)
    case .hub: feed.hubLinks.add(hub: found.address)
    case .enclosure, .replies, .other: break
    }
  }

  private mutating func parseHint(_ child: XMLScanner.Element, _ xml: inout XMLScanner) {
    switch (child.space, child.word) {
    case (.plain, .ttl):
      if let minutes = number(trimmed(xml.text().bytes)), (1...525_600).contains(minutes) {
        feed.hints.timeToLive = .minutes(minutes)
      }
    case (.plain, .skiphours), (.plain, .skipdays):
      let depth = xml.depth
      while let part = xml.nextChild(of: depth), !part.isItem {
        let text = trimmed(xml.text().bytes)
        if part.word == .day, let day = weekday(text) { feed.hints.skipDays.insert(day) }
        if part.word == .hour, let hour = number(text), (0...24).contains(hour) {
          feed.hints.skipHours.insert(Int(hour % 24))
        }
      }
    case (.syndication, .updateperiod): updatePeriod = period(trimmed(xml.text().bytes))
    case (.syndication, .updatefrequency):
      if let times = number(trimmed(xml.text().bytes)), times > 0 { updateFrequency = times }
    default: break
    }
  }

  private func weekday(_ name: UnsafeBufferPointer<UInt8>) -> Int? {
    let name = String(decoding: name, as: UTF8.self).lowercased()
    return CivilTime.weekdayNames.firstIndex { $0.lowercased() == name }
  }

  private func period(_ name: UnsafeBufferPointer<UInt8>) -> Int64? {
    let periods: [(StaticString, Int64)] = [
      ("hourly", 3600), ("daily", 86_400), ("weekly", 604_800), ("monthly", 2_592_000),
      ("yearly", 31_536_000),
    ]
    return periods.first { equals(name, $0.0) }?.1
  }
}

extension XMLScanner.Element {
  /// The namespace of the element, which in a document whose root is Atom's needs no declaration.
  fileprivate func space(inAtom isAtom: Bool) -> Namespace { isAtom && space == .plain ? .atom : space }
}

/// Reads an item or entry.
private struct XMLItemReader {
  private let isAtom: Bool
  private var draft = ItemDraft()

  init(isAtom: Bool) { self.isAtom = isAtom }

  /// Reads the item that was just opened; nil if the document ends within it.
  mutating func read(_ xml: inout XMLScanner) -> ParsedItem? {
    let depth = xml.depth
    if !xml.attributes.isEmpty {
      draft.item.id = xml.attributeText(.about)
      draft.link.accept(xml.attributeLink(.href), rank: 3)
      draft.item.updated = xml.attribute(.lastmod).flatMap(feedDate)
    }
    // The identity of RDF and Atom may be the page.
    let about = draft.item.id
    while let child = xml.nextChild(of: depth) {
      switch child.space(inAtom: isAtom) {
      case .plain: parsePlain(child, &xml)
      case .atom: parseAtom(child, &xml)
      case .media: parseMedia(child, &xml, &draft)
      default: parseModule(child, &xml)
      }
    }
    if let id = isAtom ? draft.item.id : about, isWebAddress(id) { draft.link.accept(id, rank: 1) }
    return xml.isTruncated ? nil : draft.item(&xml.links)
  }

  private mutating func parsePlain(_ child: XMLScanner.Element, _ xml: inout XMLScanner) {
    switch child.word {
    case .title: draft.title.accept(plainTitle(xml.text(), .title), rank: 5)
    case .link:
      let attribute = xml.attributeLink(.href)
      draft.link.accept(xml.resolved(xml.text().bytes) ?? attribute, rank: 6)
    case .guid: parseGUID(&xml)
    case .description: draft.summary.accept(xml.itemMarkup(), rank: 4)
    case .pubdate: draft.published.accept(xml.date(), rank: 6)
    case .author: draft.authors.add(xml.personName(), rank: 3)
    case .category: parseCategory(&xml)
    case .enclosure: parseEnclosure(&xml, &draft)
    case .image: draft.add(image: xml.imageAddress())
    case .comments: draft.accept(comments: xml.resolved(xml.text().bytes))
    // Only in feeds that use Atom or Dublin Core without the namespace.
    case .summary, .abstract: draft.summary.accept(xml.itemMarkup(), rank: 2)
    case .encoded, .content: draft.content.accept(xml.itemMarkup(), rank: 1)
    case .published, .date, .issued, .created: draft.published.accept(xml.date(), rank: 1)
    case .updated, .modified: draft.item.updated = draft.item.updated ?? xml.date()
    default: break
    }
  }

  private mutating func parseAtom(_ child: XMLScanner.Element, _ xml: inout XMLScanner) {
    switch child.word {
    case .title: draft.title.accept(xml.atomTitle(), rank: 4)
    case .id:
      let id = xml.trimmedText()
      draft.item.id = draft.item.id ?? id
    case .link: parseAtomLink(&xml)
    case .summary: draft.summary.accept(xml.atomMarkup(), rank: 3)
    case .content where xml.attribute(.src) != nil: parseSource(&xml, &draft)
    case .content: draft.content.accept(xml.atomMarkup(), rank: 3)
    case .published: draft.published.accept(xml.date(), rank: 5)
    case .issued: draft.published.accept(xml.date(), rank: 4)
    case .created: draft.published.accept(xml.date(), rank: 3)
    case .updated, .modified: draft.item.updated = xml.date() ?? draft.item.updated
    case .author: draft.authors.add(xml.personName(), rank: 5)
    case .source:
      let depth = xml.depth
      while let part = xml.nextChild(of: depth), !part.isItem {
        // The authors of the feed that an entry is from come before those of this feed (RFC 4287 section 4.2.1).
        if part.word == .author { draft.authors.add(xml.personName(), rank: 1) }
      }
    case .category: parseCategory(&xml)
    default: break
    }
  }

  private mutating func parseModule(_ child: XMLScanner.Element, _ xml: inout XMLScanner) {
    switch (child.space, child.word) {
    case (.enclosures, .enclosure): parseEnclosure(&xml, &draft)
    case (.content, .encoded): draft.content.accept(xml.itemMarkup(), rank: 4)
    case (.xhtml, .body): draft.content.accept(xml.itemMarkup(), rank: 3)
    case (.dublinCore, .description), (.dublinCore, .abstract), (.itunes, .summary), (.itunes, .subtitle):
      draft.summary.accept(xml.itemMarkup(), rank: 2)
    case (.dublinCore, .title): draft.title.accept(plainTitle(xml.text(), .title), rank: 2)
    case (.itunes, .title): draft.title.accept(plainTitle(xml.text(), .title), rank: 1)
    case (.dublinCore, .creator): draft.authors.add(xml.personName(), rank: 4)
    case (.itunes, .author): draft.authors.add(xml.personName(), rank: 2)
    case (.itunes, .image): draft.add(image: xml.imageAddress())
    case (.dublinCore, .subject), (.itunes, .category): parseCategory(&xml)
    case (.feedburner, .origlink): draft.link.accept(xml.resolved(xml.text().bytes), rank: 7)
    case (.dublinCore, .date): draft.published.accept(xml.date(), rank: 2)
    case (.dublinCore, .issued), (.dublinCore, .created): draft.published.accept(xml.date(), rank: 4)
    case (.dublinCore, .modified): draft.item.updated = xml.date() ?? draft.item.updated
    case (.itunes, _), (.podcast, _): parseEpisode(child.word, rank: child.space == .itunes ? 2 : 1, &xml)
    default: break
    }
  }

  /// Reads an element of Apple or of Podcasting 2.0 about an episode.
  private mutating func parseEpisode(_ word: Word, rank: Int, _ xml: inout XMLScanner) {
    switch word {
    case .duration: draft.accept(duration: playingTime(xml.text().bytes), rank: rank)
    case .season: draft.accept(season: ordinal(xml.text().bytes), rank: rank)
    case .episode: draft.accept(episode: ordinal(xml.text().bytes), rank: rank)
    default: break
    }
  }

  /// Reads a guid, which is also the item's page if `isPermaLink` is true, or missing and the guid is an address (RSS 2.0).
  ///
  /// A permalink may be relative. Without a slash it is more likely a number in a feed that calls every guid a permalink.
  private mutating func parseGUID(_ xml: inout XMLScanner) {
    let isPermaLink = xml.attribute(.ispermalink).map { equals(trimmed($0), "true") }
    let text = xml.text().bytes
    guard let guid = nonEmpty(trimmed(text)) else { return }
    draft.item.id = guid
    if isPermaLink ?? true, isWebAddress(guid) {
      draft.link.accept(xml.resolved(text), rank: 2)
    } else if isPermaLink == true, guid.contains("/"), let page = xml.resolved(text), isWebAddress(page) {
      draft.link.accept(page, rank: 2)
    }
  }

  private mutating func parseCategory(_ xml: inout XMLScanner) {
    let attribute = xml.attributeText(.term) ?? xml.attributeText(.text)
    draft.add(category: plainTitle(xml.text(), .title) ?? attribute)
  }

  private mutating func parseAtomLink(_ xml: inout XMLScanner) {
    let (type, length) = (xml.attributeText(.type), xml.attributeLength(.length))
    let found = xml.atomLink()
    guard let address = found.address else { return }
    switch found.relation {
    case .alternate: draft.link.accept(address, rank: found.isPage ? 5 : 4)
    // In RSS it is the address of the feed.
    case .itself: if isAtom { draft.link.accept(address, rank: 2) }
    case .enclosure: draft.add(Enclosure(url: address, type: type, length: length))
    case .replies: draft.accept(comments: address)
    case .hub, .other: break
    }
  }
}
