// Checks that comments name only what exists.

import Testing

@Suite struct CommentTests {
  @Test func `a comment names only types, functions and files that exist`() throws {
    let files = try ["Sources", "Tests"].flatMap { try Repository.files(below: $0, endingIn: ".swift") }
    var comments: [(path: String, text: Substring)] = []
    var known: Set<Substring> = []
    let texts = try files.map { ($0, try Repository.text($0)) }
    for (path, text) in texts {
      for line in text.split(separator: "\n") {
        let code = line.drop { $0 == " " }
        // The second is one in SQL.
        if code.hasPrefix("//") || code.hasPrefix("--") {
          comments.append((path, code))
        } else {
          known.formUnion(words(in: code))
        }
      }
    }
    let names = Set(files.compactMap { $0.split(separator: "/").last })

    for (path, text) in comments {
      for quoted in text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      where quoted.offset % 2 == 1 && isName(quoted.element) {
        #expect(known.contains(quoted.element), "\(path): \(text)")
      }
      for word in text.split(whereSeparator: { " /,;:()`".contains($0) }) where word.hasSuffix(".swift") {
        #expect(names.contains(word), "\(path): \(text)")
      }
    }
  }

  @Test(
    arguments: [
      ("DuePlan", true), ("duePlan", true), ("first-run", false), ("minute", false), ("EX_TEMPFAIL", false),
      ("X", false),
    ] as [(Substring, Bool)])
  func `a name of code has small letters and a capital`(word: Substring, isCode: Bool) {
    #expect(isName(word) == isCode)
  }
}

/// The words of a line of code.
private func words(in line: Substring) -> [Substring] {
  line.utf8.split { !isLetter($0) }.map(Substring.init)
}

private func isLetter(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
  case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
  default: false
  }
}

/// Whether a word in backticks is a name in Swift: it has letters and digits only, small ones and a capital.
private func isName(_ word: Substring) -> Bool {
  word.utf8.count > 3 && word.utf8.allSatisfy { isLetter($0) && $0 != UInt8(ascii: "_") }
    && word.contains(where: \.isLowercase) && word.contains(where: \.isUppercase)
}
