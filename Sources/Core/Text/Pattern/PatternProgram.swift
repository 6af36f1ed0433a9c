// An expression as instructions. How they are run over a text is PatternSearch's business.

/// An expression compiled to instructions.
struct PatternProgram: Sendable {
  /// A state of the search: what has to come next.
  enum Instruction {
    case scalar(Unicode.Scalar)
    case set(Int)
    case assertion(PatternAssertion)
    case jump(to: Int)
    case either(Int, or: Int)
    case match
  }

  /// The instructions, the first one first.
  private(set) var instructions: [Instruction] = []
  /// The sets that instructions refer to.
  let sets: [ScalarSet]

  /// Compiles an expression; counted repeats are written out.
  init(compiling expression: PatternNode, sets: [ScalarSet]) throws(PatternProblem) {
    self.sets = sets
    try add(expression)
    try emit(.match)
  }

  private mutating func emit(_ instruction: Instruction) throws(PatternProblem) {
    guard instructions.count < PatternLimit.instructions else {
      throw PatternProblem(cause: .tooLarge, column: 1)
    }
    instructions.append(instruction)
  }

  private mutating func add(_ node: PatternNode) throws(PatternProblem) {
    switch node {
    case .scalar(let scalar): try emit(.scalar(scalar))
    case .set(let set): try emit(.set(set))
    case .assertion(let assertion): try emit(.assertion(assertion))
    case .sequence(let nodes): for node in nodes { try add(node) }
    case .choice(let nodes): try add(choice: nodes)
    case .repeated(let node, let least, let most): try add(node, least: least, most: most)
    }
  }

  private mutating func add(choice nodes: [PatternNode]) throws(PatternProblem) {
    var jumps: [Int] = []
    for node in nodes.dropLast() {
      let fork = instructions.count
      try emit(.match)
      try add(node)
      jumps.append(instructions.count)
      try emit(.match)
      instructions[fork] = .either(fork + 1, or: instructions.count)
    }
    if let last = nodes.last { try add(last) }
    for jump in jumps { instructions[jump] = .jump(to: instructions.count) }
  }

  private mutating func add(_ node: PatternNode, least: Int, most: Int?) throws(PatternProblem) {
    var start = instructions.count
    for _ in 0..<least {
      start = instructions.count
      try add(node)
      // Nothing, however often: `((){1000}){1000}` is not to take a million steps.
      if instructions.count == start { break }
    }
    if most == nil, least > 0 {
      // Back to the last of them: to write `x+` as `xx*` would double the program with every `+` around it.
      return try emit(.either(start, or: instructions.count + 1))
    }
    var forks: [Int] = []
    for _ in 0..<((most ?? 1) - least) {
      forks.append(instructions.count)
      try emit(.match)
      try add(node)
    }
    if most == nil { try emit(.jump(to: start)) }
    for fork in forks { instructions[fork] = .either(fork + 1, or: instructions.count) }
  }
}

/// A condition on a place in the text.
enum PatternAssertion: Sendable {
  /// `^` and `\A`; `$` and `\z`.
  case textStart, textEnd
  /// `^` and `$` under the flag `m`.
  case lineStart, lineEnd
  /// `\b` and `\B`.
  case wordBoundary, noWordBoundary

  /// Whether it holds between two scalars; nil is the beginning or the end of the text.
  func holds(between before: Unicode.Scalar?, and after: Unicode.Scalar?) -> Bool {
    func isWord(_ scalar: Unicode.Scalar?) -> Bool { scalar.map(ScalarKind.word.holds) ?? false }
    switch self {
    case .textStart: return before == nil
    case .textEnd: return after == nil
    case .lineStart: return before == nil || before == "\n"
    case .lineEnd: return after == nil || after == "\n"
    case .wordBoundary: return isWord(before) != isWord(after)
    case .noWordBoundary: return isWord(before) == isWord(after)
    }
  }
}
