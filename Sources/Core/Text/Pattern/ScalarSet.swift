// Which scalars a class such as [a-z\d] or \w holds, and when two differ in case alone.

/// A set of scalars: ranges and kinds, or all others.
struct ScalarSet: Sendable {
  /// The ranges, single scalars among them.
  var ranges: [ClosedRange<Unicode.Scalar>] = []
  /// The kinds, each to be there or not.
  var kinds: [(kind: ScalarKind, isWanted: Bool)] = []
  /// Whether everything else is meant.
  var isNegated = false
  /// Whether case does not count.
  var ignoresCase = false

  /// Whether a scalar belongs to it.
  func contains(_ scalar: Unicode.Scalar) -> Bool {
    let isListed = lists(scalar) || ignoresCase && scalar.caseVariants.contains(where: lists)
    return isListed != isNegated
  }

  private func lists(_ scalar: Unicode.Scalar) -> Bool {
    ranges.contains { $0.contains(scalar) } || kinds.contains { $0.kind.holds(scalar) == $0.isWanted }
  }
}

/// A kind of scalars, as Unicode has them.
enum ScalarKind: Sendable {
  /// `\d`, `\w` and `\s`, as UTS #18 annex C defines them.
  case digit, word, space
  /// `\p{…}`.
  case category([Unicode.GeneralCategory])

  /// Whether a scalar is of the kind.
  func holds(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    switch self {
    case .digit: return properties.generalCategory == .decimalNumber
    case .space: return properties.isWhitespace
    case .category(let categories): return categories.contains(properties.generalCategory)
    case .word:
      if scalar.isASCII { return scalar == "_" || Character(scalar).isLetter || Character(scalar).isNumber }
      switch properties.generalCategory {
      case .decimalNumber, .connectorPunctuation, .nonspacingMark, .spacingMark, .enclosingMark: return true
      default: return properties.isAlphabetic || properties.isJoinControl
      }
    }
  }

  /// The categories of a name in `\p{name}`, such as L or Lu; nil if there is none of the name.
  static func categories(named name: String) -> [Unicode.GeneralCategory]? {
    let found = categories.filter { $0.name == name || $0.name.prefix(1) == name }.map(\.category)
    return found.isEmpty ? nil : found
  }

  private static let categories: [(name: String, category: Unicode.GeneralCategory)] = [
    ("Lu", .uppercaseLetter), ("Ll", .lowercaseLetter), ("Lt", .titlecaseLetter), ("Lm", .modifierLetter),
    ("Lo", .otherLetter), ("Mn", .nonspacingMark), ("Mc", .spacingMark), ("Me", .enclosingMark),
    ("Nd", .decimalNumber), ("Nl", .letterNumber), ("No", .otherNumber), ("Pc", .connectorPunctuation),
    ("Pd", .dashPunctuation), ("Ps", .openPunctuation), ("Pe", .closePunctuation),
    ("Pi", .initialPunctuation), ("Pf", .finalPunctuation), ("Po", .otherPunctuation), ("Sm", .mathSymbol),
    ("Sc", .currencySymbol), ("Sk", .modifierSymbol), ("So", .otherSymbol), ("Zs", .spaceSeparator),
    ("Zl", .lineSeparator), ("Zp", .paragraphSeparator), ("Cc", .control), ("Cf", .format),
    ("Co", .privateUse), ("Cn", .unassigned),
  ]
}

extension Unicode.Scalar {
  /// The scalar in the other cases, as far as each is one scalar: lower, upper, and lower again, for ς and Σ.
  var caseVariants: [Unicode.Scalar] {
    func only(_ text: String) -> Unicode.Scalar? {
      text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
    }
    let upper = only(properties.uppercaseMapping)
    return [only(properties.lowercaseMapping), upper, upper.flatMap { only($0.properties.lowercaseMapping) }]
      .compactMap { $0 }
  }
}
