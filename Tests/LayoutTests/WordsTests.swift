// Checks the words of sources, manuals and examples: one word for one thing, and plain English.

import Foundation
import Testing

@Suite struct WordsTests {
  @Test func `texts use the words of the glossary`() throws {
    let words = try bannedWords.map { (regex: try Regex($0.banned).ignoresCase(), better: $0.better) }
    for path in try texts() {
      let text = try Repository.text(path)
      let lowered = text.lowercased()
      // Regular expressions are slow, and most files have no such letters at all.
      guard bannedLetters.contains(where: lowered.contains) else { continue }
      for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        let prose = prose(line, of: path)
        let small = prose.lowercased()
        guard bannedLetters.contains(where: small.contains) else { continue }
        for word in words where prose.contains(word.regex) {
          Issue.record("\(path):\(number + 1): write \(word.better)")
        }
      }
    }
  }

  @Test func `a comment begins with its noun, and names it instead of pointing back`() throws {
    let beginnings = ["That of ", "Those of ", "Of ", "What "]
    let inside = try Regex(#"\b(but for|anew|of very many|those that|that of)\b"#)
    for path in try texts() where path.hasSuffix(".swift") || path.hasSuffix(".c") {
      let lines = try Repository.text(path).split(separator: "\n", omittingEmptySubsequences: false)
      for (number, line) in lines.enumerated() {
        let code = line.drop { $0 == " " }
        guard let start = code.hasPrefix("//") ? code.startIndex : code.range(of: "  // ")?.lowerBound else {
          continue
        }
        let comment = code[start...].drop { $0 == "/" || $0 == " " }
        if beginnings.contains(where: comment.hasPrefix) || comment.contains(inside) {
          Issue.record("\(path):\(number + 1): write the noun, or except, again, many, the ones that")
        }
      }
    }
  }

  @Test func `every banned word has its letters in the short list`() throws {
    for example in [
      "brings", "brought", "told of", "what of", "be it", "so many bytes", "for good", "whoever",
      "it is looked", "poked", "lends", "lent", "of its own accord", "unpaused",
    ] {
      #expect(try bannedWords.contains { try Regex($0.banned).firstMatch(in: example) != nil }, "\(example)")
      #expect(bannedLetters.contains(where: example.contains), "\(example)")
    }
  }

  @Test func `the glossary has at most 60 words, each once`() throws {
    let rows = try Repository.text("doc/glossary.md").split(separator: "\n").filter { $0.hasPrefix("| ") }
    let words = rows.dropFirst(2).map { $0.split(separator: "|")[0].trimmingCharacters(in: .whitespaces) }

    #expect(words.count <= 60)
    #expect(Set(words).count == words.count)
  }

  @Test(arguments: [
    ("  let told = 1", "told"), ("  \"a told story\"", "told"), ("let x = 1 // told", "told"),
    ("see toldoth", "told"),
  ])
  func `code is not prose, and a word is whole`(line: String, word: String) throws {
    let found = prose(line[...], of: "a.swift").contains(try Regex("\\b\(word)\\b"))

    #expect(found == (line.contains("//") || line.contains("\"")))
  }
}

/// Words that have a better one, as regular expressions.
private let bannedWords: [(banned: String, better: String)] = [
  (#"\b(brings?|brought)\b"#, "download, fetch or contain"),
  (#"\b(tells?|told) (of|the person|hooks?)\b"#, "deliver, report or notify"),
  (#"\bwhat of\b"#, "the noun that is meant"),
  (#"\bbe it\b"#, "whether … or …"),
  (#"\bso (many|long|often) (bytes|times|lines|columns|as)\b"#, "the number, or as long as"),
  (#"\bfor good\b"#, "permanently"),
  (#"\bwhoever\b"#, "the user, a program or another process"),
  (#"\bit is looked\b"#, "the subject and a verb"),
  (#"\bpoked?\b"#, "wake"),
  (#"\b(lends?|lent)\b"#, "share"),
  (#"\bof its own accord\b"#, "by itself"),
  (#"\bun-?paus"#, "resume"),
]

/// Letters of which each banned word has some.
private let bannedLetters = [
  "bring", "brought", "tell", "told", "what of", "be it", "so ", "for good", "whoever", "it is looked",
  "poke", "lend", "lent", "of its own accord", "unpaus", "un-paus",
]

/// The files with prose that users or contributors read.
private func texts() throws -> [String] {
  try Repository.files(below: "Sources", endingIn: ".swift")
    + Repository.files(below: "Sources", endingIn: ".c")
    + Repository.files(below: "Tests", endingIn: ".swift").filter { !$0.hasSuffix("WordsTests.swift") }
    + Repository.files(below: "examples", endingIn: "") + Repository.files(below: "man", endingIn: "")
    + Repository.files(below: "doc", endingIn: ".md")
    .filter { !$0.hasSuffix("glossary.md") }
    + ["README.md", "CONTRIBUTING.md", "Makefile"]
}

/// The comment and the string literals of a line of code; a line of any other file is prose as a whole.
private func prose(_ line: Substring, of path: String) -> String {
  guard path.hasSuffix(".swift") || path.hasSuffix(".c") else { return String(line) }
  var parts: [Substring] = []
  for (index, part) in line.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
    if index % 2 == 1 {
      parts.append(part)
    } else if let comment = part.range(of: "//") {
      parts.append(part[comment.upperBound...])
    }
  }
  return parts.joined(separator: " ")
}
