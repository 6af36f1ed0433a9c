// Typed words as a query for FTS5 (https://sqlite.org/fts5.html, "Full-text Query Syntax").

import Core

/// A query for items that contain all words or words that begin with them; `"two words"` is a phrase.
///
/// Each word becomes a quoted string of FTS5, so that none is an operator, and no text is a syntax error. What `SearchWords`
/// divides, such as `e-mail` or Chinese, is a phrase.
struct SearchQuery {
  /// The query in the syntax of FTS5.
  let text: String

  /// FTS5 refuses expressions with a depth of more than 256.
  private static let mostTerms = 64
  /// The maximum length of the words of a term in bytes.
  private static let longestTerm = 1024

  /// Nil if there is no word in the text.
  init?(_ typed: String) {
    var words = SearchWords()
    var terms: [String] = []
    var term = String.UnicodeScalarView()
    var isPhrase = false
    func finish() {
      let line = words.line(of: String(term), limit: Self.longestTerm)
      term.removeAll()
      guard let last = line.utf8.last, terms.count < Self.mostTerms else { return }
      let isWhole = isPhrase || SearchWords.symbols.utf8.contains(last)
      terms.append("\"\(line)\"" + (isWhole ? "" : "*"))
    }
    for scalar in typed.unicodeScalars {
      if "\"“”„".unicodeScalars.contains(scalar) {
        finish()
        isPhrase.toggle()
      } else if scalar.properties.isWhitespace, !isPhrase {
        finish()
      } else {
        term.append(scalar)
      }
    }
    finish()
    guard !terms.isEmpty else { return nil }
    text = terms.joined(separator: " ")
  }
}
