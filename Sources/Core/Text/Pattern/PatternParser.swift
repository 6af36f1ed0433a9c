// Compiles an expression to instructions: alternatives, repeats, groups and flags, then characters, escapes and classes.

struct PatternParser {
  struct Flags {
    var ignoresCase = false
    /// Whether `^` and `$` match at every line.
    var isByLine = false
    /// Whether `.` also matches a line end.
    var dotIsAnything = false
  }

  let scalars: [Unicode.Scalar]
  var index = 0
  var flags = Flags()
  private var depth = 0

  init(_ text: String) throws(TextProblem) {
    guard text.utf8.count <= PatternLimit.bytes else {
      throw TextProblem(what: "it is longer than 4 KiB", cure: "divide it into several")
    }
    scalars = Array(text.unicodeScalars)
  }

  mutating func expression() throws(TextProblem) -> [PatternInstruction] {
    let instructions = try alternatives()
    if next != nil {
      throw problem("there is no \"(\" for this \")\"", "write \\) for the character", at: index)
    }
    return instructions + [.match]
  }

  /// Throws if there are too many instructions.
  private func require(_ count: Int) throws(TextProblem) {
    guard count < PatternLimit.instructions else {
      throw TextProblem(
        what: "its counted repeats make it too large", cure: "repeat less, or write * or + instead")
    }
  }

  var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  mutating func read(_ text: String) -> Bool {
    guard scalars[index...].starts(with: text.unicodeScalars) else { return false }
    index += text.unicodeScalars.count
    return true
  }

  /// A problem at an index.
  private func problem(_ what: String, _ cure: String, at index: Int) -> TextProblem {
    TextProblem(what: what, cure: cure, column: index + 1)
  }

  /// The text from an index to the current one.
  func written(from start: Int) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars[start..<index])
    return String(text)
  }

  private mutating func alternatives() throws(TextProblem) -> [PatternInstruction] {
    var choices: [[PatternInstruction]] = []
    repeat { choices.append(try sequence()) } while read("|")
    var instructions = choices.removeLast()
    for choice in choices.reversed() {
      try require(choice.count + instructions.count)
      var joined = [PatternInstruction.either(1, or: choice.count + 2)]
      joined += choice
      joined.append(.jump(instructions.count + 1))
      instructions = joined + instructions
    }
    return instructions
  }

  private mutating func sequence() throws(TextProblem) -> [PatternInstruction] {
    var instructions: [PatternInstruction] = []
    while let scalar = next, scalar != "|", scalar != ")" {
      let start = index
      if try quantifier() != nil {
        let sign = written(from: start)
        throw problem(
          "there is nothing before \"\(sign)\" to repeat",
          "write .* for any text, or \\\(sign) for the character",
          at: start)
      }
      guard let piece = scalar == "(" ? try group() : [try atom()] else { continue }
      instructions += try repeated(piece)
      try require(instructions.count)
    }
    return instructions
  }

  /// A piece with the quantifier after it, if there is one; counted repeats are written out.
  private mutating func repeated(
    _ piece: [PatternInstruction]
  ) throws(TextProblem) -> [PatternInstruction] {
    guard let (least, most) = try quantifier() else { return piece }
    // Laziness does not change whether there is a match.
    _ = read("?")
    let start = index
    if try quantifier() != nil {
      let sign = written(from: start)
      throw problem(
        "\"\(sign)\" follows another repeat", "write one of them, or \\\(sign) for the character", at: start)
    }
    // An empty piece stays empty: `((){1000}){1000}` must not take a million steps.
    guard !piece.isEmpty else { return [] }
    let step = piece.count + 1
    try require(step * max(least, most ?? 1))
    var instructions = Array(repeatElement(piece, count: least).joined())
    if let most {
      for left in stride(from: most - least, to: 0, by: -1) {
        instructions.append(.either(1, or: left * step))
        instructions += piece
      }
    } else if least > 0 {
      // Jump back to the last copy: writing `x+` as `xx*` would double the program with every `+` around it.
      instructions.append(.either(-piece.count, or: 1))
    } else {
      instructions.append(.either(1, or: step + 1))
      instructions += piece
      instructions.append(.jump(-step))
    }
    return instructions
  }

  /// Reads a quantifier if it comes next.
  ///
  /// As in PCRE, any other `{` is literal.
  private mutating func quantifier() throws(TextProblem) -> (least: Int, most: Int?)? {
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
    guard max(least ?? 0, most ?? 0) <= PatternLimit.repeats, least ?? 0 <= most ?? .max else {
      throw problem(
        "\"\(written(from: start))\" is not a count of at most \(PatternLimit.repeats)",
        "write {2,5} for two to five, or * or + for any number", at: start)
    }
    return (least ?? 0, most)
  }

  /// A decimal number, at most a million.
  private mutating func number() -> Int? {
    var number: Int?
    while let digit = next.flatMap({ $0.isASCII ? Character($0).wholeNumberValue : nil }) {
      number = min((number ?? 0) * 10 + digit, 1_000_000)
      index += 1
    }
    return number
  }

  /// A group, or nil if it only sets flags for the rest of the enclosing group.
  private mutating func group() throws(TextProblem) -> [PatternInstruction]? {
    let start = index
    let outerFlags = flags
    index += 1
    if read("?"), try !flagsOfGroup(from: start) { return nil }
    depth += 1
    guard depth <= PatternLimit.nesting else {
      throw problem(
        "its groups are nested more than \(PatternLimit.nesting) deep", "write it with fewer groups",
        at: start)
    }
    let instructions = try alternatives()
    depth -= 1
    guard read(")") else { throw unclosed("(", at: start) }
    flags = outerFlags
    return instructions
  }

  /// Reads flags and the `:` or `)` after them; false for `)`.
  private mutating func flagsOfGroup(from start: Int) throws(TextProblem) -> Bool {
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
      default:
        throw problem(
          "\"\(written(from: start))\" is not supported",
          "write (…), or use include and exclude together instead of looking around", at: start)
      }
    }
    throw unclosed("(", at: start)
  }

  private func unclosed(_ bracket: String, at start: Int) -> TextProblem {
    let end = bracket == "(" ? ")" : "]"
    return problem(
      "a \"\(bracket)\" is not closed", "add the \"\(end)\", or write \\\(bracket) for the character",
      at: start)
  }
}

