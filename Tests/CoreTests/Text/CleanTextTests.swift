// Untrusted text on one line: what is removed, what stays, and where it is cut.

import TestKit
import Testing

@testable import Core

@Suite struct CleanTextTests {
  @Test(arguments: [
    ("plain", "plain"), ("", ""), ("  a\r\n b\t", "a b"), ("a\u{0}b\u{7}c\u{7F}", "abc"),
    ("a\u{2028}b\u{2029}c\u{85}d", "a b c d"), ("a\u{A0}b", "a b"),
    // A terminal escape sequence is removed as a whole.
    ("\u{1B}[31mred\u{1B}[0m", "red"), ("\u{1B}[38;2;1;2;3mx", "x"), ("\u{1B}]0;title\u{7}x", "x"),
    ("\u{1B}]8;;http://x\u{1B}\\link", "link"), ("\u{1B}Pq#0\u{1B}\\x", "x"), ("\u{1B}c", ""),
    ("\u{1B}(Bx", "x"), ("\u{9B}31mred", "red"), ("\u{9D}0;t\u{9C}x", "x"), ("\u{1B}_G\u{1B}\\x", "x"),
    ("a\u{1B}", "a"), ("\u{1B}[?25lx", "x"), ("\u{1B}[1 qx", "x"),
    // An unfinished one loses only its introducer.
    ("\u{1B}]0;news", "0;news"), ("\u{9D}news \u{1B}[1mhere", "news here"), ("\u{1B}[", ""),
    // Joiners and combining marks stay.
    ("👩‍💻", "👩‍💻"), ("می‌خواهم", "می‌خواهم"), ("e\u{301}", "e\u{301}"), ("日本語", "日本語"), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"),
  ])
  func `control characters and escape sequences are removed, and white space folds`(
    text: String, expected: String
  ) {
    #expect(cleanText(text, limit: 1000) == expected)
  }

  @Test(arguments: [
    ("", ""), ("\n \n", ""), ("one", "one"), ("one\ntwo\n", "two"), ("one\ntwo\n\n \t\n", "two"),
    ("one\r\ntwo\r\n\r\n", "two"), ("10 %\r100 %\r", "100 %"), ("why\n\u{1B}[0m\n\u{1B}[K", "why"),
    ("a\n\u{1B}[31mb  c\u{1B}[0m\n", "b c"), ("why\n\u{A0}\u{200B}\n", "why"),
  ])
  func `the last line is the last one that is not blank`(text: String, expected: String) {
    #expect(lastLine(of: text, limit: 100) == expected)
  }

  @Test(arguments: [
    ("", ""), ("one\n", "one"), ("a: refused\n\na: not sent\r\n", "a: refused; a: not sent"),
    ("Traceback:\n  File x\n    raise y\nError: z\n", "Error: z"), ("a\n\tat b\nc", "c"),
    ("10 %\r100 %\rdone\nnot sent", "done; not sent"),
    (String(repeating: "x", count: 40) + "\nfirst\nsecond", "first; second"),
    (String(repeating: "x", count: 60), String(repeating: "x", count: 37) + "…"),
  ])
  func `the last lines say why a program has failed`(text: String, expected: String) {
    #expect(lastLines(of: text, limit: 40) == expected)
  }

  @Test func `direction marks, invisible spaces and soft hyphens are removed`() throws {
    for code in Array(0x202A...0x202E) + Array(0x2066...0x2069) + [
      0xAD, 0x200E, 0x200F, 0x061C, 0x200B, 0x2060, 0xFEFF, 0xFDD0, 0xFFFE, 0x1FFFF,
    ] { #expect(cleanText("a\(try #require(Unicode.Scalar(code)))b", limit: 1000) == "ab", "\(code)") }
  }

  @Test(arguments: [
    ("abcdef", 5, "ab…"), ("abcde", 5, "abcde"), ("ab cdef", 6, "ab…"), ("abc", 2, "ab"), ("日本語", 7, "日…"),
  ])
  func `a cut is marked, and the mark counts toward the limit`(text: String, limit: Int, expected: String) {
    #expect(cleanText(text, limit: limit) == expected)
  }

  @Test func `a character larger than the limit is cut, too`() {
    let text = cleanText("a" + String(repeating: "\u{301}", count: 1_000_000), limit: 100)

    #expect(text.utf8.count <= 100)
    #expect(text.unicodeScalars.first == "a")
  }

  @Test(arguments: [
    "\u{1B}]", "\u{9D}", "\u{1B}[", "\u{1B}", "\u{9D}a", "\u{1B}P", "e\u{301}", "\u{202E}", "\u{7}", "🇩", " ",
  ])
  func `hostile text takes time in proportion to its size`(piece: String) {
    expectLinear { size in
      let text = String(repeating: piece, count: size / piece.utf8.count)
      _ = cleanText(text, limit: .max)
      _ = cleanText(text, limit: 1000)
    }
  }
}
