// The value of a key, read as text, a list, a mapping, a number, a boolean or one of a few words.

import Core

/// The value of a key.
///
/// Each reading function reports a mistake and then returns nil.
struct Field {
  /// The key, or for an entry the key of its list.
  let key: String
  private let isEntry: Bool
  /// The place of the key, where a missing value is reported.
  let keyPlace: Place
  let node: Node
  let pass: ConfigurationPass

  init(_ entry: Node.Entry, _ pass: ConfigurationPass) {
    self.init(key: entry.key, keyPlace: entry.place, node: entry.value, pass: pass)
  }

  private init(key: String, isEntry: Bool = false, keyPlace: Place, node: Node, pass: ConfigurationPass) {
    self.key = key
    self.isEntry = isEntry
    self.keyPlace = keyPlace
    self.node = node
    self.pass = pass
  }

  /// The name in messages, computed only for a message.
  var name: String { (isEntry ? "an entry of " : "") + shown(key) }

  /// The same value under another key.
  func named(_ key: String) -> Field {
    Field(key: key, keyPlace: keyPlace, node: node, pass: pass)
  }

  /// The same value, whose mistakes another pass gets.
  func reporting(to pass: ConfigurationPass) -> Field {
    Field(key: key, isEntry: isEntry, keyPlace: keyPlace, node: node, pass: pass)
  }

  /// An entry of this list.
  func entry(_ node: Node) -> Field {
    Field(key: key, isEntry: true, keyPlace: node.place, node: node, pass: pass)
  }

  /// Reports a mistake in the value.
  func report(_ what: String, cure: String?) {
    pass.report(what, at: node.place, cure: cure)
  }

  /// Whether the value is text, in quotes or not; `none` and numbers are text here.
  var isText: Bool {
    if case .scalar = node.content { !node.isNull } else { false }
  }

  /// The value as text; nil if it is missing, a list or a mapping.
  ///
  /// Unquoted text is used as written: `title: 2024` and `title: yes` are the titles "2024" and "yes".
  func scalar(expecting expected: @autoclosure () -> String) -> Scalar? {
    switch node.content {
    case .scalar(let scalar) where !node.isNull:
      guard !scalar.text.unicodeScalars.contains("\0") else {
        report("\(name) contains a NUL character", cure: "remove the \\0")
        return nil
      }
      return scalar
    case .scalar:
      reportMissing(expecting: expected())
    case .sequence:
      report("\(name) must not be a list", cure: "write \(expected())")
    case .mapping(let entries):
      if let only = entries.first, entries.count == 1, only.value.isNull {
        report(
          "\(name) is read as a mapping, because it begins with \"{\"",
          cure: "quote it, for example \"{title}\"")
      } else if node.place.line == entries.first?.place.line, keyPlace == node.place {
        report("\(name) is read as a mapping, because it contains \": \"", cure: "quote it")
      } else {
        report("\(name) must not be a mapping", cure: "write \(expected())")
      }
    case .unusable:
      break
    }
    return nil
  }

  func text(expecting expected: @autoclosure () -> String = "text") -> String? {
    scalar(expecting: expected())?.text
  }

  /// Text that is not empty.
  func someText(expecting expected: @autoclosure () -> String = "text") -> String? {
    guard let text = text(expecting: expected()) else { return nil }
    guard !text.isEmpty else {
      report("\(name) is empty", cure: "write \(expected())")
      return nil
    }
    if node.isBoolean {
      report(
        "\(name) is the boolean \(text)",
        cure: "write \(expected()), or \"\(text)\" in quotes if you mean the word")
      return nil
    }
    return text
  }

  /// The entries of a list; nil for any other value.
  func elements(expecting expected: String) -> [Field]? {
    switch node.content {
    case .sequence(let nodes):
      return nodes.map(entry)
    case .scalar where node.isNull:
      reportMissing(expecting: expected)
    case .scalar:
      report("\(name) must be a list", cure: "write \(expected)")
    case .mapping:
      report("\(name) must be a list, not a mapping", cure: "write \(expected)")
    case .unusable:
      break
    }
    return nil
  }

  /// The entries of a mapping, or none if the key has no value; nil for any other value.
  func entries(expecting expected: String) -> [Node.Entry]? {
    switch node.content {
    case .mapping(let entries): return entries
    case .scalar where node.isNull: return []
    case .scalar: report("\(name) must be a mapping, not text", cure: "write \(expected)")
    case .sequence: report("\(name) must be a mapping, not a list", cure: "write \(expected)")
    case .unusable: break
    }
    return nil
  }

  /// Reports that the key has no value.
  func reportMissing(expecting expected: String) {
    pass.report("\(name) has no value", at: keyPlace, cure: "write \(expected), or remove it")
  }

  /// The place in the file of a character of the value, counted from 0; the place of the value if that is
  /// unknown.
  func place(ofCharacter index: Int) -> Place {
    guard case .scalar(let scalar) = node.content, let lead = scalar.lead else { return node.place }
    return Place(line: node.place.line, column: node.place.column + lead + Int32(clamping: index))
  }
}

extension Field {
  /// One of a few words.
  func choice<Value>(_ choices: [(word: String, value: Value)]) -> Value? {
    guard let text = text(expecting: list(choices.map(\.word), "or")) else { return nil }
    if let choice = choices.first(where: { $0.word == text }) { return choice.value }
    let words = choices.map(\.word)
    reportUnknownWord(text, among: words, expecting: list(words, "or"))
    return nil
  }

  /// One of the words of an enumeration.
  func choice<Value: RawRepresentable & CaseIterable>(of type: Value.Type) -> Value?
  where Value.RawValue == String {
    choice(Value.allCases.map { ($0.rawValue, $0) })
  }

  /// Reports a word that is not allowed.
  func reportUnknownWord(_ text: String, among words: [String], expecting expected: String) {
    let cure = nearest(text, among: words).map { "did you mean \"\($0.word)\"?" } ?? "write \(expected)"
    report("unknown value \"\(shown(text))\" for \(name)", cure: cure)
  }

  /// A whole number within bounds, in decimal.
  func wholeNumber(in range: ClosedRange<Int>) -> Int? {
    var expected: String { "a number from \(range.lowerBound) to \(range.upperBound)" }
    guard let text = text(expecting: expected) else { return nil }
    // `+5` and `007` are numbers in YAML 1.2; `0x10`, `1e3` and `1_000` are refused.
    guard let number = Int(text) else {
      report("\(name) \"\(shown(text))\" is not a whole number", cure: "write \(expected)")
      return nil
    }
    if !range.contains(number) { report("\(name) \(number) is out of range", cure: "write \(expected)") }
    return number
  }

  /// `true` or `false`.
  func flag() -> Bool? {
    guard let text = text(expecting: "true or false") else { return nil }
    switch text {
    case "true", "True", "TRUE": return true
    case "false", "False", "FALSE": return false
    default:
      let yes = ["yes", "on", "y", "1"].contains(text.lowercased())
      let no = ["no", "off", "n", "0"].contains(text.lowercased())
      report(
        "\(name) \"\(shown(text))\" is not true or false",
        cure: yes ? "write true" : no ? "write false" : "write true or false")
      return nil
    }
  }
}
