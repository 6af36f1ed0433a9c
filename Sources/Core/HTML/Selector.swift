// CSS selectors as values: Selectors Level 3, and :not() with more than one class; and how they are read.

/// Selectors separated by commas; an element that one of them matches is selected.
public struct SelectorList: Hashable, Sendable {
  public let text: String
  let selectors: [Selector]

  /// The most compounds of all selectors together: matching keeps one bit for each.
  static let mostCompounds = 64

  public init(parsing text: String) throws(TextProblem) {
    self.text = text
    var parser = SelectorParser(text)
    selectors = try parser.list()
  }
}

/// Compounds with combinators between them, such as `ul > li.new a`.
struct Selector: Hashable, Sendable {
  var steps: [Step]

  /// A compound with its relation to the one before.
  struct Step: Hashable, Sendable {
    /// Meaningless for the first step.
    var combinator: Combinator
    var compound: CompoundSelector
  }

  enum Combinator: Sendable {
    case descendant, child, adjacent, sibling
  }
}

/// Conditions on one element, such as `li.new:first-child`.
struct CompoundSelector: Hashable, Sendable {
  /// The name of the element; nil for any.
  var name: NameHash?
  var conditions: [Condition] = []

  indirect enum Condition: Hashable, Sendable {
    case attribute(AttributeCondition)
    /// Its position among the elements of its parent, from 1: `a` times any number from 0, plus `b`.
    case position(a: Int, b: Int)
    case lastChild
    /// None of these may match.
    case not([CompoundSelector])
  }
}

/// A condition on an attribute, such as `[href^="/news/"]`, `.new` and `#news`.
struct AttributeCondition: Hashable, Sendable {
  let name: NameHash
  var comparison: Comparison
  /// The value, in lower case if `ignoresCase`.
  var value: String
  /// Whether the value is compared in any case of ASCII letters: `[type="a" i]`.
  var ignoresCase = false

  enum Comparison: String, Sendable, CaseIterable {
    case exists = ""
    case equals = "="
    case begins = "^="
    case ends = "$="
    case contains = "*="
    /// One of the words of a list.
    case includes = "~="
    /// The value, or the value with a dash after it.
    case dashes = "|="
  }

  init(name: String, _ comparison: Comparison = .exists, value: String = "") {
    (self.name, self.comparison, self.value) = (nameHash(name.utf8), comparison, value)
  }
}

extension CompoundSelector.Condition {
  /// Whether an element at a position matches.
  static func isPosition(_ position: Int, a: Int, b: Int) -> Bool {
    let rest = position - b
    return a == 0 ? rest == 0 : rest % a == 0 && rest / a >= 0
  }
}

/// Reads a list of selectors, scalar by scalar.
struct SelectorParser {
  private let scalars: [Unicode.Scalar]
  private var position = 0
  private var compounds = 0

  init(_ text: String) {
    scalars = Array(text.unicodeScalars)
  }

  mutating func list() throws(TextProblem) -> [Selector] {
    var selectors: [Selector] = []
    repeat {
      skipBlanks()
      selectors.append(try selector())
    } while parse(",")
    guard position == scalars.count else { throw unexpected() }
    return selectors
  }

  private mutating func selector() throws(TextProblem) -> Selector {
    var steps = [Selector.Step(combinator: .descendant, compound: try compound())]
    while true {
      let isApart = skipBlanks()
      let combinator: Selector.Combinator
      switch current {
      case nil, ",": return Selector(steps: steps)
      case ">": combinator = .child
      case "+": combinator = .adjacent
      case "~": combinator = .sibling
      default:
        guard isApart else { throw unexpected() }
        combinator = .descendant
      }
      if combinator != .descendant {
        position += 1
        skipBlanks()
      }
      steps.append(Selector.Step(combinator: combinator, compound: try compound()))
    }
  }

  private mutating func compound(inside isNested: Bool = false) throws(TextProblem) -> CompoundSelector {
    let start = position
    compounds += 1
    guard compounds <= SelectorList.mostCompounds else {
      throw problem("has more than \(SelectorList.mostCompounds) parts", "write a shorter selector")
    }
    var compound = CompoundSelector()
    if !parse("*") { compound.name = identifier().map { nameHash($0.utf8) } }
    while let scalar = current {
      switch scalar {
      case ".":
        position += 1
        let name = try name(of: "class", after: ".")
        compound.conditions.append(.attribute(AttributeCondition(name: "class", .includes, value: name)))
      case "#":
        position += 1
        let name = try name(of: "id", after: "#")
        compound.conditions.append(.attribute(AttributeCondition(name: "id", .equals, value: name)))
      case "[":
        position += 1
        compound.conditions.append(.attribute(try attribute()))
      case ":":
        position += 1
        compound.conditions.append(try pseudoClass(inside: isNested))
      default:
        guard position > start else { throw unexpected() }
        return compound
      }
    }
    guard position > start else { throw unexpected() }
    return compound
  }

  private mutating func attribute() throws(TextProblem) -> AttributeCondition {
    skipBlanks()
    var condition = AttributeCondition(name: try name(of: "attribute", after: "["))
    skipBlanks()
    if parse("]") { return condition }
    let sign = current.map { "^$*~|".unicodeScalars.contains($0) ? String($0) : "" } ?? ""
    position += sign.isEmpty ? 0 : 1
    guard parse("="), let comparison = AttributeCondition.Comparison(rawValue: sign + "=") else {
      throw problem("has a \"[\" that is not closed", "write [href] or [href^=\"/news/\"], for example")
    }
    condition.comparison = comparison
    skipBlanks()
    condition.value = try value()
    if skipBlanks(), let letter = current, letter == "i" || letter == "s" {
      condition.ignoresCase = letter == "i"
      if condition.ignoresCase {
        condition.value = String(decoding: condition.value.utf8.map(asciiLowercased), as: UTF8.self)
      }
      position += 1
      skipBlanks()
    }
    guard parse("]") else {
      throw problem("has a \"[\" that is not closed", "write [href^=\"/news/\"], for example")
    }
    return condition
  }

