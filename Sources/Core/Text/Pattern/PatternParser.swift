// Reads the structure of an expression: alternatives, repeats, groups and flags. Single characters and classes are
// PatternAtoms.swift's business.

/// Reads an expression from its first scalar to its last.
struct PatternParser {
  /// The flags in force.
  struct Flags {
    /// Whether case does not count.
    var ignoresCase = false
    /// Whether `^` and `$` hold at every line.
    var isByLine = false
    /// Whether `.` holds for a line end too.
    var dotIsAnything = false
  }

  let scalars: [Unicode.Scalar]
  var index = 0
  var flags = Flags()
  private var depth = 0
  /// The sets of scalars found so far, which nodes name by number.
  var sets: [ScalarSet] = []

  init(_ text: String) throws(PatternProblem) {
    guard text.utf8.count <= PatternLimit.bytes else { throw PatternProblem(cause: .tooLong, column: 1) }
    scalars = Array(text.unicodeScalars)
  }

  /// The whole expression.
  mutating func expression() throws(PatternProblem) -> PatternNode {
    let node = try alternatives()
    if next != nil { throw problem(.strayParenthesis, at: index) }
    return node
  }

  /// The scalar to be read next.
  var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  /// Reads a text if it comes next.
  mutating func read(_ text: String) -> Bool {
    guard scalars[index...].starts(with: text.unicodeScalars) else { return false }
    index += text.unicodeScalars.count
    return true
  }

  /// A problem at a place, counted from 0.
  func problem(_ cause: PatternProblem.Cause, at index: Int) -> PatternProblem {
    PatternProblem(cause: cause, column: index + 1)
  }

  /// The scalars from a place to where reading has come.
  func written(from start: Int) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars[start..<index])
    return String(text)
  }

  /// Everything up to a `)` or the end.
  private mutating func alternatives() throws(PatternProblem) -> PatternNode {
    var choices: [PatternNode] = []
    repeat { choices.append(.sequence(try sequence())) } while read("|")
    return choices.count == 1 ? choices[0] : .choice(choices)
  }

  private mutating func sequence() throws(PatternProblem) -> [PatternNode] {
    var nodes: [PatternNode] = []
    while let scalar = next, scalar != "|", scalar != ")" {
      let start = index
      if try quantifier() != nil { throw problem(.nothingToRepeat(written(from: start)), at: start) }
      guard let node = scalar == "(" ? try group() : try atom() else { continue }
      nodes.append(try repeated(node))
    }
    return nodes
  }

  /// A node with the quantifier that follows it, if one does.
  private mutating func repeated(_ node: PatternNode) throws(PatternProblem) -> PatternNode {
    guard let (least, most) = try quantifier() else { return node }
    if next == "+" { throw problem(.possessive, at: index) }
    // How much a lazy repeat would take makes no difference to whether there is a match.
    _ = read("?")
    let start = index
    if try quantifier() != nil { throw problem(.repeatedTwice(written(from: start)), at: start) }
    return .repeated(node, least: least, most: most)
  }

  /// A quantifier; nil, and nothing read, if none comes next.
  ///
  /// As in PCRE, any other `{` stands for itself.
  private mutating func quantifier() throws(PatternProblem) -> (least: Int, most: Int?)? {
    if read("*") { return (0, nil) }
    if read("+") { return (1, nil) }
    if read("?") { return (0, 1) }
    let start = index
    guard read("{") else { return nil }
    let least = number()
    let hasComma = read(",")
    let most = hasComma ? number() : least
    guard least != nil || most != nil, read("}") else {
      index = start
      return nil
    }
    guard max(least ?? 0, most ?? 0) <= PatternLimit.repeats else {
      throw problem(.tooManyRepeats, at: start)
    }
    if let least, let most, least > most {
      throw problem(.backwardRepeat(least: least, most: most), at: start)
    }
    return (least ?? 0, most)
  }

  /// A decimal number; one that is far too large stays so.
  private mutating func number() -> Int? {
    var number: Int?
    while let digit = next.flatMap({ $0.isASCII ? Character($0).wholeNumberValue : nil }) {
      number = min((number ?? 0) * 10 + digit, 1_000_000)
      index += 1
    }
    return number
  }

  /// A group, from its `(` on; nil if it only sets flags for the rest of the group around it.
  private mutating func group() throws(PatternProblem) -> PatternNode? {
    let start = index
    let outerFlags = flags
    index += 1
    if read("?"), try !groupKind(from: start) { return nil }
    depth += 1
    guard depth <= PatternLimit.nesting else { throw problem(.nestedTooDeep, at: start) }
    let node = try alternatives()
    depth -= 1
    guard read(")") else { throw problem(.unclosedGroup, at: start) }
    flags = outerFlags
    return node
  }

  /// Reads what follows `(?` and says whether a group does.
  private mutating func groupKind(from start: Int) throws(PatternProblem) -> Bool {
    for sign in ["=", "!", "<=", "<!"] where read(sign) { throw problem(.lookAround, at: start) }
    if read(">") { throw problem(.atomicGroup, at: start) }
    if read("P=") || read("P>") { throw problem(.backReference, at: start) }
    if read("P<") || read("<") {
      try groupName(endingWith: ">")
      return true
    }
    if read("'") {
      try groupName(endingWith: "'")
      return true
    }
    return try flagsOfGroup(from: start)
  }

  private mutating func groupName(endingWith end: String) throws(PatternProblem) {
    let start = index
    while let scalar = next, ScalarKind.word.holds(scalar) { index += 1 }
    guard index > start, read(end) else { throw problem(.badGroupName, at: start) }
  }

  /// Reads flags and the `:` or `)` after them; a `)` ends the matter.
  private mutating func flagsOfGroup(from start: Int) throws(PatternProblem) -> Bool {
    var isOn = true
    while let scalar = next {
      index += 1
      switch scalar {
      case ":": return true
      case ")": return false
      case "-" where isOn: isOn = false
      case "i": flags.ignoresCase = isOn
      case "m": flags.isByLine = isOn
      case "s": flags.dotIsAnything = isOn
      case _ where Character(scalar).isLetter:
        throw problem(.unknownFlag(String(scalar)), at: index - 1)
      default: throw problem(.unknownGroup, at: start)
      }
    }
    throw problem(.unclosedGroup, at: start)
  }
}
