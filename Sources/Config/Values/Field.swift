// The value of a key, read as text, a list, a mapping, a number, a boolean or one of a few words.

import Core

/// The value of a key.
///
/// Each reading function gives a value or throws the mistake in it.
struct Field {
  /// The key, or for an entry the key of its list.
  let key: String
  private let isEntry: Bool
  /// The location of the key, where a missing value is reported.
  let keyLocation: Location
  let node: Node
  let pass: ConfigurationPass

  init(_ entry: Node.Entry, _ pass: ConfigurationPass) {
    self.init(key: entry.key, keyLocation: entry.location, node: entry.value, pass: pass)
  }

  private init(key: String, isEntry: Bool = false, keyLocation: Location, node: Node, pass: ConfigurationPass)
  {
    (self.key, self.isEntry, self.keyLocation, self.node, self.pass) = (key, isEntry, keyLocation, node, pass)
  }

  /// The name in messages, computed only for a message.
  var name: String { (isEntry ? "an entry of " : "") + shown(key) }

  /// The same value under another key.
  func named(_ key: String) -> Field {
    Field(key: key, keyLocation: keyLocation, node: node, pass: pass)
  }

  /// The same value, whose mistakes another pass gets.
  func reporting(to pass: ConfigurationPass) -> Field {
    Field(key: key, isEntry: isEntry, keyLocation: keyLocation, node: node, pass: pass)
  }

  /// An entry of this list.
  func entry(_ node: Node) -> Field {
    Field(key: key, isEntry: true, keyLocation: node.location, node: node, pass: pass)
  }

  /// The field of a key, if this is a mapping that has it.
  func entry(under key: String) -> Field? {
    node.entries.first { $0.key == key }.map { Field($0, pass) }
  }

  // MARK: Mistakes

  /// A mistake in the value.
  func mistake(_ what: String, cure: String?) -> Mistake { Mistake(at: node.location, what, cure: cure) }

  /// Throws a mistake in the value if the value is not as it must be.
  func require(
    _ isCorrect: Bool, _ what: @autoclosure () -> String, cure: @autoclosure () -> String?
  ) throws(Mistake) {
    guard isCorrect else { throw mistake(what(), cure: cure()) }
  }

  /// The meaning of the value; throws a mistake in the value if it has none.
  func require<Meaning>(
    _ meaning: Meaning?, _ what: @autoclosure () -> String, cure: @autoclosure () -> String?
  ) throws(Mistake) -> Meaning {
    guard let meaning else { throw mistake(what(), cure: cure()) }
    return meaning
  }

  /// A mistake that begins at a character of the text, counted from 0.
  func mistake(_ what: String, atCharacter index: Int, cure: String?) -> Mistake {
    Mistake(at: location(ofCharacter: index), what, cure: cure)
  }

  /// The mistake that the key has no value.
  func missing(expecting expected: String) -> Mistake {
    if let comment = pass.source?.mistakenComment(after: keyLocation) { return comment }
    return Mistake(at: keyLocation, "\(name) has no value", cure: "write \(expected), or remove it")
  }

  /// The mistake that the text is a key without its colon, on a line of its own; nil if it may be other text.
  var mistakenKey: Mistake? {
    guard isText, node.location.line > keyLocation.line else { return nil }
    return pass.source?.mistakenKey(on: node.location.line)
  }

  /// The mistake that the value is missing, or is a list, a mapping or text where another form is expected.
  func wrongForm(insteadOf form: String? = nil, expecting expected: String) -> Mistake {
    let found: String
    switch node.content {
    case .unusable: return .reported
    case .scalar where node.isNull: return missing(expecting: expected)
    case .scalar: found = "text"
    case .sequence: found = "a list"
    case .mapping: found = "a mapping"
    }
    if form == "a mapping", let key = mistakenKey { return key }
    let fault = form.map { "must be \($0), not \(found)" } ?? "must not be \(found)"
    return mistake("\(name) \(fault)", cure: "write \(expected)")
  }

  /// Reports a mistake in the value.
  func report(_ what: String, cure: String?) { pass.report(mistake(what, cure: cure)) }

  func warn(_ what: String, cure: String?) { pass.warn(what, at: node.location, cure: cure) }

  /// The result of a reading function; nil if it throws a mistake, which is reported.
  func reported<Value>(_ read: (Field) throws(Mistake) -> Value) -> Value? {
    pass.reported(try read(self))
  }

  /// The location in the file of a character of the value, counted from 0; the location of the value if that is
  /// unknown.
  func location(ofCharacter index: Int) -> Location {
    guard case .scalar(let scalar) = node.content, let lead = scalar.lead else { return node.location }
    return Location(line: node.location.line, column: node.location.column + lead + Int32(clamping: index))
  }

  // MARK: Forms

  /// Whether the value is text, in quotes or not; `none` and numbers are text here.
  var isText: Bool {
    if case .scalar = node.content { !node.isNull } else { false }
  }

  var isMapping: Bool {
    if case .mapping = node.content { true } else { false }
  }

  /// The value as text, which is not a missing value, a list or a mapping.
  ///
  /// Unquoted text is used as written: `title: 2024` and `title: yes` are the titles "2024" and "yes".
  func text(expecting expected: @autoclosure () -> String = "text") throws(Mistake) -> String {
    switch node.content {
    case .scalar(let scalar) where !node.isNull:
      // Only an escape makes one.
      try require(
        scalar.lead != nil || !scalar.text.utf8.contains(0), "\(name) contains a NUL character",
        cure: "remove the \\0")
      return scalar.text
    case .mapping(let entries):
      let isMapping = "\(name) is read as a mapping, because it"
      if let only = entries.first, entries.count == 1, only.value.isNull {
        throw mistake("\(isMapping) begins with \"{\"", cure: "quote it, for example \"{title}\"")
      }
      if node.location.line == entries.first?.location.line, keyLocation == node.location {
        throw mistake("\(isMapping) contains \": \"", cure: "quote it")
      }
    default: break
    }
    throw wrongForm(expecting: expected())
  }

