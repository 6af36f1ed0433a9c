// The templates of a message: the configured ones that fit what it covers, else the standard ones.

/// The templates of messages that cover the same.
public struct MessageTemplates: Sendable {
  public let title: Template
  public let body: Template
  /// The form of each item in `{titles}`.
  public let item: Template
  /// Messages with the same identifier replace each other, so it names what one message covers.
  public let identifier: Template

  private init(_ title: String, _ body: String, _ item: String, _ identifier: String) {
    func template(_ text: String) -> Template {
      (try? Template(parsing: text)) ?? Template(literal: text)
    }
    (self.title, self.body) = (template(title), template(body))
    (self.item, self.identifier) = (template(item), template(identifier))
  }

  private static let ofItem = Self("{feed.title}", "{item.title}", "{item.title}", "{feed}/{item.id}")
  private static let ofFeed = Self("{feed.title}: {count} new", "{titles}", "{item.title}", "{feed}")
  private static let ofRun = Self("{feeds}: {count} new", "{titles}", "{feed.title}: {item.title}", "bgfetch")

  // The summary of a change of a page has the changed lines.
  private static let ofChange = Self("{feed.title}", "{item.summary}", "{item.summary}", "{feed}/{item.id}")
  private static let ofPage = Self("{feed.title}: {count} new", "{titles}", "{item.summary}", "{feed}")
  private static let ofPages = Self(
    "{feeds}: {count} new", "{titles}", "{feed.title}:\n{item.summary}", "bgfetch")

  /// The standard templates, for a watched page or for other feeds.
  static func standard(_ group: NotificationGroup, isOfPage: Bool) -> MessageTemplates {
    switch group {
    case .item: isOfPage ? ofChange : ofItem
    case .feed: isOfPage ? ofPage : ofFeed
    case .run: isOfPage ? ofPages : ofRun
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

extension MessageTemplates {
  fileprivate init(title: Template, body: Template, item: Template, identifier: Template) {
    (self.title, self.body, self.item, self.identifier) = (title, body, item, identifier)
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
