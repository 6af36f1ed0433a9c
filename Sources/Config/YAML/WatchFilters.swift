// The filters of a job of urlwatch or webchanges (urlwatch-filters(5); filters.rst of webchanges), as keys of a watched page.

import Core

/// A filter with its values: the named ones, or a single one.
private struct WatchFilter {
  let name: String
  var values: [String: String] = [:]
  var only = ""

  subscript(_ value: String) -> String { values[value] ?? only }
}

extension WatchedJob {
  /// Reads the filters: a list of names and of mappings with one key; or in one text, as in `css:main,html2text`.
  mutating func readFilters(_ node: Node) throws(SubscriptionRemark.Kind) {
    for filter in filters(of: node) { try apply(filter) }
  }

  private func filters(of node: Node) -> [WatchFilter] {
    switch node.content {
    case .scalar(let scalar):
      scalar.text.split(separator: ",").map { text in
        let words = text.split(separator: ":", maxSplits: 1).map { trimmedOfBlanks($0) }
        return WatchFilter(name: words.first ?? "", only: words.dropFirst().first ?? "")
      }
    case .sequence(let nodes): nodes.flatMap { filters(of: $0) }
    case .mapping(let entries):
      entries.map { entry in
        var filter = WatchFilter(name: entry.key, only: entry.value.text ?? "")
        for value in entry.value.entries { filter.values[value.key] = value.value.text ?? "" }
        return filter
      }
    case .unusable: []
    }
  }

  private mutating func apply(_ filter: WatchFilter) throws(SubscriptionRemark.Kind) {
    if let lineFilter, filter.name == "css" || filter.name.hasPrefix("element-by-") {
      leaveOut("the order of \(lineFilter) and \(filter.name)")
    }
    switch filter.name {
    case "format-json", "jsontoyaml": return try run(["jq", "."], filter)
    case "jq": return try run(["jq", filter["query"]], filter)
    case "pdf2text" where filter.values.isEmpty, "pypdf" where filter.values.isEmpty:
      return try run(["pdftotext", "-", "-"], filter)
    case "shellpipe", "execute":
      guard let words = plainCommand(filter["command"][...]) else { throw .shellCommand(filter.name) }
      return try run(words, filter)
    case "css":
      if filter.values["namespaces"] != nil {
        throw .impossible("css with namespaces: write another selector")
      }
      try select(filter["selector"])
      if let excluded = filter.values["exclude"] { set("html.ignore", .string(excluded)) }
      for value in ["skip", "maxitems", "sort"] where filter.values[value] != nil {
        leaveOut("css " + value)
      }
    case "element-by-id": try select("#" + filter["id"])
    case "element-by-class":
      try select(filter["class"].split(separator: " ").map { "." + $0 }.joined())
    case "element-by-style": try select("[style=\"\(filter["style"])\"]")
    case "element-by-tag": try select(filter["tag"])
    case "grepi", "delete_lines_containing":
      guard let pattern = pattern(filter) else { break }
      set("html.ignore-lines", .array(ignoredLines + [.string(pattern)]))
      lineFilter = filter.name
    case "grep", "keep_lines_containing":
      guard let pattern = pattern(filter) else { break }
      guard subscription.keys["filter.include"] == nil, let pattern = changedLine(pattern) else {
        leaveOut(filter.name + " " + pattern)
        break
      }
      set("filter.include", .object([("text", .string(pattern))]))
      lineFilter = filter.name
    // bgfetch always reads a page as lines of text.
    case "html2text", "strip", "striplines", "strip_each_line", "beautify", "absolute_links", "pretty-xml",
      "format-xml":
      break
    case "re.sub", "re.findall", "between", "sort", "reverse", "sha1sum", "sha256sum", "remove_repeated",
      "remove-duplicate-lines":
      leaveOut(filter.name)
    case "xpath":
      throw .impossible(
        "xpath \(filter["path"]): write a CSS selector, in bgfetch add --watch ADDRESS SELECTOR")
    default:
      throw .impossible(
        "filter \(filter.name): write a command that does it, in command: […] with kind: html")
    }
    isRead = true
  }

  private var ignoredLines: [JSONValue] {
    subscription.keys["html.ignore-lines"]?.elements ?? []
  }

  /// Filters the response by a command, which must come before all other filters.
  private mutating func run(_ words: [String], _ filter: WatchFilter) throws(SubscriptionRemark.Kind) {
    guard !isRead, subscription.command.isEmpty || subscription.command == ["jq", "."] else {
      throw .impossible(
        "filter \(filter.name) after others: write a command that does all of them, in command: […] with kind: html"
      )
    }
    subscription.command = words
  }

  /// The expression for the lines that a filter is about; nil, with a remark, if bgfetch has no such expression.
  private mutating func pattern(_ filter: WatchFilter) -> String? {
    let isText = filter.values["text"] != nil || filter.name.hasSuffix("_containing") && filter.values.isEmpty
    let text = isText ? escapedPattern(filter["text"]) : filter["re"]
    // The text of the page is compared, not its markup.
    guard !text.isEmpty, !text.contains("<"), (try? Pattern(parsing: text)) != nil else {
      leaveOut("\(filter.name) \(text)")
      return nil
    }
    return text
  }

  /// The expression for a changed line of a message, which begins with `- ` or `+ `; nil if there is none.
  private func changedLine(_ pattern: String) -> String? {
    let isAtStart = pattern.hasPrefix("^")
    let body = isAtStart ? pattern.dropFirst() : pattern[...]
    let hasAnchor = body.replacing("[^", with: "").contains("^") || isAtStart && body.contains("|")
    guard !hasAnchor, let matcher = try? Pattern(parsing: pattern) else { return nil }
    if isAtStart { return "^[-+] " + body }
    return ["- ", "+ "].contains(where: matcher.matches) ? "^[-+] .*(?:\(pattern))" : pattern
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
}

/// A text as an expression that matches it alone.
private func escapedPattern(_ text: String) -> String {
  text.map { "\\.+*?()|[]{}^$".contains($0) ? "\\\($0)" : String($0) }.joined()
}
