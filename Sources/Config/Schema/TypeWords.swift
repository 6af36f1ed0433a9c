// The type column of the key table, parsed: the allowed values of a key.

/// What may stand as a key's value.
///
/// The words are a small language: alternatives with `,` and `or` between them. Each is
/// - a phrase of `ValuePhrase`, such as `length of time`;
/// - `1 to 1000`, a number within bounds;
/// - `mapping`, whose keys have rows of their own (`mapping of …` says what those under the user's names are);
/// - `list of …`, whose entries are all that follows, to the end; `list` alone, of what comes before it;
/// - any other single word, which is written as it is: `none`, `same-as-feed`.
struct TypeWords: Hashable {
  indirect enum Alternative: Hashable {
    case phrase(ValuePhrase)
    case word(String)
    case number(ClosedRange<Int>)
    case list([Alternative])
    case mapping
  }

  /// The allowed values, in the order of the words.
  private(set) var alternatives: [Alternative] = []

  /// The literal words.
  var words: [String] {
    alternatives.compactMap { if case .word(let word) = $0 { word } else { nil } }
  }

  init?(_ text: String) {
    var rest = text[...]
    while !rest.isEmpty {
      if rest.hasPrefix("mapping of ") {
        alternatives.append(.mapping)
        return
      }
      if let entries = rest.after("list of ") ?? rest.after("lists of ") {
        guard let types = TypeWords(String(entries)) else { return nil }
        alternatives.append(.list(types.alternatives))
        return
      }
      let (piece, others) = rest.splitAtAlternative()
      guard let alternative = Alternative(piece, after: alternatives) else { return nil }
      alternatives.append(alternative)
      rest = others
    }
  }
}

extension TypeWords.Alternative {
  fileprivate init?(_ text: Substring, after earlier: [Self]) {
    if let phrase = ValuePhrase(words: String(text.after("a ") ?? text)) {
      self = .phrase(phrase)
      return
    }
    switch text {
    case "mapping": self = .mapping
    case "list":
      guard !earlier.isEmpty else { return nil }
      self = .list(earlier)
    default:
      let bounds = text.split(separator: " ")
      if bounds.count == 3, bounds[1] == "to", let least = Int(bounds[0]), let most = Int(bounds[2]),
        least <= most
      {
        self = .number(least...most)
      } else if text.allSatisfy({ $0.isASCII && $0.isLowercase || $0 == "-" }) {
        self = .word(String(text))
      } else {
        return nil
      }
    }
  }
}

extension Substring {
  /// The text after a prefix; nil without it.
  fileprivate func after(_ beginning: String) -> Substring? {
    hasPrefix(beginning) ? dropFirst(beginning.count) : nil
  }

  /// The text before and after the first `, ` or ` or `.
  fileprivate func splitAtAlternative() -> (piece: Substring, rest: Substring) {
    var end = startIndex
    while end != endIndex {
      for separator in [", ", " or "] {
        if let rest = self[end...].after(separator) { return (self[..<end], rest) }
      }
      end = index(after: end)
    }
    return (self, "")
  }
}
