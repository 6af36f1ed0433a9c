// Regular expressions: matches, problems, and time on hostile text.

import Core
import TestKit
import Testing

@Suite struct PatternTests {
  @Test(arguments: [
    ("", "", true), ("", "x", true), ("b", "abc", true), ("bd", "abcd", false), ("B", "abc", false),
    ("a.c", "abc", true), ("a.c", "a\nc", false), ("(?s)a.c", "a\nc", true), ("a.c", "a😀c", true),
    ("a|bc|", "x", true), ("^(a|bc|d)$", "bc", true), ("^(a|bc|d)$", "b", false), ("^a|b$", "ax", true),
    ("^a|b$", "xb", true), ("^a|b$", "xabx", false), ("^(|a)b$", "b", true), ("^a*$", "", true),
    ("^a*$", "aaa", true), ("^a*$", "aab", false), ("^a+$", "", false), ("^a+$", "aaa", true),
    ("^(ab)+$", "ababab", true), ("^(ab)+$", "ababa", false), ("^ab?c$", "ac", true),
    ("^ab?c$", "abbc", false), ("^(a*)*$", "aaa", true), ("^(a*)+b$", "b", true), ("^*a", "ba", true),
    ("^(?:a|b)*?c$", "abac", true), ("^a+?$", "aa", true), ("^a??b$", "b", true), ("^a{2,3}?$", "aa", true),
    ("^a{2}$", "aa", true), ("^a{2}$", "a", false), ("^a{2}$", "aaa", false), ("^a{2,}$", "aaaaa", true),
    ("^a{2,}$", "a", false), ("^a{2,3}$", "aaa", true), ("^a{2,3}$", "aaaa", false), ("^a{,2}$", "", true),
    ("^a{,2}$", "aaa", false), ("^a{0}$", "", true), ("^a{0}$", "a", false), ("^a{0,}$", "aa", true),
    ("^(a{2}){3}$", "aaaaaa", true), ("^(a{2}){3}$", "aaaaa", false), ("((){1000}){1000}", "", true),
  ])
  func `literals, alternatives and repeats`(pattern: String, text: String, expected: Bool) throws {
    #expect(try Pattern(parsing: pattern).matches(in: text) == expected)
  }

  @Test(arguments: [
    ("{title}", "x{title}", true), ("a{", "a{", true), ("a{x}", "a{x}", true), ("{}", "{}", true),
    ("]", "]", true), ("}", "}", true), ("a{1,2", "a{1,2", true), ("a{,}", "a{,}", true), ("-", "-", true),
    ("/shorts/", "https://x/shorts/1", true), ("\\.mp3$", "a.mp3", true), ("\\.mp3$", "amp3", false),
    ("\\\\", "\\", true), ("\\/\\-\\_\\ ", "/-_ ", true), ("\\[\\(\\{\\*", "[({*", true),
    ("^\\t\\n\\r$", "\t\n\r", true), ("^\\d+$", "0129٣", true), ("\\d", "½a", false),
    ("\\D", "123", false), ("\\D", "1a", true), ("^\\w+$", "Größe_3ж語", true), ("\\w", "-. ½", false),
    ("\\W", "ab_9", false), ("^\\s+$", " \t\n\u{A0}\u{3000}", true), ("\\S", " \t", false),
    ("\\bcat\\b", "a cat.", true), ("\\bcat\\b", "concat", false),
    ("\\bÜbung", "die Übung", true), ("\\b", "", false), ("\\b", "--", false), ("e\u{301}", "e\u{301}", true),
    ("^e$", "e\u{301}", false),
    ("^.$", "é", true),
  ])
  func `characters and escapes`(pattern: String, text: String, expected: Bool) throws {
    #expect(try Pattern(parsing: pattern).matches(in: text) == expected)
  }

