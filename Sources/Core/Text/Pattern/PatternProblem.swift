// Problems of regular expressions, with messages and cures.

/// The reason why a text is not a pattern.
public struct PatternProblem: Error, Hashable, Sendable {
  public let cause: Cause
  /// The place in Unicode scalars of the text, from 1; one past the end if something is missing there.
  public let column: Int

  public enum Cause: Hashable, Sendable {
    case tooLong
    /// More than 20,000 instructions with repeats written out.
    case tooLarge
    case nestedTooDeep
    case unclosedGroup
    case strayParenthesis
    case unclosedClass
    case nothingToRepeat(String)
    case repeatedTwice(String)
    case tooManyRepeats
    case backwardRepeat(least: Int, most: Int)
    /// A range in a class that is backward, or not of single characters.
    case badRange(String)
    case namedClass
    case trailingBackslash
    /// A `\` before a letter without a meaning, both as written.
    case unknownEscape(String)
    case badCodePoint
    case unknownCategory(String)
    /// A `(?` that does not begin a known group.
    case unknownGroup
    case unknownFlag(String)
    /// A group name that is empty, not of letters, digits and `_`, or not closed.
    case badGroupName
    /// `(?=`, `(?!`, `(?<=` or `(?<!`.
    case lookAround
    /// `(?>`.
    case atomicGroup
    /// `*+`, `++`, `?+` or `}+`.
    case possessive
    /// `\1`, `\k` or `\g`.
    case backReference
  }

  /// The message.
  public var what: String { words.what }

  /// The cure.
  public var cure: String { words.cure }

  private var words: (what: String, cure: String) {
    switch cause {
    case .tooLong: ("it is longer than 4 KiB", "divide it into several")
    case .tooLarge: ("its counted repeats make it too large", "repeat less, or write * or + instead")
    case .nestedTooDeep: ("its groups are nested more than 100 deep", "write it with fewer groups")
    case .unclosedGroup: ("a \"(\" is not closed", "add the \")\", or write \\( for the character")
    case .strayParenthesis: ("there is no \"(\" for this \")\"", "write \\) for the character")
    case .unclosedClass: ("a \"[\" is not closed", "add the \"]\", or write \\[ for the character")
    case .nothingToRepeat(let sign):
      (
        "there is nothing before \"\(sign)\" to repeat",
        "write .* for any text, or \\\(sign) for the character"
      )
    case .repeatedTwice(let sign):
      ("\"\(sign)\" follows another repeat", "write one of them, or \\\(sign) for the character")
    case .tooManyRepeats: ("it repeats more than 1000 times", "write * or + instead")
    case .backwardRepeat(let least, let most):
      ("it repeats at least \(least) and at most \(most) times", "write {\(most),\(least)}")
    case .badRange(let range):
      ("\"\(range)\" is not a range of characters", "write the lower one first, or \\- for the character")
    case .namedClass: ("[:name:] is not known", "write \\d, \\w, \\s or ranges such as a-z")
    case .trailingBackslash: ("nothing follows the last \"\\\"", "write \\\\ for the character")
    case .unknownEscape(let escape):
      ("\"\(escape)\" has no meaning", "remove the \"\\\", or write \\\\ for the character")
    case .badCodePoint: ("this is not the number of a character", "write, for example, \\x41 or \\u{1F600}")
    case .unknownCategory(let name):
      ("\"\(name)\" is not a general category of Unicode", "write, for example, \\p{L} or \\p{Lu}")
    case .unknownGroup: ("\"(?\" does not begin a known group", "write (?:…), or \\(\\? for the characters")
    case .unknownFlag(let flag): ("\"\(flag)\" is not a flag", "write i, m or s, for example (?i)")
    case .badGroupName: ("this is not a group's name", "write a plain group, (…)")
    case .lookAround:
      ("look-ahead and look-behind are not supported", "use include and exclude together instead")
    case .atomicGroup: ("atomic groups are not supported", "write (?:…), which finds the same or more")
    case .possessive: ("possessive repeats are not supported", "remove the second \"+\"")
    case .backReference: ("back-references are not supported", "write the text again")
    }
  }
}
