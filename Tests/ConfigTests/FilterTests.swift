// `filter` of a feed and of its downloads.

import Core
import Testing

@testable import Config

@Suite struct FilterTests {
  private static func condition(_ change: (inout ItemCondition) -> Void) -> ItemCondition {
    var condition = ItemCondition()
    change(&condition)
    return condition
  }

  @Test(
    arguments: [
      ("sponsored", ["sponsored"]), ("[a, b]", ["a", "b"]), ("[]", []),
      ("{duration: under 5m}", [condition { $0.duration.below = .minutes(5) }]),
      ("{duration: over 3h}", [condition { $0.duration.above = .hours(3) }]),
      ("{size: over 2GiB}", [condition { $0.size.above = ByteCount(2 << 30) }]),
      ("{size: under 10KiB}", [condition { $0.size.below = ByteCount(10 << 10) }]),
      (
        "[ad, {author: ^Bob$, title: [x, y]}, {text: a, link: b, category: c}]",
        [
          "ad", condition { $0.patterns = [.author: ["^Bob$"], .title: ["x", "y"]] },
          condition { $0.patterns = [.text: ["a"], .link: ["b"], .category: ["c"]] },
        ]
      ),
    ] as [(String, [ItemCondition])])
  func `a condition is an expression or a mapping, alone or in a list`(
    text: String, conditions: [ItemCondition]
  ) throws {
    let keys = "filter: {exclude: \(text)}, download: {filter: {include: \(text)}}"
    let feed = try #require(try feeds("feeds: {a: {url: https://a.example/, \(keys)}}").first)

    #expect(feed.filter.exclude == conditions)
    #expect(feed.filter.include == [])
    #expect(feed.download?.filter.include == conditions)
  }

  @Test(
    arguments: [
      ("{}", "has an empty condition"), ("{title: []}", "has an empty condition"),
      ("{titel: a}", "unknown key \"titel\"; did you mean \"title\"?"),
      ("{title: '('}", "a \"(\" is not closed"),
      ("{duration: 5m}", "write under 5m or over 3h"), ("{duration: under 5}", "write under 5m or over 3h"),
      ("{size: over 2h}", "write under 1MiB or over 2GiB"), ("{size: about 2GiB}", "is not a bound"),
      ("[[a]]", "list"),
    ])
  func `a wrong condition is reported with its cure`(text: String, problem: String) {
    let said = problems("feeds: {a: {url: https://a.example/, filter: {include: \(text)}}}")

    #expect(said.count == 1)
    #expect(said.first?.contains(problem) == true, "\(said)")
  }
}
