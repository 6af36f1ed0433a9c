// Why a text is no pattern, and the words for it.

/// Why a text is no pattern, and where.
public struct PatternProblem: Error, Hashable, Sendable {
  /// What is wrong.
  public let cause: Cause
  /// Where it is wrong, in Unicode scalars of the text, counted from 1; one past the end if something is
  /// missing there.
  public let column: Int

  /// What is wrong with a pattern.
  public enum Cause: Hashable, Sendable {
    /// It has more than 4 KiB.
    case tooLong
    /// Its repeats, written out, are more than 20,000 instructions.
    case tooLarge
    /// More than 100 groups within groups.
    case nestedTooDeep
    /// A `(` without its `)`.
    case unclosedGroup
    /// A `)` without its `(`.
    case strayParenthesis
    /// A `[` without its `]`.
    case unclosedClass
    /// A quantifier with nothing before it, as written.
    case nothingToRepeat(String)
    /// A quantifier right after another, as written.
    case repeatedTwice(String)
    /// A counted repeat of more than 1,000 times.
    case tooManyRepeats
    /// A counted repeat whose least number is more than its most.
    case backwardRepeat(least: Int, most: Int)
    /// A range in a class whose first is after its last, or of something other than single characters.
    case badRange(String)
    /// `[:name:]` in a class.
    case namedClass
    /// A `\` at the end.
    case trailingBackslash
    /// A `\` before a letter that has no meaning, both as written.
    case unknownEscape(String)
    /// `\x` or `\u` without the number of a character.
    case badCodePoint
    /// `\p` without a general category of Unicode.
    case unknownCategory(String)
    /// A `(?` followed by something that is no group.
    case unknownGroup
    /// A flag other than i, m and s.
    case unknownFlag(String)
    /// A group name that is empty, is not letters, digits and `_`, or does not end.
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

  /// What is wrong, in words.
  public var what: String { words.what }

  /// What to do about it, in words.
  public var cure: String { words.cure }

  private var words: (what: String, cure: String) {
    switch cause {
    case .tooLong: ("it is longer than 4 KiB", "divide it into several")
    case .tooLarge: ("its counted repeats make it too large", "repeat less, or write * or + instead")
    case .nestedTooDeep: ("more than 100 groups are within each other", "write it with fewer groups")
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
    case .unknownGroup: ("\"(?\" begins no group that is known", "write (?:…), or \\(\\? for the characters")
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
