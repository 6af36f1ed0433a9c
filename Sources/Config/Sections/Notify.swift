// `notify`: how news becomes messages.

import Core

extension NotifySpec {
  static let keys = Keys("feeds.*.notify", NotifySpec()) { keys in
    keys.row("hooks", "all or list of hooks", "all", "the hooks that get the notifications") {
      field, notify throws(Mistake) in notify.hooks = try field.hookNames()
    }
    keys.template("title", \.title, "{feed.title}: {count} new", "the title of the notification")
    keys.template("body", \.body, "{titles}", "the body of the notification")
    keys.template(
      "item", \.item, "{item.title}", "the line of each item in {titles}", .notifyItem)
    keys.optional("sound", \.sound, .text, "the name of a sound")
    keys.key("urgency", \.urgency, .word, "how urgent the notification is")
    keys.template(
      "identifier", \.identifier, "{feed}",
      "a notification replaces an earlier one with the same identifier")
    keys.key(
      "delay", \.delay, .interval(.zero, .days(7)), "how long to delay a notification, up to 7d")
    keys.key(
      "when", \.readiness, .word,
      "ready: wait up to 24h for the files of the items; at-once: do not wait")
    keys.key(
      "hours", \.hours, .hours,
      "when notifications may be delivered; at other times they are collected into one summary")
    keys.key(
      "failures", \.failures, .number(0...1000),
      "consecutive failures before the event failing; 0 means never")
  }
}

extension KeyList<NotifySpec> {
  /// A template; the standard one is the template of `group: feed`.
  fileprivate mutating func template(
    _ name: String, _ path: Path<Template?>, _ standard: String, _ help: String,
    _ placeholders: PlaceholderSet = .notify
  ) {
    row(name, "template", "\"\(standard)\"", help) { field, notify throws(Mistake) in
      guard !field.node.isNone else { return notify[keyPath: path] = nil }
      let written = try field.template()
      written.check(placeholders)
      notify[keyPath: path] = written.template
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
