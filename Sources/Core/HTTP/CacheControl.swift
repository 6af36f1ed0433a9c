// The directives of Cache-Control that say how long an answer stays fresh (RFC 9111 section 5.2).

/// What `Cache-Control` says of freshness; `s-maxage` is for shared caches and not read.
struct CacheControl: Hashable {
  /// The first `max-age` in seconds, the largest number where it is too large; nil if it is absent.
  private(set) var maxAge: Int64?
  /// Whether there is a `max-age`, readable or not: RFC 9111 section 4.2.1 takes an unreadable one for stale.
  private(set) var namesMaxAge = false
  /// Whether each use must ask the server: `no-cache` without field names, or `no-store`.
  private(set) var forbidsReuse = false

  /// Reads all values of the field, joined with commas.
  init(_ value: String) {
    for directive in Self.directives(of: value) {
      let parts = directive.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let argument = parts.count == 2 ? Self.unquoted(Self.trimmed(parts[1])) : nil
      switch Self.trimmed(parts[0]).lowercased() {
      case "max-age" where !namesMaxAge:
        namesMaxAge = true
        maxAge = argument.flatMap { wholeNumber($0) }
      case "no-store": forbidsReuse = true
      // With an argument it speaks of those fields only.
      case "no-cache" where argument == nil: forbidsReuse = true
      default: break
      }
    }
  }

  /// Splits at commas that stand outside quotes.
  private static func directives(of value: String) -> [Substring] {
    var isQuoted = false
    var isEscaped = false
    return value.split { character in
      defer { isEscaped = isQuoted && !isEscaped && character == "\\" }
      if character == "\"", !isEscaped { isQuoted.toggle() }
      return character == "," && !isQuoted
    }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop { $0 == " " || $0 == "\t" }
    return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
  }

  /// The argument without the quotes that recipients should accept around it.
  private static func unquoted(_ text: Substring) -> Substring {
    text.count >= 2 && text.first == "\"" && text.last == "\"" ? text.dropFirst().dropLast() : text
  }
}
