// The templates of a message: the configured ones that fit what it covers, else the standard ones.

/// The templates of messages that cover the same.
public struct MessageTemplates: Sendable {
  public let title: Template
  public let body: Template
  /// The form of each item in `{titles}`.
  public let item: Template
  /// Messages with the same identifier replace each other, so it names what one message covers.
  public let identifier: Template

  /// The standard templates, for a watched page, whose summary of a change has the changed lines, or for other feeds.
  static func standard(_ group: NotificationGroup, isOfPage: Bool) -> MessageTemplates {
    func templates(_ title: String, _ body: String, _ item: String, _ identifier: String) -> Self {
      Self(
        title: Template(builtIn: title), body: Template(builtIn: body), item: Template(builtIn: item),
        identifier: Template(builtIn: identifier))
    }
    let item = isOfPage ? "{item.summary}" : "{item.title}"
    let ofRun = "{feed.title}:" + (isOfPage ? "\n" : " ") + item
    return switch group {
    case .item: templates("{feed.title}", item, item, "{feed}/{item.id}")
    case .feed: templates("{feed.title}: {count} new", "{titles}", item, "{feed}")
    case .run: templates("{feeds}: {count} new", "{titles}", ofRun, "bgfetch")
    }
  }
}

extension NotifySpec {
  /// The templates of messages that cover this.
  public func templates(for group: NotificationGroup) -> MessageTemplates {
    let standard = MessageTemplates.standard(group, isOfPage: isOfPage)
    func template(_ own: Template?, _ standard: Template) -> Template {
      own.flatMap { $0.fits(group) ? $0 : nil } ?? standard
    }
    return MessageTemplates(
      title: template(title, standard.title), body: template(body, standard.body),
      item: item ?? standard.item, identifier: template(identifier, standard.identifier))
  }
}

extension Template {
  /// Whether it has placeholders of an item, which only messages about one item have.
  public var isAboutItem: Bool { placeholders.contains { $0.hasPrefix("item.") } }

  /// Whether the template fits messages that cover this: those of a feed have no placeholder of an item, those of a run also none
  /// of a feed, and those of an item are not counted or listed.
  func fits(_ group: NotificationGroup) -> Bool {
    switch group {
    case .item: isAboutItem || !placeholders.contains { ["count", "titles", "feeds"].contains($0) }
    case .feed: !isAboutItem
    case .run: !isAboutItem && !placeholders.contains { $0 == "feed" || $0.hasPrefix("feed.") }
    }
  }
}
