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
    var chance = Chance(seed: seed)
    var bytes = Array(GoodConfigurationTests.desk.utf8)
    for _ in 0..<(1 + chance.below(8)) { damage(&bytes, &chance) }

    let reading = read(bytes)

    #expect((reading.settings == nil) == reading.problems.contains { !$0.isWarning })
    #expect(reading.problems.allSatisfy { $0.line >= 1 && $0.column >= 1 && !$0.text.contains("\n") })
    #expect(read(bytes).problems == reading.problems)
  }

  /// A random damage to a file: a byte changes, or a piece is removed, doubled or inserted.
  private func damage(_ bytes: inout [UInt8], _ chance: inout Chance) {
    guard !bytes.isEmpty else { return }
    let start = chance.below(bytes.count)
    let end = min(bytes.count, start + chance.below(30))
    let pieces = [
      "{", "}", "[", "]", ": ", "- ", "\"", "'", "*a", "&a ", "\t", "\n", "\u{0}", "{x}", "none", "~", "!",
      "|\n", "<<: ",
    ]
    switch chance.below(5) {
    case 0: bytes[start] = UInt8(chance.below(256))
    case 1: bytes.removeSubrange(start..<end)
    case 2: bytes.insert(contentsOf: Array(bytes[start..<end]), at: chance.below(bytes.count))
    case 3: bytes.insert(contentsOf: Array(pieces[chance.below(pieces.count)].utf8), at: start)
    default: bytes = Array(bytes[..<start])
    }
  }

  @Test func `a file that is too large is not read`() {
    var context = surroundings()
    context.limits.largest = ByteCount(8000)

    let reading = reading(String(repeating: "#", count: 8001), context)

    #expect(reading.problems.map(\.what) == ["the file is larger than 8.0 kB"])
  }

  @Test(arguments: [4, 4000]) func `more feeds than a run can know are refused`(count: Int) {
    let feeds = (0..<count).map { "  f\($0): https://f.example/\($0)\n" }.joined()
    var context = surroundings()
    context.limits.mostFeeds = count - 1

    let reading = readConfiguration(
      Array("feeds:\n\(feeds)".utf8), file: "bgfetch.yaml", path: "/etc/bgfetch/bgfetch.yaml",
      context: context)

    #expect(reading.problems.map(\.what) == ["\(count) feeds are too many"])
    #expect(reading.settings == nil)
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

  @Test func `no message repeats a password`() throws {
    let enumerator = FileManager.default.enumerator(atPath: FixtureTests.folder.path)
    let files = (enumerator?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".yaml") }
    var count = 0
    for file in files {
      let bytes = try Data(contentsOf: FixtureTests.folder.appending(path: file))
      guard String(decoding: bytes, as: UTF8.self).contains("hunter2") else { continue }
      count += 1
      #expect(!read(Array(bytes)).problems.contains { $0.text.contains("hunter2") }, "\(file)")
    }
    #expect(count >= 8)
  }

  @Test(arguments: [
    "hooks: {a: {run: \"\\\u{202E}\"}}", "hooks: {a: {run: \"\\\t\"}}",
    "hooks:\n  a:\n    run: a\u{202E}: b\t: c: d",
    "feeds:\n  a: %\u{202E}", "feeds: {a: {b: c}\t\u{202E}d: [}}", "a: b\n\u{2067}c", "a:\tb: [c\u{85}] d",
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

/// A sequence of numbers that is the same for the same seed (SplitMix64).
struct Chance {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  /// A number from 0 up to, not including, a limit.
  mutating func below(_ limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ (mixed >> 31)) % UInt64(limit))
  }
}
