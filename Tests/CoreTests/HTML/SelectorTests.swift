// CSS selectors as text: what is read, and what is refused with a cure.

import Testing

@testable import Core

@Suite struct SelectorTests {
  private func conditions(_ text: String) throws -> [CompoundSelector.Condition] {
    try #require(SelectorList(parsing: text).selectors.first?.steps.last).compound.conditions
  }

  @Test func `a selector has compounds with combinators between them`() throws {
    let list = try SelectorList(parsing: "UL > li.New~ a ,p+*  , #Main  h2")

    let steps = list.selectors.map { $0.steps.map(\.compound.name) }
    let names: [[String?]] = [["ul", "li", "a"], ["p", nil], [nil, "h2"]]
    #expect(steps == names.map { $0.map { $0.map { nameHash($0.utf8) } } })
    #expect(
      list.selectors.map { $0.steps.dropFirst().map(\.combinator) } == [
        [.child, .sibling], [.adjacent], [.descendant],
      ])
    #expect(
      list.selectors[0].steps[1].compound.conditions == [
        .attribute(AttributeCondition(name: "class", .includes, value: "New"))
      ])
    #expect(
      list.selectors[2].steps[0].compound.conditions == [
        .attribute(AttributeCondition(name: "id", .equals, value: "Main"))
      ])
  }

  @Test(arguments: [
    ("[href]", AttributeCondition(name: "href")), ("[ HREF ]", AttributeCondition(name: "href")),
    ("[a=b]", AttributeCondition(name: "a", .equals, value: "b")),
    ("[a='b c']", AttributeCondition(name: "a", .equals, value: "b c")),
    ("[a^=\"/x\"]", AttributeCondition(name: "a", .begins, value: "/x")),
    ("[a$=.pdf]", AttributeCondition(name: "a", .ends, value: ".pdf")),
    ("[a *= \"]\" ]", AttributeCondition(name: "a", .contains, value: "]")),
    ("[a~=b]", AttributeCondition(name: "a", .includes, value: "b")),
    ("[lang|=en]", AttributeCondition(name: "lang", .dashes, value: "en")),
    ("[a=\"\\\"\"]", AttributeCondition(name: "a", .equals, value: "\"")),
  ])
  func `an attribute is compared in each way`(text: String, condition: AttributeCondition) throws {
    #expect(try conditions(text) == [.attribute(condition)])
  }

  @Test(arguments: [
    (":first-child", 0, 1), (":nth-child(3)", 0, 3), (":nth-child(odd)", 2, 1), (":nth-child(EVEN)", 2, 0),
    (":nth-child(2n+1)", 2, 1), (":nth-child( 3n - 1 )", 3, -1), (":nth-child(-n+3)", -1, 3),
    (":nth-child(n)", 1, 0), (":nth-child(+4n)", 4, 0),
  ])
  func `a position is read, and one beyond any page is refused`(text: String, a: Int, b: Int) throws {
    #expect(try conditions(text) == [.position(a: a, b: b)])
    for position in [
      "-9223372036854775808", "9223372036854775807n", "-9223372036854775808n+1", "n-9223372036854775808",
    ] { #expect(throws: TextProblem.self) { try SelectorList(parsing: "p:nth-child(\(position))") } }
  }

  @Test(arguments: [
    (2, 1, [1, 3, 5]), (2, 0, [2, 4, 6]), (0, 3, [3]), (-1, 3, [1, 2, 3]), (3, -1, [2, 5]),
    (1, 0, [1, 2, 3, 4, 5, 6]), (0, 0, []), (-2, -1, []),
  ])
  func `a position counts from one`(a: Int, b: Int, places: [Int]) {
    #expect((1...6).filter { CompoundSelector.Condition.isPosition($0, a: a, b: b) } == places)
  }

  @Test func `not takes simple selectors, and case of values can be ignored`() throws {
    #expect(
      try conditions("a:not(.old, [rel=nofollow])") == [
        .not([
          CompoundSelector(conditions: [
            .attribute(AttributeCondition(name: "class", .includes, value: "old"))
          ]),
          CompoundSelector(conditions: [
            .attribute(AttributeCondition(name: "rel", .equals, value: "nofollow"))
          ]),
        ])
      ])
    let ignoring = with(AttributeCondition(name: "a", .equals, value: "b")) { $0.ignoresCase = true }
    #expect(try conditions("[a=b i]") == [.attribute(ignoring)])
    #expect(
      try conditions(".a\\:b") == [.attribute(AttributeCondition(name: "class", .includes, value: "a:b"))])
  }

  @Test(arguments: [
    ("", 1, "is empty"), ("  ", 2, "ends where an element is missing"),
    ("a >", 3, "ends where an element is missing"), ("a,,b", 3, "has \",\" where an element is expected"),
    ("> a", 1, "has \">\" where an element is expected"), ("a{", 2, "has \"{\" where an element is expected"),
    ("a:hover", 2, "has \":hover\", which bgfetch does not support"),
    ("p::before", 2, "has \"::before\", which bgfetch does not support"),
    ("a:contains(x)", 2, "has \":contains\", which bgfetch does not support"),
    ("a:not(:not(b))", 7, "has \":not\", which bgfetch does not support"),
    ("a:not(b c)", 9, "has a \":not(\" that contains more than simple selectors"),
    (".", 1, "has no class name after \".\""), ("a#", 2, "has no id name after \"#\""),
    ("[", 1, "has no attribute name after \"[\""), ("[a", 2, "has a \"[\" that is not closed"),
    ("[a=]", 4, "has an attribute without a value"), ("[a=\"b]", 4, "has a quote that is not closed"),
    ("[a=b", 4, "has a \"[\" that is not closed"),
    ("a:nth-child(x)", 13, "has an nth-child that cannot be read"),
    ("//div", 1, "has \"/\" where an element is expected"),
  ])
  func `a selector that cannot be read is refused at its place`(text: String, column: Int, what: String) {
    let problem = #expect(throws: TextProblem.self) { try SelectorList(parsing: text) }

    #expect(problem?.what == what)
    #expect(problem?.column == column)
    #expect(problem?.cure.isEmpty == false)
  }

  @Test func `the number of compounds is bounded`() {
    let many = Array(repeating: "a", count: SelectorList.mostCompounds)

    #expect(throws: Never.self) { try SelectorList(parsing: many.joined(separator: " ")) }
    #expect(throws: TextProblem.self) { try SelectorList(parsing: (many + ["b"]).joined(separator: ",")) }
  }

  @Test(
    arguments: [
      ("h2 a", "h2 a", nil), ("img@src", "img", "src"), ("@data-id", nil, "data-id"), ("@ID", nil, "id"),
      ("a[href='x@y']@HREF", "a[href='x@y']", "href"), ("a[href*=\"@\"]", "a[href*=\"@\"]", nil),
    ] as [(String, String?, String?)])
  func `a value is an element or an attribute, with a name`(
    text: String, selector: String?, attribute: String?
  )
    throws
  {
    let value = try PageValue(parsing: text)

    #expect(value.selector?.text == selector)
    #expect(value.attribute == attribute)
    for nameless in ["", "h2@", "h2@a b", "@"] {
      #expect(throws: TextProblem.self) { try PageValue(parsing: nameless) }
    }
  }
}
