// Publishing writes a selection of items as a document for others to read: Atom and JSON Feed for feed readers, and an
// HTML page for browsers.
//
// Doors: one function for each format, from a `Publication` to text. Everything in a publication comes from feeds and may be
// hostile; each format does its own escaping. Never here: files, the store, clocks, messages for hooks (Core/Messages).

public import Core

/// A selection of items, ready to be written.
public struct Publication: Sendable {
  public var title: String
  /// Whether the title is the default; a page then shows the number of its items instead.
  public var hasStandardTitle = false
  /// A name that no other document has, for its identity; nil to use the title.
  public var name: String?
  /// When the selection was made.
  public var updated: Instant
  /// Newest first.
  public var items: [PublishedItem]
  /// Whether only unseen items were selected.
  public var isUnseen = false
  /// The number of selected items, with the items that a limit left out.
  public var total: Int

  public init(title: String, updated: Instant, items: [PublishedItem]) {
    (self.title, self.updated, self.items) = (title, updated, items)
    total = items.count
  }
}

/// An item with the label of its feed.
public struct PublishedItem: Sendable {
  public var item: StoredItem
  public var feed: FeedLabel
  /// The path of its first downloaded file that exists.
  public var file: String?

  public init(_ item: StoredItem, feed: FeedLabel) {
    (self.item, self.feed) = (item, feed)
  }
}

/// Writes a publication as an Atom feed.
///
/// Each entry names its feed as `source`, so that a reader can show where it is from.
public func atomFeed(_ publication: Publication) -> String {
  var output = """
    <?xml version="1.0" encoding="utf-8"?>
    <feed xmlns="http://www.w3.org/2005/Atom" xmlns:thr="http://purl.org/syndication/thread/1.0">

    """
  output += element("id", publication.id)
  output += element("title", publication.title)
  output += element("updated", publication.changed.rfc3339)
  output += element("generator", "bgfetch")
  for (item, id) in publication.identified { output += entry(item, id) }
  return output + "</feed>\n"
}

private func entry(_ published: PublishedItem, _ id: String) -> String {
  let record = published.item.record
  var output = "<entry>\n"
  output += element("id", id)
  output += element("title", itemTitle(record))
  output += element("updated", published.updated.rfc3339)
  output += element("published", record.published?.rfc3339)
  // An entry must have an author (section 4.1.2), and most feeds have none for each item.
  output += "<author>\(element("name", record.author ?? published.feed.title))</author>\n"
  if let link = published.link { output += "<link\(attribute("href", link))/>\n" }
  if let comments = published.comments {
    output += "<link rel=\"replies\" type=\"text/html\"\(attribute("href", comments))/>\n"
  }
  for file in published.enclosures {
    let length = attribute("length", file.length.map { String($0) })
    output +=
      "<link rel=\"enclosure\"\(attribute("href", file.url))\(attribute("type", file.type))\(length)/>\n"
  }
  for category in record.details?.categories ?? [] { output += "<category\(attribute("term", category))/>\n" }
  if let content = published.content {
    output += element("content", content, " type=\"html\"")
  } else if published.link == nil {
    // Without content an entry needs a link (section 4.1.2).
    output += element("content", record.summary ?? itemTitle(record))
  }
  output += element("summary", record.summary)
  output += "<source>\n" + element("id", "urn:bgfetch:" + published.feed.name.text)
  output += element("title", published.feed.title) + element("updated", published.updated.rfc3339)
  if !webLink(published.feed.link).isEmpty { output += "<link\(attribute("href", published.feed.link))/>\n" }
  return output + "</source>\n</entry>\n"
}

/// Writes a publication as JSON Feed 1.1.
public func jsonFeed(_ publication: Publication) -> String {
  JSONValue([
    "version": "https://jsonfeed.org/version/1.1", "title": publication.title,
    "items": publication.identified.map(feedItem),
  ]).text + "\n"
}

