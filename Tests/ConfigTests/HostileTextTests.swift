// Damaged, huge and hostile text: always a result, and never a secret in it.

import Core
import Foundation
import TestKit
import Testing

@testable import Config

@Suite struct HostileTextTests {
  private func read(_ bytes: [UInt8]) -> ConfigurationReading {
    readConfiguration(bytes, file: "bgfetch.yaml", path: "/etc/bgfetch/bgfetch.yaml", context: surroundings())
  }

  @Test(arguments: 0..<200)
  func `damaged text gets settings or a mistake, never both, and no crash`(seed: UInt64) {
    var numbers = RandomNumbers(seed: seed)
    var bytes = Array(GoodConfigurationTests.desk.utf8)
    for _ in 0..<Int.random(in: 1...8, using: &numbers) { damage(&bytes, &numbers) }

    let reading = read(bytes)

    #expect((reading.settings == nil) == reading.problems.contains { !$0.isWarning })
    #expect(reading.problems.allSatisfy { $0.line >= 1 && $0.column >= 1 && !$0.text.contains("\n") })
    #expect(read(bytes).problems == reading.problems)
  }

  /// A random damage to a file: a byte changes, or a piece is removed, doubled or inserted.
  private func damage(_ bytes: inout [UInt8], _ numbers: inout RandomNumbers) {
    guard let start = bytes.indices.randomElement(using: &numbers) else { return }
    let end = min(bytes.count, start + Int.random(in: 0..<30, using: &numbers))
    let pieces = [
      "{", "}", "[", "]", ": ", "- ", "\"", "'", "*a", "&a ", "\t", "\n", "\u{0}", "{x}", "none", "~", "!",
      "|\n", "<<: ",
    ]
    switch Int.random(in: 0..<5, using: &numbers) {
    case 0: bytes[start] = .random(in: 0...255, using: &numbers)
    case 1: bytes.removeSubrange(start..<end)
    case 2:
      bytes.insert(contentsOf: Array(bytes[start..<end]), at: Int.random(in: bytes.indices, using: &numbers))
    case 3: bytes.insert(contentsOf: Array((pieces.randomElement(using: &numbers) ?? "").utf8), at: start)
    default: bytes = Array(bytes[..<start])
    }
  }

  @Test func `a file that is too large is not read`() {
    var context = surroundings()
    context.largest = ByteCount(8000)

    let reading = reading(String(repeating: "#", count: 8001), context)

    #expect(reading.problems.map(\.what) == ["the file is larger than 8.0 kB"])
  }

  @Test func `control characters in an expression are shown as escapes`() {
    let reading = read(
      Array("feeds:\n  a: {url: https://a.example/, schedule: [\"@\\aily\"], hours: \"mon\\e\"}\n".utf8))

    #expect(reading.problems.count == 2)
    #expect(reading.problems.first?.what == "schedule: \"@\\u{7}ily\" is not known")
    #expect(reading.problems.allSatisfy { !$0.text.unicodeScalars.contains(where: \.controlsTerminal) })
  }

  @Test func `brackets without end are refused at once`() {
    let reading = read([UInt8](repeating: UInt8(ascii: "["), count: 1 << 20))

    #expect(reading.problems.map(\.what) == ["values are nested more than 64 levels deep"])
  }

  @Test func `only the first ten thousand mistakes are reported`() {
    let reading = read(Array(("feeds: {" + String(repeating: "a, ", count: 50_000) + "}").utf8))

    #expect(reading.problems.count == 10_000)
    #expect(reading.problems.last?.what == "there may be more mistakes")
    #expect(reading.settings == nil)
  }

  /// Each # in a piece is its number.
  @Test(arguments: [
    ("feeds: {", "a, ", "}"), ("feeds: {", "a#: https://a.example/, ", "}"),
    ("feeds:\n", "  a: https://a.example/\n", ""),
    ("feeds:\n  a: {url: https://a.example/, tags: [", "t#, ", "]}"),
    ("feeds:\n  a: {url: https://a.example/, headers: {", "x#: y, ", "}}"),
    ("feeds:\n  a: {url: https://a.example/, schedule: [", "\"@daily\", ", "]}"),
    ("hooks:\n", "  h#: {run: x}\n", "feeds: {}\n"), ("", "? a\n", ""), ("a: \"", "\\x41", "\""),
  ])
  func `hostile text takes time in proportion to its size`(start: String, piece: String, end: String) {
    expectLinear(from: 8000) { size in
      var text = start
      var number = 0
      while text.utf8.count < size {
        text += piece.replacing("#", with: String(number))
        number += 1
      }
      _ = read(Array((text + end).utf8))
    }
  }

  @Test(arguments: [
    "hooks: {a: {run: \"\\\u{202E}\"}}", "hooks: {a: {run: \"\\\t\"}}",
    "hooks:\n  a:\n    run: a\u{202E}: b\t: c: d", "feeds:\n  a: %\u{202E}",
    "feeds: {a: {b: c}\t\u{202E}d: [}}", "a: b\n\u{2067}c", "a:\tb: [c\u{85}] d",
  ])
  func `messages about invalid YAML have no characters that steer a terminal`(text: String) {
    let problems = problems(text)

    #expect(!problems.isEmpty)
    #expect(problems.allSatisfy { !$0.unicodeScalars.contains(where: \.controlsTerminal) }, "\(problems)")
  }

  @Test func `terminal escape sequences are shown as text`() {
    let problems = problems("feeds: {\"a\\e[31m\": \"https://a.example/\"}")

    #expect(problems.count == 1)
    #expect(problems.first?.contains("a\\u{1b}[31m") == true)
  }
}
