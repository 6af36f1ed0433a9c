// Parts of JSON items that need more than a pointer: templates that combine several values, and conditions on members.

/// The source of a part of an item: a pointer to its value, or a template that combines several values.
public enum JSONSource: Hashable, Sendable {
  case pointer(JSONPointer)
  case template(JSONTemplate)

  /// Reads a template if the text contains `{`, and a pointer otherwise.
  public init(parsing text: String) throws(JSONPointerProblem) {
    self =
      text.utf8.contains(UInt8(ascii: "{"))
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
  public let text: String
  let pieces: [Piece]
  public let pointers: [JSONPointer]

  enum Piece: Hashable, Sendable {
    case literal(String)
    /// The value of a pointer, by its index in `pointers`.
    case value(Int, keepsReserved: Bool)
  }

  /// The most placeholders; each is searched in every item.
  static let mostPlaceholders = 8

  public init(parsing text: String) throws(JSONPointerProblem) {
    self.text = text
    var pieces: [Piece] = []
    var pointers: [JSONPointer] = []
    var rest = text[...]
    while let open = rest.firstIndex(of: "{") {
      let column = text.distance(from: text.startIndex, to: open) + 1
      if open > rest.startIndex { pieces.append(.literal(String(rest[..<open]))) }
      guard let close = rest[open...].firstIndex(of: "}") else {
        throw JSONPointerProblem(
          what: "has a \"{\" without a \"}\"", cure: "write {name} for the value of a member", column: column)
      }
      var name = rest[rest.index(after: open)..<close]
      let keepsReserved = name.hasPrefix("+")
      if keepsReserved { name = name.dropFirst() }
      guard !name.isEmpty, !name.contains("{") else {
        throw JSONPointerProblem(
          what: "has a placeholder without a name", cure: "write {name} for the value of a member",
          column: column)
      }
      guard pointers.count < Self.mostPlaceholders else {
        throw JSONPointerProblem(
          what: "has more than \(Self.mostPlaceholders) placeholders", cure: "use fewer", column: column)
      }
      do throws(JSONPointerProblem) {
        pointers.append(try JSONPointer(parsing: name.hasPrefix("/") ? String(name) : "/" + name))
      } catch {
        throw JSONPointerProblem(what: error.what, cure: error.cure, column: column)
      }
      pieces.append(.value(pointers.count - 1, keepsReserved: keepsReserved))
      rest = rest[rest.index(after: close)...]
    }
    if !rest.isEmpty { pieces.append(.literal(String(rest))) }
    self.pieces = pieces
    self.pointers = pointers
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
    self.pointer = pointer
    self.values = values
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