private func feedItem(_ published: PublishedItem, _ id: String) -> JSONValue {
  let record = published.item.record
  let categories = record.details?.categories ?? []
  let files = published.enclosures.map { file in
    present([
      "url": file.url, "mime_type": file.type ?? "application/octet-stream", "size_in_bytes": file.length,
      "duration_in_seconds": file == published.enclosures.first ? record.details?.duration?.seconds : nil,
    ])
  }
  return present([
    "id": id, "title": itemTitle(record), "date_published": published.item.date,
    "authors": [JSONValue(["name": record.author ?? published.feed.title])], "url": published.link,
    "date_modified": published.item.updatedAt, "content_html": published.content,
    // JSON Feed requires one of the two.
    "content_text": published.content == nil ? record.summary ?? itemTitle(record) : nil,
    "summary": record.summary, "image": record.details?.picture,
    "tags": categories.isEmpty ? nil : categories,
    "attachments": files.isEmpty ? nil : files,
    "_bgfetch": JSONValue([
      "feed": published.feed.name, "feed_title": published.feed.title, "seen": record.isSeen,
    ]),
  ])
}

/// An object without the members that are nil.
private func present(_ members: JSONMembers) -> JSONValue {
  .object(members.compactMap { name, value in value.map { (name, $0.json) } })
}

extension Publication {
  /// When an item was last added or changed, so that the document stays the same until the next change.
  var changed: Instant {
    items.map { max($0.item.firstSeen, $0.item.updatedAt ?? $0.item.firstSeen) }.max() ?? updated
  }

  /// The items, each with an identity that is unique in the document.
  ///
  /// Items of a feed may share a guid. The item that was seen first keeps the plain identity; the others get
  /// their numbers.
  var identified: [(item: PublishedItem, id: String)] {
    var first: [String: Int64] = [:]
    for item in items { first[item.id] = min(item.item.number, first[item.id] ?? .max) }
    return items.map { item in
      let isFirst = first[item.id] == item.item.number
      return (item, isFirst ? item.id : item.id + ":\(item.item.number)")
    }
  }

  /// An identity that stays the same for the same name, or for the same title if it has no name.
  var id: String {
    "urn:bgfetch:" + urnEncoded(name ?? title)
  }
}

extension PublishedItem {
  /// An identity that no other item has, even if two feeds use the same guids (RFC 8141 allows these characters).
  var id: String {
    "urn:bgfetch:\(feed.name.text):\(urnEncoded(item.id))"
  }

  /// When it was last changed.
  var updated: Instant { item.updatedAt ?? item.date }

  /// The full content as HTML, if it is stored; readers sanitise it themselves.
  var content: String? {
    item.record.details?.content.map { $0 + (item.restNote.map { "<p>\(escapedMarkup($0))</p>" } ?? "") }
  }

  /// Its page; nil unless http or https.
  var link: String? { web(item.record.link) }

  /// The page with its comments; nil unless http or https.
  var comments: String? { web(item.record.details?.comments) }

  /// Its files at http or https addresses.
  var enclosures: [Enclosure] { (item.record.details?.enclosures ?? []).filter { web($0.url) != nil } }
}

private func urnEncoded(_ text: String) -> String {
  percentEncoded(text) { scalar in
    scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
  }
}

private func web(_ address: String?) -> String? {
  let link = webLink(address)
  return link.isEmpty ? nil : link
}

/// An element with text, or nothing if there is no text.
func element(_ name: String, _ text: String?, _ attributes: String = "") -> String {
  guard let text, !text.isEmpty else { return "" }
  return "<\(name)\(attributes)>\(xmlText(text))</\(name)>\n"
}

/// An attribute with a space before it, or nothing.
func attribute(_ name: String, _ text: String?) -> String {
  guard let text, !text.isEmpty else { return "" }
  return " \(name)=\"\(xmlText(text))\""
}

/// Text for XML 1.0: escaped, without the characters that XML forbids (section 2.2).
func xmlText(_ text: String) -> String {
  let isClean = text.unicodeScalars.allSatisfy(isAllowed)
  return escapedMarkup(
    isClean ? text : String(String.UnicodeScalarView(text.unicodeScalars.filter(isAllowed))), for: .xml)
}

private func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0xA0...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
  default: false
  }
}
