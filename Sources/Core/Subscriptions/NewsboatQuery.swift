// newsboat's query feeds, which are searches over other feeds, as the command that lists the same items (newsboat(1), "Filter
// Language" and "Query Feeds").

/// The `bgfetch items` command that lists what a query of newsboat shows, as far as options can say it; nil if they cannot.
public func itemsCommand(ofNewsboatQuery expression: String) -> String? {
  var reader = QueryReader(tokens: queryTokens(expression[...])[...])
  guard reader.parseConditions(), reader.tokens.isEmpty else { return nil }
  if reader.searches.count > 0 {
    reader.options.append("--search '\(reader.searches.joined(separator: " "))'")
  }
  return (["bgfetch items"] + reader.tags.map { "@" + $0 } + reader.options).joined(separator: " ")
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

  /// Reads conditions that are joined by `and`; false if the command cannot say one of them.
  mutating func parseConditions() -> Bool {
    repeat {
      if tokens.first == "(" {
        tokens.removeFirst()
        guard parseTags() || parseConditions(), tokens.popFirst() == ")" else { return false }
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
      guard before.isEmpty, pop("tags"), pop("#"), let tag = value(),
        let word = latinWords(tag, keepsDots: false, limit: 40)
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
    guard let attribute = tokens.popFirst(), let comparison = tokens.popFirst(), let value = value() else {
      return false
    }
    switch (attribute, comparison) {
    case ("unread", "="), ("unread", "=="), ("unread", "!="):
      guard (value == "yes") == (comparison != "!=") else { return false }
      options.append("--unseen")
    case ("flags", "#"), ("flags", "=~"): options.append("--starred")
    case ("flags", "!=") where value.isEmpty: options.append("--starred")
    case ("title", "#"), ("title", "=~"), ("content", "#"), ("content", "=~"), ("author", "#"),
      ("author", "=~"),
      ("author", "="):
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
