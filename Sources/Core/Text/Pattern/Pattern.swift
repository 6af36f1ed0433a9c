// Regular expressions whose search takes linear time for any text. This folder parses, compiles and runs them.

/// A compiled regular expression.
///
/// The syntax is the part of PCRE that needs no backtracking: literals, `.`, classes, groups, `|`, `* + ? {n,m}`, anchors,
/// `\b`, and the flags `i`, `m` and `s`. It matches Unicode scalars.
public struct Pattern: Sendable {
  let text: String
  let instructions: [PatternInstruction]

  /// Parses and compiles an expression.
  ///
  /// - Throws: the first problem. Look-around and back-references are problems, because they need backtracking.
  public init(parsing text: String) throws(TextProblem) {
    var parser = try PatternParser(text)
    instructions = try parser.expression()
    self.text = text
  }

  /// Whether a part of the text matches, in at most the product of the lengths of pattern and text.
  ///
  /// A `PatternSearch` is faster for many texts.
  public func matches(in text: String) -> Bool {
    PatternSearch(self).matches(in: text)
  }
}

enum PatternLimit {
  /// The maximum length of an expression.
  static let bytes = 4096
  /// The maximum count of a repeat.
  static let repeats = 1000
  /// The maximum depth of groups.
  static let nesting = 100
  /// The maximum number of compiled instructions, which bounds the work for each scalar of a text.
  static let instructions = 20_000
}

/// A state of the search: the condition for the next scalar, or where the search goes on, counted from this instruction.
enum PatternInstruction: Sendable {
  case scalar(Unicode.Scalar)
  case set(ScalarSet)
  case assertion(PatternAssertion)
  case jump(Int)
  case either(Int, or: Int)
  case match
}

/// A set of scalars, such as `[a-z\d]` or `\w`.
struct ScalarSet: Sendable {
  var ranges: [ClosedRange<Unicode.Scalar>] = []
  var kinds: [(kind: ScalarKind, isWanted: Bool)] = []
  var isNegated = false
  var ignoresCase = false

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    let isListed = lists(scalar) || ignoresCase && scalar.caseVariants.contains(where: lists)
    return isListed != isNegated
  }

  private func lists(_ scalar: Unicode.Scalar) -> Bool {
    ranges.contains { $0.contains(scalar) } || kinds.contains { $0.kind.contains(scalar) == $0.isWanted }
  }
}

enum ScalarKind: Sendable {
  /// `\d`, `\w` and `\s` (UTS #18 annex C).
  case digit, word, space

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    switch self {
    case .digit: return properties.generalCategory == .decimalNumber
    case .space: return properties.isWhitespace
    case .word:
      if scalar.isASCII { return scalar == "_" || Character(scalar).isLetter || Character(scalar).isNumber }
      switch properties.generalCategory {
      case .decimalNumber, .connectorPunctuation, .nonspacingMark, .spacingMark, .enclosingMark: return true
      default: return properties.isAlphabetic || properties.isJoinControl
      }
    }
  }
}

extension Unicode.Scalar {
  /// The case mappings that are single scalars: lower, upper, and lower of upper for ς and Σ.
  var caseVariants: [Unicode.Scalar] {
    func only(_ text: String) -> Unicode.Scalar? {
      text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
    }
    let upper = only(properties.uppercaseMapping)
    return [only(properties.lowercaseMapping), upper, upper.flatMap { only($0.properties.lowercaseMapping) }]
      .compactMap { $0 }
  }
}
