// The lists of urlwatch and webchanges: YAML documents, each with a page or command to watch and the filters for its text
// (urlwatch-jobs(5), urlwatch-filters(5)).

public import Core

/// Reads a list of pages to watch.
///
/// - Parameter bytes: the file in UTF-8.
/// - Throws: the first mistake in its YAML.
public func readWatchList(_ bytes: [UInt8]) throws(SubscriptionListFailure) -> [SubscriptionEntry] {
  let context = ConfigurationContext(environment: [:], home: "", isZone: { _ in true })
  let pass = ConfigurationPass(file: "", path: "/", context: context)
  guard let documents = composeTrees(bytes, pass) else {
    let mistake = pass.problems.first
    throw .notYAML(line: mistake?.line ?? 1, mistake?.what ?? "")
  }
  // webchanges also reads a list of jobs.
  let jobs = documents.flatMap { document in
    if case .sequence(let jobs) = document.content { jobs } else { [document] }
  }
  return jobs.prefix(100_000).flatMap { job -> [SubscriptionEntry] in
    guard case .mapping(let keys) = job.content else { return [] }
    var reading = WatchedJob(line: Int(job.location.line))
    return reading.entries(keys)
  }
}

/// One job while it is read.
private struct WatchedJob {
  let line: Int
  private var subscription = Subscription(url: "")
  private var selector = ""
  private var remarks: [SubscriptionEntry] = []

  init(line: Int) { self.line = line }

  mutating func entries(_ keys: [Node.Entry]) -> [SubscriptionEntry] {
    do throws(SubscriptionRemark.Kind) {
      for key in keys { try read(key) }
      guard !subscription.url.isEmpty || !subscription.command.isEmpty else { throw .noAddress }
    } catch {
      return [.remark(SubscriptionRemark(line: line, error))]
    }
    subscription.watched = selector
    return [.feed(subscription, line: line)] + remarks
  }

  private mutating func read(_ entry: Node.Entry) throws(SubscriptionRemark.Kind) {
    let text = entry.value.text ?? ""
    switch entry.key {
    case "url": subscription.url = text
    case "name": subscription.title = text
    case "command":
      guard let words = plainCommand(text[...]) else { throw .shellCommand("command") }
      subscription.command = words
    case "navigate": throw .needsBrowser(text)
    case "use_browser" where ["true", "yes", "on"].contains(text.lowercased()):
      throw .needsBrowser(subscription.url)
    case "data",
      "method" where text.uppercased() != "GET":
      throw .impossible("it sends a body; write the feed into the configuration, with body: and kind: html")
    case "filter", "filters": try readFilters(entry.value)
    case "kind", "use_browser", "method", "max_tries", "timeout", "diff_tool", "compared_versions", "note",
      "tags",
      "user_visible_url", "ignore_connection_errors", "ignore_timeout_errors", "ignore_too_many_redirects",
      "ignore_http_error_codes", "ignore_cached", "treat_new_as_changed", "stderr", "contextlines",
      "index_number",
      "guid", "is_markdown":
      break
    case "additions_only", "deletions_only":
      leaveOut(entry.key, "write html: {only: \(entry.key == "additions_only" ? "added" : "removed")}")
    default: leaveOut(entry.key)
    }
  }

  private mutating func leaveOut(_ part: String, _ cure: String = "") {
    remarks.append(.remark(SubscriptionRemark(line: line, .without(part, cure))))
  }

  /// Reads the filters: a list of names and mappings with one key, or in old lists a text such as `css:main,html2text`.
  private mutating func readFilters(_ node: Node) throws(SubscriptionRemark.Kind) {
    switch node.content {
    case .scalar(let scalar):
      for part in scalar.text.split(separator: ",") {
        let words = part.split(maxSplits: 1) { $0 == ":" || $0 == "=" }.map(String.init)
        try apply(words.first ?? "", [:], words.count > 1 ? words[1] : "")
      }
    case .sequence(let filters):
      for filter in filters {
        if let name = filter.text { try apply(name, [:], "") }
        guard case .mapping(let entries) = filter.content else { continue }
        for entry in entries {
          var parts: [String: String] = [:]
          if case .mapping(let values) = entry.value.content {
            for value in values { parts[value.key] = value.value.text ?? "" }
          }
          try apply(entry.key, parts, entry.value.text ?? "")
        }
      }
    default: break
    }
  }

  /// Applies a filter with its named values, or its only one.
  private mutating func apply(
    _ filter: String, _ parts: [String: String], _ only: String
  ) throws(SubscriptionRemark.Kind) {
    switch filter {
    case "css":
      try select(parts["selector"] ?? only)
      if let excluded = parts["exclude"] { try ignore(excluded) }
    case "element-by-id": try select("#" + (parts["id"] ?? only))
    case "element-by-class":
      try select((parts["class"] ?? only).split(separator: " ").map { "." + $0 }.joined())
    case "element-by-tag": try select(parts["tag"] ?? only)
    case "grepi", "delete_lines_containing":
      let pattern = parts["re"] ?? only
      guard (try? Pattern(parsing: pattern)) != nil, !pattern.isEmpty else {
        return leaveOut("\(filter) \(pattern)", "write other html: {ignore-lines: […]}")
      }
      subscription.ignoredLines.append(pattern)
    // bgfetch always reads a page as lines of text.
    case "html2text", "strip", "striplines", "strip_each_line", "beautify", "absolute_links", "pretty-xml",
      "format-xml",
      "format-json", "remove-duplicate-lines", "remove_repeated":
      break
    case "grep", "keep_lines_containing":
      leaveOut(
        "\(filter) \(parts["re"] ?? only)", "write filter: {include: {text: …}} for the lines that count")
    case "re.sub", "re.findall", "sort", "reverse", "sha1sum", "hexdump":
      leaveOut(filter, "all lines are watched; see html: {ignore-lines: […]}")
    case "xpath":
      throw .impossible(
        "xpath \(parts["path"] ?? only): write a CSS selector, in bgfetch add --watch ADDRESS SELECTOR")
    default:
      throw .impossible("filter \(filter): write a command that does it, in command: […] with kind: html")
    }
  }

  /// Chooses elements, within the ones that an earlier filter has chosen.
  private mutating func select(_ text: String) throws(SubscriptionRemark.Kind) {
    let joined = selector.isEmpty ? text : selector + " " + text
    let isAmbiguous = !selector.isEmpty && joined.contains(",")
    guard !isAmbiguous, (try? SelectorList(parsing: joined)) != nil else {
      throw .impossible("the selector \(joined): write another, in bgfetch add --watch ADDRESS SELECTOR")
    }
    selector = joined
  }

  private mutating func ignore(_ text: String) throws(SubscriptionRemark.Kind) {
    guard (try? SelectorList(parsing: text)) != nil else { return leaveOut("exclude: " + text) }
    subscription.ignored = text
  }
}
