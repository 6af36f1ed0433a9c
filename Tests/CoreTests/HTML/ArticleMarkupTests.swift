// Articles as HTML that can do no harm, and their beginnings.

import Foundation
import Testing

@testable import Core

@Suite struct ArticleMarkupTests {
  @Test(
    arguments: [
      ("attributes", "<p class=x onclick=evil()>a <b>b</p>", "<p>a <b>b</b></p>"),
      ("scripts and styles", "a<script>alert(1)</script><style>*{}</style>x", "a  x"),
      ("a program as an address", "<a href='javascript:alert(1)'>x</a>", "x"),
      (
        "an address with signs", "<a href=\"https://a.example/?a&amp;b'c\">x",
        "<a href=\"https://a.example/?a&amp;b&#39;c\" rel=\"noreferrer\">x</a>"
      ),
      (
        "an address with blanks and breaks", "<a href=\" https://a.example/\n1 \">x",
        "<a href=\"https://a.example/1\" rel=\"noreferrer\">x</a>"
      ),
      (
        "items without a list", "a<div><li>b</li> <li>c</li>d</div><ol><div><li>e</div></ol>",
        "a<div><div>b</div> <div>c</div>d</div><ol><div><div>e</div></div></ol>"
      ),
      (
        "missing tags", "</details></div>x<table><tr><td colspan=2 style=x>1",
        "x<table><tbody><tr><td colspan=\"2\">1</td></tr></tbody></table>"
      ),
      (
        "forms and frames", "<form action=https://evil.example><input>a</form><iframe src='data:x'>",
        "<div> a</div> "
      ),
      ("SVG", "<svg><a xlink:href='javascript:x'>s</a></svg>t", " t"),
      ("a tag in a tag", "<b><scr<script>ipt>x", "<b> ipt>x </b>"),
      ("signs", "a & b < c", "a &amp; b &lt; c"),
      (
        "blocks", "<section>One.</section><section>Two.</section><center>* * *</center>x",
        "<div>One.</div><div>Two.</div><div>* * *</div>x"
      ),
      ("elements of one's own", "a<x-card>b</x-card>c<button>d</button>e", "a b c d e"),
      (
        "looks by their style",
        "<b>a</b><span style='display:block'>b</span><div style='white-space:pre'>c\n d</div><p style='white-space:pre-wrap'>e\nf</p>",
        "<b>a</b><div>b</div><pre><div>c\n d</div></pre><p>e<br>\nf</p>"
      ),
      (
        "code with its own style",
        "<pre style='white-space:pre'><span style='white-space:pre'>a\n</span>b</pre>", "<pre>a\nb</pre>"
      ),
      ("parts of a line", "a<font color=red>b</font><big>c</big><tt>d</tt>e", "abcde"),
      ("cells without a table", "<div><td>a</td><td>b</td></div>", "<div><div>a</div><div>b</div></div>"),
      (
        "old lists and code", "<dir><li>a</dir><listing>b\n c</listing>",
        "<ul><li>a</li></ul><pre>b\n c</pre>"
      ),
      (
        "language and direction",
        "<section dir=RTL lang=he>a <span lang='a\"b'>b</span> <span lang=en-GB>c</span></section>",
        "<div dir=\"rtl\" lang=\"he\">a b <span lang=\"en-GB\">c</span></div>"
      ),
      (
        "numbered lists", "<ol start=5 reversed type=a><li value=-2>a<li value=x>b</ol>",
        "<ol start=\"5\" reversed type=\"a\"><li value=\"-2\">a</li><li>b</li></ol>"
      ),
      (
        "ruby and hints for breaks", "<ruby>漢<rp>(<rt>kan<rp>)</ruby> long<wbr>word",
        "<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby> long<wbr>word"
      ),
      (
        "check boxes", "<ul><li><input type=checkbox checked disabled>a<li><input type=checkbox>b",
        "<ul><li>☑ a</li><li>☐ b</li></ul>"
      ),
      (
        "a table for layout", "<table role=presentation width=1><tr><td>a",
        "<table role=\"presentation\"><tbody><tr><td>a</td></tr></tbody></table>"
      ),
      (
        "a whole page in Hebrew",
        "<!doctype html><html lang=he><head><title>T</title></head><body dir=rtl><p xml:lang=en>a",
        "<div lang=\"he\"><div dir=\"rtl\"> <p lang=\"en\">a</p></div></div>"
      ),
      (
        "an embedded page and TeX",
        "<iframe src=https://a.example/ title='A &amp; B'></iframe><script type='math/tex'>x<y</script>",
        "<a href=\"https://a.example/\" rel=\"noreferrer\">[embed: A &amp; B]</a>x&lt;y"
      ),
      (
        "media",
        "<video controls><source src=https://a.example/v.mp4>No video</video>, <audio src=https://a.example/a.mp3></audio>",
        "<a href=\"https://a.example/v.mp4\" rel=\"noreferrer\">[video]</a>, <a href=\"https://a.example/a.mp3\" rel=\"noreferrer\">[audio]</a>"
      ),
    ])
  func `of HTML only what can do no harm stays, and it is closed`(part: String, html: String, clean: String) {
    #expect(harmlessMarkup(html, showsImages: true) == clean)
  }

