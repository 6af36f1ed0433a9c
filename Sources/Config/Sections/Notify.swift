// `notify`: how news becomes messages.

import Core

/// The `notify` of a feed while it is read: first the one of `defaults`, then the feed's own keys.
struct NotifyDraft {
  private(set) var spec = NotifySpec()

  static let keys = Keys("feeds.*.notify", NotifyDraft()) { keys in
    keys.row("hooks", "all or list of hooks", "all", "the hooks that get the notifications") {
      field, draft, _ throws(Mistake) in draft.spec.hooks = try field.hookNames()
    }
    keys.template("title", \.spec.title, "{feed.title}: {count} new", "the title of the notification")
    keys.template("body", \.spec.body, "{titles}", "the body of the notification")
    keys.template(
      "item", \.spec.item, "{item.title}", "the line of each item in {titles}", .notifyItem)
    keys.optional("sound", \.spec.sound, .text, "the name of a sound")
    keys.key("urgency", \.spec.urgency, .word, "how urgent the notification is")
    keys.template(
      "identifier", \.spec.identifier, "{feed}",
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
}

extension KeyList<NotifyDraft> {
  /// A template; the standard one is the template of `group: feed`.
  fileprivate mutating func template(
    _ name: String, _ path: Path<Template?>, _ standard: String, _ help: String,
    _ placeholders: PlaceholderSet = .notify
  ) {
    row(name, "template", "\"\(standard)\"", help) { field, draft, _ throws(Mistake) in
      guard !field.node.isNone else { return draft[keyPath: path] = nil }
      let written = try field.template()
      written.check(placeholders)
      draft[keyPath: path] = written.template
      if written.template.isAboutItem, name != "item" {
        field.pass.templatesOfItems.append((field.name, field.node.location))
      }
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
