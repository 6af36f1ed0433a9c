// Checks the lists of CONTRIBUTING.md: each file exists and contains the example word.

import Foundation
import Testing

@Suite struct ContributingTests {
  @Test(arguments: try places(in: Repository.text("CONTRIBUTING.md")))
  func `a list of places is true`(place: Place) throws {
    #expect(try Repository.text(place.path).contains(place.word))
  }

  @Test func `there is a list for each kind of change`() throws {
    let text = try Repository.text("CONTRIBUTING.md")
    let lists = text.split(separator: "\n### ").dropFirst()

    #expect(lists.count == 8)
    for list in lists { #expect(try places(in: String(list)).count > 1, "\(list.prefix(40))") }
  }
}

/// A file of a list, and the word that leads to the place in it.
struct Place: CustomTestStringConvertible, Sendable {
  var path: String
  var word: String

  var testDescription: String { path }
}

/// The places of a text, written as `path` (`word`).
private func places(in text: String) throws -> [Place] {
  let pattern = try Regex(#"`([^` ]+\.[^` ]+)`\s+\(`([^`]+)`\)"#, as: (Substring, Substring, Substring).self)
  return text.matches(of: pattern).map { Place(path: String($0.1), word: String($0.2)) }
}
