// The text of a message. It is made when the message is first delivered, and frozen then. Also the
// badge in the formats of status bars.

/// The material for the text of a message, besides its items.
public struct NotificationMaterial: Sendable {
  var feeds: [FeedName: FeedSpec]
  public var labels: [FeedName: FeedLabel]
  /// Nil if no badge is kept.
  var badge: Int?
  var zone: Zone
  /// The paths of downloaded files by the number of their item.
  public var files: [Int64: [String]] = [:]

  public init(feeds: [FeedName: FeedSpec], labels: [FeedName: FeedLabel], badge: Int?, zone: Zone) {
    (self.feeds, self.labels, self.badge, self.zone) = (feeds, labels, badge, zone)
  }
}

/// The fields of a message for hooks: title, body, sound, urgency, identifier, link, id, count, badge, items.
///
/// - Parameter items: its items that are still unseen, newest first.
/// - Returns: nil if nothing is left to say, because the person has seen all items meanwhile.
public func notificationFields(
  _ event: Event, items: [StoredItem], _ material: NotificationMaterial
) -> JSONValue? {
  let last = JSONValue([
    "badge": material.badge, "items": eventItems(items, material, most: EventItem.most),
  ])
  guard let group = event.group else {
    let title = titled(event.text("title"), event.text("feed.title"))
    return event.fields.replacing("title", with: title).adding(last)
  }
  guard let newest = items.first, let label = material.labels[event.feed ?? newest.feed],
    let spec = material.feeds[label.name]?.notify
  else { return nil }
  let templates = spec.templates(for: group)
  let text = MessageFilling(
    spec: spec, group: group, label: label, newest: newest, items: items, material: material)
  return JSONValue([
    "title": titled(cleanText(text.filled(templates.title), limit: 4096), label.title),
    "body": cleanLines(text.filled(templates.body, hasLines: true), limit: 4096),
    "sound": spec.sound, "urgency": spec.urgency.rawValue,
    "identifier": identifierText(text.filled(templates.identifier)),
    "link": items.count == 1 ? webLink(newest.record.link) : group == .run ? "" : label.link,
    "id": items.count == 1 ? cleanText(newest.id, limit: 1024) : nil, "count": items.count,
  ]).adding(last)
}

/// The templates of a feed, filled for one message.
private struct MessageFilling {
  let spec: NotifySpec
  let group: NotificationGroup
  let label: FeedLabel
  let newest: StoredItem
  /// All items of the message, newest first.
  let items: [StoredItem]
  let material: NotificationMaterial

  /// A template with its placeholders filled.
  ///
  /// With `hasLines`, `{titles}` alone on a line has a line for each item. Elsewhere it is one line.
  func filled(_ template: Template, hasLines: Bool = false) -> String {
    var text = ""
    for (index, part) in template.parts.enumerated() {
      switch part {
      case .literal(let literal): text += literal
      case .placeholder("titles", _) where hasLines && template.isAloneOnLine(index):
        text += titleLine(titles, count: items.count, separator: "\n")
      case .placeholder(let name, let format): text += value(name, format)
      }
    }
    return text
  }

  private func value(_ name: String, _ format: String?) -> String {
    switch name {
    case "feeds": feedTitles(items, material)
    case "count": String(items.count)
    case "titles":
      titleLine(titles.map { cleanText($0, limit: 1024) }, count: items.count)
    case "badge": material.badge.map(String.init) ?? ""
    default: itemValue(name, format, of: newest, label: label, in: material.zone)
    }
  }

  /// The first items, each by the `notify.item` of its feed, with `mostLines` at most.
  private var titles: [String] {
    var titles: [String] = []
    var count = 0
    let items = items.prefix(mostTitles)
    for var item in items {
      let label = material.labels[item.feed] ?? label
      let spec = material.feeds[item.feed]?.notify ?? spec
      let template = spec.templates(for: group).item
      if spec.isOfPage, case let changes = item.record.changedLines, !changes.isEmpty {
        item.record.summary = PageChange.beginning(of: changes, amongChanges: items.count)
          .joined(separator: "\n")
      }
      let text = template.filled { itemValue($0, $1, of: item, label: label, in: material.zone) }
      let lines = cleanLines(text, limit: 4096)
      count += lines.utf8.count { $0 == "\n" } + 1
      guard titles.isEmpty || count <= mostLines else { break }
      titles.append(lines.isEmpty ? itemTitle(item.record) : lines)
    }
    return titles
  }
}

/// The value of a placeholder about one item or its feed; empty if there is no such placeholder.
///
/// - Parameter limit: the most bytes of content.
public func itemValue(
  _ name: String, _ format: String?, of item: StoredItem, label: FeedLabel?, in zone: Zone, limit: Int = 4096
) -> String {
  switch name {
  case "feed": item.feed.text
  case "feed.title": label?.title ?? item.feed.text
  case "feed.link": label?.link ?? ""
  case "item.title": itemTitle(item.record)
  case "item.link": webLink(item.record.link)
  case "item.id": cleanText(item.id, limit: 1024)
  case "item.summary": item.record.summary ?? ""
  case "item.author": item.record.author ?? ""
  case "item.published": time(item.record.published, format, in: zone)
  default: item.record.details?.text(name, limit: limit) ?? ""
  }
}

