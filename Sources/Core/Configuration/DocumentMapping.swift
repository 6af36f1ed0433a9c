// Feeds of kind json and html: where the items and their parts are, as JSON Pointers, templates of them, and selectors.

/// The locations of the items in a JSON document, and of the parts in each item.
///
/// Every location is a list of pointers or templates; the first with a usable value counts. Values without a pointer are not
/// part of the item, so that their changes are not edits.
public struct JSONMapping: Hashable, Sendable {
  /// Pointers from the root to an array of items, or to an object that is one item.
  public var items: [JSONPointer]
  /// Pointers from an item to its parts, or templates of several; a part without any is always missing.
  public var parts: [Part: [JSONSource]]
  /// Conditions on members; other items are left out, as if the document did not have them.
  public var only: [JSONCondition]
  /// Whether a document with nothing at the items' location is a feed without items.
  public var allowsEmpty: Bool

  /// The parts of an item, named like the configuration's keys.
  public enum Part: String, Sendable, CaseIterable {
    case id
    case title
    case link
    case published
    case updated
    /// The content, as text or HTML.
    case summary
    case author
    case assets

    /// The identifying parts, of which an item must have at least one.
    public static let identifying: [Part] = [.id, .title, .link, .summary]
  }

  public init(
    items: [JSONPointer], parts: [Part: [JSONSource]], only: [JSONCondition] = [], allowsEmpty: Bool = false
  ) {
    (self.items, self.parts, self.only, self.allowsEmpty) = (items, parts, only, allowsEmpty)
  }
}

/// A JSON Pointer (RFC 6901), or a pattern of several with `*`.
///
/// The empty text is the whole value. A `*` alone between slashes is every element of an array or every member of an
/// object; this is an extension of RFC 6901. In a name, `~1` is a slash and `~0` a tilde.
public struct JSONPointer: Hashable, Sendable {
  public let text: String
  /// The reference tokens with escapes resolved.
  public let tokens: [Token]

  public enum Token: Hashable, Sendable {
    case every
    /// A member of an object, or an element of an array if the name is an index.
    case member(String, index: Int?)
  }

  /// The maximum number of tokens, which limits the recursion of readers.
  static let mostTokens = 32

  public init(parsing text: String) throws(TextProblem) {
    self.text = text
    guard !text.isEmpty else {
      tokens = []
      return
    }
    guard text.hasPrefix("/") else {
      let meant = pointerMeant(by: text)
      throw TextProblem(
        what: "is not a JSON pointer",
        cure: meant.isEmpty ? "write \"\" for the whole value" : "write \(meant)", column: 1)
    }
    let written = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    guard written.count <= Self.mostTokens else {
      throw TextProblem(
        what: "has \(written.count) steps", cure: "write at most \(Self.mostTokens)", column: 1)
    }
    tokens = written.map { name in
      guard name != "*" else { return .every }
      let name = String(name).replacing("~1", with: "/").replacing("~0", with: "~")
      return .member(name, index: arrayIndex(name))
    }
  }
}

/// The array index in a token: digits without a leading zero (RFC 6901 section 4).
private func arrayIndex(_ token: String) -> Int? {
  isDigits(token) && (token == "0" || !token.hasPrefix("0")) ? Int(token) : nil
}

/// The probable pointer for a bare name, JSONPath, a jq filter or a URI fragment.
private func pointerMeant(by text: String) -> String {
  let isPath = text.hasPrefix("$") || text.hasPrefix(".") || text.contains("[")
  let separators: Set<Character> = isPath ? ["$", ".", "[", "]", "\"", "'", "/"] : ["#", "/"]
  let names = text.replacing("[]", with: "[*]").split { separators.contains($0) }
  return names.map { "/" + $0.replacing("~", with: "~0") }.joined()
}

