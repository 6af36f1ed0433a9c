// The lists of urlwatch and webchanges: YAML documents, each with a page or command to watch (urlwatch-jobs(5); jobs.rst of
// webchanges). WatchFilters.swift reads the filters of a job.

public import Core

/// Reads a list of pages to watch.
///
/// - Parameter bytes: the file in UTF-8.
/// - Throws: the first mistake in its YAML.
public func readWatchList(_ bytes: [UInt8]) throws(SubscriptionListFailure) -> [SubscriptionEntry] {
  let pass = ConfigurationPass()
  guard let documents = composeTrees(bytes, pass) else {
    let mistake = pass.problems.first
    throw .notYAML(line: mistake?.line ?? 1, mistake?.what ?? "")
  }
  // webchanges also reads a list of jobs.
  let jobs = documents.flatMap { document in
    if case .sequence(let jobs) = document.content { jobs } else { [document] }
  }
  guard !jobs.contains(where: \.isSettings) else { throw .other("a file of settings") }
  var checks = ImportedKeys()
  return checks.checked(
    jobs.prefix(100_000).filter { !$0.entries.isEmpty }.flatMap { job -> [SubscriptionEntry] in
      var reading = WatchedJob(line: Int(job.location.line))
      return reading.entries(job.entries)
    })
}

/// One job while it is read.
struct WatchedJob {
  let line: Int
  var subscription = Subscription(url: "")
  /// The elements that its filters have chosen so far; empty for the whole page.
  var selector = ""
  /// Whether a filter has read the page, so that a command can no longer change its bytes.
  var isRead = false
  /// The last filter that chose lines.
  var lineFilter: String?
  private var needsBrowser = false
  private var parts: [(name: String, reason: String)] = []
  private var method: String?
  private var data: Node?
  private var sendsJSON = false
  private var parameters = ""
  private var cookies = ""
  private var proxies: [String: String] = [:]

  init(line: Int) { self.line = line }

  mutating func entries(_ keys: [Node.Entry]) -> [SubscriptionEntry] {
    do throws(SubscriptionRemark.Kind) {
      for key in keys { try read(key) }
      try finish()
    } catch {
      return [.remark(SubscriptionRemark(line: line, error))]
    }
    let remarks = parts.isEmpty ? [] : [SubscriptionRemark(line: line, .without(parts))]
    return [.feed(subscription, line: line)] + remarks.map(SubscriptionEntry.remark)
  }

  private mutating func read(_ entry: Node.Entry) throws(SubscriptionRemark.Kind) {
    let text = entry.value.text ?? ""
    let isOn = ["true", "yes", "on"].contains(text.lowercased())
    switch entry.key {
    case "url": subscription.url = text
    case "name": subscription.title = text
    case "tags": subscription.tags = entry.value.texts.flatMap { $0.split(separator: ",").map(String.init) }
    case "command":
      guard let words = plainCommand(text[...]) else { throw .shellCommand("command") }
      subscription.command = words
    case "navigate": throw .needsBrowser(text)
    case "use_browser": needsBrowser = isOn
    case "kind" where text == "browser": needsBrowser = true
    case "kind" where !["url", "shell", "command"].contains(text):
      throw .impossible(
        "kind \(text) is a program in hooks.py: write one that prints the page, in command: […] with kind: html"
      )
    case "method": method = text.uppercased()
    case "data": data = entry.value
    case "data_as_json": sendsJSON = isOn
    case "params": parameters = entry.value.formText
    case "cookies": cookies = entry.value.pairs.map { "\($0)=\($1)" }.joined(separator: "; ")
    case "headers": for (name, value) in entry.value.pairs { set("headers.\(name)", .string(value)) }
    case "user_agent": set("headers.User-Agent", .string(text))
    case "timeout": set("network.timeout", .string(text + "s"))
    case "proxy", "http_proxy", "https_proxy": proxies[entry.key] = text
    case "max_tries": set("notify.failures", .number(Int64(text) ?? -1))
    case "suppress_errors": if isOn { set("notify.failures", .number(0)) }
    case "enabled": subscription.isPaused = !isOn
    case "additions_only", "deletions_only":
      if isOn { set("html.only", .string(entry.key == "additions_only" ? "added" : "removed")) }
    case "comparison_filter" where ["additions", "deletions"].contains(text):
      set("html.only", .string(text == "additions" ? "added" : "removed"))
    case "filter", "filters": try readFilters(entry.value)
    case _ where withoutEffect.contains(entry.key): break
    default:
      if !["false", "no", "off"].contains(text.lowercased()) {
        leaveOut(entry.key)
      }
    }
  }

  /// Chooses the request of the job.
  private mutating func finish() throws(SubscriptionRemark.Kind) {
    guard !subscription.url.isEmpty || !subscription.command.isEmpty else { throw .noAddress("a url") }
    if needsBrowser { throw .needsBrowser(subscription.url) }
    subscription.watched = selector
    if let data {
      let isForm = !sendsJSON && !data.pairs.isEmpty
      set("body", isForm ? .string(data.formText) : data.text.map { .string($0) } ?? data.json)
    }
    let usual = data == nil ? "GET" : "POST"
    guard method ?? usual == usual else {
      throw .impossible("method \(method ?? ""): requests are GET, or POST with data")
    }
    if !parameters.isEmpty {
      subscription.url += (subscription.url.contains("?") ? "&" : "?") + parameters
    }
    if !cookies.isEmpty { set("headers.Cookie", .string(cookies)) }
    let scheme = subscription.url.lowercased().hasPrefix("https") ? "https_proxy" : "http_proxy"
    if let proxy = proxies["proxy"] ?? proxies[scheme] { set("network.proxy", .string(proxy)) }
  }

  mutating func set(_ key: String, _ value: JSONValue) { subscription.keys[key] = value }

  mutating func leaveOut(_ part: String) { parts.append((part, "")) }
}

/// The directives that change nothing in what is watched and told.
private let withoutEffect: Set = [
  "contextlines", "empty_as_transient", "guid", "hook_data", "http_client", "http_version", "index_number",
  "is_markdown", "kind", "markdown_padded_tables", "monospace", "retries", "same_site_delay", "stderr",
  "suppress_error_ended", "suppress_repeated_errors", "treat_new_as_changed",
]

extension Node {
  /// Whether it is the other file of these programs, about reports and defaults.
  fileprivate var isSettings: Bool {
    entries.contains { ["report", "job_defaults", "display"].contains($0.key) }
  }

  /// Its text, or the texts of its list.
  fileprivate var texts: [String] { text.map { [$0] } ?? elements.compactMap(\.text) }

  /// The names and texts of a mapping.
  fileprivate var pairs: [(name: String, text: String)] { entries.map { ($0.key, $0.value.text ?? "") } }

  /// A mapping as a form sends it (application/x-www-form-urlencoded); a text as it is.
  fileprivate var formText: String {
    func encoded(_ text: String) -> String {
      percentEncoded(text) {
        $0.isASCII && ($0.properties.isAlphabetic || "0123456789-_.~".unicodeScalars.contains($0))
      }
    }
    return text ?? pairs.map { "\(encoded($0.name))=\(encoded($0.text))" }.joined(separator: "&")
  }
}
