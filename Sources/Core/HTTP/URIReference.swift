// The five components of a URI reference (RFC 3986 section 3). How a relative one is resolved is BaseAddress's business.

/// A URI reference split into its components; nothing is validated or normalised.
public struct URIReference: Hashable, Sendable {
  /// The scheme, without its colon.
  public var scheme: String?
  /// What stands between `//` and the path.
  public var authority: String?
  /// The path; empty if there is none.
  public var path: String
  /// What follows `?`.
  public var query: String?
  /// What follows `#`.
  public var fragment: String?

  /// Splits a text as the expression of RFC 3986 appendix B does.
  public init(_ text: String) {
    var rest = text[...]
    fragment = nil
    if let hash = rest.utf8.firstIndex(of: UInt8(ascii: "#")) {
      fragment = String(rest[rest.utf8.index(after: hash)...])
      rest = rest[..<hash]
    }
    query = nil
    if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
      query = String(rest[rest.utf8.index(after: mark)...])
      rest = rest[..<mark]
    }
    scheme = nil
    if let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
      scheme = String(rest[..<colon])
      rest = rest[rest.utf8.index(after: colon)...]
    }
    authority = nil
    if rest.utf8.starts(with: "//".utf8) {
      rest = rest[rest.utf8.index(rest.startIndex, offsetBy: 2)...]
      let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      authority = String(rest[..<end])
      rest = rest[end...]
    }
    path = String(rest)
  }

  /// The reference as text (RFC 3986 section 5.3).
  public var text: String {
    var text = ""
    if let scheme { text += scheme + ":" }
    if let authority { text += "//" + authority }
    text += path
    if let query { text += "?" + query }
    if let fragment { text += "#" + fragment }
    return text
  }

  /// Whether it leads to what lies beside the document, or to a file: it has no scheme, or that of files.
  public var isRelativeOrFile: Bool { scheme.map { $0.lowercased() == "file" } ?? true }

  /// The same without its fragment.
  public var withoutFragment: URIReference {
    var copy = self
    copy.fragment = nil
    return copy
  }

  /// The same with what may be secret in it masked: the user part and the values of the query.
  public var masked: URIReference {
    var copy = self
    if let authority, let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
      copy.authority = "***" + authority[at...]
    }
    if let query, !query.isEmpty {
      copy.query = query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map {
        pair in
        pair.firstIndex(of: UInt8(ascii: "=")).map { Substring(pair[..<$0]) + "=***" } ?? "***"
      }.joined(separator: "&")
    }
    return copy
  }

  /// Where this reference leads when it stands at `base` (RFC 3986 section 5.2.2).
  ///
  /// Many references at one base are resolved faster by one `BaseAddress`.
  public func resolved(against base: URIReference) -> URIReference {
    var base = BaseAddress(base)
    return base.resolve(self)
  }

  private static func isScheme(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, isLetter(first) else { return false }
    return text.utf8.allSatisfy { byte in
      isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "+")
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}
