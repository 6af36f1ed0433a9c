// Faulty configurations, each with all its messages, word for word.
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
    let bytes = try Data(contentsOf: Self.folder.appending(path: name + ".yaml"))
    let file = name.split(separator: "/").last.map { "\($0).yaml" } ?? name

    let reading = readConfiguration(
      Array(bytes), file: file, path: "/etc/bgfetch/\(file)", context: surroundings())
    let text = reading.problems.map { $0.text + "\n" }.joined()

    let expected = Self.folder.appending(path: name + ".expected")
    if ProcessInfo.processInfo.environment["BGFETCH_ACCEPT"] == "1" {
      try Data(text.utf8).write(to: expected, options: .atomic)
    }
    #expect(text == String(decoding: try Data(contentsOf: expected), as: UTF8.self))
    #expect((reading.settings == nil) == reading.problems.contains { !$0.isWarning })
  }

  @Test func `there are fixtures, each with a message`() throws {
    #expect(Self.names.count >= 100)
    for name in Self.names {
      let expected = try Data(contentsOf: Self.folder.appending(path: name + ".expected"))
      #expect(!expected.isEmpty, "\(name)")
    }
  }
}
