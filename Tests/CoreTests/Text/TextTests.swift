// Small texts: templates, sizes, names, globs, JSON, fingerprints.

import Core
import Testing

@Suite struct TextTests {
  @Test func `a template keeps text and placeholders in order`() throws {
    let template = try Template(parsing: "{feed}: {{{item.published:%H:%M}}} {count}")

    #expect(
      template.parts == [
        .placeholder(name: "feed", format: nil), .literal(": {"),
        .placeholder(name: "item.published", format: "%H:%M"), .literal("} "),
        .placeholder(name: "count", format: nil),
      ])
  }

  @Test func `a filled template shows values as they are, braces included`() throws {
    #expect(try Template(parsing: "<{a}>").filled { _, _ in "{b}$(x)" } == "<{b}$(x)>")
  }

  @Test(arguments: [
    ("{feed", "\"{\" without \"}\"", 1), ("a}", "\"}\" without \"{\"", 2),
    ("{}", "\"{}\" is not a placeholder", 1), ("x{Feed Name}", "\"{Feed Name}\" is not a placeholder", 2),
  ])
  func `a mistake in a template has its place`(text: String, what: String, column: Int) {
    let problem = #expect(throws: TextProblem.self) { try Template(parsing: text) }
    #expect(problem?.what == what)
    #expect(problem?.column == column)
  }

  @Test(
    arguments: [
      ("512KiB", 524_288), ("2MiB", 2_097_152), ("1GB", 1_000_000_000), ("0B", 0), ("20GiB", 21_474_836_480),
    ] as [(String, Int64)])
  func `a size has a number and a unit`(text: String, bytes: Int64) {
    #expect(ByteCount(text: text)?.bytes == bytes)
  }

  @Test(arguments: ["", "10", "KiB", "-1B", "1.5MiB", "1 MiB", "1mib", "9999999999TiB"])
  func `a size without number or unit is refused`(text: String) {
    #expect(ByteCount(text: text) == nil)
  }

  @Test(
    arguments: [
      (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (14_100_000, "14.1 MB"), (999_999, "999.9 kB"),
      (5_000_000_000_000_000, "5000.0 TB"),
    ] as [(Int64, String)])
  func `a size is shown short`(bytes: Int64, text: String) {
    #expect(ByteCount(bytes).text == text)
  }

  @Test(arguments: ["planet", "a.b-c_9", String(repeating: "x", count: 100)])
  func `letters, digits, dots, dashes and underscores make a feed name`(text: String) {
    #expect(FeedName(text)?.text == text)
  }

  @Test(arguments: ["", ".hidden", "-rf", "a/b", "ä", "a b", String(repeating: "x", count: 101), "a\n"])
  func `other texts are not feed names`(text: String) {
    #expect(FeedName(text) == nil)
  }

  @Test(arguments: [
    ("yt-chan", "yt-*", true), ("yt", "yt-*", false), ("abc", "a?c", true), ("abc", "*", true),
    ("", "*", true), ("aXbXc", "a*b*c", true), ("aXbX", "a*b*c", false), ("planet", "planet", true),
    ("planet", "plane", false),
    (String(repeating: "a", count: 5000), String(repeating: "a*", count: 40) + "b", false),
  ])
  func `a glob matches any text and any character`(text: String, pattern: String, isMatch: Bool) {
    #expect(glob(matches: text, pattern: pattern) == isMatch)
  }

  @Test func `JSON is one line in which nothing can break out`() {
    let value = JSONValue.object([
      ("a\"b", .string("\u{1B}[31m\n\u{2028}\u{9B}\u{202E}é\\")), ("n", .number(-3)),
      ("l", .array([.null, .bool(true)])),
    ])

    #expect(value.text == #"{"a\"b":"\u001b[31m\n\u2028\u009b\u202eé\\","n":-3,"l":[null,true]}"#)
  }

  @Test(arguments: [
    "null", "true", "-3", "1.5e3", "18446744073709551616", #""\u001b[31m é 😀 \\\" \n""#, "[]", "{}",
    #"[{"a":[{"b":[null,"c"]}],"a":0},false]"#,
  ])
  func `JSON that bgfetch wrote is read as it was written`(text: String) {
    #expect(JSONValue(parsing: text)?.text == text)
  }

  @Test(arguments: [(100, true), (101, false), (100_000, false)])
  func `JSON that is too deep is refused`(depth: Int, isRead: Bool) {
    let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)

    #expect(JSONValue(parsing: deep)?.text == (isRead ? deep : nil))
    #expect(JSONValue(parsing: deep + "]") == nil)
  }

  @Test func `a fingerprint is the published FNV-1a, and distinguishes texts with the same concatenation`() {
    let published = with(Fingerprint()) { for byte in "foobar".utf8 { $0.add(byte: byte) } }
    let prints = [["ab", "c"], ["a", "bc"]].map { texts in
      with(Fingerprint()) { for text in texts { $0.add(text) } }
    }

    #expect(published.value == 0x8594_4171_F739_67E8)
    #expect(prints[0] != prints[1])
  }

  @Test(arguments: [
    ("/home/me", "/home/me"), ("it's", "'it'\\''s'"), ("it'\u{301}s", "'it'\\''\u{301}s'"), ("", "''"),
  ])
  func `a word for a shell is quoted, whatever follows a quote`(word: String, quoted: String) {
    #expect(Array(shellWord(word).utf8) == Array(quoted.utf8))
  }
}
