// Runs the instructions of an expression.
//
// The search follows all possible states at once, so that no text makes it go back (K. Thompson, Regular Expression
// Search Algorithm, CACM 11:6, 1968). It caches where sets of states lead (R. Cox, Regular Expression Matching Can Be
// Simple And Fast, 2007).

/// A condition between two scalars of the text.
enum PatternAssertion: Sendable {
  /// `^` and `$`.
  case textStart, textEnd
  /// `^` and `$` under the flag `m`.
  case lineStart, lineEnd
  /// `\b`.
  case wordBoundary

  /// Whether the condition is true between two scalars; nil means the beginning or the end of the text.
  func isTrue(between before: Unicode.Scalar?, and after: Unicode.Scalar?) -> Bool {
    func isWord(_ scalar: Unicode.Scalar?) -> Bool { scalar.map(ScalarKind.word.contains) ?? false }
    switch self {
    case .textStart: return before == nil
    case .textEnd: return after == nil
    case .lineStart: return before == nil || before == "\n"
    case .lineEnd: return after == nil || after == "\n"
    case .wordBoundary: return isWord(before) != isWord(after)
    }
  }
}

/// A search for one expression in many texts.
///
/// It caches where each set of states leads, and clears the cache at a limit.
final class PatternSearch {
  private var cache: PatternCache

  init(_ pattern: Pattern) { cache = PatternCache(pattern.instructions) }

  func matches(in text: String) -> Bool { cache.matches(in: text) }
}

/// The cache of a search.
///
/// It is a struct, because each access to a class member is checked for exclusivity.
private struct PatternCache {
  /// The states between two scalars, with one of the sort of the scalar before; nil at the beginning of the text.
  private struct Position: Hashable {
    var states: [Int32]
    var before: Unicode.Scalar?
  }

  private let instructions: [PatternInstruction]
  private var positions: [Position] = []
  private var numbers: [Position: Int] = [:]
  private var rememberedStates = 0
  /// The next position for each position and scalar, nil being the end of the text.
  private var next: [[Unicode.Scalar?: Int]] = []
  /// The step in which each instruction was last entered.
  private var entered: [Int]
  private var step = 0

  /// Instead of a position: the text matches.
  private static let match = -1
  /// The limit of the cache: states in positions, and steps between them.
  private static let most = 1 << 16

  init(_ instructions: [PatternInstruction]) {
    self.instructions = instructions
    entered = Array(repeating: 0, count: instructions.count)
  }

  mutating func matches(in text: String) -> Bool {
    var position = number(of: Position(states: [], before: nil))
    for scalar in text.unicodeScalars {
      position = follow(position, by: scalar)
      if position == Self.match { return true }
    }
    return follow(position, by: nil) == Self.match
  }

  /// A scalar that assertions do not distinguish from another one.
  private static func sample(_ scalar: Unicode.Scalar?) -> Unicode.Scalar {
    scalar == "\n" ? "\n" : scalar.map(ScalarKind.word.contains) ?? false ? "a" : " "
  }

  /// The next position after a scalar; nil means the end of the text.
  private mutating func follow(_ position: Int, by scalar: Unicode.Scalar?) -> Int {
    if let known = next[position][scalar] { return known }
    var position = position
    if rememberedStates > Self.most {
      let here = positions[position]
      positions = []
      numbers = [:]
      next = []
      rememberedStates = 0
      position = number(of: here)
    }
    let found = states(after: positions[position], by: scalar).map { states in
      number(of: Position(states: states, before: Self.sample(scalar)))
    }
    next[position][scalar] = found ?? Self.match
    rememberedStates += 1
    return found ?? Self.match
  }

  /// The states after a scalar (nil means the end of the text), or nil if there is a match before it.
  private mutating func states(after position: Position, by scalar: Unicode.Scalar?) -> [Int32]? {
    step += 1
    var nextStates: [Int32] = []
    // A match may begin anywhere.
    var states = position.states + [0]
    while let state = states.popLast() {
      guard entered[Int(state)] != step else { continue }
      entered[Int(state)] = step
      switch instructions[Int(state)] {
      case .match:
        return nil
      case .jump(let distance):
        states.append(state + Int32(distance))
      case .either(let one, let other):
        states.append(state + Int32(other))
        states.append(state + Int32(one))
      case .assertion(let assertion):
        if assertion.isTrue(between: position.before, and: scalar) { states.append(state + 1) }
      case .scalar(let wanted):
        if scalar == wanted { nextStates.append(state + 1) }
      case .set(let set):
        if let scalar, set.contains(scalar) { nextStates.append(state + 1) }
      }
    }
    return nextStates.sorted()
  }

  private mutating func number(of position: Position) -> Int {
    if let number = numbers[position] { return number }
    numbers[position] = positions.count
    positions.append(position)
    next.append([:])
    rememberedStates += position.states.count + 8
    return positions.count - 1
  }
}
