// Masking of words.

import Testing

@testable import Core

@Suite struct HiddenWordsTests {
  @Test(arguments: [
    ("the token s3cret is wrong", "the token *** is wrong"), ("s3cret", "***"), ("S3CRETs3cret", "******"),
    ("s3cret\u{301}", "***\u{301}"), ("\u{600}s3cret", "\u{600}***"), ("s3cre", "s3cre"), ("", ""),
    ("s3s3cret longer-s3cret!", "s3*** ***!"), ("l\u{F6}nger", "l\u{F6}nger"),
  ])
  func `a word is masked wherever it is, the longer one first`(text: String, masked: String) {
    let hidden = HiddenWords(["s3cret", "", "longer-s3cret"])

    #expect(hidden.masked(text).unicodeScalars.elementsEqual(masked.unicodeScalars))
    #expect(hidden.isIn(text) == (text != masked))
  }

  @Test(arguments: [
    ("abcdef", "***"), ("abcdabcd", "******"), ("abcdecdef", "***e***"), ("abcabcd", "abc***"),
    ("bcdefabcd", "b******"),
    ("ababcabcdefg", "ababc***g"), ("aaaaaaab", "***"), ("aaab", "aaab"), ("abc", "abc"),
  ])
  func `words that overlap are masked together`(text: String, masked: String) {
    #expect(HiddenWords(["abcd", "cdef", "aaaa", "aaaab", "def"]).masked(text) == masked)
  }

  @Test func `without words nothing is masked`() {
    #expect(HiddenWords([""]).isEmpty)
    #expect(HiddenWords.none.masked("anything") == "anything")
    #expect(!HiddenWords.none.isIn("anything"))
  }

  @Test(
    arguments: [
      (
        "Unsupported proxy syntax in 'http://me:s3cret#pw@h:1'",
        "Unsupported proxy syntax in 'http://***@h:1'"
      ),
      ("at http://a b/c?d@e@h:1: bad", "at http://***@h:1: bad"), ("bad me:s3'cret@h", "bad me:s3'***@h"),
      ("user \"a@b\" and c@d", "user \"***@b\" and ***@d"), ("@", "***@"), ("http://h/ has no user", nil),
      ("mine: MY-WORD", "mine: ***"), ("", nil), ("a@b; see http://h", "***@b; see http://h"),
    ] as [(String, String?)])
  func `a text of a library shows neither known words nor users`(text: String, shown: String?) {
    #expect(libraryText(text, hiding: HiddenWords(["my-word"])) == shown ?? text)
  }
}
