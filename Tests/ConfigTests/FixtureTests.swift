// Faulty configurations, each with all its messages, word for word. A file of `cases` has several, after a --- each.
//
// BGFETCH_ACCEPT=1 rewrites the .expected files; read the diff.

import Core
import Foundation
import Testing

@testable import Config

@Suite struct FixtureTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")

  static let names: [String] = {
    let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    return files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(".yaml".count)) }.sorted()
  }()

  @Test(arguments: names)
  func `every mistake of a faulty configuration is reported`(name: String) throws {
    let bytes = Array(try Data(contentsOf: Self.folder.appending(path: name + ".yaml")))
    let file = name.split(separator: "/").last.map { "\($0).yaml" } ?? name

    let cases =
      name.hasPrefix("cases/") ? bytes.split(separator: Array("---\n".utf8)).map(Array.init) : [bytes]
    let readings = cases.map {
      readConfiguration($0, file: file, path: "/etc/bgfetch/\(file)", context: surroundings())
    }
    let text = readings.map { $0.problems.map { $0.text + "\n" }.joined() }.joined(separator: "---\n")

    let expected = Self.folder.appending(path: name + ".expected")
    if ProcessInfo.processInfo.environment["BGFETCH_ACCEPT"] == "1" {
      try Data(text.utf8).write(to: expected, options: .atomic)
    }
    #expect(text == String(decoding: try Data(contentsOf: expected), as: UTF8.self))
    #expect(!text.contains("hunter2"), "a password is repeated")
    for reading in readings {
      #expect((reading.settings == nil) == reading.problems.contains { !$0.isWarning })
    }
  }

  @Test func `there are fixtures, each with a message`() throws {
    #expect(Self.names.count >= 100)
    for name in Self.names {
      #expect(try !Data(contentsOf: Self.folder.appending(path: name + ".expected")).isEmpty, "\(name)")
    }
  }
}
