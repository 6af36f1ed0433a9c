// RSS of every version, and CDF, which looks like it. What an item's elements mean is in RSSItem.

import Core

/// Reads RSS 0.9x and 2.0, RSS 1.0 and 1.1 (RDF) and CDF.
///
/// Where items stand does not matter: inside the channel, beside it (RDF), or behind a channel that was closed too
/// early.
struct RSSReader {
  private var feed: ParsedFeed
  private var title = ItemDraft.Ranked<String>()
  private var link = ItemDraft.Ranked<String>()
  private var updateFrequency: Int64 = 1
  private var updatePeriod: Int64?

  /// A reader of documents of a format.
  init(format: FeedFormat) {
    feed = ParsedFeed(format: format)
  }

  /// Reads a document whose root was just opened.
  mutating func read(_ xml: inout XMLScanner) -> ParsedFeed {
    let root = xml.depth
    if xml.attribute(.href) != nil || xml.attribute(.lastmod) != nil || xml.attribute(.about) != nil {
      takeChannelAttributes(&xml)
    }
    while let child = xml.nextChild(of: root) {
      switch child.word {
      case _ where child.isItem: takeItem(&xml)
      case .channel where child.space == .plain: readChannel(&xml)
      default: takeChild(child, &xml)
      }
    }
    feed.title = title.value
    feed.link = link.value
    feed.isComplete = !xml.isTruncated
    if let updatePeriod { feed.hints.updateInterval = .seconds(updatePeriod / updateFrequency) }
    return feed
  }

  private mutating func readChannel(_ xml: inout XMLScanner) {
    let depth = xml.depth
    takeChannelAttributes(&xml)
    while let child = xml.nextChild(of: depth) {
      if child.isItem { takeItem(&xml) } else { takeChild(child, &xml) }
    }
  }

  private mutating func takeItem(_ xml: inout XMLScanner) {
    guard !feed.isFull else {
      feed.leftOut += 1
      return xml.passOverItem()
    }
    var reader = RSSItemReader()
    feed.take(reader.read(&xml))
  }

  /// CDF says in attributes what RSS says in elements; RDF has the identity there.
  private mutating func takeChannelAttributes(_ xml: inout XMLScanner) {
    feed.id = feed.id ?? xml.attributeText(.about)
    link.take(xml.attributeLink(.href), rank: 1)
    if let date = xml.attribute(.lastmod).flatMap(feedDate) { feed.updated = feed.updated ?? date }
  }

  private mutating func takeChild(_ child: XMLScanner.Element, _ xml: inout XMLScanner) {
    switch (child.space, child.word) {
    case (.plain, .title): title.take(plainTitle(xml.text(), .unsaid), rank: 3)
    case (.dublinCore, .title), (.atom, .title): title.take(plainTitle(xml.text(), .unsaid), rank: 2)
    case (.plain, .link):
      let attribute = xml.attributeLink(.href)
      link.take(xml.resolved(xml.text().bytes) ?? attribute, rank: 3)
    case (.atom, .link): takeAtomLink(&xml)
    case (.atom, .id): feed.id = nonEmpty(trimmed(xml.text().bytes)) ?? feed.id
    case (.plain, .pubdate): feed.published = feedDate(xml.text().bytes) ?? feed.published
    case (.dublinCore, .issued), (.dublinCore, .created):
      feed.published = feed.published ?? feedDate(xml.text().bytes)
    case (.plain, .lastbuilddate), (.atom, .updated):
      feed.updated = feedDate(xml.text().bytes) ?? feed.updated
    case (.dublinCore, .modified), (.dublinCore, .date):
      feed.updated = feed.updated ?? feedDate(xml.text().bytes)
    default: takeWish(child, &xml)
    }
  }

  private mutating func takeAtomLink(_ xml: inout XMLScanner) {
    let relation = xml.attribute(.rel).map(trimmed)
    if relation.map({ equals($0, "alternate") }) ?? true {
      link.take(xml.attributeLink(.href), rank: 2)
    } else if relation.map({ equals($0, "self") }) ?? false {
      feed.hubLinks.take(topic: xml.attributeLink(.href))
    } else if relation.map({ equals($0, "hub") }) ?? false {
      feed.hubLinks.add(hub: xml.attributeLink(.href))
    }
  }

  private mutating func takeWish(_ child: XMLScanner.Element, _ xml: inout XMLScanner) {
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
    let names: [StaticString] = [
      "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
    ]
    return names.firstIndex { equals(name, $0) }
  }

  private func period(_ name: UnsafeBufferPointer<UInt8>) -> Int64? {
    let periods: [(StaticString, Int64)] = [
      ("hourly", 3600), ("daily", 86_400), ("weekly", 604_800), ("monthly", 2_592_000),
      ("yearly", 31_536_000),
    ]
    return periods.first { equals(name, $0.0) }?.1
  }
}