  /// Text that is not empty.
  func someText(expecting expected: @autoclosure () -> String = "text") throws(Mistake) -> String {
    let text = try text(expecting: expected())
    try require(!text.isEmpty, "\(name) is empty", cure: "write \(expected())")
    try require(
      !node.isBoolean, "\(name) is the boolean \(text)",
      cure: "write \(expected()), or \"\(text)\" in quotes if you mean the word")
    return text
  }

  /// The entries of a list.
  func elements(expecting expected: String) throws(Mistake) -> [Field] {
    guard case .sequence(let nodes) = node.content else {
      throw wrongForm(insteadOf: "a list", expecting: expected)
    }
    return nodes.map(entry)
  }

  /// One value, or the values of a list, without the reported ones.
  ///
  /// - Parameter expected: what to write in place of an empty list; nil if the list may be empty.
  func oneOrMore<Value>(
    expecting expected: String?, _ read: (Field) throws(Mistake) -> Value
  ) throws(Mistake) -> [Value] {
    guard case .sequence(let nodes) = node.content else { return [try read(self)] }
    if nodes.isEmpty, let expected {
      throw mistake("\(name) is an empty list", cure: "write \(expected)")
    }
    return nodes.compactMap { entry($0).reported(read) }
  }

  /// The values of a list, without the reported ones.
  ///
  /// - Parameter written: the entry that is probably meant by a word of text, if there is a better guess than the example.
  func values<Value>(
    expecting expected: String, insteadOf written: ((String) -> String)? = nil,
    _ read: (Field) throws(Mistake) -> Value
  ) throws(Mistake) -> [Value] {
    if isText, let written {
      var entries = try text().split { " ,;".contains($0) }.map { written(shown(String($0))) }
      entries = entries.indices.filter { !entries[..<$0].contains(entries[$0]) }.map { entries[$0] }
      throw mistake("\(name) must be a list", cure: "write [\(entries.joined(separator: ", "))]")
    }
    return try elements(expecting: expected).compactMap { $0.reported(read) }
  }

  /// The entries of a mapping, or none if the key has no value.
  func entries(expecting expected: String) throws(Mistake) -> [Node.Entry] {
    if case .mapping(let entries) = node.content { return entries }
    guard !node.isNull else { return [] }
    throw wrongForm(insteadOf: "a mapping", expecting: expected)
  }
}

/// The cure for a slip, which names the word that was probably meant; nil if no word is near.
func meantWord(_ word: String, among words: some Sequence<String>) -> String? {
  nearest(word, among: words).map { "did you mean \"\($0.word)\"?" }
}

extension Field {
  /// The entries of a mapping of names; none for any other value, which is reported.
  func namedEntries(expecting expected: String) -> [Node.Entry] {
    pass.reported(try entries(expecting: expected)) ?? []
  }

  /// Text that a parser understands; its mistake is reported where it is in the text.
  ///
  /// - Parameter beginning: the message up to the mistake, made of the text.
  func parsed<Value>(
    expecting expected: @autoclosure () -> String, _ beginning: (String) -> String,
    _ parse: (String) throws(TextProblem) -> Value
  ) throws(Mistake) -> Value {
    let text = try text(expecting: expected())
    do throws(TextProblem) {
      return try parse(text)
    } catch {
      throw mistake(
        beginning(text) + shown(error.what, limit: 200), atCharacter: error.column - 1,
        cure: shown(error.cure, limit: 200))
    }
  }

  /// One of a few words.
  func choice<Value>(_ choices: [(word: String, value: Value)]) throws(Mistake) -> Value {
    let words = choices.map(\.word)
    let text = try text(expecting: list(words, "or"))
    guard let choice = choices.first(where: { $0.word == text }) else {
      throw unknownWord(text, among: words, expecting: list(words, "or"))
    }
    return choice.value
  }

  /// The mistake of a word that is not allowed.
  func unknownWord(_ text: String, among words: [String], expecting expected: String) -> Mistake {
    let cure = meantWord(text, among: words) ?? "write \(expected)"
    return mistake("unknown value \"\(shown(text))\" for \(name)", cure: cure)
  }

  /// A whole number within bounds, in decimal.
  func wholeNumber(in range: ClosedRange<Int>) throws(Mistake) -> Int {
    let expected = "a number from \(range.lowerBound) to \(range.upperBound)"
    let text = try text(expecting: expected)
    // `+5` and `007` are numbers in YAML 1.2; `0x10`, `1e3` and `1_000` are refused.
    let number = try require(
      Int(text), "\(name) \"\(shown(text))\" is not a whole number", cure: "write \(expected)")
    try require(range.contains(number), "\(name) \(number) is out of range", cure: "write \(expected)")
    return number
  }

  /// `true` or `false`.
  func flag() throws(Mistake) -> Bool {
    let text = try text(expecting: "true or false")
    if ["true", "True", "TRUE"].contains(text) { return true }
    if ["false", "False", "FALSE"].contains(text) { return false }
    let meant =
      ["yes", "on", "y", "1"].contains(text.lowercased())
      ? "true" : ["no", "off", "n", "0"].contains(text.lowercased()) ? "false" : "true or false"
    throw mistake("\(name) \"\(shown(text))\" is not true or false", cure: "write \(meant)")
  }
}
