// `notify`: how news becomes messages. Templates are checked last, when the group is known.

import Core

/// The `notify` of a feed while it is read: first the one of `defaults`, then the feed's own keys.
struct NotifyDraft {
  private var spec = NotifySpec()
  private var title: WrittenTemplate?
  private var body: WrittenTemplate?
  private var item: WrittenTemplate?
  private var identifier: WrittenTemplate?

  static let keys = Keys("feeds.*.notify", NotifyDraft()) { keys in
    let standard = StandardTemplates.of(.feed)
    keys.row("hooks", "all or list of hooks", "all", "the hooks that get the notifications") {
      field, draft, _ throws(Mistake) in draft.spec.hooks = try field.hookNames()
    }
    keys.key("group", \.spec.group, .word, "what one notification covers")
    keys.template("title", \.title, standard.title, "the title of the notification")
    keys.template("body", \.body, standard.body, "the body of the notification")
    keys.template("item", \.item, standard.line, "the line of each item in {titles}")
    keys.optional("sound", \.spec.sound, .text, "the name of a sound")
    keys.key("urgency", \.spec.urgency, .word, "how urgent the notification is")
    keys.template(
      "identifier", \.identifier, standard.identifier,
      "a notification replaces an earlier one with the same identifier")
    keys.key(
      "delay", \.spec.delay, .interval(.zero, .days(7)), "how long to delay a notification, up to 7d")
    keys.key(
      "when", \.spec.readiness, .word,
      "ready: wait up to 24h for the files of the items; at-once: do not wait")
    keys.key(
      "hours", \.spec.hours, .hours,
      "when notifications may be delivered; at other times they are collected into one summary")
    keys.key(
      "failures", \.spec.failures, .number(0...1000),
      "consecutive failures before the event failing; 0 means never")
  }

  /// Reports unknown placeholders in `defaults`, and drops their templates so that each is reported once.
  mutating func checkTemplatesOfDefaults() {
    for path in [\Self.title, \.body, \.identifier] where self[keyPath: path]?.check(.anyNotify) == false {
      self[keyPath: path] = nil
    }
    if item?.check(.notifyItem) == false { item = nil }
  }

  /// The announcements of a feed; reports placeholders that its group does not have.
  ///
  /// - Parameter isPageText: whether its news are changes of a page, of which lines are told.
  func whole(isPageText: Bool) -> NotifySpec {
    var spec = spec
    let placeholders = PlaceholderSet.notify(spec.group)
    for template in [title, body, identifier] { template?.check(placeholders) }
    item?.check(.notifyItem)
    let standard = StandardTemplates.of(spec.group, isPageText: isPageText)
    spec.title = title?.template ?? standard.title.template
    spec.body = body?.template ?? standard.body.template
    spec.item = item?.template ?? standard.line.template
    spec.identifier = identifier?.template ?? standard.identifier.template
    return spec
  }
}

extension KeyList<NotifyDraft> {
  /// A template that is checked when the group is known.
  fileprivate mutating func template(
    _ name: String, _ path: Path<WrittenTemplate?>,
    _ standard: StandardTemplates.Standard, _ help: String
  ) {
    row(name, "template", "\"\(standard.text)\"", help) { field, draft, _ throws(Mistake) in
      draft[keyPath: path] = field.node.isNone ? nil : try field.template()
    }
  }
}

/// The default templates.
///
/// Messages with the same identifier replace each other, so the identifier names what one message covers.
struct StandardTemplates {
  /// A template that is part of this program; a test fills in each of them.
  struct Standard {
    let text: String
    let template: Template

    init(_ text: String) {
      (self.text, template) = (text, (try? Template(parsing: text)) ?? Template(literal: text))
    }
  }

  let title: Standard
  let body: Standard
  /// The form of each item in `{titles}`.
  let line: Standard
  let identifier: Standard

  private init(_ title: String, _ body: String, _ line: String, _ identifier: String) {
    self.title = Standard(title)
    self.body = Standard(body)
    self.line = Standard(line)
    self.identifier = Standard(identifier)
  }

  private static let item = Self("{feed.title}", "{item.title}", "{item.title}", "{feed}/{item.id}")
  private static let feed = Self("{feed.title}: {count} new", "{titles}", "{item.title}", "{feed}")
  private static let run = Self("{feeds}: {count} new", "{titles}", "{feed.title}: {item.title}", "bgfetch")

  // The summary of a change of a page has the changed lines.
  private static let itemOfPage = Self("{feed.title}", "{item.summary}", "{item.summary}", "{feed}/{item.id}")
  private static let feedOfPage = Self("{feed.title}: {count} new", "{titles}", "{item.summary}", "{feed}")
  private static let runOfPage = Self(
    "{feeds}: {count} new", "{titles}", "{feed.title}:\n{item.summary}", "bgfetch")

  static func of(_ group: NotificationGroup, isPageText: Bool = false) -> StandardTemplates {
    switch group {
    case .item: isPageText ? itemOfPage : item
    case .feed: isPageText ? feedOfPage : feed
    case .run: isPageText ? runOfPage : run
    }
  }
}

extension Field {
  /// Names of hooks, nil for all; checked when all hooks are read.
  fileprivate func hookNames() throws(Mistake) -> [String]? {
    if isText {
      let word = try text()
      if word == "all" { return nil }
      throw mistake(
        "hooks \"\(shown(word))\" is neither all nor a list",
        cure: word == "none" ? "write [] for no hook, or notify: none" : "write [\(shown(word))]")
    }
    return try values(expecting: "all or a list such as [desktop]") { entry throws(Mistake) in
      let name = try entry.text(expecting: "the name of a hook")
      pass.mentionedHooks.append((name, entry.node.location))
      return name
    }
  }
}
