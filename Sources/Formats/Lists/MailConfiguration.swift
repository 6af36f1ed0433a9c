// rss2email's configuration (r2e(1), "CONFIGURATION"): sections of settings, of which each `[feed.NAME]` is a feed with the
// settings of `[DEFAULT]`. The program writes all of these, most as they are by default.

import Core

/// Reads rss2email's configuration; nil if the text has no section for a feed or of defaults.
func readMailConfiguration(_ lines: TextLines) -> Result<[SubscriptionEntry], SubscriptionListFailure>? {
  var sections: [MailSection] = []
  for line in lines {
    if line.text.hasPrefix("["), line.text.hasSuffix("]") {
      sections.append(MailSection(line: line.number, name: String(line.text.dropFirst().dropLast())))
      continue
    }
    let parts = line.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
      String($0).withBytes { nonEmpty(trimmed($0)) ?? "" }
    }
    guard parts.count == 2, !line.text.hasPrefix("#"), !sections.isEmpty else { continue }
    sections[sections.count - 1].values[parts[0].lowercased()] = parts[1]
  }
  guard sections.contains(where: { $0.name == "DEFAULT" || $0.feed != nil }) else { return nil }
  let defaults = sections.first { $0.name == "DEFAULT" } ?? MailSection(line: 1, name: "DEFAULT")
  var entries = SubscriptionEntries()
  for section in sections where section.feed != nil { entries.add(section, with: defaults) }
  entries.addRemarks(on: defaults)
  return .success(entries.finish())
}

private struct MailSection {
  let line: Int
  let name: String
  var values: [String: String] = [:]

  /// The name of its feed.
  var feed: String? { name.hasPrefix("feed.") ? String(name.dropFirst(5)) : nil }

  subscript(_ setting: String) -> String { values[setting] ?? "" }

  func isOn(_ setting: String) -> Bool { ["true", "yes", "on", "1"].contains(self[setting].lowercased()) }

  /// The settings that bgfetch lacks, unless they are as they are by default or in the defaults.
  func lacking(besides defaults: MailSection? = nil) -> [(name: String, reason: String)] {
    lackingSettings.filter { name, standard in
      values[name].map { $0 != standard && $0 != defaults?[name] } ?? false
    }.map { ($0.name, "") }
  }
}

/// Settings without a key, with their defaults.
///
/// All others are about how mails are encoded and dated, or belong to one of these.
private let lackingSettings: [(name: String, standard: String)] = [
  ("bonus-header", ""), ("post-process", ""), ("digest-post-process", ""), ("use-css", "False"),
  ("name-format", "{feed-title}: {author}"), ("use-publisher-email", "False"),
  ("same-server-fetch-interval", "0"), ("sendmail", "/usr/sbin/sendmail"), ("sendmail_config", ""),
  ("email-protocol", "sendmail"),
]

extension SubscriptionEntries {
  fileprivate mutating func add(_ section: MailSection, with defaults: MailSection) {
    guard let name = section.feed else { return }
    guard !section["url"].isEmpty else { return add(.noAddress("a url"), line: section.line) }
    var all = section
    all.values.merge(defaults.values) { own, _ in own }
    var subscription = Subscription(url: section["url"])
    subscription.name = name
    subscription.isPaused = !all["active"].isEmpty && !all.isOn("active")
    let agent = all["user-agent"]
    if !agent.isEmpty, !agent.contains("__VERSION__") {
      subscription.keys["headers.User-Agent"] = .string(agent)
    }
    if !all["proxy"].isEmpty { subscription.keys["network.proxy"] = .string(all["proxy"]) }
    if !["", "60"].contains(all["feed-timeout"]) {
      subscription.keys["network.timeout"] = .string(all["feed-timeout"] + "s")
    }
    if all.isOn("trust-link") { subscription.keys["identity"] = .string("link") }
    // A change of an item is a mail, with reply-changes in reply to the first one.
    let ignoresIDs = !all["trust-guid"].isEmpty && !all.isOn("trust-guid") && !all.isOn("trust-link")
    if ignoresIDs || all.isOn("reply-changes") { subscription.keys["updated"] = .string("0s") }
    add(subscription, line: section.line)
    var parts = section.lacking(besides: defaults)
    for setting in ["to", "from", "digest"]
    where section.values[setting].map({ $0 != defaults[setting] }) ?? false {
      parts.append((setting, "write another hook, with feeds: [\(name)]"))
    }
    if !parts.isEmpty { add(.without(parts), line: section.line) }
  }

  fileprivate mutating func addRemarks(on defaults: MailSection) {
    var parts = defaults.lacking()
    let sender = defaults["from"].hasSuffix(".invalid") ? "" : defaults["from"]
    if let hook = MailHook(to: defaults["to"], from: sender, isDigest: defaults.isOn("digest")) {
      add(.mails(hook), line: defaults.line)
    } else if !defaults["to"].isEmpty {
      parts.append(("to", "\(defaults["to"]) is no mail address"))
    }
    if !parts.isEmpty { add(.without(parts), line: defaults.line) }
  }
}
