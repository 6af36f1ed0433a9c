// JSON Feed 1.0 and 1.1 (jsonfeed.org).

import Core

/// Reads a document that begins with a bracket.
///
/// A member of a wrong type counts as missing. Numbers as ids are taken as they are written. A document without the
/// `version` of JSON Feed is accepted if it has items with some content.
func readJSONFeed(
  _ source: UnsafeBufferPointer<UInt8>, address: String?, shouldStop: @escaping ShouldStop
) -> Result<ParsedFeed, FeedReadingFailure> {
  let document: JSONValue
  do throws(JSONFailure) {
    document = try readJSON(source, shouldStop: shouldStop).value
  } catch {
    return .failure(error == .stopped ? .stopped : .unknown("JSON that is broken or incomplete"))
  }
  guard case .object = document else { return .failure(.unknown("a JSON array")) }
  var reader = JSONFeedReader(links: LinkResolver(at: address, documentSize: source.count))
  let feed = reader.feed(document)
  let isFeed = document["version"]?.trimmedText?.contains("jsonfeed.org") ?? false
  guard isFeed || !feed.items.isEmpty else {
    return .failure(.unknown("JSON that is not a feed, but that kind: json may read"))
  }
  return .success(feed)
}

private struct JSONFeedReader {
  var links: LinkResolver

  mutating func feed(_ json: JSONValue) -> ParsedFeed {
    var feed = ParsedFeed(format: .json)
    feed.title = json["title"]?.title()
    feed.link = links.link(json["home_page_url"])
    feed.hubLinks.accept(topic: links.link(json["feed_url"]))
    for hub in json["hubs"]?.elements ?? [] {
      let type = hub["type"]?.string?.lowercased()
      if type == "websub" || type == "pubsubhubbub" { feed.hubLinks.add(hub: links.link(hub["url"])) }
    }
    for item in json["items"]?.elements ?? [] {
      if case .object = item { feed.accept(self.item(item)) }
    }
    feed.partsLeftOut = links.partsLeftOut
    feed.inherit(authors(json))
    return feed
  }

  private mutating func item(_ json: JSONValue) -> ParsedItem {
    var draft = ItemDraft()
    draft.item.id = json["id"]?.trimmedText
    draft.title.accept(json["title"]?.title(), rank: 1)
    draft.link.accept(links.link(json["url"]) ?? links.link(json["external_url"]), rank: 1)
    let content = json["content_html"]?.trimmedText ?? plainText(json["content_text"])
    draft.content.accept(content.map { ItemMarkup(text: $0) }, rank: 1)
    draft.summary.accept(plainText(json["summary"]).map { ItemMarkup(text: $0) }, rank: 1)
    draft.published.accept(json["date_published"]?.date, rank: 1)
    draft.item.updated = json["date_modified"]?.date
    draft.add(image: links.link(json["image"]))
    draft.add(image: links.link(json["banner_image"]))
    draft.authors = authors(json)
    for tag in json["tags"]?.elements ?? [] { draft.add(category: tag.title()) }
    let files = (json["attachments"]?.elements ?? []).compactMap { file($0, &draft) }
    // Attachments of one title are forms of one file (JSON Feed 1.1, "attachments").
    for group in files.grouped(by: { $0.group }) { draft.add(group: group.map { .init(file: $0.file) }) }
    return draft.item(&links)
  }

  /// Plain text as HTML with the same meaning.
  private func plainText(_ json: JSONValue?) -> String? {
    json?.trimmedText.map { escapedMarkup($0, for: .html) }
  }

  /// The `authors` (an array, in version 1.1), else the `author` (one, in version 1.0); feeds mix them up.
  private func authors(_ json: JSONValue) -> ItemDraft.Authors {
    var authors = ItemDraft.Authors()
    for (name, rank) in [("authors", 2), ("author", 1)] {
      guard let value = json[name] else { continue }
      for author in value.elements + [value] { authors.add((author["name"] ?? author).title(), rank: rank) }
    }
    return authors
  }

  /// A file with its title, or with its address if it has none.
  private mutating func file(_ json: JSONValue, _ draft: inout ItemDraft) -> (file: Enclosure, group: String)?
  {
    draft.accept(duration: json["duration_in_seconds"]?.trimmedText?.withBytes(playingTime), rank: 1)
    guard let url = links.link(json["url"]) else { return nil }
    let length = json["size_in_bytes"]?.trimmedText?.withBytes(number)
    let file = Enclosure(
      url: url, type: json["mime_type"]?.trimmedText, length: length == 0 ? nil : length)
    return (file, json["title"]?.title() ?? url)
  }
}
