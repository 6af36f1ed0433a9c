// Articles as text, and their images.

import Testing

@testable import Core

@Suite struct ArticleTextTests {
  @Test(
    arguments: [
      ("paragraphs", "<p>Hello <b>world</b>.</p><p>Second<br>line</p>", "Hello world.\n\nSecond\nline"),
      ("headings", "<h2>Head</h2>Text", "Head\n\nText"),
      ("blocks without space", "<div><div>a</div><div>b</div></div>", "a\nb"),
      (
        "lists", "<ul><li>One<li>Two<ul><li>In</ul><li>Three</ul>after",
        "• One\n• Two\n  • In\n• Three\n\nafter"
      ),
      ("numbered lists", "<ol start=9><li>Nine<li><p>Ten</p></ol>", "9. Nine\n10. Ten"),
      ("quotes", "<blockquote>Once<blockquote>twice</blockquote></blockquote>x", "> Once\n\n> > twice\n\nx"),
      ("code", "<pre><code>if x\n    y\t;\n</code></pre>z", "if x\n    y    ;\n\nz"),
      ("tables", "<table><tr><th>A<th>B<tr><td>1<td>2</table>", "A | B\n1 | 2"),
      ("tables with blanks", "<table><tr> \n<td> <td>a<td>b</table>", "a | b"),
      ("definitions", "<dl><dt>Term<dd>Meaning<dt>Other</dl>", "Term\n    Meaning\nOther"),
      ("rules", "a<hr>b", "a\n\n* * *\n\nb"),
      ("images", "<img src=x alt='A  cat'> and <img src=y>", "[image: A cat] and"),
      ("references and signs", "1 &lt; 2 &amp; 3 < 4", "1 < 2 & 3 < 4"),
      ("hidden elements", "a<script>x</b>y</script><style>p</style><!-- - -- c -->b", "ab"),
      ("control characters", "a\u{1B}]8;;x\u{7}b<pre>\u{1B}[31mred</pre>", "ab\n\nred"),
      ("broken markup", "</li></ul>x<li>y<a href='q", "x\n• y"),
    ])
  func `an article has the lines of its`(part: String, html: String, text: String) {
    #expect(ArticleText(html: html, numbersLinks: false).text == text)
  }

  @Test func `links are numbered once, and not if they show their address`() {
    let html = """
      <a href="https://a.example/?x=1&amp;y">one</a>, <a href=https://b.example/>https://b.example/</a>,
      <a href='https://a.example/?x=1&y'>again</a>, <a href="javascript:x">no</a>, <a href="#n">part</a>,
      <iframe src="https://v.example/2"></iframe>
      """

    let article = ArticleText(html: html, numbersLinks: true)

    #expect(article.text == "one[1], https://b.example/, again[1], no, part, [video][2]")
    #expect(article.links == ["https://a.example/?x=1&y", "https://v.example/2"])
  }

  @Test(
    arguments: [
      String(repeating: "<a href=\"", count: 100_000),
      String(repeating: "<blockquote><ul><li>x", count: 50_000),
      String(repeating: "<p title='", count: 100_000), String(repeating: "<!--", count: 200_000),
      String(repeating: "w <a href='https://a.example/'>w</a>", count: 50_000),
      String(repeating: "</", count: 400_000),
    ])
  func `any text takes linear time, and the result has a limit`(html: String) {
    let begin = ContinuousClock.now

    let text = ArticleText(html: html, numbersLinks: true, limit: 100_000).text
    let markup = harmlessMarkup(html, showsImages: true)
    let beginning = ArticleBeginning(html, limit: 100_000).html

    #expect(text.utf8.count < 110_000)
    #expect(markup.utf8.count < 9 * html.utf8.count)
    #expect(beginning.utf8.count <= 100_000)
    // Quadratic time would be a minute and more.
    #expect(ContinuousClock.now - begin < .seconds(20))
  }

  @Test(
    arguments: [
      ("<p>a<img src='https://a.example/i.png?a&amp;b' width=600>", "https://a.example/i.png?a&b"),
      ("<img src=https://t.example/1 width=1 height=1><IMG SRC=http://a.example/2>", "http://a.example/2"),
      ("<img height='1px' src=https://t.example/1><img height=0 src=https://t.example/2>", nil),
      ("<img src=/relative.png><img src='data:image/png;base64,AA'><img src='javascript:x'><img>", nil),
      ("<noscript><img src=https://t.example/1></noscript><!-- <img src=https://t.example/2> -->", nil),
      ("<img src=https://a.example/wide.png width=100% height=auto>", "https://a.example/wide.png"),
      ("text", nil),
    ] as [(String, String?)])
  func `an item without an image has the first of its article that a person can see`(
    html: String, image: String?
  ) {
    var details = ItemDetails()
    details.content = html

    #expect(details.picture == image)
    #expect(details.text("item.image", limit: 100) == image ?? "")
    details.image = "https://feed.example/own.png"
    #expect(details.picture == "https://feed.example/own.png")
  }
}
