// rss2email's configuration (r2e(1), "CONFIGURATION"): sections of settings, of which each `[feed.NAME]` is a feed.

import Core

/// Reads rss2email's configuration; nil if the text has no section for a feed or of defaults.
func readMailConfiguration(_ lines: TextLines) -> Result<[SubscriptionEntry], SubscriptionListFailure>? {
  var entries = SubscriptionEntries()
  var section = MailSection()
  var others: [MailSection] = []
  var hasSections = false
  var defaults = MailSection()
  var recipient: String? { defaults.values["to"] }
  for line in lines {
    if line.text.hasPrefix("["), line.text.hasSuffix("]") {
      entries.add(section)
      section = MailSection(line: line.number, name: String(line.text.dropFirst().dropLast()))
      hasSections = hasSections || section.name == "DEFAULT" || section.feed != nil
      continue
    }
    let parts = line.text.split(separator: "=", maxSplits: 1).map(trimmed)
    guard parts.count == 2, !line.text.hasPrefix("#") else { continue }
    section.values[parts[0]] = parts[1]
    if section.name == "DEFAULT" { defaults = section } else if parts[0] == "to" { others.append(section) }
  }
  entries.add(section)
  if let recipient { entries.add(.mails(to: recipient), line: defaults.line) }
  if defaults.values["email-protocol"] == "smtp" {
    entries.add(
      .setting("email-protocol", "sendmail sends the mails; doc/hooks.md says how msmtp or curl does"),
      line: defaults.line)
  }
  if defaults.values["digest"]?.lowercased() == "true" {
    entries.add(.setting("digest", "give the mail hook digest: \"0 7 * * *\""), line: defaults.line)
  }
  for other in others where other.feed != nil && other.values["to"] != recipient {
    entries.add(
      .without([("to", "give a hook feeds: [\(other.feed ?? "")] for another address")]), line: other.line)
  }
  return hasSections ? .success(entries.finish()) : nil
}

private struct MailSection {
  var line = 0
  var name = ""
  var values: [String: String] = [:]

  /// The name of its feed.
  var feed: String? { name.hasPrefix("feed.") ? String(name.dropFirst(5)) : nil }
}

extension SubscriptionEntries {
  fileprivate mutating func add(_ section: MailSection) {
    guard let name = section.feed else { return }
    guard let url = section.values["url"], !url.isEmpty else { return add(.noAddress, line: section.line) }
    var subscription = Subscription(url: url)
    subscription.name = name
    add(subscription, line: section.line)
    if ["false", "no", "off", "0"].contains(section.values["active"]?.lowercased()) {
      add(
        .setting("active", "\(name) was not active; bgfetch pause \(name) does the same"), line: section.line)
    }
  }
}

private func trimmed(_ text: Substring) -> String {
  let start = text.drop(while: \.isWhitespace)
  return start.lastIndex { !$0.isWhitespace }.map { String(start[...$0]) } ?? ""
}
