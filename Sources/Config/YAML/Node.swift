// The values of a YAML text, each with its place. Sections give keys their meaning.

/// A place in the configuration file.
struct Place: Hashable, Comparable {
  var line: Int32
  var column: Int32

  static let start = Place(line: 1, column: 1)

  static func < (left: Place, right: Place) -> Bool {
    left.line != right.line ? left.line < right.line : left.column < right.column
  }
}

struct Node {
  /// The place of the value; for an alias, the place of the anchored value, which is the text to correct.
  let place: Place
  let content: Content

  enum Content {
    /// Text without a type.
    case scalar(Scalar)
    case sequence([Node])
    /// A mapping, in order, each key once.
    case mapping([Entry])
    /// A value with a reported mistake, which readers ignore.
    case unusable
  }

  struct Entry {
    let key: String
    let place: Place
    let value: Node
  }

  /// Whether it is the null of YAML 1.2's core schema: nothing, `~` or `null`, unquoted.
  var isNull: Bool {
    guard case .scalar(let scalar) = content, scalar.isPlain else { return false }
    switch scalar.text {
    case "", "~", "null", "Null", "NULL": return true
    default: return false
    }
  }

  /// Whether it is a boolean of YAML 1.2's core schema, unquoted.
  var isBoolean: Bool {
    guard case .scalar(let scalar) = content, scalar.isPlain else { return false }
    return ["true", "True", "TRUE", "false", "False", "FALSE"].contains(scalar.text)
  }

  /// Whether it is the unquoted word `none`, which removes a value of `defaults`.
  var isNone: Bool {
    if case .scalar(let scalar) = content { scalar.isPlain && scalar.text == "none" } else { false }
  }
}

struct Scalar {
  /// The text without quotes and escapes.
  let text: String
  /// Whether it is unquoted and not a block of lines.
  let isPlain: Bool
  /// The number of characters before the text: 1 for a quote, otherwise 0; nil if the text has escapes or line
  /// folds, so that its characters cannot be found in the file by counting.
  let lead: Int32?
}
