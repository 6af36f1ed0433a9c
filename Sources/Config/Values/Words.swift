// Values that are one of a few words, whole numbers, or true and false.

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
    report("\(name) \"\(shown(text))\" is not known", cure: cure)
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
