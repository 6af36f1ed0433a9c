// JSON pointers as text: which are read, and the cure for other texts.

import Testing

@testable import Core

@Suite struct JSONPointerTests {
  @Test(
    arguments: [
      ("", []), ("/", [.member("", index: nil)]),
      ("/a/*/0", [.member("a", index: nil), .every, .member("0", index: 0)]),
      ("/m~0n/a~1b", [.member("m~n", index: nil), .member("a/b", index: nil)]),
      ("/~01", [.member("~1", index: nil)]),
      ("/01/-/+1", [.member("01", index: nil), .member("-", index: nil), .member("+1", index: nil)]),
      ("/a*", [.member("a*", index: nil)]),
      ("/99999999999999999999", [.member("99999999999999999999", index: nil)]),
    ] as [(String, [JSONPointer.Token])])
  func `a pointer follows RFC 6901, and a star alone means every element`(
    text: String, tokens: [JSONPointer.Token]
  ) throws {
    #expect(try JSONPointer(parsing: text).tokens == tokens)
  }

  @Test(arguments: [
    ("id", "write /id"), ("author/login", "write /author/login"), ("$.items[*].id", "write /items/*/id"),
    (".assets[].url", "write /assets/*/url"), ("#/a/b", "write /a/b"),
    ("$", "write \"\" for the whole value"), (".", "write \"\" for the whole value"),
    ("items[0]", "write /items/0"), ("*", "write /*"), ("$['a']['b']", "write /a/b"),
  ])
  func `a text that is not a pointer gets the probable one as cure`(text: String, cure: String) {
    let error = #expect(throws: TextProblem.self) { try JSONPointer(parsing: text) }

    #expect(error?.cure == cure)
  }

  @Test func `too many steps are refused`() throws {
    let most = String(repeating: "/a", count: JSONPointer.mostTokens)

    #expect(try JSONPointer(parsing: most).tokens.count == JSONPointer.mostTokens)
    #expect(throws: TextProblem.self) { try JSONPointer(parsing: most + "/a") }
  }
}
