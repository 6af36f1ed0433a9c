// RSS 0.9x and 2.0, RSS 1.0 and 1.1 (RDF), and CDF, which looks like RSS.

import Core

/// Reads a feed.
///
/// Items may be inside the channel, beside it (RDF), or after a channel that was closed too early.
struct RSSReader {
  private var feed: ParsedFeed
  private var title = ItemDraft.Ranked<String>()
  private var link = ItemDraft.Ranked<String>()
  /// The cover of a podcast.
  private var cover: String?
  /// The authors of the items that have none.
  private var authors = ItemDraft.Authors()
  private var updateFrequency: Int64 = 1
  private var updatePeriod: Int64?

  init(format: FeedFormat) {
    feed = ParsedFeed(format: format)
  }

  /// Reads a document whose root was just opened.
  mutating func read(_ xml: inout XMLScanner) -> ParsedFeed {
    let root = xml.depth
    if xml.attribute(.href) != nil || xml.attribute(.lastmod) != nil || xml.attribute(.about) != nil {
      parseChannelAttributes(&xml)
    }
    while let child = xml.nextChild(of: root) {
      switch child.word {
      case _ where child.isItem: parseItem(&xml)
      case .channel where child.space == .plain: readChannel(&xml)
      default: parseChild(child, &xml)
      }
    }
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

  private mutating func readChannel(_ xml: inout XMLScanner) {
    let depth = xml.depth
    parseChannelAttributes(&xml)
    while let child = xml.nextChild(of: depth) {
      if child.isItem { parseItem(&xml) } else { parseChild(child, &xml) }
    }
  }

  private mutating func parseItem(_ xml: inout XMLScanner) {
    guard !feed.isFull else {
      feed.leftOut += 1
      return xml.skipItem()
    }
    var reader = RSSItemReader()
    feed.accept(reader.read(&xml))
  }

  /// Reads attributes: CDF has there what RSS has in elements, and RDF has its identity there.
  private mutating func parseChannelAttributes(_ xml: inout XMLScanner) {
    feed.id = feed.id ?? xml.attributeText(.about)
    link.accept(xml.attributeLink(.href), rank: 1)
    if let date = xml.attribute(.lastmod).flatMap(feedDate) { feed.updated = feed.updated ?? date }
  }

  private mutating func parseChild(_ child: XMLScanner.Element, _ xml: inout XMLScanner) {
    switch (child.space, child.word) {
    case (.plain, .title): title.accept(plainTitle(xml.text(), .unknown), rank: 3)
    case (.dublinCore, .title), (.atom, .title): title.accept(plainTitle(xml.text(), .unknown), rank: 2)
    case (.plain, .link):
      let attribute = xml.attributeLink(.href)
      link.accept(xml.resolved(xml.text().bytes) ?? attribute, rank: 3)
    case (.atom, .link): parseAtomLink(&xml)
    case (.atom, .id): feed.id = xml.trimmedText() ?? feed.id
    case (.plain, .pubdate): feed.published = xml.date() ?? feed.published
    case (.dublinCore, .issued), (.dublinCore, .created):
      feed.published = feed.published ?? xml.date()
    case (.plain, .lastbuilddate), (.atom, .updated):
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
    case .alternate: link.accept(found.address, rank: 2)
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
    case (.plain, .skiphours):
      let depth = xml.depth
      while let hour = xml.nextChild(of: depth), !hour.isItem {
        if hour.word == .hour, let value = number(trimmed(xml.text().bytes)), (0...24).contains(value) {
          feed.hints.skipHours.insert(Int(value % 24))
        }
      }
    case (.plain, .skipdays):
      let depth = xml.depth
      while let day = xml.nextChild(of: depth), !day.isItem {
        if day.word == .day, let value = weekday(trimmed(xml.text().bytes)) {
          feed.hints.skipDays.insert(value)
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

/// Reads an item.
///
/// If several elements say the same, the one of the highest rank counts.
struct RSSItemReader {
  private var draft = ItemDraft()

  /// Reads the item that was just opened; nil if the document ends within it.
  mutating func read(_ xml: inout XMLScanner) -> ParsedItem? {
    let depth = xml.depth
    if !xml.attributes.isEmpty { parseAttributes(&xml) }
    while let child = xml.nextChild(of: depth) {
      switch child.space {
      case .plain: parsePlain(child, &xml)
      case .media: parseMedia(child, &xml, &draft)
      default: parseModule(child, &xml)
      }
    }
    return xml.isTruncated ? nil : xml.item(draft)
  }

  private mutating func parseAttributes(_ xml: inout XMLScanner) {
    let about = xml.attributeText(.about)
    draft.id = about
    draft.link.accept(about.flatMap { isWebAddress($0) ? $0 : nil }, rank: 1)
    draft.link.accept(xml.attributeLink(.href), rank: 3)
    draft.updated = xml.attribute(.lastmod).flatMap(feedDate)
  }

  private mutating func parsePlain(_ child: XMLScanner.Element, _ xml: inout XMLScanner) {
    switch child.word {
    case .title: draft.title.accept(plainTitle(xml.text(), .unknown), rank: 4)
    case .link:
      let attribute = xml.attributeLink(.href)
      draft.link.accept(xml.resolved(xml.text().bytes) ?? attribute, rank: 5)
    case .guid: parseGUID(&xml)
    case .description: draft.summary.accept(xml.itemMarkup(), rank: 4)
    case .pubdate: draft.published.accept(xml.date(), rank: 4)
    case .author: draft.add(author: xml.personName(), rank: 3)
    case .category: parseCategory(&xml)
    case .enclosure: parseEnclosure(&xml, &draft)
    case .image: draft.add(image: xml.imageAddress())
    case .comments: draft.accept(comments: xml.resolved(xml.text().bytes))
    // Only in CDF, and in feeds that use Atom or Dublin Core without the namespace.
    case .summary, .abstract: draft.summary.accept(xml.itemMarkup(), rank: 2)
    case .encoded, .content: draft.content.accept(xml.itemMarkup(), rank: 1)
    case .published, .date, .issued, .created: draft.published.accept(xml.date(), rank: 1)
    case .updated, .modified: draft.updated = draft.updated ?? xml.date()
    default: break
    }
  }

  private mutating func parseModule(_ child: XMLScanner.Element, _ xml: inout XMLScanner) {
    if parseEpisode(child, &xml, &draft) { return }
    switch (child.space, child.word) {
    case (.enclosures, .enclosure): parseEnclosure(&xml, &draft)
    case (.atom, .content) where xml.attribute(.src) != nil: parseSource(&xml, &draft)
    case (.content, .encoded): draft.content.accept(xml.itemMarkup(), rank: 4)
    case (.xhtml, .body), (.atom, .content): draft.content.accept(xml.itemMarkup(), rank: 3)
    case (.atom, .summary): draft.summary.accept(xml.itemMarkup(), rank: 3)
    case (.dublinCore, .description), (.dublinCore, .abstract), (.itunes, .summary), (.itunes, .subtitle):
      draft.summary.accept(xml.itemMarkup(), rank: 2)
    case (.dublinCore, .title), (.atom, .title): draft.title.accept(plainTitle(xml.text(), .unknown), rank: 2)
    case (.itunes, .title): draft.title.accept(plainTitle(xml.text(), .unknown), rank: 1)
    case (.dublinCore, .creator): draft.add(author: xml.personName(), rank: 4)
    case (.atom, .author): draft.add(author: xml.personName(), rank: 2)
    case (.itunes, .author): draft.add(author: xml.personName(), rank: 1)
    case (.itunes, .image): draft.add(image: xml.imageAddress())
    case (.dublinCore, .subject), (.atom, .category), (.itunes, .category): parseCategory(&xml)
    case (.atom, .link): parseAtomLink(&xml)
    case (.feedburner, .origlink): draft.link.accept(xml.resolved(xml.text().bytes), rank: 6)
    case (.atom, .id):
      let id = xml.trimmedText()
      draft.id = draft.id ?? id
    case (.dublinCore, .date): draft.published.accept(xml.date(), rank: 2)
    case (.dublinCore, .issued), (.dublinCore, .created), (.atom, .published):
      draft.published.accept(xml.date(), rank: 3)
    case (.dublinCore, .modified), (.atom, .updated):
      draft.updated = xml.date() ?? draft.updated
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
    draft.id = guid
    if isPermaLink ?? true, isWebAddress(guid) {
      draft.link.accept(xml.resolved(text), rank: 2)
    } else if isPermaLink == true, guid.contains("/"), let page = xml.resolved(text), isWebAddress(page) {
      draft.link.accept(page, rank: 2)
    }
  }

  private mutating func parseCategory(_ xml: inout XMLScanner) {
    let attribute = xml.attributeText(.term) ?? xml.attributeText(.text)
    draft.add(category: plainTitle(xml.text(), .unknown) ?? attribute)
  }

  private mutating func parseAtomLink(_ xml: inout XMLScanner) {
    let (type, length) = (xml.attributeText(.type), xml.attributeLength(.length))
    let found = xml.atomLink()
    switch (found.relation, found.address) {
    case (.alternate, let address): draft.link.accept(address, rank: 4)
    case (.enclosure, let address?): draft.add(Enclosure(url: address, type: type, length: length))
    case (.replies, let address): draft.accept(comments: address)
    default: break
    }
  }
}