/// The items of a message as its event carries them.
func eventItems(_ items: [StoredItem], _ material: NotificationMaterial, most: Int) -> [EventItem] {
  items.prefix(most).map { item in
    EventItem(
      item, label: material.labels[item.feed], files: material.files[item.number] ?? [],
      isPage: material.feeds[item.feed]?.kind.isPageText ?? false)
  }
}

/// A title that is never empty: notify-send(1) refuses a message without one.
private func titled(_ title: String, _ other: String) -> String {
  [title, other].first { !$0.isEmpty } ?? "bgfetch"
}

/// A time as a placeholder shows it: by its strftime(3) format, or as RFC 3339 without one; empty if there is no time.
public func time(_ instant: Instant?, _ format: String?, in zone: Zone) -> String {
  guard let instant else { return "" }
  guard let format else { return instant.rfc3339 }
  // Invalid formats were refused with the configuration.
  return (try? TimeFormat(format))?.text(of: instant, in: zone) ?? instant.rfc3339
}

private func feedTitles(_ items: [StoredItem], _ material: NotificationMaterial) -> String {
  let feeds = items.grouped(by: \.feed).map { $0[0].feed }
  return shortList(feeds.map { material.labels[$0]?.title ?? $0.text })
}

/// The identifier that a message about items will have, known before its text is made.
///
/// Empty if it is not known yet: a template with a count or titles gives another identifier each time, and such a message
/// never joins another.
///
/// - Parameter item: the item that the message is about, or nil if there are several.
func waitingIdentifier(
  _ notify: NotifySpec, _ group: NotificationGroup, label: FeedLabel, item: ItemRecord? = nil
) -> String {
  let identifier = notify.templates(for: group).identifier
  var known = JSONValue(["feed": label.name, "feed.title": label.title, "feed.link": label.link])
  if let item { known = known.adding(itemFields(item)) }
  let isKnown = identifier.placeholders.allSatisfy { $0 != "item.published" && known[$0]?.string != nil }
  guard isKnown else { return "" }
  return identifierText(identifier.filled { name, _ in known.fieldText(name) })
}

/// An identifier for hooks, cut at a length that keeps items with long identities apart.
func identifierText(_ text: String) -> String { cleanText(text, limit: 2048) }

/// A feed as messages name it.
public struct FeedLabel: Sendable {
  public var name: FeedName
  /// The configured title, else the feed's own, else the name.
  public var title: String
  /// The address of the feed's page; empty unless http or https.
  public var link: String

  public init(_ feed: FeedSpec, _ state: FeedState) {
    name = feed.name
    title = cleanText(feed.title ?? state.title ?? feed.name.text, limit: 256)
    if title.isEmpty { title = feed.name.text }
    link = webLink(state.link)
  }
}

/// A link for hooks: http or https as it was written, or empty, since a hook may open it.
///
/// The fragment is kept; it may name one comment on a page.
public func webLink(_ link: String?) -> String {
  guard let link, WebAddress(link) != nil else { return "" }
  return link
}

public enum BadgeFormat: Equatable, Sendable {
  /// The number alone.
  case plain
  /// One JSON object for waybar-custom(5), escaped for Pango.
  case waybar
  /// Text for the status line of tmux.
  case tmux
  /// A template with `{badge}`.
  case template(Template)
}

/// The text of a bar if the badge cannot be read: `!`, with the reason as the tooltip; nil for formats that are not for
/// bars.
public func badgeText(failed reasons: [String], as format: BadgeFormat) -> String? {
  switch format {
  case .plain, .template: return nil
  case .tmux: return "!"
  case .waybar:
    let tooltip = reasons.map { escapedMarkup(cleanText($0, limit: 512)) }.joined(separator: "\n")
    return JSONValue(["text": "!", "alt": "error", "class": "error", "tooltip": tooltip]).text
  }
}

/// The badge as one line without a newline; empty for a status bar if it is 0.
///
/// - Parameter unseen: unseen items by feed title, most first, for the tooltip.
public func badgeText(_ badge: Int, unseen: [(title: String, count: Int)], as format: BadgeFormat) -> String {
  switch format {
  case .plain: return String(badge)
  case .tmux: return badge == 0 ? "" : String(badge)
  case .template(let template): return template.filled { name, _ in name == "badge" ? String(badge) : "" }
  case .waybar:
    let tooltip = unseen.filter { $0.count > 0 }.map {
      "\(escapedMarkup(cleanText($0.title, limit: 256))): \($0.count)"
    }
    let state = badge == 0 ? "none" : "unseen"
    return JSONValue([
      "text": badge == 0 ? "" : String(badge), "alt": state, "class": state,
      "tooltip": tooltip.joined(separator: "\n"),
    ]).text
  }
}
