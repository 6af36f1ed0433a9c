// Feeds of kind html: CSS selectors of the items in a page and of their parts. Formats matches the selectors.

/// The places of the items in an HTML page and of the parts in each item; without `items`, of the text to watch.
public struct HTMLMapping: Hashable, Sendable {
  /// The elements that are items; nil if the page's text is what counts.
  public var items: SelectorList?
  /// The configured parts, in each item; those of title, link and published have defaults.
  public var parts: [JSONMapping.Part: PageValue]
  /// The elements with the text to watch, if there are no items; nil means the whole body.
  public var text: SelectorList?
  /// Whether a page without items, or without text to watch, is read as empty.
  public var allowsEmpty: Bool

  public init(
    items: SelectorList? = nil, parts: [JSONMapping.Part: PageValue] = [:], text: SelectorList? = nil,
    allowsEmpty: Bool = false
  ) {
    self.items = items
    self.parts = parts
    self.text = text
    self.allowsEmpty = allowsEmpty
  }
}

/// The place of a value in a page: `h2 a`, `img@src`, or `@href` for an attribute of the item itself.
public struct PageValue: Hashable, Sendable {
  public let text: String
  /// The elements; nil means the item itself.
  public let selector: SelectorList?
  /// The name of the attribute in lower case; nil takes the text, or the usual attribute of an address or date.
  public let attribute: String?

  public init(parsing text: String) throws(SelectorProblem) {
    self.text = text
    guard let sign = Self.attributeSign(in: text) else {
      selector = try SelectorList(parsing: text)
      attribute = nil
      return
    }
    let name = text[text.index(after: sign)...].drop { $0.isWhitespace }.lowercased()
    guard !name.isEmpty, name.unicodeScalars.allSatisfy({ isNameScalar($0) || $0 == ":" }) else {
      throw SelectorProblem(
        what: "has no attribute name after \"@\"", cure: "write img@src, for example",
        column: text.distance(from: text.startIndex, to: sign) + 1)
    }
    attribute = name
    let before = text[..<sign]
    selector = before.allSatisfy(\.isWhitespace) ? nil : try SelectorList(parsing: String(before))
  }

  /// The last `@` outside brackets and quotes.
  private static func attributeSign(in text: String) -> String.Index? {
    var sign: String.Index?
    var quote: Character?
    var isInBrackets = false
    for index in text.indices {
      let character = text[index]
      if let open = quote {
        if character == open { quote = nil }
        continue
      }
      switch character {
      case "\"", "'": quote = character
      case "[": isInBrackets = true
      case "]": isInBrackets = false
      case "@" where !isInBrackets: sign = index
      default: break
      }
    }
    return sign
  }
}

/// The reason why a text is not a selector.
public struct SelectorProblem: Error, Hashable, Sendable {
  /// The message, as the rest of a sentence about the text.
  public let what: String
  public let cure: String
  /// The place in characters, from 1.
  public let column: Int
}
