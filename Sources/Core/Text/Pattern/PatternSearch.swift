// Runs an expression: every state that a part of the text can lead to is followed at once, so that no text makes the
// search go back (K. Thompson, Regular Expression Search Algorithm, CACM 11:6, 1968), and sets of states that were met
// before are followed with one look (R. Cox, Regular Expression Matching Can Be Simple And Fast, 2007).

/// A search for one expression in many texts.
///
/// It remembers where each set of states leads, up to a bound; beyond that it forgets everything and goes on.
public final class PatternSearch {
  private var memory: PatternMemory

  /// A search for an expression.
  public init(_ pattern: Pattern) { memory = PatternMemory(pattern.program) }

  /// Whether a part of the text matches.
  public func matches(in text: String) -> Bool { memory.matches(in: text) }
}

/// What a search remembers; a value, as each access to a member of an object is checked for being the only one.
private struct PatternMemory {
  /// States of the program between two scalars, and the scalar before, as far as it matters.
  private struct Stand: Hashable {
    var states: [Int32]
    var before: Before
  }

  /// What stands before a place, as far as assertions see it.
  private enum Before: Hashable {
    case nothing, newline, word, other

    /// A scalar that stands for all of its sort.
    var sample: Unicode.Scalar? {
      switch self {
      case .nothing: nil
      case .newline: "\n"
      case .word: "a"
      case .other: " "
      }
    }
  }

  /// All that the program sees of a scalar.
  private struct Look: Hashable {
    var literal: Unicode.Scalar?
    var before: Before
    var sets: [Bool]
  }

  private let program: PatternProgram
  private let literals: Set<Unicode.Scalar>
  private let hasAssertions: Bool

  private var stands: [Stand] = []
  private var numbers: [Stand: Int] = [:]
  private var rememberedStates = 0
  /// Where each stand leads by the number of a look; -1 is not known, -2 is a match.
  private var next: [[Int32]] = []
  /// A scalar of each look; the first look is the end of the text.
  private var samples: [Unicode.Scalar?] = [nil]
  private var looks: [Look: Int] = [:]
  private var lookOfASCII = [Int](repeating: -1, count: 128)
  private var lookOfOthers: [Unicode.Scalar: Int] = [:]
  /// In which step each instruction was entered last.
  private var entered: [Int]
  private var step = 0

  private static let unknown: Int32 = -1
  private static let match: Int32 = -2
  /// The most that is remembered: states in stands, and scalars beyond ASCII.
  private static let most = 1 << 16

  init(_ program: PatternProgram) {
    self.program = program
    var literals: Set<Unicode.Scalar> = []
    var hasAssertions = false
    for instruction in program.instructions {
      if case .scalar(let scalar) = instruction { literals.insert(scalar) }
      if case .assertion = instruction { hasAssertions = true }
    }
    self.literals = literals
    self.hasAssertions = hasAssertions
    entered = Array(repeating: 0, count: program.instructions.count)
  }

  /// Whether a part of the text matches.
  mutating func matches(in text: String) -> Bool {
    var stand = number(of: Stand(states: [], before: hasAssertions ? .nothing : .other))
    for scalar in text.unicodeScalars {
      let look = look(of: scalar)
      let known = look < next[stand].count ? next[stand][look] : Self.unknown
      let found = known == Self.unknown ? follow(&stand, by: look) : known
      if found == Self.match { return true }
      stand = Int(found)
    }
    return follow(&stand, by: 0) == Self.match
  }

  /// Where a stand leads; the stand gets another number where everything is forgotten first.
  private mutating func follow(_ stand: inout Int, by look: Int) -> Int32 {
    if rememberedStates > Self.most {
      let here = stands[stand]
      (stands, numbers, next, rememberedStates) = ([], [:], [], 0)
      stand = number(of: here)
    }
    let scalar = samples[look]
    let found = states(after: stands[stand], by: scalar).map { states in
      Int32(number(of: Stand(states: states, before: before(scalar))))
    }
    while next[stand].count <= look { next[stand].append(Self.unknown) }
    next[stand][look] = found ?? Self.match
    rememberedStates += 1
    return found ?? Self.match
  }

  /// The states behind a scalar, nil being the end of the text; nil if there is a match before it.
  private mutating func states(after stand: Stand, by scalar: Unicode.Scalar?) -> [Int32]? {
    step += 1
    var nextStates: [Int32] = []
    // A match may begin anywhere.
    var states = stand.states + [0]
    while let state = states.popLast() {
      guard entered[Int(state)] != step else { continue }
      entered[Int(state)] = step
      switch program.instructions[Int(state)] {
      case .match:
        return nil
      case .jump(let target):
        states.append(Int32(target))
      case .either(let one, let other):
        states.append(Int32(other))
        states.append(Int32(one))
      case .assertion(let assertion):
        if assertion.holds(between: stand.before.sample, and: scalar) { states.append(state + 1) }
      case .scalar(let wanted):
        if scalar == wanted { nextStates.append(state + 1) }
      case .set(let set):
        if let scalar, program.sets[set].contains(scalar) { nextStates.append(state + 1) }
      }
    }
    return nextStates.sorted()
  }

  private mutating func number(of stand: Stand) -> Int {
    if let number = numbers[stand] { return number }
    numbers[stand] = stands.count
    stands.append(stand)
    next.append([])
    rememberedStates += stand.states.count + 8
    return stands.count - 1
  }

  private mutating func look(of scalar: Unicode.Scalar) -> Int {
    let known = scalar.isASCII ? lookOfASCII[Int(scalar.value)] : lookOfOthers[scalar] ?? -1
    if known >= 0 { return known }
    let look = Look(
      literal: literals.contains(scalar) ? scalar : nil, before: before(scalar),
      sets: program.sets.map { $0.contains(scalar) })
    let number = looks[look] ?? samples.count
    if number == samples.count {
      looks[look] = number
      samples.append(scalar)
    }
    if scalar.isASCII {
      lookOfASCII[Int(scalar.value)] = number
    } else {
      if lookOfOthers.count >= Self.most { lookOfOthers = [:] }
      lookOfOthers[scalar] = number
    }
    return number
  }

  private func before(_ scalar: Unicode.Scalar?) -> Before {
    guard hasAssertions, let scalar else { return .other }
    return scalar == "\n" ? .newline : ScalarKind.word.holds(scalar) ? .word : .other
  }
}