  /// The value of an attribute: quoted, or everything up to a blank or the bracket.
  private mutating func value() throws(TextProblem) -> String {
    guard let quote = current, quote == "\"" || quote == "'" else {
      let start = position
      while let scalar = current, scalar != "]", scalar != "\"", scalar != "'", !isBlank(scalar) {
        position += 1
      }
      guard position > start else {
        throw problem("has an attribute without a value", "write [name=\"value\"]")
      }
      return text(start..<position)
    }
    let start = position
    position += 1
    var value = String.UnicodeScalarView()
    while let scalar = current, scalar != quote {
      position += 1
      if scalar == "\\", let next = current {
        value.append(next)
        position += 1
      } else {
        value.append(scalar)
      }
    }
    guard parse(quote) else {
      position = start
      throw problem("has a quote that is not closed", "close it")
    }
    return String(value)
  }

  private mutating func pseudoClass(
    inside isNested: Bool
  ) throws(TextProblem) -> CompoundSelector.Condition {
    let start = position - 1
    let name = identifier()?.lowercased() ?? ""
    switch name {
    case "first-child": return .position(a: 0, b: 1)
    case "last-child": return .lastChild
    case "nth-child" where parse("("):
      let from = position
      while let scalar = current, scalar != ")" { position += 1 }
      let written = text(from..<position)
      guard parse(")"), let position = position(written) else {
        position = from
        throw problem(
          "has an nth-child that cannot be read", "write :nth-child(2n+1) or :nth-child(odd), for example")
      }
      return position
    case "not" where !isNested && parse("("):
      var choices: [CompoundSelector] = []
      repeat {
        skipBlanks()
        choices.append(try compound(inside: true))
        skipBlanks()
      } while parse(",")
      guard parse(")") else {
        throw problem(
          "has a \":not(\" that contains more than simple selectors", "write :not(.old), for example")
      }
      return .not(choices)
    default:
      // An element such as ::before is named as a whole.
      if name.isEmpty, parse(":") { _ = identifier() }
      let written = text(start..<position)
      position = start
      throw problem(
        "has \"\(written)\", which bgfetch does not support",
        "use :first-child, :last-child, :nth-child(2n+1) or :not(.class)")
    }
  }

  /// The position in `2n+1`, `odd`, `even`, `-n+3` or `4`.
  private func position(_ written: String) -> CompoundSelector.Condition? {
    let word = written.filter { !$0.isWhitespace }.lowercased()
    switch word {
    case "odd": return .position(a: 2, b: 1)
    case "even": return .position(a: 2, b: 0)
    default: break
    }
    func number(_ text: Substring) -> Int? {
      Int(text).flatMap { $0.magnitude <= 1_000_000 ? $0 : nil }
    }
    guard let n = word.firstIndex(of: "n") else { return number(word[...]).map { .position(a: 0, b: $0) } }
    let before = word[..<n]
    let after = word[word.index(after: n)...]
    let a = before.isEmpty || before == "+" ? 1 : before == "-" ? -1 : number(before)
    guard after.isEmpty || after.hasPrefix("+") || after.hasPrefix("-") else { return nil }
    guard let a, let b = after.isEmpty ? 0 : number(after) else { return nil }
    return .position(a: a, b: b)
  }

  private mutating func name(of thing: String, after sign: String) throws(TextProblem) -> String {
    guard let name = identifier() else {
      throw problem("has no \(thing) name after \"\(sign)\"", "write one, or remove it")
    }
    return name
  }

  /// A name, in which a backslash escapes the next scalar.
  private mutating func identifier() -> String? {
    var name = String.UnicodeScalarView()
    while let scalar = current {
      if scalar == "\\", position + 1 < scalars.count {
        name.append(scalars[position + 1])
        position += 2
      } else if isNameScalar(scalar) {
        name.append(scalar)
        position += 1
      } else {
        break
      }
    }
    return name.isEmpty ? nil : String(name)
  }

  private var current: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  private mutating func parse(_ scalar: Unicode.Scalar) -> Bool {
    guard current == scalar else { return false }
    position += 1
    return true
  }

  @discardableResult
  private mutating func skipBlanks() -> Bool {
    let start = position
    while let scalar = current, isBlank(scalar) { position += 1 }
    return position > start
  }

  private func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.value <= 0x20 }

  private func text(_ range: Range<Int>) -> String {
    String(String.UnicodeScalarView(scalars[range]))
  }

  private func unexpected() -> TextProblem {
    let supported =
      "write a CSS selector of elements, .classes, #ids, [attributes], \">\", \"+\", \"~\" and \",\""
    guard let current else {
      return problem(scalars.isEmpty ? "is empty" : "ends where an element is missing", supported)
    }
    return problem("has \"\(String(current))\" where an element is expected", supported)
  }

  private func problem(_ what: String, _ cure: String) -> TextProblem {
    TextProblem(what: what, cure: cure, column: min(position, max(scalars.count - 1, 0)) + 1)
  }
}

/// Whether a name in a selector may contain the scalar without an escape.
func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar {
  case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
  default: scalar.value >= 0x80
  }
}
