// Texts for PostgreSQL: statements of SQLite in its words, and values. The functions of SQLite that it lacks are in the schema
// (PostgresSchema).

import Core

enum PostgresText {
  /// A statement of SQLite as PostgreSQL takes it.
  ///
  /// Placeholders are numbered, IS compares any two values, and the hints about indexes and the order of joins go: its planner
  /// keeps statistics of its own. Types of columns, `fetch` and `rowid` have other names. Words of SQL are written large in
  /// statements and names small, which tells FETCH and TEXT from columns of these names.
  static func statement(_ sql: String) -> String {
    var words = SQLWords(sql)
    var result = ""
    var placeholders = 0
    while let word = words.next() {
      switch word.uppercased() {
      case "?":
        placeholders += 1
        result += "$\(placeholders)"
      case let numbered where numbered.hasPrefix("?"):
        result += "$" + numbered.dropFirst()
        placeholders = max(placeholders, Int(numbered.dropFirst()) ?? 0)
      case "INDEXED": _ = (words.nextWord(), words.nextWord())
      case "CROSS": break
      case "IS":
        let isNegated = words.skip("NOT")
        let isPlain = words.isNext("NULL") || words.isNext("DISTINCT")
        result +=
          isPlain ? (isNegated ? "IS NOT" : "IS") : isNegated ? "IS DISTINCT FROM" : "IS NOT DISTINCT FROM"
      case "FETCH" where word == "fetch": result += "\"fetch\""
      case "ROWID": result += "ctid"
      case "INTEGER": result += "bigint"
      // As SQLite orders texts.
      case "TEXT" where word == "TEXT": result += "text COLLATE \"C\""
      case "REAL": result += "double precision"
      case "BLOB": result += "bytea"
      case "AUTOINCREMENT": break
      // The rest is about how SQLite stores a table.
      case "STRICT":
        while let rest = words.next(), rest != ";" {}
        result += ";"
      default: result += word
      }
    }
    return result
  }

  /// Whether a statement changes nothing, so that it may run twice; a function that it calls must allow that too.
  static func onlyReads(_ sql: String) -> Bool {
    !["INSERT", "UPDATE", "DELETE"].contains { sql.contains($0) }
  }

  /// A list as an array of PostgreSQL (its manual, "Arrays").
  static func array(_ list: [JSONValue]) -> String {
    let elements = list.map { element in
      guard case .string(let text) = element else { return element.text }
      var quoted = "\""
      for scalar in storable(text).unicodeScalars {
        if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
        quoted.unicodeScalars.append(scalar)
      }
      return quoted + "\""
    }
    return "{" + elements.joined(separator: ",") + "}"
  }

  /// A text without NUL, which PostgreSQL does not store.
  static func storable(_ text: String) -> String {
    guard text.utf8.contains(0) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
  }

  /// A message of libpq in one line, without the statement and the place in it.
  static func line(_ message: String) -> String {
    message.split(whereSeparator: \.isNewline).prefix { !$0.hasPrefix("LINE ") }.map { line in
      let text = line.drop(while: \.isWhitespace)
      return text.firstRange(of: " at character ").map { text[..<$0.lowerBound] } ?? text
    }.joined(separator: " ")
  }
}

/// The words of a statement, with everything between them as words too; texts, names in quotes and comments are whole.
private struct SQLWords {
  private var rest: Substring

  init(_ sql: String) {
    rest = sql[...]
  }

  mutating func next() -> String? {
    guard let first = rest.first else { return nil }
    let end: Substring.Index
    if first == "'" || first == "\"" {
      end = rest.dropFirst().firstIndex(of: first).map { rest.index(after: $0) } ?? rest.endIndex
    } else if rest.hasPrefix("--") {
      end = rest.firstIndex(where: \.isNewline) ?? rest.endIndex
      rest = rest[end...]
      return ""
    } else if Self.isOfWord(first) || first == "?" {
      end = rest.dropFirst().firstIndex { !Self.isOfWord($0) } ?? rest.endIndex
    } else {
      end = rest.index(after: rest.startIndex)
    }
    defer { rest = rest[end...] }
    return String(rest[..<end])
  }

  /// The next word, past blanks.
  mutating func nextWord() -> String? {
    skipBlanks()
    return next()
  }

  /// Passes a word if it is next.
  mutating func skip(_ word: String) -> Bool {
    guard isNext(word) else { return false }
    _ = nextWord()
    return true
  }

  func isNext(_ word: String) -> Bool {
    var copy = self
    return copy.nextWord()?.uppercased() == word
  }

  private mutating func skipBlanks() { rest = rest.drop(while: \.isWhitespace) }

  private static func isOfWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }
}
