// How much a person has to learn, and how much code there is. A number gets larger only in a change that says why.

import Config
import Core
import Foundation
import Testing

@Suite struct MeasureTests {
  @Test func `a person sees few commands`() throws {
    let help = try run(Repository.program(), ["--help"]).output
    let commands = help.split(separator: "\n").filter { $0.contains(/^  [a-z][a-z-]+(  |$)/) }

    #expect((20...28).contains(commands.count))
  }

  @Test func `a configuration has few keys`() {
    #expect((100...185).contains(KeyCount(configurationSchema()).total))
  }

  @Test func `commands have few options`() throws {
    #expect((100...220).contains(try CommandLineTool.dumped().optionCount))
  }

  @Test(arguments: [("man", 31_000), ("README.md", 1000)])
  func `a person need not read more words`(path: String, most: Int) throws {
    let files = path.hasSuffix(".md") ? [path] : try Repository.files(below: path, endingIn: "")
    let words = try files.map { try Repository.text($0).split(whereSeparator: \.isWhitespace).count }

    #expect((most / 2...most).contains(words.reduce(0, +)))
  }

  /// Lines are not counted, because wider ones would make them fewer.
  @Test func `the code has few characters`() throws {
    let sources = try Repository.files(below: "Sources", endingIn: ".swift")
    let characters = try sources.map { characterCount(ofCode: try Repository.text($0)) }

    #expect(characters.reduce(0, +) <= 1_953_000)
  }
}

/// The keys of a JSON Schema by parent: each key of each mapping.
///
/// The keys of a feed in `defaults` and in `catalog` refer to the same definitions, and count once there.
private struct KeyCount {
  private var own = 0
  private var references: Set<String> = []

  var total: Int { own + references.count }

  init(_ schema: JSONValue) { add(schema) }

  private mutating func add(_ schema: JSONValue) {
    switch schema {
    case .object(let members):
      for (name, value) in members {
        guard name == "properties", case .object(let keys) = value else {
          add(value)
          continue
        }
        for (_, key) in keys { add(key: key) }
      }
    case .array(let values): for value in values { add(value) }
    default: break
    }
  }

  private mutating func add(key: JSONValue) {
    if case .object(let members) = key, members.count == 1, members[0].name == "$ref" {
      references.insert(members[0].value.text)
    } else {
      own += 1
      add(key)
    }
  }
}

/// The characters of a source without indentation, empty lines and lines that are only a comment.
private func characterCount(ofCode text: String) -> Int {
  text.split(separator: "\n").reduce(0) { count, line in
    let code = line.drop { $0 == " " }
    return code.isEmpty || code.hasPrefix("//") ? count : count + code.unicodeScalars.count + 1
  }
}
