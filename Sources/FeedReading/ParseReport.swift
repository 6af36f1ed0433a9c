// What `bgfetch parse --json` prints of a feed.

public import Core

/// A feed as the one object that bgfetch(1) describes under `parse --json`; what is absent is `null`.
public func parseReport(_ feed: ParsedFeed) -> JSONValue {
  .object([
    ("format", .string(feed.format.rawValue)),
    ("title", .text(feed.title)),
    ("link", .text(feed.link)),
    ("id", .text(feed.id)),
    ("published", moment(feed.published)),
    ("updated", moment(feed.updated)),
    ("items", .array(feed.items.map(itemReport))),
  ])
}

private func itemReport(_ item: ParsedItem) -> JSONValue {
  .object([
    ("id", .text(item.id)),
    ("title", .text(item.title)),
    ("link", .text(item.link)),
    ("published", moment(item.published)),
    ("updated", moment(item.updated)),
    ("summary", .text(item.summary)),
    (
      "enclosures",
      .array(
        item.enclosures.map { enclosure in
          .object([
            ("url", .string(enclosure.url)),
            ("type", .text(enclosure.type)),
            ("length", enclosure.length.map(JSONValue.number) ?? .null),
          ])
        })
    ),
  ])
}

private func moment(_ instant: Instant?) -> JSONValue {
  .text(instant?.rfc3339)
}