  @Test(
    arguments: [
      (
        "an image", "<img src=https://a.example/i.png onerror=x alt='\"q\"' title=joke>",
        ["https://a.example/i.png"]
      ),
      (
        "data-src", "<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw=' data-src=https://i.example/1.jpg>",
        ["https://i.example/1.jpg"]
      ),
      (
        "a small image first", "<img src=https://i.example/tiny.jpg data-original=https://i.example/1.jpg>",
        ["https://i.example/1.jpg"]
      ),
      (
        "only sizes", "<img srcset='https://i.example/2.jpg 1x, https://i.example/2b.jpg 2x'>",
        ["https://i.example/2b.jpg"]
      ),
      (
        "sizes by width",
        "<img data-srcset='https://i.example/a,b.jpg 400w,https://i.example/c.jpg 1200w, https://i.example/d.jpg 4000w'>",
        ["https://i.example/c.jpg"]
      ),
      (
        "a picture", "<picture><source srcset='https://i.example/2.webp'><img alt=two></picture>",
        ["https://i.example/2.webp"]
      ),
      (
        "noscript behind",
        "<img class=lazy data-lazy-src=https://i.example/3.jpg><noscript><img src=https://i.example/3b.jpg></noscript>",
        ["https://i.example/3.jpg"]
      ),
      (
        "noscript before",
        "<noscript><img src=https://i.example/3b.jpg></noscript> <img data-src=https://i.example/3.jpg>",
        ["https://i.example/3.jpg"]
      ),
      (
        "noscript instead",
        "<img src=data:x class=lazy alt=n><noscript>Scripts! <a><img src=https://i.example/3b.jpg alt=n></a></noscript>",
        ["https://i.example/3b.jpg"]
      ),
      (
        "a pixel",
        "<img width=1 height=1 data-src=https://t.example/><noscript><img height=1 src=https://t.example/></noscript>",
        []
      ),
      ("an address that is a mail's", "<img src=mailto:a@b.example><img src=//a.example/relative>", []),
    ])
  func `images are shown if that is asked for, and otherwise are links`(
    form: String, html: String, addresses: [String]
  ) {
    let shown = harmlessMarkup(html, showsImages: true)
    let linked = harmlessMarkup(html, showsImages: false)

    #expect(values(of: "<img src", in: shown) == addresses)
    #expect(values(of: "<a href", in: linked) == addresses)
    #expect(!linked.contains("<img"))
  }

