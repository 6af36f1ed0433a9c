// CSS selectors as values: Selectors Level 3, and :not() with more than one class.

/// Selectors separated by commas; an element that one of them matches is selected.
public struct SelectorList: Hashable, Sendable {
  public let text: String
  public let selectors: [Selector]

  /// The most compounds of all selectors together: matching keeps one bit for each.
  public static let mostCompounds = 64

  public init(parsing text: String) throws(SelectorProblem) {
    self.text = text
    var parser = SelectorParser(text)
    selectors = try parser.list()
  }
}

/// Compounds with combinators between them, such as `ul > li.new a`.
public struct Selector: Hashable, Sendable {
  public var steps: [Step]

  /// A compound with its relation to the one before.
  public struct Step: Hashable, Sendable {
    /// Meaningless for the first step.
    public var combinator: Combinator
    public var compound: CompoundSelector
  }

  public enum Combinator: Hashable, Sendable {
    case descendant, child, adjacent, sibling
  }
}

/// Conditions on one element, such as `li.new:first-child`.
public struct CompoundSelector: Hashable, Sendable {
  /// The name of the element in lower case; nil for any.
  public var name: String?
  public var conditions: [Condition] = []

  public indirect enum Condition: Hashable, Sendable {
    case id(String)
    case className(String)
    case attribute(AttributeCondition)
    /// Its place among the elements of its parent, from 1: `a` times any number from 0, plus `b`.
    case position(a: Int, b: Int)
    case lastChild
    /// None of these may match.
    case not([CompoundSelector])
  }

  public init(name: String? = nil, conditions: [Condition] = []) {
    self.name = name
    self.conditions = conditions
  }
}

/// A condition on an attribute, such as `[href^="/news/"]`.
public struct AttributeCondition: Hashable, Sendable {
  /// In lower case.
  public var name: String
  public var comparison: Comparison
  public var value: String
  /// Whether the value is compared in any case of ASCII letters: `[type="a" i]`.
  public var ignoresCase = false

  public enum Comparison: String, Hashable, Sendable, CaseIterable {
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

  public init(name: String, _ comparison: Comparison = .exists, value: String = "") {
    self.name = name
    self.comparison = comparison
    self.value = value
  }
}

extension CompoundSelector.Condition {
  /// Whether an element at a place matches a position.
  public static func isPlace(_ place: Int, a: Int, b: Int) -> Bool {
    let rest = place - b
    return a == 0 ? rest == 0 : rest % a == 0 && rest / a >= 0
  }
}