  @Test(arguments: [
    ("^[a-c]+$", "abc", true), ("[a-c]", "d", false), ("[^a-c]", "abc", false), ("[^a-c]", "d", true),
    ("[^a]", "\n", true), ("^[\\d_]+$", "1_2", true), ("^[\\w.-]+$", "a.b-c", true), ("[^\\s]", " ", false),
    ("[\\D]", "5", false), ("^[]a]+$", "]a", true), ("[^]a]", "]a", false), ("^[a-]+$", "a-", true),
    ("^[-a]+$", "a-", true), ("^[\\w-]+$", "a-", true), ("^[\\w-.]+$", "a-.", true), ("[.*+?$(]", "a", false),
    ("[.*+?$(]", "(", true), ("^[\\]\\\\\\-^]+$", "]\\-^", true),
    ("^[[]$", "[", true), ("[а-я]", "ж", true),
  ])
  func `classes`(pattern: String, text: String, expected: Bool) throws {
    #expect(try Pattern(parsing: pattern).matches(in: text) == expected)
  }

  @Test(arguments: [
    ("^a$", "a\nb", false), ("(?m)^a$", "b\na\nc", true), ("(?m)^b", "ab", false), ("a$", "a\n", false),
    ("(?i)straße", "STRAßE", true), ("(?i)ÄÖÜ", "äöü", true), ("(?i)σ", "ς", true), ("(?i)ς", "Σ", true),
    ("(?i)[a-z]+\\d", "ABC1", true), ("(?i)^[^a]$", "A", false), ("(?i)[A]", "a", true),
    ("a(?i)b", "aB", true), ("a(?i)b", "AB", false), ("(a(?i)b)c", "aBC", false),
    ("(?i:a)b", "Ab", true), ("(?i:a)b", "AB", false), ("(?i)a(?-i)b", "AB", false),
    ("(?is-m:A.)", "a\n", true), ("(?i)a|b", "B", true), ("(?i)beta|rc\\d", "1.0-RC1", true),
    ("(?i)k", "\u{212A}", true), ("()", "", true),
    ("^((a)(?:b(c)))+$", "abcabc", true),
  ])
  func `anchors, flags and groups`(pattern: String, text: String, expected: Bool) throws {
    #expect(try Pattern(parsing: pattern).matches(in: text) == expected)
  }

