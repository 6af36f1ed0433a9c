// Text with placeholders, parsed once where it is configured. Filling it in is `filled(with:)`'s business alone.

/// Text with placeholders: `{name}` or, for times, `{name:strftime}`; `{{` and `}}` are braces.
public struct Template: Hashable, Sendable {
  /// The parts in order.
  public let parts: [Part]

  /// A piece of text or a placeholder.
  public enum Part: Hashable, Sendable {
    /// Text that stands for itself.
    case literal(String)
    /// A placeholder, with the strftime(3) format of a time.
    case placeholder(name: String, format: String?)
  }

  /// A text without placeholders.
  public init(literal: String) {
    parts = literal.isEmpty ? [] : [.literal(literal)]
  }

  /// Why a text is no template, and at which character of it, counted from 0.
  public enum Mistake: Error, Hashable, Sendable {
    /// A `{` without its `}`.
    case unclosedBrace(at: Int)
    /// A `}` without its `{`.
    case strayBrace(at: Int)
    /// `{}`, or characters that no placeholder has.
    case badName(String, at: Int)
  }

  /// Reads a text with placeholders; which names exist is the caller's business.
  public init(parsing text: String) throws(Mistake) {
    var parts: [Part] = []
    var literal = ""
    let characters = Array(text.unicodeScalars)
    var index = 0
    while index < characters.count {
      let character = characters[index]
      let isDoubled = index + 1 < characters.count && characters[index + 1] == character
      if character == "{", !isDoubled {
        guard let end = characters[index...].firstIndex(of: "}") else { throw .unclosedBrace(at: index) }
        let inside = Self.string(characters[(index + 1)..<end])
        let pieces = inside.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(pieces.first ?? "")
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isNameByte) else { throw .badName(name, at: index) }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        literal = ""
        parts.append(.placeholder(name: name, format: pieces.count > 1 ? String(pieces[1]) : nil))
        index = end + 1
      } else if character == "}", !isDoubled {
        throw .strayBrace(at: index)
      } else {
        literal.unicodeScalars.append(character)
        index += character == "{" || character == "}" ? 2 : 1
      }
    }
    if !literal.isEmpty { parts.append(.literal(literal)) }
    self.parts = parts
  }

  /// The names of the placeholders, in order, repeated ones repeated.
  public var placeholders: [String] {
    parts.compactMap { part in
      if case .placeholder(let name, _) = part { name } else { nil }
    }
  }

  /// The text with each placeholder replaced by what `value` gives for its name and format.
  public func filled(with value: (_ name: String, _ format: String?) -> String) -> String {
    var text = ""
    for part in parts {
      switch part {
      case .literal(let literal): text += literal
      case .placeholder(let name, let format): text += value(name, format)
      }
    }
    return text
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }

  private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }
}
