// Feeds of kind json: JSON Pointers to the items and their parts. Formats follows the pointers.

/// The places of the items in a JSON document, and of the parts in each item.
///
/// Every place is a list of pointers or templates; the first with a usable value counts. Values without a pointer are not
/// part of the item, so that their changes are not edits.
public struct JSONMapping: Hashable, Sendable {
  /// Pointers from the root to an array of items, or to an object that is one item.
  public var items: [JSONPointer]
  /// Pointers from an item to its parts, or templates of several; a part without any is always missing.
  public var parts: [Part: [JSONSource]]
  /// Conditions on members; other items are left out, as if the document did not have them.
  public var only: [JSONCondition]
  /// Whether a document with nothing at the items' place is a feed without items.
  public var allowsEmpty: Bool

  /// The parts of an item, named like the configuration's keys.
  public enum Part: String, Hashable, Sendable, CaseIterable {
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
    self.items = items
    self.parts = parts
    self.only = only
    self.allowsEmpty = allowsEmpty
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
  public static let mostTokens = 32

  public init(parsing text: String) throws(JSONPointerProblem) {
    self.text = text
    guard !text.isEmpty else {
      tokens = []
      return
    }
    guard text.hasPrefix("/") else {
      let meant = pointerMeant(by: text)
      throw JSONPointerProblem(
        what: "is not a JSON pointer",
        cure: meant.isEmpty ? "write \"\" for the whole value" : "write \(meant)", column: 1)
    }
    let written = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    guard written.count <= Self.mostTokens else {
      throw JSONPointerProblem(
        what: "has \(written.count) steps", cure: "write at most \(Self.mostTokens)", column: 1)
    }
    var tokens: [Token] = []
    for name in written {
      if name == "*" {
        tokens.append(.every)
      } else if let bad = loneTilde(in: name) {
        throw JSONPointerProblem(
          what: "has a \"~\" that escapes nothing", cure: "write ~0 for \"~\", and ~1 for \"/\" in a name",
          column: text.distance(from: text.startIndex, to: bad) + 1)
      } else {
        let name = String(name).replacing("~1", with: "/").replacing("~0", with: "~")
        tokens.append(.member(name, index: arrayIndex(name)))
      }
    }
    self.tokens = tokens
  }
}

/// The reason why a text is not a pointer.
public struct JSONPointerProblem: Error, Hashable, Sendable {
  /// The message, as the rest of a sentence about the text.
  public let what: String
  public let cure: String
  /// The place in characters, from 1.
  public let column: Int
}

/// The first tilde without 0 or 1 after it.
private func loneTilde(in name: Substring) -> Substring.Index? {
  name.indices.first { index in
    guard name[index] == "~" else { return false }
    let next = name.index(after: index)
    return next == name.endIndex || name[next] != "0" && name[next] != "1"
  }
}

/// The array index in a token: digits without a leading zero (RFC 6901 section 4).
private func arrayIndex(_ token: String) -> Int? {
  guard token.utf8.allSatisfy(\.isASCIIDigit),
    token == "0" || !token.hasPrefix("0")
  else { return nil }
  return Int(token)
}

/// The probable pointer for a bare name, JSONPath, a jq filter or a URI fragment.
private func pointerMeant(by text: String) -> String {
  let isPath = text.hasPrefix("$") || text.hasPrefix(".") || text.contains("[")
  let separators: Set<Character> = isPath ? ["$", ".", "[", "]", "\"", "'", "/"] : ["#", "/"]
  let names = text.replacing("[]", with: "[*]").split { separators.contains($0) }
  return names.map { "/" + $0.replacing("~", with: "~0") }.joined()
}
