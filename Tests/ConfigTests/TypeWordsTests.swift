// The small language of the key table's type column.

import Testing

@testable import Config

@Suite struct TypeWordsTests {
  private static let understood: [(String, [TypeWords.Alternative])] = [
    ("duration", [.phrase(.duration)]),
    ("0 to 50", [.number(0...50)]),
    ("true or false", [.word("true"), .word("false")]),
    (
      "same-as-feed, allow or list of networks",
      [.word("same-as-feed"), .word("allow"), .list([.phrase(.network)])]
    ),
    ("none, all, a number or mapping", [.word("none"), .word("all"), .phrase(.number), .mapping]),
    ("cron expression or list", [.phrase(.cronExpression), .list([.phrase(.cronExpression)])]),
    (
      "hours of the week, list or always",
      [.phrase(.hoursOfTheWeek), .list([.phrase(.hoursOfTheWeek)]), .word("always")]
    ),
    ("pointer or list of pointers", [.phrase(.pointer), .list([.phrase(.pointer)])]),
    ("mapping of text or secrets", [.mapping]),
    ("list of templates or lists of templates", [.list([.phrase(.template), .list([.phrase(.template)])])]),
  ]

  @Test(arguments: understood)
  func `words of the table are understood`(words: String, alternatives: [TypeWords.Alternative]) {
    #expect(TypeWords(words)?.alternatives == alternatives)
  }

  @Test(arguments: [
    "length of tea", "5 to 1", "list", "list of green things", "text or Text", "one two", "x or 1 to",
  ])
  func `other words are not`(words: String) {
    #expect(TypeWords(words) == nil)
  }

  @Test(arguments: configurationKeys + secretKeys)
  func `the words of every row are understood`(key: ConfigurationKey) {
    #expect(TypeWords(key.type) != nil, "\(key.path): \(key.type)")
  }
}
