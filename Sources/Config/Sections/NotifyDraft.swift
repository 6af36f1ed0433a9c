// `notify`: how what is new becomes messages. Templates are checked last, when the group is known.

import Core

/// Announcements on their way: what `defaults` gave, and then the feed.
struct NotifyDraft {
  private var settled = NotifySpec()
  private var title: WrittenTemplate?
  private var body: WrittenTemplate?
  private var identifier: WrittenTemplate?

  /// Reads the keys that stand in a mapping.
  mutating func read(_ keys: Section) {
    keys.read("hooks", into: &settled.hooks) { $0.hookNames() }
    keys.read("group", into: &settled.group, unset: .feed) { $0.choice(of: NotificationGroup.self) }
    keys.read("title", into: &title, unset: nil) { $0.template() }
    keys.read("body", into: &body, unset: nil) { $0.template() }
    keys.read("sound", into: &settled.sound, unset: nil) { $0.someText() }
    keys.read("urgency", into: &settled.urgency, unset: .normal) { $0.choice(of: Urgency.self) }
    keys.read("identifier", into: &identifier, unset: nil) { $0.template() }
    keys.read("delay", into: &settled.delay, unset: .zero) { $0.interval(atMost: .days(7)) }
    keys.read("when", into: &settled.readiness, unset: .ready) { $0.choice(of: NotificationMoment.self) }
    keys.read("hours", into: &settled.hours, unset: .always) { $0.weeklyHours() }
    keys.read("failures", into: &settled.failures, unset: NotifySpec().failures) {
      $0.wholeNumber(in: 0...1000)
    }
  }

  /// Reports placeholders that exist with no group at all, and forgets their templates, so that this is said
  /// once.
  mutating func checkTemplatesOfDefaults() {
    for path in [\Self.title, \.body, \.identifier] where self[keyPath: path]?.check(.anyNotify) == false {
      self[keyPath: path] = nil
    }
  }

  /// The announcements of a feed; a placeholder that its group does not have is reported.
  func spec() -> NotifySpec {
    var spec = settled
    let placeholders = PlaceholderSet.notify(spec.group)
    for template in [title, body, identifier] { template?.check(placeholders) }
    let standard = StandardTemplates.of(spec.group)
    spec.title = title?.template ?? standard.title
    spec.body = body?.template ?? standard.body
    spec.identifier = identifier?.template ?? standard.identifier
    return spec
  }
}

/// The templates of messages that say nothing else.
///
/// Messages with the same identifier replace each other, so it names whatever one message covers.
struct StandardTemplates {
  /// The title.
  let title: Template
  /// The body.
  let body: Template
  /// The identifier.
  let identifier: Template

  private static let item = StandardTemplates(
    title: Template(ours: "{feed.title}"), body: Template(ours: "{item.title}"),
    identifier: Template(ours: "{feed}/{item.id}"))
  private static let feed = StandardTemplates(
    title: Template(ours: "{feed.title}"), body: Template(ours: "{count} new: {titles}"),
    identifier: Template(ours: "{feed}"))
  private static let run = StandardTemplates(
    title: Template(ours: "{count} new"), body: Template(ours: "{titles}"),
    identifier: Template(ours: "bgfetch"))

  /// Those of a group.
  static func of(_ group: NotificationGroup) -> StandardTemplates {
    switch group {
    case .item: item
    case .feed: feed
    case .run: run
    }
  }
}

extension Field {
  /// Names of hooks, nil inside for all of them; that they exist is checked when all are read.
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
