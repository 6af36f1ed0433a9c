// Text with placeholders. The configuration decides which placeholders exist.

/// Text with placeholders: `{name}` or, for times, `{name:strftime}`; `{{` and `}}` are braces.
public struct Template: Hashable, Sendable {
  public let parts: [Part]
  /// Where the placeholders begin in the text that was parsed, in Unicode scalars, from 0.
  public private(set) var positions: [Int] = []

  public enum Part: Hashable, Sendable {
    case literal(String)
    /// `format` is one of strftime(3), for a time.
    case placeholder(name: String, format: String?)
  }

  public init(literal: String) {
    parts = literal.isEmpty ? [] : [.literal(literal)]
  }

  /// A template of the program, which never fails to parse: a test fills in each of them.
  init(builtIn text: String) { self = (try? Template(parsing: text)) ?? Template(literal: text) }

  private init(parts: [Part]) { self.parts = parts }

  /// The template with a tab for `\t`, a line break for `\n` and a backslash for `\\`, as printf(1) has them.
  ///
  /// A shell passes these on as they are typed. Any other backslash stays.
  public var unescaped: Template {
    Template(
      parts: parts.map { part in
        guard case .literal(let text) = part else { return part }
        var plain = ""
        var rest = Substring(text)
        while let character = rest.popFirst() {
          switch (character, rest.first) {
          case ("\\", "t"): plain.append("\t")
          case ("\\", "n"): plain.append("\n")
          case ("\\", "\\"): plain.append("\\")
          default:
            plain.append(character)
            continue
          }
          rest.removeFirst()
        }
        return .literal(plain)
      })
  }

  /// Parses a text; placeholders may have any name of `a-z`, `0-9`, `-` and `.`.
  public init(parsing text: String) throws(TextProblem) {
    var parts: [Part] = []
    var literal = ""
    let characters = Array(text.unicodeScalars)
    var index = 0
    while index < characters.count {
      let character = characters[index]
      let isDoubled = index + 1 < characters.count && characters[index + 1] == character
      if character == "{", !isDoubled {
        guard let end = characters[index...].firstIndex(of: "}") else {
          throw TextProblem(
            what: "\"{\" without \"}\"", cure: "write {{ for a literal brace", column: index + 1)
        }
        let inside = characters[(index + 1)..<end].reduce(into: "") { $0.unicodeScalars.append($1) }
        let pieces = inside.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(pieces.first ?? "")
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isNameByte) else {
          throw TextProblem(
            what: "\"{\(cleanText(name, limit: 100))}\" is not a placeholder",
            cure: "write {{ and }} for braces, or a name such as {title}", column: index + 1)
        }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        literal = ""
        positions.append(index)
        parts.append(.placeholder(name: name, format: pieces.count > 1 ? String(pieces[1]) : nil))
        index = end + 1
      } else if character == "}", !isDoubled {
        throw TextProblem(
          what: "\"}\" without \"{\"", cure: "write }} for a literal brace", column: index + 1)
      } else {
        literal.unicodeScalars.append(character)
        index += character == "{" || character == "}" ? 2 : 1
      }
    }
    if !literal.isEmpty { parts.append(.literal(literal)) }
    self.parts = parts
  }

  /// The names of the placeholders in order, with repetitions.
  public var placeholders: [String] {
    parts.compactMap { part in
      if case .placeholder(let name, _) = part { name } else { nil }
    }
  }

  /// Whether a part has a whole line of the template to itself.
  func isAloneOnLine(_ index: Int) -> Bool {
    func literal(_ index: Int) -> String? {
      guard parts.indices.contains(index) else { return "\n" }
      if case .literal(let text) = parts[index] { return text }
      return nil
    }
    return literal(index - 1)?.last == "\n" && literal(index + 1)?.first == "\n"
  }

  /// The text with each placeholder replaced by the result of `value`.
  public func filled<Failure>(
    with value: (_ name: String, _ format: String?) throws(Failure) -> String
  ) throws(Failure) -> String {
    var text = ""
    for part in parts {
      switch part {
      case .literal(let literal): text += literal
      case .placeholder(let name, let format): text += try value(name, format)
      }
    }
    return text
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    ("a"..."z").contains(byte)
      || byte.isASCIIDigit
      || byte == "-" || byte == "."
  }
}