/// The locations of the items in an HTML page and of the parts in each item; without `items`, of the text to watch.
public struct HTMLMapping: Hashable, Sendable {
  /// The elements that are items; nil if the page's text is what counts.
  public var items: SelectorList?
  /// The configured parts, in each item; those of title, link and published have defaults.
  public var parts: [JSONMapping.Part: PageValue]
  /// The elements with the text to watch, if there are no items; nil means the whole body.
  public var text: SelectorList?
  /// The elements in the text to watch that do not count, and regular expressions for lines that do not.
  public var ignored: SelectorList?
  public var ignoredLines: [String] = []
  /// The changed lines that count; nil means all.
  public var onlyChanges: LineChange?
  /// Whether the elements of `text` are an article, whose content is read as HTML; without `text`, the article is found.
  public var isArticle: Bool
  /// Whether a page without items, or without text to watch, is read as empty.
  public var allowsEmpty: Bool

  public init(
    items: SelectorList? = nil, parts: [JSONMapping.Part: PageValue] = [:], text: SelectorList? = nil,
    allowsEmpty: Bool = false, isArticle: Bool = false
  ) {
    (self.items, self.parts, self.text, self.allowsEmpty) = (items, parts, text, allowsEmpty)
    self.isArticle = isArticle
  }
}

/// The location of a value in a page: `h2 a`, `img@src`, or `@href` for an attribute of the item itself.
public struct PageValue: Hashable, Sendable {
  public let text: String
  /// The elements; nil means the item itself.
  public let selector: SelectorList?
  /// The name of the attribute in lower case; nil takes the text, or the usual attribute of an address or date.
  public let attribute: String?

  public init(parsing text: String) throws(TextProblem) {
    self.text = text
    // Before a quote or bracket that closes, the sign is a part of the selector.
    guard let sign = text.lastIndex(of: "@"), !text[sign...].contains(where: { "\"']".contains($0) }) else {
      selector = try SelectorList(parsing: text)
      attribute = nil
      return
    }
    let name = text[text.index(after: sign)...].drop { $0.isWhitespace }.lowercased()
    guard !name.isEmpty, name.unicodeScalars.allSatisfy({ isNameScalar($0) || $0 == ":" }) else {
      throw TextProblem(
        what: "has no attribute name after \"@\"", cure: "write img@src, for example",
        column: text.distance(from: text.startIndex, to: sign) + 1)
    }
    attribute = name
    let before = text[..<sign]
    selector = before.allSatisfy(\.isWhitespace) ? nil : try SelectorList(parsing: String(before))
  }
}

/// The source of a part of an item: a pointer to its value, or a template that combines several values.
public enum JSONSource: Hashable, Sendable {
  case pointer(JSONPointer)
  case template(JSONTemplate)

  /// Reads a template if the text contains `{`, and a pointer otherwise.
  public init(parsing text: String) throws(TextProblem) {
    self =
      text.utf8.contains("{")
      ? .template(try JSONTemplate(parsing: text)) : .pointer(try JSONPointer(parsing: text))
  }

  /// The text as written.
  public var text: String {
    switch self {
    case .pointer(let pointer): pointer.text
    case .template(let template): template.text
    }
  }

  /// The pointers to all values that it needs.
  public var pointers: [JSONPointer] {
    switch self {
    case .pointer(let pointer): [pointer]
    case .template(let template): template.pointers
    }
  }
}

/// Text with the values of members in it, such as `https://xkcd.com/{num}/`.
///
/// A placeholder is a member's name or a JSON pointer, with or without the slash at its beginning. In an address its value
/// is percent-encoded as one step of a path; after a plus sign, as in `{+path}`, slashes and other reserved characters
/// stay (RFC 6570 sections 3.2.2 and 3.2.3).
public struct JSONTemplate: Hashable, Sendable {
  let text: String
  let pieces: [Piece]
  public let pointers: [JSONPointer]

