// What a YAML text says, with the place of everything. What the keys mean is left to the sections.

/// A place in the configuration file.
struct Place: Hashable, Comparable {
  /// The line, from 1.
  var line: Int32
  /// The column in characters, from 1.
  var column: Int32

  /// Where a file begins.
  static let start = Place(line: 1, column: 1)

  /// Orders places as they are read.
  static func < (left: Place, right: Place) -> Bool {
    left.line != right.line ? left.line < right.line : left.column < right.column
  }
}

/// One value of a YAML document.
struct Node {
  /// Where it begins; an alias stands where its anchor does, since that is the text to mend.
  let place: Place
  /// What it is.
  let content: Content

  /// Text, a list, a mapping, or nothing that can be used.
  enum Content {
    /// Text, not yet typed.
    case scalar(Scalar)
    /// A list.
    case sequence([Node])
    /// A mapping, in order, each key once.
    case mapping([Entry])
    /// Something that was already reported; readers pass over it in silence.
    case unusable
  }

  /// One key of a mapping and its value.
  struct Entry {
    /// The key's text.
    let key: String
    /// Where the key begins.
    let place: Place
    /// What the key is given.
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

  /// Whether it is the unquoted word `none`, which takes back what `defaults` gave.
  var isNone: Bool {
    if case .scalar(let scalar) = content { scalar.isPlain && scalar.text == "none" } else { false }
  }
}

/// Text as written.
struct Scalar {
  /// The text, quotes removed and escapes resolved.
  let text: String
  /// Whether it stood without quotes and is no block of lines.
  let isPlain: Bool
  /// How many characters stand before the text (its quote), where all the others stand in the file one to
  /// one; nil where they do not.
  let lead: Int32?
}
