// The text of a message. It is made when the message is first delivered, and frozen then.

/// The material for the text of a message, besides its items.
public struct NotificationMaterial: Sendable {
  public var feeds: [FeedName: FeedSpec]
  public var labels: [FeedName: FeedLabel]
  public var badge: Int
  public var zone: Zone

  public init(feeds: [FeedName: FeedSpec], labels: [FeedName: FeedLabel], badge: Int, zone: Zone) {
    self.feeds = feeds
    self.labels = labels
    self.badge = badge
    self.zone = zone
  }
}

/// The fields of a message for hooks: title, body, sound, urgency, identifier, link, count, badge.
///
/// - Parameter items: its items that are still unseen, newest first.
/// - Returns: nil if nothing is left to say, because the person has seen all items meanwhile.
public func notificationFields(
  _ event: Event, items: [StoredItem], _ material: NotificationMaterial
) -> [EventField]? {
  let badge = EventField("badge", material.badge)
  if event.message == .fixed {
    return event.fields.map { field in
      field.name == "title" ? EventField("title", titled(field.value.text, event.text("feed.title"))) : field
    } + [badge]
  }
  guard let newest = items.first, let label = material.labels[event.feed ?? newest.feed],
    let spec = material.feeds[label.name]?.notify
  else { return nil }
  let isAboutRun = event.message == .ofItems(.run)
  func fill(_ template: Template) -> String {
    template.filled { name, format in
      switch name {
      case "feed": label.name.text
      case "feed.title": label.title
      case "feed.link": label.link
      case "feeds": feedTitles(items, material)
      case "count": String(items.count)
      case "titles": titles(items)
      case "badge": String(material.badge)
      case "item.title": itemTitle(newest.record)
      case "item.link": webLink(newest.record.link)
      case "item.id": cleanText(newest.id, limit: 1024)
      case "item.summary": newest.record.summary ?? ""
      case "item.author": newest.record.author ?? ""
      case "item.published": time(newest.record.published, format, in: material.zone)
      default: newest.record.details?.text(name, limit: 4096) ?? ""
      }
    }
  }
  return [
    EventField("title", titled(cleanText(fill(spec.title), limit: 4096), label.title)),
    EventField("body", cleanLines(fill(spec.body), limit: 4096)),
    EventField("sound", spec.sound), EventField("urgency", spec.urgency.rawValue),
    EventField("identifier", identifierText(fill(spec.identifier))),
    EventField("link", items.count == 1 ? webLink(newest.record.link) : isAboutRun ? "" : label.link),
    EventField("count", items.count), badge,
  ]
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

private func titles(_ items: [StoredItem]) -> String {
  let shown = items.prefix(10).map { itemTitle($0.record) }.joined(separator: "; ")
  return items.count > 10 ? shown + "; and \(items.count - 10) more" : shown
}

private func feedTitles(_ items: [StoredItem], _ material: NotificationMaterial) -> String {
  var seen: Set<FeedName> = []
  return items.map(\.feed).filter { seen.insert($0).inserted }
    .map { material.labels[$0]?.title ?? $0.text }.joined(separator: ", ")
}

/// The identifier that a message about items will have, known before its text is made.
///
/// Empty if it is not known yet: a template with a count or titles gives another identifier each time, and such a message
/// never joins another.
///
/// - Parameter item: the item that the message is about, or nil if there are several.
func waitingIdentifier(_ notify: NotifySpec, label: FeedLabel, item: ItemRecord? = nil) -> String {
  var isKnown = true
  let text = notify.identifier.filled { name, _ in
    switch name {
    case "feed": return label.name.text
    case "feed.title": return label.title
    case "feed.link": return label.link
    default: break
    }
    if let item {
      switch name {
      case "item.title": return itemTitle(item)
      case "item.link": return webLink(item.link)
      case "item.id":
        if let id = item.guid ?? item.link { return cleanText(id, limit: 1024) }
      default: break
      }
    }
    isKnown = false
    return ""
  }
  return isKnown ? identifierText(text) : ""
}

/// An identifier for hooks, cut at a length that keeps items with long identities apart.
func identifierText(_ text: String) -> String { cleanText(text, limit: 2048) }

/// A feed as messages name it.
public struct FeedLabel: Hashable, Sendable {
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
