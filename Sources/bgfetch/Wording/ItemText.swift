// Items, listed.

import Core

/// What feeds are called in a list of items.
typealias ItemLabels = [FeedName: FeedLabel]

/// What the configured feeds are called.
func itemLabels(_ settings: Settings, _ states: [FeedName: FeedState]) -> ItemLabels {
  Dictionary(settings.feeds.map { ($0.name, FeedLabel($0, states[$0.name] ?? FeedState())) }) { first, _ in
    first
  }
}

/// The placeholders of `items --format`.
private let itemPlaceholders: Set<String> = [
  "feed", "feed.title", "item.title", "item.link", "item.id", "item.published", "item.summary", "item.author",
  "seen", "asset.path",
]

/// Reads a template of `items --format`.
func itemLayout(_ text: String) throws -> Template {
  let template: Template
  do throws(Template.Mistake) {
    template = try Template(parsing: text)
  } catch {
    throw ProgramFailure.usage("--format: \(templateText(error))")
  }
  for name in template.placeholders where !itemPlaceholders.contains(name) {
    let known = itemPlaceholders.sorted().map { "{\($0)}" }.joined(separator: ", ")
    throw ProgramFailure.usage("--format: there is no placeholder {\(name)}; there are \(known)")
  }
  for case .placeholder(let name, let format?) in template.parts {
    guard name == "item.published" else {
      throw ProgramFailure.usage("--format: {\(name)} is no time and takes no format")
    }
    do throws(TimeFormatProblem) {
      _ = try TimeFormat(format)
    } catch {
      throw ProgramFailure.usage(
        "--format: \"\(format)\" is no time's format; there are %Y %m %d %H %M %S and more, see bgfetch.yaml(5)"
      )
    }
  }
  return template
}

/// A mistake in a template, in words.
func templateText(_ mistake: Template.Mistake) -> String {
  switch mistake {
  case .unclosedBrace(let place): "the { at character \(place + 1) has no }; write {{ for a brace"
  case .strayBrace(let place): "the } at character \(place + 1) has no {; write }} for a brace"
  case .badName(let name, let place):
    "{\(name)} at character \(place + 1) is no placeholder; write {{ for a brace"
  }
}

/// An item as a line: a mark where it is unseen, its date, feed and title.
func itemLine(_ item: StoredItem, _ labels: ItemLabels, in zone: Zone) -> String {
  let mark = item.record.isSeen ? " " : "*"
  return "\(mark) \(shortDate(item.date, in: zone))  \(item.feed)  \(itemTitle(item.record))"
}

/// An item by a template.
func itemLine(
  _ item: StoredItem, _ template: Template, _ labels: ItemLabels, _ assets: ItemAssets, in zone: Zone
) -> String {
  template.filled { name, format in
    let text =
      switch name {
      case "feed": item.feed.text
      case "feed.title": labels[item.feed]?.title ?? item.feed.text
      case "item.title": itemTitle(item.record)
      case "item.link": item.record.link ?? ""
      case "item.id": item.id
      case "item.published": time(item.date, format, in: zone)
      case "item.summary": item.record.summary ?? ""
      case "item.author": item.record.author ?? ""
      case "seen": item.record.isSeen ? "seen" : "unseen"
      case "asset.path": assets.firstPath(of: item) ?? ""
      default: ""
      }
    return cleanText(text, limit: 8192)
  }
}

/// An item as JSON.
func itemJSON(_ item: StoredItem, _ labels: ItemLabels, _ assets: ItemAssets) -> JSONValue {
  .object([
    ("type", .string("item")), ("feed", .string(item.feed.text)),
    ("feed-title", .string(labels[item.feed]?.title ?? item.feed.text)), ("id", .string(item.id)),
    ("title", .string(itemTitle(item.record))), ("link", .text(item.record.link)),
    ("published", .text(item.record.published?.rfc3339)), ("first-seen", .string(item.firstSeen.rfc3339)),
    ("updated", .text(item.updatedAt?.rfc3339)), ("author", .text(item.record.author)),
    ("summary", .text(item.record.summary)), ("seen", .bool(item.record.isSeen)),
    ("assets", .array(assets.json(of: item))),
  ])
}

private func shortDate(_ moment: Instant, in zone: Zone) -> String {
  time(moment, "%Y-%m-%d %H:%M", in: zone)
}
