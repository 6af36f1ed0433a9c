// One item of RSS: what each element in it means, and which one counts where several say the same.

import Core

/// Reads an item of RSS, RDF or CDF.
struct RSSItemReader {
  private var draft = ItemDraft()

  /// Reads the item that was just opened; nil if the document ends within it, or if it says nothing.
  mutating func read(_ xml: inout XMLScanner) -> ParsedItem? {
    let depth = xml.depth
    if !xml.attributes.isEmpty { takeAttributes(&xml) }
    while let child = xml.nextChild(of: depth) {
      switch child.space {
      case .plain: takePlain(child, &xml)
      case .media: takeMedia(child, &xml, &draft)
      default: takeModule(child, &xml)
      }
    }
    return xml.isTruncated ? nil : draft.item
  }

  private mutating func takeAttributes(_ xml: inout XMLScanner) {
    let about = xml.attributeText(.about)
    draft.id = about
    draft.link.take(about.flatMap { isWebAddress($0) ? $0 : nil }, rank: 1)
    draft.link.take(xml.attributeLink(.href), rank: 3)
    draft.updated = xml.attribute(.lastmod).flatMap(feedDate)
  }

  private mutating func takePlain(_ child: XMLScanner.Element, _ xml: inout XMLScanner) {
    switch child.word {
    case .title: draft.title.take(plainTitle(xml.text(), .unsaid), rank: 4)
    case .link:
      let attribute = xml.attributeLink(.href)
      draft.link.take(xml.resolved(xml.text().bytes) ?? attribute, rank: 5)
    case .guid: takeGUID(&xml)
    case .description: draft.summary.take(nonEmpty(trimmed(xml.text().bytes)), rank: 4)
    case .pubdate: draft.published.take(feedDate(xml.text().bytes), rank: 4)
    case .author: takeAuthor(&xml, rank: 3)
    case .category: takeCategory(&xml)
    case .enclosure: takeEnclosure(&xml, length: .length)
    case .image: draft.add(image: xml.imageAddress())
    // Only CDF and what imitates Atom or Dublin Core without its namespace.
    case .summary, .abstract: draft.summary.take(nonEmpty(trimmed(xml.text().bytes)), rank: 2)
    case .encoded, .content: draft.content.take(nonEmpty(trimmed(xml.text().bytes)), rank: 1)
    case .published, .date, .issued, .created: draft.published.take(feedDate(xml.text().bytes), rank: 1)
    case .updated, .modified: draft.updated = draft.updated ?? feedDate(xml.text().bytes)
    default: break
    }
  }

  private mutating func takeModule(_ child: XMLScanner.Element, _ xml: inout XMLScanner) {
    switch (child.space, child.word) {
    case (.content, .encoded): draft.content.take(nonEmpty(trimmed(xml.text().bytes)), rank: 4)
    case (.xhtml, .body), (.atom, .content): draft.content.take(nonEmpty(trimmed(xml.text().bytes)), rank: 3)
    case (.atom, .summary): draft.summary.take(nonEmpty(trimmed(xml.text().bytes)), rank: 3)
    case (.dublinCore, .description), (.dublinCore, .abstract), (.itunes, .summary), (.itunes, .subtitle):
      draft.summary.take(nonEmpty(trimmed(xml.text().bytes)), rank: 2)
    case (.dublinCore, .title), (.atom, .title): draft.title.take(plainTitle(xml.text(), .unsaid), rank: 2)
    case (.itunes, .title): draft.title.take(plainTitle(xml.text(), .unsaid), rank: 1)
    case (.dublinCore, .creator): takeAuthor(&xml, rank: 4)
    case (.atom, .author): takeAuthor(&xml, rank: 2)
    case (.itunes, .author): takeAuthor(&xml, rank: 1)
    case (.itunes, .image): draft.add(image: xml.imageAddress())
    case (.dublinCore, .subject): takeCategory(&xml)
    case (.atom, .category), (.itunes, .category): takeCategory(&xml)
    case (.atom, .link): takeAtomLink(&xml)
    case (.feedburner, .origlink): draft.link.take(xml.resolved(xml.text().bytes), rank: 6)
    case (.atom, .id):
      let id = nonEmpty(trimmed(xml.text().bytes))
      draft.id = draft.id ?? id
    case (.dublinCore, .date): draft.published.take(feedDate(xml.text().bytes), rank: 2)
    case (.dublinCore, .issued), (.dublinCore, .created), (.atom, .published):
      draft.published.take(feedDate(xml.text().bytes), rank: 3)
    case (.dublinCore, .modified), (.atom, .updated):
      draft.updated = feedDate(xml.text().bytes) ?? draft.updated
    default: break
    }
  }

  /// A guid is the item's page where it says so, or says nothing and looks like an address (RSS 2.0).
  ///
  /// One that says so may be relative; without a slash it is more likely a number whose feed says so of everything.
  private mutating func takeGUID(_ xml: inout XMLScanner) {
    let isPermaLink = xml.attribute(.ispermalink).map { equals(trimmed($0), "true") }
    let text = xml.text().bytes
    guard let guid = nonEmpty(trimmed(text)) else { return }
    draft.id = guid
    if isPermaLink ?? true, isWebAddress(guid) {
      draft.link.take(xml.resolved(text), rank: 2)
    } else if isPermaLink == true, guid.contains("/"), let page = xml.resolved(text), isWebAddress(page) {
      draft.link.take(page, rank: 2)
    }
  }

  private mutating func takeAuthor(_ xml: inout XMLScanner, rank: Int) {
    draft.add(author: xml.personName(), rank: rank)
  }

  private mutating func takeCategory(_ xml: inout XMLScanner) {
    let attribute = xml.attributeText(.term) ?? xml.attributeText(.text)
    draft.add(category: plainTitle(xml.text(), .unsaid) ?? attribute)
  }

  private mutating func takeEnclosure(_ xml: inout XMLScanner, length: Word) {
    guard let url = xml.attributeLink(.url) ?? xml.attributeLink(.href) else { return }
    draft.add(Enclosure(url: url, type: xml.attributeText(.type), length: xml.attributeLength(length)))
  }

  private mutating func takeAtomLink(_ xml: inout XMLScanner) {
    let relation = xml.attribute(.rel)
    if relation.map({ equals($0, "enclosure") }) ?? false {
      guard let url = xml.attributeLink(.href) else { return }
      draft.add(Enclosure(url: url, type: xml.attributeText(.type), length: xml.attributeLength(.length)))
    } else if relation.map({ equals($0, "alternate") }) ?? true {
      draft.link.take(xml.attributeLink(.href), rank: 4)
    }
  }
}
