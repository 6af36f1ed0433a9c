// Checks the lists of CONTRIBUTING.md: each file exists and contains the example word; and the files of architecture.md.

import Foundation
import Testing

@Suite struct ContributingTests {
  @Test(arguments: try places(in: Repository.text("CONTRIBUTING.md")))
  func `a list of places is true`(place: Place) throws {
    #expect(try Repository.text(place.path).contains(place.word))
  }

  @Test func `there is a list for each kind of change`() throws {
    let lists = try Repository.text("CONTRIBUTING.md").split(separator: "\n### ").dropFirst()

    #expect(lists.count == 8)
    for list in lists { #expect(try places(in: String(list)).count > 1, "\(list.prefix(40))") }
  }

  @Test func `the files that the page about the architecture names exist`() throws {
    let files = try ["Sources", "Tests"].flatMap { try Repository.files(below: $0, endingIn: ".swift") }
    let named = try Repository.text("doc/architecture.md").matches(of: /`([A-Za-z\/]+\.swift)`/).map(\.1)

    #expect(named.count > 30)
    for name in named { #expect(files.contains { "/\($0)".hasSuffix("/\(name)") }, "\(name)") }
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
