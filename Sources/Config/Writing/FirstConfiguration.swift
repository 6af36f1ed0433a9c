// The first configuration, which `bgfetch add` writes, and feeds and texts as YAML.

public import Core

/// The hook of a first configuration.
public enum FirstHook: Sendable {
  /// Popups, where a notification daemon is there.
  case popup
  /// A file for news, by its absolute path.
  case file(String)
  case mail(MailHook)

  public var name: String {
    switch self {
    case .popup: "desktop"
    case .file: "file"
    case .mail: "mail"
    }
  }

  fileprivate var text: String {
    switch self {
    case .popup: "desktop: {popup: true} # a popup for each feed with news; a click on it opens the news"
    case .file(let path):
      "file: {events: [notification], run: [tee, -a, \(yamlText(path))], stdin: \"{title}: {body}\\n\"} # tail -F shows it"
    case .mail(let hook):
      "mail: \(flowValue(.object(hook.keys))) # \(hook.isDigest ? "at 7:00, one mail with all articles" : "a mail for each item")"
    }
  }
}

/// A first configuration: feeds, a hook that works, and perhaps the directory for downloaded files.
public func firstConfiguration(
  with feeds: [NamedSubscription], _ hook: FirstHook, documents: String? = nil
) -> String {
  """
  # The configuration of bgfetch; see reference.yaml in its examples, and bgfetch.yaml(5). `bgfetch check` reports mistakes.
  \(feedsText(feeds))hooks:
    \(hook.text)\(documents.map { "\ndocuments: " + yamlText($0) } ?? "")
  defaults: {adapt: both} # fetch soon after a feed usually publishes, and shortly before you usually look

  """
}

/// Subscriptions as `feeds:`, one per line, in the shortest form.
public func feedsText(_ feeds: [NamedSubscription]) -> String {
  feeds.reduce(into: "feeds:\n") { $0 += "  " + feedLine($1) + "\n" }
}

/// A feed as a line of block style, where an address alone needs no quotes, or as an entry between braces.
func feedLine(_ feed: NamedSubscription, isInBraces: Bool = false) -> String {
  let keys = writtenKeys(feed.subscription)
  let url = feed.subscription.url
  let isAddress = keys.count == 1 && keys[0].name == "url"
  let value = !isAddress ? flowValue(.object(keys)) : isInBraces ? yamlText(url) : yamlAddress(url)
  return "\(yamlText(feed.name.text)): \(value)"
}

/// The keys of a feed, in the order in which people write them.
private func writtenKeys(_ subscription: Subscription) -> [(name: String, value: JSONValue)] {
  func list(_ texts: [String]) -> JSONValue? { texts.isEmpty ? nil : .array(texts.map(JSONValue.string)) }
  let downloads = subscription.downloads && !subscription.keys.keys.contains { $0.hasPrefix("download.") }
  let own: [(name: String, value: JSONValue?)] = [
    ("url", subscription.url.isEmpty ? nil : .string(subscription.url)),
    ("command", list(subscription.command)), ("title", subscription.title.map(JSONValue.string)),
    ("tags", list(subscription.tags)), ("download", downloads ? .object([]) : nil),
    ("first-run", subscription.hasFiles ? .literal("none") : nil),
    ("kind", subscription.watched == nil ? nil : .string("html")),
  ]
  var further = subscription.keys.sorted { $0.key < $1.key }
  if let watched = subscription.watched, !watched.isEmpty {
    further.insert(("html.text", .string(watched)), at: 0)
  }
  let groups = further.grouped { $0.key.prefix { $0 != "." } }.compactMap { group in
    group.first.map { first -> (name: String, value: JSONValue) in
      let name = String(first.key.prefix { $0 != "." })
      guard name != first.key else { return (name, first.value) }
      return (name, .object(group.map { (String($0.key.dropFirst(name.count + 1)), $0.value) }))
    }
  }
  return own.compactMap { key in key.value.map { (name: key.name, value: $0) } } + groups
}

private func flowValue(_ value: JSONValue) -> String {
  switch value {
  case .string(let text): yamlText(text)
  case .array(let values): "[\(values.map(flowValue).joined(separator: ", "))]"
  case .object(let members):
    "{\(members.map { "\(yamlText($0.name)): \(flowValue($0.value))" }.joined(separator: ", "))}"
  default: value.text
  }
}

// MARK: Texts

/// A text as a YAML scalar for any place: in a block, in a flow mapping, as a key.
///
/// It is unquoted if YAML 1.1 and 1.2 can only read it as text; otherwise it has double quotes.
func yamlText(_ text: String) -> String {
  isPlainScalar(text) ? text : quoted(text)
}

/// An absolute address as the value of a key in block style, where its colon needs no quotes.
func yamlAddress(_ url: String) -> String {
  let isPlain = url.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !url.hasSuffix(":")
  return isPlain && (url.hasPrefix("http") || url.hasPrefix("file:")) ? url : quoted(url)
}

/// Whether every version of YAML reads the unquoted text as text: words, an option or a path.
private func isPlainScalar(_ text: String) -> Bool {
  // `-1` is a number, `-` and `---` belong to YAML.
  let start = text.hasPrefix("--") ? text.dropFirst(2) : text.hasPrefix("-") ? text.dropFirst() : text[...]
  let startsPlain = start.utf8.first.map { $0.isASCIILetter || $0 == "/" } ?? (text == "--")
  return startsPlain && text.utf8.last != " " && !reservedWords.contains(text.lowercased())
    && text.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || plainMarks.contains($0) }
}

private let plainMarks = Set(" -_./=+@".utf8)

/// Words that YAML 1.1 or 1.2 read as something other than text, and `none`, which removes a value.
private let reservedWords: Set = [
  "null", "true", "false", "yes", "no", "on", "off", "y", "n", "none",
]

/// A text in double quotes (YAML 1.2.2 section 5.7).
private func quoted(_ text: String) -> String {
  var escaped = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"", "\\": escaped += "\\\(scalar)"
    case "\n": escaped += "\\n"
    case "\t": escaped += "\\t"
    case _ where !isPrintable(scalar):
      let hex = String(scalar.value, radix: 16)
      escaped += (scalar.value > 0xFFFF ? "\\U" : "\\u")
      escaped += String(repeating: "0", count: (scalar.value > 0xFFFF ? 8 : 4) - hex.count) + hex
    default: escaped.unicodeScalars.append(scalar)
    }
  }
  return escaped + "\""
}

/// Whether a character may be in a YAML file unescaped and is not a line end.
private func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
  // Bidirectional marks would change how a line looks.
  if scalar.controlsTerminal { return false }
  return switch scalar.value {
  case 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD, 0x1_0000...0x10_FFFF:
    true
  default: false
  }
}
