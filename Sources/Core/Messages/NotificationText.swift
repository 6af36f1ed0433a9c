// The text of a message, made when it is first delivered and frozen then.

/// What a message is made from besides its items.
public struct NotificationMaterial: Sendable {
  /// The feeds of the configuration.
  public var feeds: [FeedName: FeedSpec]
  /// What they are called.
  public var labels: [FeedName: FeedLabel]
  /// The badge now.
  public var badge: Int
  /// The zone in which times are written.
  public var zone: Zone

  /// The material of a run.
  public init(feeds: [FeedName: FeedSpec], labels: [FeedName: FeedLabel], badge: Int, zone: Zone) {
    self.feeds = feeds
    self.labels = labels
    self.badge = badge
    self.zone = zone
  }
}

/// The fields of a message, ready for hooks: title, body, sound, urgency, badge, identifier, link, count; and its group,
/// which hooks do not get.
///
/// - Parameters:
///   - event: the recorded notification.
///   - items: those of its items that are still unseen, newest first.
///   - material: feeds, titles and the badge.
/// - Returns: nil where nothing is left to say, because the person has seen every item meanwhile.
public func notificationFields(
  _ event: Event, items: [StoredItem], _ material: NotificationMaterial
) -> [EventField]? {
  let badge = EventField("badge", material.badge)
  if event.text("group") == "fixed" {
    return event.fields.map { field in
      field.name == "title" ? EventField("title", titled(field.value.text, event.text("feed.title"))) : field
    } + [badge]
  }
  guard let newest = items.first, let label = material.labels[event.feed ?? newest.feed],
    let spec = material.feeds[label.name]?.notify
  else { return nil }
  let isAboutRun = event.text("group") == NotificationGroup.run.rawValue
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
      default: ""
      }
    }
  }
  return [
    EventField("group", event.text("group")),
    EventField("title", titled(cleanText(fill(spec.title), limit: 4096), label.title)),
    EventField("body", cleanLines(fill(spec.body), limit: 4096)),
    EventField("sound", spec.sound), EventField("urgency", spec.urgency.rawValue),
    EventField("identifier", identifierText(fill(spec.identifier))),
    EventField("link", items.count == 1 ? webLink(newest.record.link) : isAboutRun ? "" : label.link),
    EventField("count", items.count), badge,
  ]
}

/// A title, or another where that is empty, as for an item without an author: notify-send(1) refuses a message without one.
private func titled(_ title: String, _ other: String) -> String {
  [title, other].first { !$0.isEmpty } ?? "bgfetch"
}

/// A time as a placeholder shows it: by its strftime(3) format, RFC 3339 without one, empty where there is
/// none.
public func time(_ instant: Instant?, _ format: String?, in zone: Zone) -> String {
  guard let instant else { return "" }
  guard let format else { return instant.rfc3339 }
  // The configuration has already refused formats that cannot be read.
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
