// Typed words as a query for FTS5 (https://sqlite.org/fts5.html, "Full-text Query Syntax").

/// A query for items that contain all words or words that begin with them; `"two words"` is a phrase.
///
/// Each word becomes a quoted string of FTS5, so that none is an operator, and no text is a syntax error.
struct SearchQuery: Hashable {
  /// The query in the syntax of FTS5.
  let text: String

  /// FTS5 refuses expressions with a depth of more than 256.
  private static let mostTerms = 64

  /// Nil if the text has no letter and no digit: FTS5 finds nothing else.
  init?(_ words: String) {
    var terms: [Term] = []
    var term = Term()
    func finish(isNextQuoted: Bool) {
      if term.isSearchable { terms.append(term) }
      term = Term(isPhrase: isNextQuoted)
    }
    for scalar in words.unicodeScalars {
      if scalar == "\"" {
        finish(isNextQuoted: !term.isPhrase)
      } else if scalar.properties.isWhitespace, !term.isPhrase {
        finish(isNextQuoted: false)
      } else if scalar.value != 0 {
        term.text.unicodeScalars.append(scalar)
      }
    }
    finish(isNextQuoted: false)
    guard !terms.isEmpty else { return nil }
    let quoted = terms.prefix(Self.mostTerms).map { "\"\($0.text)\"" + ($0.isPhrase ? "" : "*") }
    text = quoted.joined(separator: " ")
  }

  private struct Term {
    var text = ""
    var isPhrase = false

    var isSearchable: Bool {
      text.unicodeScalars.contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
    }
  }
}
