// Regular expressions whose search time no text can blow up. What is wrong with one is PatternProblem's business.

/// A regular expression, read and compiled once.
///
/// The syntax is that part of PCRE which can be searched for without backtracking: literals, `.`, classes,
/// groups, `|`, `* + ? {n,m}`, anchors, `\b`, and the flags `i`, `m` and `s`. Text is looked at by Unicode scalars.
public struct Pattern: Hashable, Sendable {
  /// The expression as written.
  public let text: String
  let program: PatternProgram

  /// Reads an expression.
  ///
  /// - Throws: the first problem; look-around and back-references, which need backtracking, are some.
  public init(parsing text: String) throws(PatternProblem) {
    var parser = try PatternParser(text)
    program = try PatternProgram(compiling: try parser.expression(), sets: parser.sets)
    self.text = text
  }

  /// Whether a part of the text matches, in time proportional to the lengths of pattern and text multiplied at most.
  ///
  /// A `PatternSearch` looks through many texts faster.
  public func matches(in text: String) -> Bool {
    PatternSearch(self).matches(in: text)
  }

  /// Whether both are written alike; the rest follows from the text.
  public static func == (left: Pattern, right: Pattern) -> Bool {
    left.text == right.text
  }

  /// Feeds the text alone.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(text)
  }
}

/// What an expression may cost.
enum PatternLimit {
  /// Bytes of an expression.
  static let bytes = 4096
  /// How often a counted repeat may repeat.
  static let repeats = 1000
  /// Groups within groups.
  static let nesting = 100
  /// Instructions of the compiled program, which bound the work for each scalar of a text.
  static let instructions = 20_000
}

/// An expression as a tree, as deep as its groups are nested.
indirect enum PatternNode {
  /// One scalar that stands for itself.
  case scalar(Unicode.Scalar)
  /// One scalar of a set, by the set's number.
  case set(Int)
  /// A condition on the place, which reads nothing.
  case assertion(PatternAssertion)
  /// One after the other.
  case sequence([PatternNode])
  /// Any one of them.
  case choice([PatternNode])
  /// The node so many times; without `most`, any number of times from `least` on.
  case repeated(PatternNode, least: Int, most: Int?)
}