  enum Piece: Hashable, Sendable {
    case literal(String)
    /// The value of a pointer, by its index in `pointers`.
    case value(Int, keepsReserved: Bool)
  }

  /// The most placeholders; each is searched in every item.
  static let mostPlaceholders = 8

  init(parsing text: String) throws(TextProblem) {
    self.text = text
    var pieces: [Piece] = []
    var pointers: [JSONPointer] = []
    var rest = text[...]
    while let open = rest.firstIndex(of: "{") {
      let column = text.distance(from: text.startIndex, to: open) + 1
      if open > rest.startIndex { pieces.append(.literal(String(rest[..<open]))) }
      let close = rest[open...].firstIndex(of: "}") ?? rest.endIndex
      var name = rest[open..<close].dropFirst()
      let keepsReserved = name.hasPrefix("+")
      if keepsReserved { name = name.dropFirst() }
      guard close < rest.endIndex, !name.isEmpty, !name.contains("{") else {
        throw TextProblem(
          what: "has a \"{\" without a name and a \"}\"", cure: "write {name} for the value of a member",
          column: column)
      }
      guard pointers.count < Self.mostPlaceholders else {
        throw TextProblem(
          what: "has more than \(Self.mostPlaceholders) placeholders", cure: "use fewer", column: column)
      }
      pointers.append(try JSONPointer(parsing: name.hasPrefix("/") ? String(name) : "/" + name))
      pieces.append(.value(pointers.count - 1, keepsReserved: keepsReserved))
      rest = rest[rest.index(after: close)...]
    }
    if !rest.isEmpty { pieces.append(.literal(String(rest))) }
    (self.pieces, self.pointers) = (pieces, pointers)
  }

  /// The text with values in place of the placeholders; nil if a value is missing, or would lead an address up its path or
  /// to another host.
  ///
  /// - Parameters:
  ///   - values: the values, in the order of `pointers`.
  ///   - isAddress: whether values are percent-encoded.
  public func text(with values: [String?], isAddress: Bool) -> String? {
    var output = ""
    for piece in pieces {
      switch piece {
      case .literal(let text): output += text
      case .value(let index, let keepsReserved):
        guard values.indices.contains(index), let value = values[index] else { return nil }
        guard !isAddress || isAllowed(value, after: output, keepsReserved) else { return nil }
        output += isAddress ? percentEncoded(value) { $0.staysInPath(keepsReserved) } : value
      }
    }
    return output
  }
}

/// Whether a value may follow the beginning of an address without leading it up its path or to another host.
private func isAllowed(_ value: String, after beginning: String, _ keepsReserved: Bool) -> Bool {
  guard keepsReserved else { return value != "." && value != ".." }
  let reference = URIReference(beginning)
  guard reference.authority != nil, reference.path.isEmpty, reference.query == nil, reference.fragment == nil
  else {
    return true
  }
  return value.first.map { "/?#".contains($0) } ?? true
}

extension Unicode.Scalar {
  /// Whether a value may contain the scalar without encoding (RFC 6570 section 3.2.1).
  fileprivate func staysInPath(_ keepsReserved: Bool) -> Bool {
    isUnreserved || keepsReserved && ":/?#[]@!$&'()*+,;=%".unicodeScalars.contains(self)
  }
}

/// A condition on a member of an item: one of its values must be in a list.
public struct JSONCondition: Hashable, Sendable {
  public var pointer: JSONPointer
  /// The allowed values as JSON writes them, strings without quotes.
  public var values: [String]

  public init(_ pointer: JSONPointer, values: [String]) {
    (self.pointer, self.values) = (pointer, values)
  }

  /// Whether an item with these values of the member meets the condition.
  ///
  /// A missing member counts as null, and `false` in the list also allows null: most APIs leave out what is false.
  public func allows(_ found: [String]) -> Bool {
    (found.isEmpty ? ["null"] : found).contains { value in
      values.contains(value) || value == "null" && values.contains("false")
    }
  }
}
