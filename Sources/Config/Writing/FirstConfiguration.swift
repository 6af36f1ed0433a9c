// The configuration that `bgfetch init` writes, and feeds as YAML for `bgfetch import`.

public import Core

/// A first configuration: a feed, a hook that works, and all keys with a default as comments.
///
/// A comment that begins with `#` and no blank is a key; it is valid without the `#`.
///
/// - Parameters:
///   - notifier: notify-send(1), by name or path; nil if it is not installed.
///   - replacesPopups: whether it has `--print-id` and `--replace-id`.
///   - log: the absolute path of the file for news without a notifier.
///   - feed: the first feed; nil for an example that works.
public func firstConfiguration(
  notifier: String?, replacesPopups: Bool, log: String, feed: NamedSubscription? = nil
) -> String {
  // A notify-send that is installed later is new enough for these options.
  let replacing = ["--print-id", "[--replace-id, \"{replaces}\"]"]
  let popup = Hook(
    name: "desktop", note: "a popup for each feed with news, by notify-send(1)",
    run: [yamlText(notifier ?? "notify-send"), "--app-name=bgfetch", "\"--urgency={urgency}\""]
      + ["[\"--hint=string:sound-name:{sound}\"]"] + (replacesPopups || notifier == nil ? replacing : [])
      + ["--", "\"{title}\"", "\"{body.markup}\""],
    more: [("needs", "session-bus")])
  let file = Hook(
    name: "file", note: "a line in a file for each feed with news; follow it with tail -F",
    run: ["tee", "-a", yamlText(log)],
    more: [("stdin", "\"{title}: {body}\\n\"")])
  let (live, other) = notifier == nil ? (file, popup) : (popup, file)
  var lines = heading(feed)
  lines +=
    live.block
    + optionalLines(below: "hooks.*", indent: 4, without: Set(["events", "run"] + live.more.map(\.key)))
  lines += ["  # Or " + other.note + ":", "  #" + other.line, ""]
  lines += ["# Defaults for every feed. A feed can override each of them.", "defaults:"]
  lines += optionalLines(below: "feeds.*", indent: 2, without: ["url", "command", "title"])
  lines +=
    ["", "# Other settings."] + optionalLines(below: "", indent: 0, without: ["defaults", "feeds", "hooks"])
  return lines.joined(separator: "\n") + "\n"
}

private func heading(_ feed: NamedSubscription?) -> [String] {
  let example = """
      # Debian's news, a few a month. Replace it with your own, or run
      # `bgfetch import` to convert the list of another program.
      debian-news: https://www.debian.org/News/news
    """
  return """
    # The configuration of bgfetch. `bgfetch check` reports mistakes in it; bgfetch.yaml(5) explains every key.
    # A # without a space after it comments out a key with its default: remove the # to change it.

    feeds:
    \(feed.map { "  " + feedLine($0) } ?? example)
      #planet: https://planet.example/atom.xml
      #weather: {url: "https://weather.example/rss", schedule: "0 7 * * *"}
      #radio: {url: "https://podcasts.example/radio.rss", download: {types: ["audio/*"], keep: {count: 10}}} # a podcast

    # Programs to run when there is news. `bgfetch hooks test NAME` runs one with a sample.
    hooks:
    """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
}

/// A hook for notifications.
private struct Hook {
  var name: String
  /// Its purpose, in a few words.
  var note: String
  var run: [String]
  var more: [(key: String, value: String)]

  private var keys: [String] {
    ["events: [notification]", "run: [\(run.joined(separator: ", "))]"]
      + more.map { "\($0.key): \($0.value)" }
  }

  /// The hook over several lines.
  var block: [String] { ["  # " + sentence(note), "  \(name):"] + keys.map { "    " + $0 } }

  /// The hook on one line.
  var line: String { "\(name): {\(keys.joined(separator: ", "))}" }
}

private func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() + "." }

/// The keys below a path as comments, each with its default and its purpose.
///
/// A mapping that is empty by default is not a comment, so that its keys can be used one by one.
private func optionalLines(below path: String, indent: Int, without: Set<String>) -> [String] {
  var lines: [String] = []
  for key in configurationKeys where parent(of: key.path) == path[...] {
    let name = String(key.path.dropFirst(path.isEmpty ? 0 : path.utf8.count + 1))
    guard let standard = key.defaultText, name != "*", !without.contains(name), !isDescription(key) else {
      continue
    }
    let blanks = String(repeating: " ", count: indent)
    let inside = standard == "{}" ? optionalLines(below: key.path, indent: indent + 2, without: []) : []
    if inside.isEmpty {
      let setting = blanks + "#\(name): \(standard)"
      let gap = String(repeating: " ", count: max(2, 40 - setting.count))
      lines.append("\(setting)\(gap)# \(key.help) (\(key.type))")
    } else {
      lines += [blanks + "\(name): # \(key.help)"] + inside
    }
  }
  return lines
}

/// Whether a default is a description, not a value.
private func isDescription(_ key: ConfigurationKey) -> Bool { key.path == "network.user-agent" }

private func parent(of path: String) -> Substring {
  path.lastIndex(of: ".").map { path[..<$0] } ?? ""
}

/// Subscriptions as `feeds:`, one per line, in the shortest form.
public func feedsText(_ feeds: [NamedSubscription]) -> String {
  feeds.reduce(into: "feeds:\n") { $0 += "  " + feedLine($1) + "\n" }
}

/// A feed as a line of block style.
func feedLine(_ feed: NamedSubscription) -> String {
  let subscription = feed.subscription
  guard
    subscription.title != nil || !subscription.tags.isEmpty || !subscription.command.isEmpty
      || subscription.downloads
  else {
    return "\(yamlText(feed.name.text)): \(yamlAddress(subscription.url))"
  }
  return flowEntry(feed, quotesName: false)
}

/// A feed as an entry of a flow mapping, where an address needs quotes.
func flowEntry(_ feed: NamedSubscription, quotesName: Bool) -> String {
  let subscription = feed.subscription
  let name = quotesName ? "\"\(feed.name.text)\"" : yamlText(feed.name.text)
  var keys = subscription.url.isEmpty ? [] : ["url: " + yamlText(subscription.url)]
  if !subscription.command.isEmpty {
    keys.append("command: [\(subscription.command.map(yamlText).joined(separator: ", "))]")
  }
  if let title = subscription.title { keys.append("title: " + yamlText(title)) }
  if !subscription.tags.isEmpty {
    keys.append("tags: [\(subscription.tags.map(yamlText).joined(separator: ", "))]")
  }
  if subscription.downloads { keys.append("download: {}") }
  return keys.count == 1 && subscription.command.isEmpty
    ? "\(name): \(yamlText(subscription.url))" : "\(name): {\(keys.joined(separator: ", "))}"
}
