// Reads the smallest parts of an expression: characters, escapes and classes.

extension PatternParser {
  /// What a `\` and what follows it mean.
  private enum Escape {
    case scalar(Unicode.Scalar)
    case kind(ScalarKind, isWanted: Bool)
    case assertion(PatternAssertion)
  }

  /// One character, class, escape or anchor.
  mutating func atom() throws(PatternProblem) -> PatternNode {
    let scalar = scalars[index]
    switch scalar {
    case "[": return try characterClass()
    case "\\":
      switch try escape() {
      case .scalar(let scalar): return literal(scalar)
      case .kind(let kind, let isWanted): return set(ScalarSet(kinds: [(kind, isWanted)]))
      case .assertion(let assertion): return .assertion(assertion)
      }
    default: break
    }
    index += 1
    switch scalar {
    case ".": return set(ScalarSet(ranges: flags.dotIsAnything ? [] : ["\n"..."\n"], isNegated: true))
    case "^": return .assertion(flags.isByLine ? .lineStart : .textStart)
    case "$": return .assertion(flags.isByLine ? .lineEnd : .textEnd)
    default: return literal(scalar)
    }
  }

  private mutating func literal(_ scalar: Unicode.Scalar) -> PatternNode {
    guard flags.ignoresCase, scalar.caseVariants.contains(where: { $0 != scalar }) else {
      return .scalar(scalar)
    }
    let ranges = ([scalar] + scalar.caseVariants).map { $0...$0 }
    return set(ScalarSet(ranges: ranges, ignoresCase: true))
  }

  private mutating func set(_ set: ScalarSet) -> PatternNode {
    sets.append(set)
    return .set(sets.count - 1)
  }

  /// A class, from its `[` on.
  ///
  /// A `]` right at the beginning stands for itself.
  private mutating func characterClass() throws(PatternProblem) -> PatternNode {
    let start = index
    index += 1
    var set = ScalarSet(isNegated: read("^"), ignoresCase: flags.ignoresCase)
    let first = index
    while let scalar = next, scalar != "]" || index == first {
      let itemStart = index
      if read("[:") { throw problem(.namedClass, at: itemStart) }
      switch try classItem() {
      case .kind(let kind, let isWanted): set.kinds.append((kind, isWanted))
      case .assertion: throw problem(.unknownEscape(written(from: itemStart)), at: itemStart)
      case .scalar(let low):
        set.ranges.append(low...(try rangeEnd(after: low, from: itemStart)))
      }
    }
    guard read("]") else { throw problem(.unclosedClass, at: start) }
    return self.set(set)
  }

  private mutating func classItem() throws(PatternProblem) -> Escape {
    if next == "\\" { return try escape() }
    index += 1
    return .scalar(scalars[index - 1])
  }

  /// The last scalar of a range, or the first again where no range follows; a `-` before the `]` is none.
  private mutating func rangeEnd(
    after low: Unicode.Scalar, from start: Int
  ) throws(PatternProblem) -> Unicode.Scalar {
    guard next == "-", index + 1 < scalars.count, scalars[index + 1] != "]" else { return low }
    index += 1
    guard case .scalar(let high) = try classItem(), low <= high else {
      throw problem(.badRange(written(from: start)), at: start)
    }
    return high
  }

  /// An escape, from its `\` on.
  private mutating func escape() throws(PatternProblem) -> Escape {
    let start = index
    index += 1
    guard let scalar = next else { throw problem(.trailingBackslash, at: start) }
    index += 1
    switch scalar {
    case "t": return .scalar("\t")
    case "n": return .scalar("\n")
    case "r": return .scalar("\r")
    case "f": return .scalar("\u{C}")
    case "d", "D": return .kind(.digit, isWanted: scalar == "d")
    case "w", "W": return .kind(.word, isWanted: scalar == "w")
    case "s", "S": return .kind(.space, isWanted: scalar == "s")
    case "p", "P": return .kind(.category(try categories(from: start)), isWanted: scalar == "p")
    case "b": return .assertion(.wordBoundary)
    case "B": return .assertion(.noWordBoundary)
    case "A": return .assertion(.textStart)
    case "z": return .assertion(.textEnd)
    case "x": return .scalar(try codePoint(digits: 2, from: start))
    case "u": return .scalar(try codePoint(digits: 4, from: start))
    case "1"..."9", "k", "g": throw problem(.backReference, at: start)
    case _ where scalar.isASCII && (Character(scalar).isLetter || scalar == "0"):
      throw problem(.unknownEscape(written(from: start)), at: start)
    default: return .scalar(scalar)
    }
  }

  /// The scalar of a number: so many hexadecimal digits, or any in braces.
  private mutating func codePoint(digits: Int, from start: Int) throws(PatternProblem) -> Unicode.Scalar {
    let hasBraces = read("{")
    let first = index
    while let scalar = next, scalar.properties.isASCIIHexDigit, hasBraces || index < first + digits {
      index += 1
    }
    let text = written(from: first)
    guard hasBraces ? read("}") : text.utf8.count == digits, let number = UInt32(text, radix: 16),
      let scalar = Unicode.Scalar(number)
    else { throw problem(.badCodePoint, at: start) }
    return scalar
  }

  /// The categories that `\p` names: one letter, or a name in braces.
  private mutating func categories(from start: Int) throws(PatternProblem) -> [Unicode.GeneralCategory] {
    let hasBraces = read("{")
    let first = index
    while let scalar = next, scalar != "}", hasBraces || index == first { index += 1 }
    let name = written(from: first)
    guard let categories = ScalarKind.categories(named: name), !hasBraces || read("}") else {
      throw problem(.unknownCategory(name), at: start)
    }
    return categories
  }
}
