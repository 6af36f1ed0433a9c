// Templates and conditions of JSON mappings.

import Testing

@testable import Core

@Suite struct JSONTemplateTests {
  @Test(arguments: [
    ("https://a.example/{num}/", ["/num"], ["7"], "https://a.example/7/"),
    ("{/a/b}-{c}", ["/a/b", "/c"], ["x", "y"], "x-y"), ("{owner/login}", ["/owner/login"], ["me"], "me"),
    ("/p/{t}", ["/t"], ["a b/c?ü#%"], "/p/a%20b%2Fc%3F%C3%BC%23%25"),
    ("https://a.example{+path}", ["/path"], ["/x/y?z=1&ü"], "https://a.example/x/y?z=1&%C3%BC"),
    ("a}b{n}", ["/n"], ["1"], "a}b1"), ("{a*}", ["/a*"], ["1"], "1"),
  ])
  func `values take the places of names, encoded in an address`(
    text: String, pointers: [String], values: [String], address: String
  ) throws {
    let template = try JSONTemplate(parsing: text)

    #expect(template.pointers.map(\.text) == pointers)
    #expect(template.text(with: values, isAddress: true) == address)
  }

  @Test(arguments: [
    ("https://a.example/{t}/x", ".."), ("/p/{t}", "."), ("https://a.example{+path}", ".evil.example/"),
    ("https://a.example{+path}", "@evil.example/"), ("https://a.example{+path}", ":81/"),
  ])
  func `a value does not lead an address elsewhere`(text: String, value: String) throws {
    #expect(try JSONTemplate(parsing: text).text(with: [value], isAddress: true) == nil)
  }

  @Test func `a title has values as they are, a missing one makes all missing, and no brace is a pointer`()
    throws
  {
    let template = try JSONTemplate(parsing: "{a} & {b}")

    #expect(template.text(with: ["x/y", "<z>"], isAddress: false) == "x/y & <z>")
    #expect(template.text(with: ["x", nil], isAddress: false) == nil)
    #expect(try JSONSource(parsing: "/name") == .pointer(JSONPointer(parsing: "/name")))
    #expect(try JSONSource(parsing: "{name}") == .template(JSONTemplate(parsing: "{name}")))
    #expect(try JSONSource(parsing: "{a}{b}").pointers.map(\.text) == ["/a", "/b"])
  }

  @Test(arguments: [
    ("https://a/{num", 11), ("{}", 1), ("a{+}", 2), ("{a{b}}", 1),
    (String(repeating: "{a}", count: 9), 25),
  ])
  func `a template that cannot be read is refused at its place`(text: String, column: Int) {
    let problem = #expect(throws: TextProblem.self) { try JSONSource(parsing: text) }

    #expect(problem?.column == column)
  }

  @Test(arguments: [
    (["false"], ["false"], true), (["false"], ["true"], false), (["false"], [], true),
    (["false"], ["null"], true), (["true"], [], false), (["null"], [], true), (["null"], ["false"], false),
    (["open", "new"], ["new"], true), (["open"], ["closed", "open"], true), (["1"], ["1"], true),
    (["false"], ["{}"], false), (["Open"], ["open"], false),
  ])
  func `a condition looks at every value, and a missing one counts as null and false`(
    allowed: [String], found: [String], isMet: Bool
  ) throws {
    #expect(JSONCondition(try JSONPointer(parsing: "/a"), values: allowed).allows(found) == isMet)
  }
}
