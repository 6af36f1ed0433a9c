// `notify`: how news becomes messages. Templates are checked last, when the group is known.

import Core

/// The `notify` of a feed while it is read: first that of `defaults`, then the feed's own keys.
struct NotifyDraft {
  private var options = NotifySpec()
  private var title: WrittenTemplate?
  private var body: WrittenTemplate?
  private var item: WrittenTemplate?
  private var identifier: WrittenTemplate?

  mutating func read(_ keys: Section) {
    keys.read("hooks", into: &options.hooks) { $0.hookNames() }
    keys.read("group", into: &options.group, unset: .feed) { $0.choice(of: NotificationGroup.self) }
    keys.read("title", into: &title, unset: nil) { $0.template() }
    keys.read("body", into: &body, unset: nil) { $0.template() }
    keys.read("item", into: &item, unset: nil) { $0.template() }
    keys.read("sound", into: &options.sound, unset: nil) { $0.someText() }
    keys.read("urgency", into: &options.urgency, unset: .normal) { $0.choice(of: Urgency.self) }
    keys.read("identifier", into: &identifier, unset: nil) { $0.template() }
    keys.read("delay", into: &options.delay, unset: .zero) { $0.interval(atMost: .days(7)) }
    keys.read("when", into: &options.readiness, unset: .ready) { $0.choice(of: NotificationMoment.self) }
    keys.read("hours", into: &options.hours, unset: .always) { $0.weeklyHours() }
    keys.read("failures", into: &options.failures, unset: NotifySpec().failures) {
      $0.wholeNumber(in: 0...1000)
    }
  }

  /// Reports unknown placeholders in `defaults`, and drops their templates so that each is reported once.
  mutating func checkTemplatesOfDefaults() {
    for path in [\Self.title, \.body, \.identifier] where self[keyPath: path]?.check(.anyNotify) == false {
      self[keyPath: path] = nil
    }
    if item?.check(.notifyItem) == false { item = nil }
  }

  /// The announcements of a feed; reports placeholders that its group does not have.
  func spec() -> NotifySpec {
    var spec = options
    let placeholders = PlaceholderSet.notify(spec.group)
    for template in [title, body, identifier] { template?.check(placeholders) }
    item?.check(.notifyItem)
    let standard = StandardTemplates.of(spec.group)
    spec.title = title?.template ?? standard.title
    spec.body = body?.template ?? standard.body
    spec.item = item?.template ?? standard.line
    spec.identifier = identifier?.template ?? standard.identifier
    return spec
  }
}

/// The default templates.
///
/// Messages with the same identifier replace each other, so the identifier names what one message covers.
struct StandardTemplates {
  let title: Template
  let body: Template
  /// The form of each item in `{titles}`.
  let line: Template
  let identifier: Template

  private static let item = StandardTemplates(
    title: Template(ours: "{feed.title}"), body: Template(ours: "{item.title}"),
    line: Template(ours: "{item.title}"), identifier: Template(ours: "{feed}/{item.id}"))
  private static let feed = StandardTemplates(
    title: Template(ours: "{feed.title}: {count} new"), body: Template(ours: "{titles}"),
    line: Template(ours: "{item.title}"), identifier: Template(ours: "{feed}"))
  private static let run = StandardTemplates(
    title: Template(ours: "{feeds}: {count} new"), body: Template(ours: "{titles}"),
    line: Template(ours: "{feed.title}: {item.title}"), identifier: Template(ours: "bgfetch"))

  static func of(_ group: NotificationGroup) -> StandardTemplates {
    switch group {
    case .item: item
    case .feed: feed
    case .run: run
    }
  }
}

extension Field {
  /// Names of hooks, an inner nil for all; checked when all hooks are read.
  fileprivate func hookNames() -> [String]?? {
    let expected = "all or a list such as [desktop]"
    if isText, let word = text() {
      if word == "all" { return .some(nil) }
      report(
        "hooks \"\(shown(word))\" is neither all nor a list",
        cure: word == "none" ? "write [] for no hook, or notify: none" : "write [\(shown(word))]")
      return nil
    }
    guard let elements = elements(expecting: expected) else { return nil }
    let names = elements.compactMap { element -> String? in
      guard let name = element.text(expecting: "the name of a hook") else { return nil }
      pass.mentionedHooks.append((name, element.node.place))
      return name
    }
    return .some(names)
  }
}
