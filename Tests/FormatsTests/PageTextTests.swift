// The text of a page that is watched.

import Core
import Formats
import Testing

@Suite struct PageTextTests {
  private func lines(_ text: String, _ selector: String? = nil, type: String? = "text/html") throws
    -> [String]
  {
    let content = try page(text, text: selector, type: type).items.first?.content ?? ""
    return content.dropFirst(5).dropLast(6).split(separator: "\n").map(String.init)
  }

  @Test(arguments: [
    (
      "<p>Donau<wbr>dampf<p>10<sup>6</sup> m<sub>i</sub> or<sup> a<p>b</sup>",
      ["Donaudampf", "10⁶ mᵢ or a", "b"]
    ),
    ("<p>a  b\n c<p>d", ["a b c", "d"]), ("a<br>b<hr>c", ["a", "b", "c"]), ("a<b>b</b><i> c</i>", ["ab c"]),
    ("<ul><li>a<li>b <a href=x>c</a></ul>", ["a", "b c"]), ("<table><tr><td>a<td>b<tr><td>c", ["a b", "c"]),
    ("<pre>a\n  b\n\nc</pre>", ["a", "b", "c"]), ("<h1>a</h1>b<div>c</div>d", ["a", "b", "c", "d"]),
    ("<script>x</script><style>y</style><noscript>z</noscript><template>t</template><p>a", ["a"]),
    ("<nav><a>menu</a></nav><p>a<footer>b", ["a", "b"]), ("<title>t</title><p>a", ["a"]),
    ("&lt;b&gt; &amp;&nbsp;&#x1b;[31mred", ["&lt;b&gt; &amp; red"]), ("a<!-- b -->c", ["ac"]),
    ("<p hidden>x<p>a<b style='color: red; DISPLAY : none'>y</b><p hidden=until-found>b", ["a", "b"]),
    ("<p>12<span aria-hidden=true>,50</span> €<span aria-label=x></span>", ["12,50 €"]),
    ("<p>a<img alt=x>b<select><option>1<option>2</select>", ["a b", "1", "2"]),
  ])
  func `the text has a line for each block`(text: String, expected: [String]) throws {
    #expect(try lines(text) == expected)
  }

  @Test func `a selector chooses the text, navigation included, and a text file is a page, too`() throws {
    let text = "<nav id=n><p>menu</nav><div class=c><p>a<div class=c>b</div></div><p>x<div class=c>d</div>"

    #expect(try lines(text, "#n, .c") == ["menu", "a", "b", "d"], "nothing comes twice")
    #expect(try lines("<a>\n\nb & c\r\n", type: "text/plain; charset=utf-8") == ["&lt;a&gt;", "b &amp; c"])
  }

  @Test(arguments: [
    ("text", "Filesystem Use\n/dev/sda1 <60 %>\n", ["Filesystem Use", "/dev/sda1 &lt;60 %&gt;"]),
    ("JSON", "{\n  \"price\": 12\n}", ["{", "&quot;price&quot;: 12", "}"]),
    ("a page", "\n<p>a\nb<p>c", ["a b", "c"]),
  ])
  func `of a file or a program, the first letter says whether it is a page`(
    name: String, text: String, expected: [String]
  ) throws {
    #expect(try lines(text, type: nil) == expected)
  }

  @Test func `a page that hides what a selector names is read, but not its templates`() throws {
    #expect(try lines("<p id=a hidden>1<p id=b>2", "#a") == ["1"])
    #expect(try page("<template><li>{{x}}</template><li>a<a href=/>b</a>", items: "li").items.count == 1)
    #expect(throws: FeedReadingFailure.self) { try lines("<template><p class=x>a</p></template>b", ".x") }
  }

  @Test func `the output of a program may name the page that it is of`() throws {
    func link(_ base: String) throws -> String? {
      try page("<base href='\(base)'><p>a", text: "p", address: nil).items.first?.link
    }

    #expect(try link("https://a.example/x") == "https://a.example/x")
    #expect(try link("javascript:1") == nil)
    #expect(try link("/x") == nil)
  }

  @Test func `a page that may be empty has not failed, one whose items have no title and link has`() throws {
    #expect(try page("<p>x", items: "article", allowsEmpty: true).items.isEmpty)
    #expect(try page("<p>x", text: ".alert", allowsEmpty: true).items.first?.content == "<pre></pre>")
    #expect(try page("<p>", allowsEmpty: true).items.count == 1)
    #expect(throws: FeedReadingFailure.self) { try page("<b></b>", items: "b", allowsEmpty: true) }
    #expect(throws: FeedReadingFailure.self) { try page("{}", items: "b", allowsEmpty: true) }
  }

  @Test(arguments: ["text/html", "text/plain"])
  func `a long line becomes several, and no byte of it is lost`(type: String) throws {
    for text in [
      String(repeating: "word ", count: 2000) + "end", String(repeating: "ü", count: 5001),
      String(repeating: "x", count: 6000),
    ] {
      let found = try lines(text, type: type)

      #expect(found.allSatisfy { $0.utf8.count <= 2000 }, "\(text)")
      #expect(found.count <= 7, "\(text)")
      #expect(found.joined().filter { $0 != " " } == text.filter { $0 != " " })
    }
  }

  @Test(arguments: ["word &amp; ", "&amp;", "ü"])
  func `a text that is read piece by piece loses no reference and no character`(word: String) throws {
    let text = String(repeating: word, count: 40_000)

    let found = try lines(text)

    #expect(found.allSatisfy { $0.utf8.count <= 2000 * 5 })
    #expect(found.joined().filter { $0 != " " } == text.filter { $0 != " " })
  }

  // A quotation mark takes six bytes of content.
  @Test(arguments: ["text/html", "text/plain"])
  func `the first four megabytes of a page are kept`(type: String) throws {
    let long = String(repeating: String(repeating: "\"", count: 1900) + "<br>\n", count: 400)
    let content = try page(long + "end", type: type).items.first?.content ?? ""

    #expect((3 << 20...4 << 20).contains(content.utf8.count))
    #expect(!content.contains("end"))
  }

  @Test func `a page without text has failed`() {
    #expect(throws: FeedReadingFailure.unmapped("the page has no text; JavaScript may create it")) {
      try page("<div id=app></div><script>x</script>")
    }
    #expect(throws: FeedReadingFailure.self) { try page("<p>x", text: ".y") }
    #expect(throws: FeedReadingFailure.empty) { try page(" \n") }
  }
}
