// newsboat's query feeds, which are searches over other feeds, as the command that lists the same items (newsboat(1), "Filter
// Language" and "Query Feeds").

/// The answer of bgfetch to a query of newsboat.
enum QueryAnswer: Equatable, Sendable {
  /// The `bgfetch items` command that lists the same; the difference is empty, or says in what it does not.
  case command(String, difference: String)
  case impossible(reason: String)

  init(to expression: String) {
    var reader = QueryReader(tokens: queryTokens(expression[...])[...])
    guard reader.parseConditions(), reader.tokens.isEmpty else {
      let reason =
        reader.tokens.first == "or"
        ? "options are joined by \"and\"; write a command for each side of \"or\"" : reader.reason
      self = .impossible(reason: reason ?? "it cannot be read")
      return
    }
    if !reader.searches.isEmpty {
      reader.options.append("--search '\(reader.searches.joined(separator: " "))'")
      reader.differences.append("--search finds words, in title, author and text")
    }
    self = .command(
      (["bgfetch items"] + reader.tags.map { "@" + $0 } + reader.options).joined(separator: " "),
      difference: reader.differences.joined(separator: "; "))
  }
}

/// The words, operators, brackets and quoted texts of an expression; a quoted text begins with a quote.
private func queryTokens(_ text: Substring) -> [String] {
  var tokens: [String] = []
  var rest = text.prefix(4096)
  while let first = rest.first {
    let token: Substring
    if first == "\"" {
      let end = rest.dropFirst().firstIndex(of: "\"") ?? rest.endIndex
      token = rest[..<end]
      rest = rest[end...].dropFirst()
    } else if "()".contains(first) || first.isWhitespace {
      token = rest.prefix(1)
      rest = rest.dropFirst()
    } else {
      let isOperator = "=!<>~#".contains(first)
      token = rest.prefix {
        $0 != "\"" && !"()".contains($0) && !$0.isWhitespace && "=!<>~#".contains($0) == isOperator
      }
      rest = rest[token.endIndex...]
    }
    if !token.allSatisfy(\.isWhitespace) { tokens.append(String(token)) }
  }
  return tokens
}

private struct QueryReader {
  var tokens: ArraySlice<String>
  var tags: [String] = []
  var options: [String] = []
  var searches: [String] = []
  var differences: [String] = []
  /// Why the options of the command cannot say a condition.
  var reason: String?

  /// Reads conditions that are joined by `and`; false if the command cannot say one of them.
  mutating func parseConditions() -> Bool {
    repeat {
      if tokens.first == "(" {
        tokens.removeFirst()
        guard parseTags() || parseConditions(), pop(")") else { return false }
      } else {
        guard parseTags() || parseCondition() else { return false }
      }
    } while pop("and")
    return true
  }

  /// Reads tags joined by `or`, of which a command can name any number; leaves anything else.
  private mutating func parseTags() -> Bool {
    let (start, before) = (tokens, tags)
    repeat {
      guard before.isEmpty, pop("tags"), pop("#"), let word = value().flatMap({ tagText($0.lowercased()) })
      else {
        tokens = start
        tags = before
        return false
      }
      tags.append(word)
    } while pop("or")
    return true
  }

  private mutating func parseCondition() -> Bool {
    reason = nil
    guard let attribute = tokens.popFirst(), let comparison = tokens.popFirst(), let value = value() else {
      return false
    }
    reason = "there is no option for \(attribute) \(comparison) \(value)"
    guard addOption(for: attribute, comparison, value) else { return false }
    reason = nil
    return true
  }

  private mutating func addOption(for attribute: String, _ comparison: String, _ value: String) -> Bool {
    switch (attribute, comparison) {
    case ("unread", "="), ("unread", "=="), ("unread", "!="):
      guard (value == "yes") == (comparison != "!=") else { return false }
      options.append("--unseen")
    case ("flags", "#"), ("flags", "=~"):
      options.append("--starred")
      differences.append("articles with any flag have a star")
    case ("flags", "!=") where value.isEmpty: options.append("--starred")
    case ("title", "#"), ("title", "=~"), ("content", "#"), ("content", "=~"), ("author", "#"),
      ("author", "=~"), ("author", "="):
      guard !value.isEmpty, value.allSatisfy({ $0.isLetter || $0.isNumber || $0 == " " }) else {
        return false
      }
      searches.append(value)
    // newsboat counts whole days.
    case ("age", "<"): return days("--since", value, 0)
    case ("age", "<="): return days("--since", value, 1)
    case ("age", ">"): return days("--older-than", value, 1)
    case ("age", ">="): return days("--older-than", value, 0)
    case ("age", "between"):
      let ends = value.split(separator: ":").map(String.init)
      guard ends.count == 2 else { return false }
      return days("--since", ends[1], 1) && (ends[0] == "0" || days("--older-than", ends[0], 0))
    default: return false
    }
    return true
  }

  private mutating func days(_ option: String, _ value: String, _ more: Int) -> Bool {
    guard let number = Int(value), (0..<10_000).contains(number), number + more > 0 else { return false }
    options.append("\(option) \(number + more)d")
    return true
  }

  private mutating func pop(_ word: String) -> Bool {
    guard tokens.first == word else { return false }
    tokens.removeFirst()
    return true
  }

  /// The text of a quoted or bare value.
  private mutating func value() -> String? {
    tokens.popFirst().map { $0.hasPrefix("\"") ? String($0.dropFirst()) : $0 }
  }
}
