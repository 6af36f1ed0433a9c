// Random patterns, compared with Swift's Regex, and garbage.

import Core
import Testing

@Suite struct PatternRandomTests {
  @Test func `random patterns match what Swift's Regex matches`() throws {
    var random = SeededNumbers(state: 20_260_722)
    var matches = 0
    for _ in 0..<3000 {
      let text = pattern(depth: 3, &random)
      let pattern = try Pattern(parsing: text)
      // Every character of the samples is one scalar. (By scalars, `\b` of Regex ignores digits.)
      let regex = try Regex(text).wordBoundaryKind(.simple)
      for _ in 0..<6 {
        let sample = (0..<Int.random(in: 0...6, using: &random))
          .map { _ in ["a", "b", "B", "é", " ", "1"].randomElement(using: &random) ?? "" }.joined()
        let expected = try regex.firstMatch(in: sample) != nil
        if expected { matches += 1 }

        #expect(pattern.matches(in: sample) == expected, "\(text) in \"\(sample)\"")
      }
    }
    #expect((4000...16_000).contains(matches), "\(matches) of 18000")
  }

  @Test func `garbage is a pattern, or a problem with a place in the text`() {
    var random = SeededNumbers(state: 7)
    let pieces =
      "( ) [ ] { } * + ? | ^ $ . \\ - , : < > = ! & # 1 9 a z é 😀 (? (?i) (?: (?< [^ [: \\p{ \\x \\u{ \\b \\d {2,3} \n \0"
      .split(separator: " ")
    var patterns = 0
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 1...12, using: &random))
        .map { _ in String(pieces.randomElement(using: &random) ?? "") }.joined()
      do throws(TextProblem) {
        _ = try Pattern(parsing: text).matches(in: "a1[é😀(\n")
        patterns += 1
      } catch {
        #expect((1...(text.unicodeScalars.count + 1)).contains(error.column), "\(text)")
      }
    }
    #expect(patterns > 500)
  }

  /// A pattern in the syntax that both have.
  private func pattern(depth: Int, _ random: inout SeededNumbers) -> String {
    let atoms = [
      "a", "b", "é", " ", ".", "[ab]", "[^a]", "[a-b1]", "\\d", "\\w", "\\W", "\\s", "\\S", "\\b", "^",
      "$", "(?i:b)", "(?i:[^b])", "(?i:É)",
    ]
    guard depth > 0 else { return atoms.randomElement(using: &random) ?? "" }
    func part() -> String { pattern(depth: depth - 1, &random) }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return part() + "|" + part()
    case 1, 2: return part() + part()
    case 3: return "(" + part() + ")"
    case 4:
      let sign = ["*", "+", "?", "{2}", "{1,2}", "{0,1}", "{1,}", "*?", "+?", "??"].randomElement(
        using: &random)
      return "(?:" + part() + ")" + (sign ?? "")
    default: return pattern(depth: 0, &random)
    }
  }
}
