// The tokens of HTML: the odd beginnings and ends of the standard. scripts/html-tokens compares thousands more.

import Testing

@testable import Core

@Suite struct HTMLTokenizerTests {
  @Test(arguments: [
    ("text", "a < b <3 c<", "'a < b <3 c<'"), ("an end at the end", "a</", "'a</'"),
    ("no name", "a</>b", "'a' 'b'"),
    ("tags", "<A b=c>d</a e>", "<a b='c'> 'd' </a>"),
    ("slashes", "<a/><b /c/><d e=/>", "<a /> <b c='' /> <d e='/'>"),
    ("quotes", "<a b='\"' c=\"'\" d='>'>", "<a b='\"' c=''' d='>'>"),
    ("no blank", "<a b='c'd=e>", "<a b='c' d='e'>"),
    ("signs in names", "<a<b =c =d '>", "<a<b =c='d' '=''>"), ("equal names", "<a b=c B=d>", "<a b='c'>"),
    ("a value that is missing", "<a b=>", "<a b=''>"), ("blanks around =", "<a b\n=\tc>", "<a b='c'>"),
    ("a tag without its end", "a<b c", "'a'"), ("a quote without its end", "a<b c='>d", "'a'"),
    ("comments", "<!--a--><!----><!--->b<!-->c", "!a! !! !! 'b' !! 'c'"),
    ("odd ends of comments", "<!--a--!><!--b-->c-->", "!a! !b! 'c-->'"),
    ("dashes", "<!--a---><!-- -- -->", "!a-! ! -- !"),
    ("comments without ends", "a<!--b--", "'a' !b!"),
    ("comments in comments", "<!--a<!--b-->c", "!a<!--b! 'c'"),
    ("what is like a comment", "<!a><?b?></ c><!-d->", "!a! !?b?! ! c! !-d-!"),
    ("a document type", "<!DOCTYPE html><!doctype>a", "? html? ?? 'a'"),
    ("no section in HTML", "<![CDATA[a]]>b", "![CDATA[a]]! 'b'"),
    ("texts with markup", "<title><b>&lt;</title>", "<title> '<b><' </title>"),
    ("raw texts", "<style>a</b>&lt;</style >b", "<style> 'a</b>&lt;' </style> 'b'"),
    ("an end tag that is another one", "<xmp>a</xmpx></xmp", "<xmp> 'a</xmpx></xmp'"),
    (
      "comments in scripts", "<script><!--<script></script>--></script>a",
      "<script> '<!--<script></script>-->' </script> 'a'"
    ),
    (
      "a comment of a script that is empty", "<script><!--><script></script>a",
      "<script> '<!--><script>' </script> 'a'"
    ),
    ("all that follows", "<plaintext></plaintext>", "<plaintext> '</plaintext>'"),
    ("line ends", "a\r\nb\rc<d e='f\r\n'>", "'a\nb\nc' <d e='f\n'>"),
    ("nulls", "a\0<b\0 c=\0><title>\0</title>", "'a\0' <b\u{FFFD} c='\u{FFFD}'> <title> '\u{FFFD}' </title>"),
    ("references", "<a b='&lt;&ltc&lt=&lt'>&ltc", "<a b='<&ltc&lt=<'> '<c'"),
  ])
  func `the standard says the tokens of`(what: String, html: String, expected: String) {
    #expect(tokens(html) { _ in } == expected)
  }

  @Test func `sections are text where there are any`() {
    #expect(tokens("<![CDATA[a<b>&lt;]]]>c<![CDATA[d") { $0.hasSections = true } == "'a<b>&lt;]' 'c' 'd'")
    #expect(tokens("<style>a<b></style>") { $0.hasRawContent = false } == "<style> 'a' <b> </style>")
  }
}

private func tokens(_ html: String, _ prepare: (inout HTMLTokenizer) -> Void) -> String {
  var html = html
  return html.withUTF8 { bytes in
    var tokenizer = HTMLTokenizer(bytes, attributes: .ofAllTags)
    prepare(&tokenizer)
    var found: [String] = []
    while let token = tokenizer.next() {
      func text(_ range: Range<Int>, _ kind: HTMLTokenizer.TextKind) -> String {
        var output: [UInt8] = []
        tokenizer.append(range, kind, to: &output)
        return String(decoding: output, as: UTF8.self)
      }
      switch token {
      case .text(let range, let kind): found.append("'\(text(range, kind))'")
      case .comment(let range): found.append("!\(text(range, .raw))!")
      case .doctype(let range): found.append("?\(text(range, .raw))?")
      case .end(let tag): found.append("</\(tokenizer.name(tag.nameRange))>")
      case .start(let tag):
        let attributes = tokenizer.attributes[tag.attributes].map {
          " \(tokenizer.name($0.nameRange))='\(String(decoding: tokenizer.value(of: $0), as: UTF8.self))'"
        }
        let end = tag.isSelfClosing ? " />" : ">"
        found.append("<" + tokenizer.name(tag.nameRange) + attributes.joined() + end)
      }
    }
    return found.joined(separator: " ")
  }
}