  @Test(arguments: [
    ("(", 1, "a \"(\" is not closed", "add the \")\", or write \\( for the character"),
    ("a(b(c)", 2, "a \"(\" is not closed", "add the \")\", or write \\( for the character"),
    ("(?i", 1, "a \"(\" is not closed", "add the \")\", or write \\( for the character"),
    ("ab)", 3, "there is no \"(\" for this \")\"", "write \\) for the character"),
    ("ä[b", 2, "a \"[\" is not closed", "add the \"]\", or write \\[ for the character"),
    ("[]", 1, "a \"[\" is not closed", "add the \"]\", or write \\[ for the character"),
    (
      "*.mp3", 1, "there is nothing before \"*\" to repeat", "write .* for any text, or \\* for the character"
    ),
    ("a|+", 3, "there is nothing before \"+\" to repeat", "write .* for any text, or \\+ for the character"),
    (
      "(?i)?", 5, "there is nothing before \"?\" to repeat", "write .* for any text, or \\? for the character"
    ),
    ("a**", 3, "\"*\" follows another repeat", "write one of them, or \\* for the character"),
    ("a{2}{3}", 5, "\"{3}\" follows another repeat", "write one of them, or \\{3} for the character"),
    (
      "a{1001}", 2, "\"{1001}\" is not a count of at most 1000",
      "write {2,5} for two to five, or * or + for any number"
    ),
    (
      "a{99999999999999999999,}", 2, "\"{99999999999999999999,}\" is not a count of at most 1000",
      "write {2,5} for two to five, or * or + for any number"
    ),
    (
      "a{3,2}", 2, "\"{3,2}\" is not a count of at most 1000",
      "write {2,5} for two to five, or * or + for any number"
    ),
    (
      "[z-a]", 2, "\"z-a\" is not a range of characters",
      "write the lower one first, or \\- for the character"
    ),
    (
      "[a-\\d]", 2, "\"a-\\d\" is not a range of characters",
      "write the lower one first, or \\- for the character"
    ),
    ("[[:alpha:]]", 2, "\"[:\" is not supported", "write \\d, \\w, \\s or ranges such as a-z"),
    ("a\\", 2, "\"\\\" has no meaning", "remove the \"\\\", or write \\\\ for the character"),
    ("a\\y", 2, "\"\\y\" has no meaning", "remove the \"\\\", or write \\\\ for the character"),
    ("[\\b]", 2, "\"\\b\" has no meaning", "remove the \"\\\", or write \\\\ for the character"),
    ("\\x41", 1, "\"\\x\" has no meaning", "remove the \"\\\", or write \\\\ for the character"),
    ("\\p{L}", 1, "\"\\p\" has no meaning", "remove the \"\\\", or write \\\\ for the character"),
    ("(a)\\1", 4, "\"\\1\" has no meaning", "remove the \"\\\", or write \\\\ for the character"),
    (
      "(?#x)", 1, "\"(?#\" is not supported",
      "write (…), or use include and exclude together instead of looking around"
    ),
    (
      "(?ix)a", 1, "\"(?ix\" is not supported",
      "write (…), or use include and exclude together instead of looking around"
    ),
    (
      "(?<year>a)", 1, "\"(?<\" is not supported",
      "write (…), or use include and exclude together instead of looking around"
    ),
    (
      "a(?=b)", 2, "\"(?=\" is not supported",
      "write (…), or use include and exclude together instead of looking around"
    ),
    (
      "a(?<!b)", 2, "\"(?<\" is not supported",
      "write (…), or use include and exclude together instead of looking around"
    ),
    (
      "(?>a)", 1, "\"(?>\" is not supported",
      "write (…), or use include and exclude together instead of looking around"
    ),
    ("a++", 3, "\"+\" follows another repeat", "write one of them, or \\+ for the character"),
    ("(a{1000}){1000}", 1, "its counted repeats make it too large", "repeat less, or write * or + instead"),
  ])
  func `a malformed pattern has a place, a message and a cure`(
    pattern: String, column: Int, what: String, cure: String
  ) {
    let problem = #expect(throws: TextProblem.self) { try Pattern(parsing: pattern) }

    #expect(problem?.column == column)
    #expect(problem?.what == what)
    #expect(problem?.cure == cure)
  }

  @Test func `a pattern has limits`() throws {
    func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
    func what(_ pattern: String) -> String? {
      #expect(throws: TextProblem.self) { try Pattern(parsing: pattern) }?.what
    }

    _ = try Pattern(parsing: repeated("a", 4096))
    #expect(what(repeated("a", 4097)) == "it is longer than 4 KiB")
    #expect(try Pattern(parsing: repeated("(", 100) + "a" + repeated(")+", 100)).matches(in: "aa"))
    #expect(what(repeated("(", 101) + repeated(")", 101)) == "its groups are nested more than 100 deep")
    #expect(what("(a{1000}){20}") == "its counted repeats make it too large")
    #expect(try Pattern(parsing: "^(a{1000}){19}$").matches(in: repeated("a", 19_000)))
  }

  @Test(arguments: [
    ("^(a+)+$", "a"), ("^(a|aa)*$", "a"), ("^(\\w+\\s?)+$", "word "), ("(x+x+)+y", "x"), ("(.*)*-$", "é"),
    ("(?i)^(([a-z])+.)+[A-Z]([a-z])+$", "a"), ("a{0,50}a{50}-", "a"),
  ])
  func `a hostile text takes time in proportion to its length`(pattern: String, piece: String) throws {
    let pattern = try Pattern(parsing: pattern)
    func text(_ size: Int) -> String { String(repeating: piece, count: size / piece.utf8.count) + "!\n" }

    #expect(!pattern.matches(in: text(4096)))
    expectLinear { size in _ = pattern.matches(in: text(size / 8)) }
  }
}