  private func values(of attribute: String, in html: String) -> [String] {
    html.components(separatedBy: attribute + "=\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
  }

  @Test func `an image that is not shown is its words`() {
    let html =
      "<img src=https://a.example/1 alt=Map title='Here &amp; there'><a href=https://b.example/><img src=https://a.example/2></a>"

    #expect(
      harmlessMarkup(html, showsImages: false) == """
        <a href="https://a.example/1" rel="noreferrer">[image: Map – Here &amp; there]</a>\
        <a href="https://b.example/" rel="noreferrer">[image]</a>
        """)
    #expect(
      harmlessMarkup("<img class=emoji alt=':&lt;' src=https://a.example/>", showsImages: false) == ":&lt;")
    #expect(harmlessMarkup("a<img src=x alt='&lt;b&gt;'>c", showsImages: false) == "a[image: &lt;b&gt;]c")
  }

  @Test func `a newsletter of a hundred tables comes through`() {
    let deep =
      String(repeating: "<table><tr><td>", count: 100) + "<p>Deep <a href=https://a.example/>link</a></p>"
    let clean = harmlessMarkup(deep, showsImages: true)

    #expect(clean.ranges(of: "<td>").count == 100)
    #expect(clean.contains("<p>Deep <a href=\"https://a.example/\" rel=\"noreferrer\">link</a></p>"))
  }

  // MARK: Text

  /// The letters of an article's text.
  private func letters(_ html: String) -> String {
    ArticleText(html: html, numbersLinks: true).text.filter(\.isLetter)
  }

  private static let pieces: [String] =
    HTMLElement.allCases.map(\.name).filter {
      // Without scripts, their images are shown; the text of a video is for programs that cannot play it.
      !$0.isEmpty && !["noscript", "plaintext", "video", "audio", "input"].contains($0)
    }.flatMap { ["<\($0)>", "</\($0)>"] }
    + [
      "one", "two ", " three", "&amp;", "&lt;b&gt;", "<", "<!-- c -->", "<x-y>", "</x-y>", "<br>",
      "<p dir=rtl>", "<li value=3>",
      "<a href='https://a.example/'>", "<a href='https://b.example/' onclick=x>",
      "<img src=https://i.example/1 alt=pic>",
      "<img src=https://i.example/2>", "<iframe src=https://v.example/></iframe>", "<ol start=7>",
      "<td colspan=2>", "\n", "<![CDATA[x]]>",
    ]

  @Test func `cleaned HTML says what the article says`() {
    for seed in 1...1500 as ClosedRange<UInt64> {
      var random = SeededNumbers(state: seed)
      let html = (0..<Int.random(in: 1...40, using: &random)).map { _ in
        Self.pieces.randomElement(using: &random) ?? ""
      }.joined()
      // These are text in one place and markup in another.
      guard !["<textarea>", "<image>", "<math>"].contains(where: html.contains) else { continue }
      let clean = harmlessMarkup(html, showsImages: true)
      #expect(letters(clean) == letters(html), "seed \(seed): \(html)")
      // One line of text has no links.
      guard !html.contains("iframe") else { continue }
      #expect(
        plainText(fromHTML: clean, limit: 10_000) == plainText(fromHTML: html, limit: 10_000),
        "seed \(seed): \(html)")
    }
  }

  /// `BGFETCH_TEST_ARTICLES` is a folder with HTML files, such as Mozilla's test pages for readability.
  @Test(.enabled(if: getenv("BGFETCH_TEST_ARTICLES") != nil))
  func `cleaned HTML of real articles says what they say`() throws {
    let folder = try #require(ProcessInfo.processInfo.environment["BGFETCH_TEST_ARTICLES"])
    let files = try #require(FileManager.default.enumerator(atPath: folder)).compactMap { $0 as? String }
    for file in files where file.hasSuffix(".html") {
      let html = try String(contentsOfFile: folder + "/" + file, encoding: .utf8)
      #expect(letters(harmlessMarkup(html, showsImages: true)) == letters(html), "\(file)")
    }
  }

  // MARK: Beginnings

  @Test(
    arguments: [
      ("short", "<p>a</p>", 8, "<p>a</p>", 0),
      ("between paragraphs", "<p>one</p><p>two</p><p>three</p>", 25, "<p>one</p><p>two</p>", 12),
      ("an open element", "<div><p>one</p><p>two</p><p>three</p></div>", 40, "<div><p>one</p></div>", 28),
      ("line breaks", "one<br>two<br>three", 12, "one<br>two", 9),
      ("words", "one two three", 9, "one two", 6),
      ("one word", "éééé", 5, "éé", 4),
      (
        "a long block behind a short one", "<h1>a</h1>" + String(repeating: "b ", count: 40), 60,
        "<h1>a</h1>" + String(repeating: "b ", count: 24) + "b", 31
      ),
      ("a tag without end", "<p>a</p><p title='" + String(repeating: "x", count: 90), 100, "<p>a</p>", 100),
    ])
  func `the beginning of an article ends between two blocks`(
    end: String, html: String, limit: Int, beginning: String, rest: Int
  ) {
    let result = ArticleBeginning(html, limit: limit)

    #expect(result.html == beginning)
    #expect(result.rest == rest)
  }

  @Test func `pictures inside addresses leave the room for words`() {
    let picture = "data:image/png;base64," + String(repeating: "QUJD", count: 1000)
    var details = ItemDetails()
    details.keep(
      "<p>a<img src='\(picture)' alt=b><img alt=c src=\(picture)></p><p>d</p>", limit: ByteCount(100))

    #expect(details.content == "<p>a<img src='data:,' alt=b><img alt=c src=data:,></p><p>d</p>")
    #expect(details.rest == nil)
  }

  @Test func `no beginning is too long, and none loses words before its end`() {
    for seed in 1...500 as ClosedRange<UInt64> {
      var random = SeededNumbers(state: seed)
      let html = (0..<60).map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
      let limit = Int.random(in: 1...html.utf8.count, using: &random)
      let beginning = ArticleBeginning(html, limit: limit)
      #expect(beginning.html.utf8.count <= limit, "seed \(seed): \(html)")
      #expect(beginning.rest <= html.utf8.count, "seed \(seed): \(html)")
      let closed = html.utf8.count - beginning.rest
      #expect(
        beginning.html.utf8.prefix(closed).elementsEqual(html.utf8.prefix(closed)), "seed \(seed): \(html)")
    }
  }
}
