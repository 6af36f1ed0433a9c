// Articles as text, and their images.

import TestKit
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
      ("quotes", "<blockquote>Once<blockquote>twice</blockquote></blockquote>x", "> Once\n>\n> > twice\n\nx"),
      ("code", "<pre><code>if x\n    y\t;\n</code></pre>z", "    if x\n        y    ;\n\nz"),
      ("tables", "<table><tr><th>A<th>B<tr><td>1<td>2</table>", "A | B\n1 | 2"),
      ("tables with blanks", "<table><tr> \n<td> <td>a<td>b</table>", "a | b"),
      ("definitions", "<dl><dt>Term<dd>Meaning<dt>Other</dl>", "Term\n    Meaning\nOther"),
      ("rules", "a<hr>b", "a\n\n* * *\n\nb"),
      ("images", "<img src=x alt='A  cat'> and <img src=y>", "[image: A cat] and"),
      ("references and signs", "1 &lt; 2 &amp; 3 < 4", "1 < 2 & 3 < 4"),
      ("hidden elements", "a<script>x</b>y</script><style>p</style><!-- - -- c -->b", "ab"),
      ("control characters", "a\u{1B}]8;;x\u{7}b<pre>\u{1B}[31mred</pre>", "ab\n\n    red"),
      ("broken markup", "</li></ul>x<li>y<a href='q", "x\n• y"),
    ])
  func `an article has the lines of its`(part: String, html: String, text: String) {
    #expect(ArticleText(html: html, numbersLinks: false).text == text)
  }

  @Test(
    arguments: [
      ("powers", "10<sup>6</sup>, 10<sup>-3</sup>, m<sup>2</sup>, 2<sup>n/2</sup>", "10⁶, 10⁻³, m², 2^(n/2)"),
      ("indices", "H<sub>2</sub>O, x<sub>max,1</sub>", "H₂O, x_(max,1)"),
      ("a note that is a link", "a<sup><a href='https://a.example/'>2</a></sup>.", "a²[1]."),
      ("deletions", "<del>old</del> <s> no </s>new <del></del>x", "~~old~~ ~~no~~ new x"),
      ("deleted blocks", "<del><p>a</p><p>b</p></del>c", "~~a~~\n\n~~b~~\n\nc"),
      ("quotations", "He: <q>I <q>do</q></q>", "He: “I ‘do’”"),
      ("ruby", "<ruby>漢<rp>（</rp><rt>kan</rt><rp>）</rp></ruby>字", "漢(kan)字"),
      ("soft hyphens and possible breaks", "Donau&shy;dampf<wbr>schiff", "Donaudampfschiff"),
      ("paragraphs of line breaks", "a<br><br>b<br>\n<br><br>c<br>d<br>", "a\n\nb\n\nc\nd"),
      ("lines of mail programs", "<div>a</div><div><br></div><div>b</div>", "a\n\nb"),
      ("breaks in an item", "<ul><li><br>a<li>b</ul>", "• a\n• b"),
      ("lists with numbers", "<ol start=3><li>c<li value=9>i<li>j</ol>", "3. c\n9. i\n10. j"),
      ("reversed lists", "<ol reversed><li>c<li>b<li>a</ol>", "3. c\n2. b\n1. a"),
      (
        "check boxes", "<ul><li><input type=checkbox checked> a<li><input type=CHECKBOX>b</ul>",
        "• [x] a\n• [ ] b"
      ),
      ("marks beside paragraphs", "<ul><li><p>a</p><p>b</p><li>c</ul>", "• a\n\n  b\n\n• c"),
      ("details", "x<details><summary>More</summary>of <b>it</b></details>y", "x\n\n▸ More\n  of it\n\ny"),
      (
        "figures", "x<figure><img alt=F src='https://i.example/'><figcaption>Cap</figcaption></figure>y",
        "x\n\n[image: F][1]\nCap\n\ny"
      ),
      ("definitions", "<dl><dt>T<dd><p>a</p><p>b</p><dt>U<dd>c</dl>", "T\n    a\n\n    b\n\nU\n    c"),
      ("code in a list", "<ul><li>a<pre>x  y\n\n z</pre></ul>", "• a\n\n      x  y\n\n       z"),
      ("code of elements", "a<pre><div>x</div><div>  y</div></pre>", "a\n\n    x\n      y"),
      (
        "code with an element for each line",
        "<pre><span style='display:flex'>x\n</span><span style='display:flex'>\n</span><span style='display: block'>y</span></pre>",
        "x\n\ny"
      ),
      (
        "code by its style",
        "a<div style='color:#eee; white-space: pre;'><div>if x:</div><div>  y</div></div>",
        "a\n\n    if x:\n      y"
      ),
      (
        "lines by their style", "<p style='white-space: pre-wrap'>a\nb  c\n\nd</p><p>e\nf</p>",
        "a\nb c\n\nd\n\ne f"
      ),
      ("blocks by their style", "<span>a</span><span style='display:block'>b</span>c", "a\nb\nc"),
      (
        "indented lines",
        "<p>&nbsp;a<br>&nbsp;&nbsp;b &nbsp;c<br>\n&nbsp;<i>&nbsp; </i><b>d</b><br>&nbsp;<br>e",
        "a\n  b c\n   d\n\ne"
      ),
      ("a list in a list's place", "<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>", "• a\n  • b\n• c"),
      (
        "headings with links to themselves",
        "<h2>A <a href='https://p.example/1#a'>¶</a></h2><h3><a href='https://p.example/1#b'>#</a> B</h3>",
        "A\n\nB"
      ),
      ("code alone", "<pre>a\n b</pre>", "a\n b"),
      (
        "hidden elements", "a<p hidden>b</p><p style='x:y;Display : none'>c</p><p hidden=until-found>d</p>",
        "a\n\nd"
      ),
      (
        "emoji",
        "x <img alt='🙂' src='https://i.example/'> <img class=wp-smiley alt=';D' src='https://i.example/2'>",
        "x 🙂 ;D"
      ),
    ])
  func `an article is typed with care:`(part: String, html: String, text: String) {
    #expect(ArticleText(html: html, numbersLinks: true).text == text)
  }

  @Test(
    arguments: [
      ("blocks", "<a href='https://a.example/1'><div><h3>Card</h3><p>b</p></div></a>c", "Card[1]\n\nb\n\nc"),
      ("a heading", "<a href='https://a.example/1'><h2>H</h2></a>", "H[1]"),
      ("a line break", "<a href='https://a.example/1'>a<br>b</a>", "a\nb[1]"),
      ("an image", "<a href='https://a.example/1'><img src='https://i.example/2'></a>", "[image][1][2]"),
      ("nothing", "a<a href='https://a.example/1'> </a>", "a"),
      (
        "its address",
        "<a href='https://a.example/1'>https://a.example/1</a> <a href='mailto:a@b.example'>a@b.example</a>",
        "https://a.example/1 a@b.example"
      ),
      ("a table", "<a href='https://a.example/1'><table><tr><td>a<td>b</table></a>", "a[1] | b"),
      (
        "a part of the page",
        "<a href='https://p.example/1#n'>1</a> <a href='#m'>2</a> <a href='https://p.example/2#n'>3</a>",
        "1 2 3[1]"
      ),
      (
        "a note",
        "a<a href='https://p.example/1#n'>14</a> b<sup><a href='https://p.example/1#n'>5</a></sup><a href='https://p.example/1#n'><sup>6</sup></a>",
        "a¹⁴ b⁵⁶"
      ),
    ])
  func `a link has its number around`(content: String, html: String, text: String) {
    #expect(ArticleText(html: html, numbersLinks: true, page: "https://p.example/1").text == text)
  }

  @Test func `numbers in brackets of the text are no links`() {
    let article = ArticleText(html: "[1] <a href='https://a.example/'>a</a>", numbersLinks: true)

    #expect(article.text == "[1] a[1]")
    #expect(article.lines(80, tables: 80).map(\.text) == ["[1] a\u{2060}[1]"])
  }

  @Test(
    arguments: [
      (
        "an image with a joke", "<img src='https://i.example/1' alt=A title='B \"c\"'>",
        "[image: A – B \"c\"][1]"
      ),
      ("an image with one text", "<img src='https://i.example/1' alt=A title=A>", "[image: A][1]"),
      ("an image without text", "<img src='https://i.example/1' alt=''>", "[image][1]"),
      (
        "a lazy image",
        "<img data-src='https://i.example/1' src='data:x'><noscript><img src='https://i.example/1'>x</noscript>",
        "[image][1]"
      ),
      (
        "an image of several sizes",
        "<picture><source srcset='https://i.example/2'><img srcset='https://i.example/3 1x, https://i.example/1 2x'></picture>",
        "[image][1]"
      ),
      ("a tracking pixel", "a<img src='https://i.example/1' width=1 height=1>", "a"),
      ("audio", "<audio src='https://i.example/1'>old browser</audio>", "[audio][1]"),
      (
        "video",
        "<video title=T><source src='https://i.example/1'><source src='https://i.example/2'>x</video>",
        "[video: T][1]"
      ),
      ("media without address", "<video><p>Watch it</p></video>", "Watch it"),
      ("an embedded page", "<iframe src='https://i.example/1' title='A map'></iframe>", "[embed: A map][1]"),
      ("an object", "<object data='https://i.example/1'>x</object>", "[embed][1]"),
    ])
  func `there is a mark and a number for`(medium: String, html: String, text: String) {
    let article = ArticleText(html: html, numbersLinks: true)

    #expect(article.text == text)
    #expect(article.links == (text.contains("[1]") ? ["https://i.example/1"] : []))
  }

  private static let wide = "<tr><td>alpha<td>" + String(repeating: "word ", count: 20) + "<td>1"

  @Test(
    arguments: [
      (
        "paragraphs and breaks",
        "<tr><th><p>Name</p><th>Size<tr><td><div>alpha</div><td>10<tr><td>b<td>20<br>to 30<p>40</p>",
        "Name  | Size\nalpha | 10\nb     | 20\n      | to 30\n      | 40"
      ),
      ("empty cells", "<tr><td>a<td><td>ccc<tr><td><td><td>d<td><tr><td>long", "a    | ccc\n     | d\nlong"),
      (
        "wide cells", "<tr><td colspan=2>both of them<td>x<tr><td>a<td>b<td>y",
        "both of them | x\na | b        | y"
      ),
      ("high cells", "<tr><td rowspan=2>a<td>b<tr><td>c", "a | b\n  | c"),
      (
        "cells to wrap", wide + "<tr><td>b<td>c<td>2",
        "alpha | word word word word word     | 1\n      | word word word word word\n      | word word word word word\n      | word word word word word\nb     | c                            | 2"
      ),
      (
        "more cells than the head has", "<tr><th>Name<th>Size<tr><td>b<td>20<br>to 30<td>x",
        "Name | Size\nb    | 20    | x\n     | to 30"
      ),
      ("text outside of cells", "stray<caption>Cap</caption><tr>more<td>a<td>b", "stray\nCap\nmore\na | b"),
      ("parts of a page", "<tr><td><h2>Head</h2>text<td>menu", "Head\n\ntext\nmenu"),
      (
        "one row that does not fit", wide,
        "alpha\nword word word word word word word word\nword word word word word word word word\nword word word word\n1"
      ),
      ("tables", "<tr><td>a<td><table><tr><td>b<td>c</table>", "a\n\nb | c"),
      ("code", "<tr><td><pre>1\n3</pre><td><pre>if x\n  y</pre>", "1 | if x\n3 |   y"),
      (
        "numbered code", "<tr><td><pre> 9\n10\n</pre><td><pre>if x\n  y</pre>", "    if x\n      y"
      ),
      ("numbers", "<tr><td><pre>1\n2</pre><td><pre>3\n4</pre>", "1 | 3\n2 | 4"),
      ("a column", "<tr><td>a<tr><td>b", "a\nb"),
      ("nothing", "<tr><td> <td><tr>", ""),
    ])
  func `a table is as wide as its`(cells: String, rows: String, text: String) {
    let article = ArticleText(html: "<table>" + rows + "</table>", numbersLinks: false)

    #expect(article.lines(40, tables: 40).map(\.text).joined(separator: "\n") == text)
  }

  @Test(
    arguments: [
      (
        "its TeX",
        "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x^{2}</annotation></semantics></math>",
        "x^{2}"
      ),
      (
        "KaTeX once",
        "<p>a <span><span><math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x</annotation></semantics></math></span><span aria-hidden=true>x</span></span> b",
        "a x b"
      ),
      (
        "Wikipedia's image once",
        "<span><math alttext='{\\displaystyle y}'><mi>y</mi></math><img class=mwe-math alt='{\\displaystyle y}' src='https://i.example/'></span>",
        "y"
      ),
      (
        "MathML",
        "<math>\n <mfrac>\n <mrow><mi> a </mi>\n<mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac><msup><mi>x</mi><mn>2</mn></msup><msqrt><mi>y</mi></msqrt></math>",
        "(a+b)/2x^2√y"
      ),
      (
        "a matrix in MathML, and a root",
        "<math><mtable><mtr><mtd><mi>x</mi></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>1</mn></mtd><mtd><mroot><mi>y</mi><mn>3</mn></mroot></mtd></mtr></mtable></math>",
        "[x, 0; 1, y^(1/3)]"
      ),
      (
        "a formula of its own", "a<math display=block><msub><mi>x</mi><mi>i</mi></msub></math>b",
        "a\n\n    x_i\n\nb"
      ),
      ("TeX of MathJax", "a <script type='math/tex'>x<y</script>", "a x<y"),
    ])
  func `a formula is`(form: String, html: String, text: String) {
    #expect(ArticleText(html: html, numbersLinks: false).text == text)
  }

  @Test(
    arguments: [
      (
        "quotes and items", "<blockquote>one two three</blockquote><ul><li>one two three", 11,
        ["> one two", "> three", "", "• one two", "  three"]
      ),
      ("items that were typed", "- one two three<br>\n• four", 9, ["- one two", "  three", "• four"]),
      ("quotes that were typed", "&gt; one two three", 11, ["> one two", "> three"]),
      ("Thai", "ภาษาไทยเป็น ภาษา", 8, ["ภาษาไทย", "เป็น ภาษา"]),
      ("East Asian text", "<ul><li>日本語の長い、文章。", 11, ["• 日本語の", "  長い、文", "  章。"]),
      ("code", "x<pre>long line of code</pre>", 8, ["x", "", "    long line of code"]),
      ("links", "<a href='https://a.example/'>one two</a> three", 9, ["one", "two\u{2060}[1]", "three"]),
    ])
  func `wrapped lines keep the place of`(part: String, html: String, columns: Int, lines: [String]) {
    let article = ArticleText(html: html, numbersLinks: true)

    #expect(article.lines(columns, tables: columns).map(\.text) == lines)
  }

  @Test func `links are numbered once, and not if they show their address`() {
    let html = """
      <a href="https://a.example/?x=1&amp;y">one</a>, <a href=https://b.example/>https://b.example/</a>,
      <a href='https://a.example/?x=1&y'>again</a>, <a href="javascript:x">no</a>, <a href="#n">part</a>,
      <iframe src="https://v.example/2"></iframe>
      """

    let article = ArticleText(html: html, numbersLinks: true)

    #expect(article.text == "one[1], https://b.example/, again[1], no, part, [embed][2]")
    #expect(article.links == ["https://a.example/?x=1&y", "https://v.example/2"])
  }

  @Test(
    arguments: [
      "<a href=\"", "<blockquote><ul><li>x", "<p title='", "<!--", "w <a href='https://a.example/'>w</a>",
      "</",
      "<td>", "<tr><td>x<td rowspan=9 colspan=9>y", "<tr>" + String(repeating: "<td>x", count: 1000),
      "<table><tr><td>", "<del><q><sup>x", "<q>x</q>", "<math><msup>x", "<ol reversed><li>x", "字",
      "<p style='white-space:pre'>\n", "<br>&nbsp; x", "<span style='display:block'>x",
      "<h1><a href='https://a.example/#'>#",
    ])
  func `any text takes linear time, and the result has a limit`(piece: String) {
    // The smaller text is also deeper than the 512 elements which a tree has at most.
    expectLinear(from: 16_000) { size in
      let html = "<table>" + String(repeating: piece, count: size / piece.utf8.count)
      // A part of each text is left out.
      let limit = size * 3 / 4
      let text = ArticleText(html: html, numbersLinks: true, limit: limit).text
      let lines = ArticleText(html: html, numbersLinks: true).lines(40, tables: 80)
      let markup = harmlessMarkup(html, showsImages: true)
      let beginning = ArticleBeginning(html, limit: limit).html

      #expect(text.utf8.count <= limit)
      #expect(lines.count <= size)
      #expect(markup.utf8.count < 9 * html.utf8.count + 1 << 17)
      #expect(beginning.utf8.count <= limit)
    }
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
