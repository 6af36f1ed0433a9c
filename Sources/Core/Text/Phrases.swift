// Numbers with their nouns, and lists of words, as parts of a sentence.

/// A number with its noun: `1 feed`, `2 feeds`, `3 deliveries`.
public func counted(_ count: Int, _ noun: String, plural: String? = nil) -> String {
  "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}

/// Words joined as in a sentence: `a, b and c`.
public func list(_ words: [String], _ conjunction: String) -> String {
  guard let last = words.last, words.count > 1 else { return words.first ?? "" }
  return Array(words.dropLast()).joined(separator: ", ") + " \(conjunction) " + last
}