extension PatternParser {
  private enum Escape {
    case scalar(Unicode.Scalar)
    case kind(ScalarKind, isWanted: Bool)
    case assertion(PatternAssertion)
  }

  mutating func atom() throws(TextProblem) -> PatternInstruction {
    let scalar = scalars[index]
    switch scalar {
    case "[": return try characterClass()
    case "\\":
      switch try escape() {
      case .scalar(let scalar): return literal(scalar)
      case .kind(let kind, let isWanted): return .set(ScalarSet(kinds: [(kind, isWanted)]))
      case .assertion(let assertion): return .assertion(assertion)
      }
    default: break
    }
    index += 1
    switch scalar {
    case ".": return .set(ScalarSet(ranges: flags.dotIsAnything ? [] : ["\n"..."\n"], isNegated: true))
    case "^": return .assertion(flags.isByLine ? .lineStart : .textStart)
    case "$": return .assertion(flags.isByLine ? .lineEnd : .textEnd)
    default: return literal(scalar)
    }
  }

  private func literal(_ scalar: Unicode.Scalar) -> PatternInstruction {
    guard flags.ignoresCase, scalar.caseVariants.contains(where: { $0 != scalar }) else {
      return .scalar(scalar)
    }
    let ranges = ([scalar] + scalar.caseVariants).map { $0...$0 }
    return .set(ScalarSet(ranges: ranges, ignoresCase: true))
  }

  /// A class; a `]` at its beginning is literal.
  private mutating func characterClass() throws(TextProblem) -> PatternInstruction {
    let start = index
    index += 1
    var set = ScalarSet(isNegated: read("^"), ignoresCase: flags.ignoresCase)
    let first = index
    while let scalar = next, scalar != "]" || index == first {
      let itemStart = index
      if read("[:") {
        throw problem(
          "\"[:\" is not supported", "write \\d, \\w, \\s or ranges such as a-z", at: itemStart)
      }
      switch try classItem() {
      case .kind(let kind, let isWanted): set.kinds.append((kind, isWanted))
      case .assertion: throw unknownEscape(from: itemStart)
      case .scalar(let low):
        set.ranges.append(low...(try rangeEnd(after: low, from: itemStart)))
      }
    }
    guard read("]") else { throw unclosed("[", at: start) }
    return .set(set)
  }

  private mutating func classItem() throws(TextProblem) -> Escape {
    if next == "\\" { return try escape() }
    index += 1
    return .scalar(scalars[index - 1])
  }

  /// The last scalar of a range, or `low` if there is no range; a `-` before the `]` is literal.
  private mutating func rangeEnd(
    after low: Unicode.Scalar, from start: Int
  ) throws(TextProblem) -> Unicode.Scalar {
    guard next == "-", index + 1 < scalars.count, scalars[index + 1] != "]" else { return low }
    index += 1
    guard case .scalar(let high) = try classItem(), low <= high else {
      throw problem(
        "\"\(written(from: start))\" is not a range of characters",
        "write the lower one first, or \\- for the character", at: start)
    }
    return high
  }

  private mutating func escape() throws(TextProblem) -> Escape {
    let start = index
    index += 1
    guard let scalar = next else { throw unknownEscape(from: start) }
    index += 1
    switch scalar {
    case "t": return .scalar("\t")
    case "n": return .scalar("\n")
    case "r": return .scalar("\r")
    case "d", "D": return .kind(.digit, isWanted: scalar == "d")
    case "w", "W": return .kind(.word, isWanted: scalar == "w")
    case "s", "S": return .kind(.space, isWanted: scalar == "s")
    case "b": return .assertion(.wordBoundary)
    case _ where scalar.isASCII && (Character(scalar).isLetter || Character(scalar).isNumber):
      throw unknownEscape(from: start)
    default: return .scalar(scalar)
    }
  }

  /// The problem of a `\` without a meaning, with what follows it.
  private func unknownEscape(from start: Int) -> TextProblem {
    problem(
      "\"\(written(from: start))\" has no meaning", "remove the \"\\\", or write \\\\ for the character",
      at: start)
  }
}
