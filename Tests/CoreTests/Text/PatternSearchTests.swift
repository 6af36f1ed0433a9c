// A search with a full cache gives the same results as a new one.

import Testing

@testable import Core

@Suite struct PatternSearchTests {
  @Test(arguments: [
    "a[ab]{9}c", "^b|a$", "(?m)^a.b$", "\\bab\\b", "(?i)AB+A|ж", "[^a-z]é|\\w{3} b", "a{3,5}b", "",
  ])
  func `many texts in one search`(expression: String) throws {
    let pattern = try Pattern(parsing: expression)
    let search = PatternSearch(pattern)
    let letters = ["a", "b", "a", "b", " ", "\n", "é", "Ж", "B"]
    var number = 7
    for _ in 0..<300 {
      var text = ""
      number = (number &* 1_103_515_245 &+ 12345) & 0x7FFF_FFFF
      for _ in 0..<(number >> 8) % 30 {
        number = (number &* 1_103_515_245 &+ 12345) & 0x7FFF_FFFF
        text += letters[(number >> 8) % letters.count]
      }
      #expect(search.matches(in: text) == pattern.matches(in: text), "\(text)")
    }
  }

  @Test func `clearing the cache does not change matches`() throws {
    // Each prefix of fourteen letters has its own set of states.
    let search = PatternSearch(try Pattern(parsing: "a[ab]{14}c"))
    var number = 3
    var text = ""
    for _ in 0..<20_000 {
      number = (number &* 1_103_515_245 &+ 12345) & 0x7FFF_FFFF
      text += number >> 12 & 1 == 0 ? "a" : "b"
    }

    #expect(!search.matches(in: text))
    #expect(search.matches(in: text + " a" + String(repeating: "b", count: 14) + "c"))
    #expect(!search.matches(in: text + " a" + String(repeating: "b", count: 13) + "c"))
  }
}
