// Items as JSON Feed 1.1 (jsonfeed.org).

import Core

/// Writes a publication as JSON Feed 1.1.
public func jsonFeed(_ publication: Publication) -> String {
  let members: [(name: String, value: JSONValue)] = [
    ("version", .string("https://jsonfeed.org/version/1.1")), ("title", .string(publication.title)),
    ("items", .array(publication.identified.map(feedItem))),
  ]
  return JSONValue.object(members).text + "\n"
}

private func feedItem(_ published: PublishedItem, _ id: String) -> JSONValue {
  let record = published.item.record
  var members: [(name: String, value: JSONValue)] = [
    ("id", .string(id)), ("title", .string(itemTitle(record))),
    ("date_published", .string(published.item.date.rfc3339)),
    ("authors", .array([.object([("name", .string(record.author ?? published.feed.title))])])),
  ]
  func add(_ name: String, _ text: String?) {
    if let text { members.append((name, .string(text))) }
  }
  add("url", published.link)
  add("date_modified", published.item.updatedAt?.rfc3339)
  if let content = published.content {
    add("content_html", content)
  } else {
    // JSON Feed requires one of the two.
    add("content_text", record.summary ?? itemTitle(record))
  }
  add("summary", record.summary)
  add("image", record.details?.image)
  let categories = record.details?.categories ?? []
  if !categories.isEmpty { members.append(("tags", .array(categories.map { .string($0) }))) }
  let files = published.enclosures.map { file -> JSONValue in
    var members: [(name: String, value: JSONValue)] = [
      ("url", .string(file.url)), ("mime_type", .string(file.type ?? "application/octet-stream")),
    ]
    if let length = file.length { members.append(("size_in_bytes", JSONValue.number(length))) }
    if let duration = record.details?.duration, file == published.enclosures.first {
      members.append(("duration_in_seconds", .number(duration.seconds)))
    }
    return .object(members)
  }
  if !files.isEmpty { members.append(("attachments", .array(files))) }
  members.append(
    (
      "_bgfetch",
      .object([
        ("feed", .string(published.feed.name.text)), ("feed_title", .string(published.feed.title)),
        ("seen", .bool(record.isSeen)),
      ])
    ))
  return .object(members)
}
