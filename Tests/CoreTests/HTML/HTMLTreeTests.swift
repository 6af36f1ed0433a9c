// The tree of a page: what missing, wrong and crossed tags mean.

import TestKit
import Testing

@testable import Core

@Suite struct HTMLTreeTests {
  @Test(arguments: [
    ("plain", "a<b>c</b>d", "a<b>c</b>d"),
    ("void elements", "a<br>b<br/>c</br>d<img src=x>", "a<br>b<br>c<br>d<img src=\"x\">"),
    ("paragraphs without ends", "<p>a<p>b<div>c</div>", "<p>a</p><p>b</p><div>c</div>"),
    ("an end of a paragraph alone", "a</p>b", "a<p></p>b"),
    ("a paragraph in a button", "<p>a<button><p>b</button>c", "<p>a<button><p>b</p></button>c</p>"),
    (
      "items without ends", "<ul><li>a<ul><li>b</ul><li>c</ul>d",
      "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>d"
    ),
    ("an item in a block", "<ul><li><div>a<li>b</ul>", "<ul><li><div>a</div></li><li>b</li></ul>"),
    ("an end of an item in a list", "<li>a<ul></li>b", "<li>a<ul>b</ul></li>"),
    ("terms", "<dl><dt>a<dd>b<dt>c</dl>", "<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>"),
    (
      "options", "<select><option>a<option>b</select>",
      "<select><option>a</option><option>b</option></select>"
    ),
    ("headings", "<h1>a</h2>b<h3>c<h4>d", "<h1>a</h1>b<h3>c</h3><h4>d</h4>"),
    ("ruby", "<ruby>漢<rp>(<rt>kan<rp>)</ruby>", "<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>"),
    (
      "a table without ends", "<table><tr><td>a<td>b<tr><th>c</table>d",
      "<table><tbody><tr><td>a</td><td>b</td></tr><tr><th>c</th></tr></tbody></table>d"
    ),
    (
      "a table in a cell", "<table><tr><td><div><table><td>a</table>b</td><td>c</table>",
      "<table><tbody><tr><td><div><table><tbody><tr><td>a</td></tr></tbody></table>b</div></td><td>c</td></tr></tbody></table>"
    ),
    (
      "parts of a table", "<table><caption>a<thead><tr><td>b<tbody><tr><td>c<tfoot><td>d</table>",
      "<table><caption>a</caption><thead><tr><td>b</td></tr></thead><tbody><tr><td>c</td></tr></tbody>"
        + "<tfoot><tr><td>d</td></tr></tfoot></table>"
    ),
    ("cells without a table", "<td>a<td>b", "<td>a</td><td>b</td>"),
    (
      "a paragraph and a table", "<p>a<table><td><p>b</p></table>c",
      "<p>a</p><table><tbody><tr><td><p>b</p></td></tr></tbody></table>c"
    ),
    (
      "blanks between parts", "<table> <tr>\n<td> a </table>",
      "<table><tbody><tr><td> a </td></tr></tbody></table>"
    ),
    ("crossed formatting", "<b>a<i>b</b>c</i>d", "<b>a<i>b</i></b>cd"),
    ("formatting of a paragraph that ended", "<p><b>a</p><p>b</b>c", "<p><b>a</b></p><p>bc</p>"),
    ("formatting that ends in a block", "<b><p>a</b>b</p>c", "<b><p>ab</p></b>c"),
    (
      "formatting of a cell", "<table><td><b>a<td>b</table>",
      "<table><tbody><tr><td><b>a</b></td><td>b</td></tr></tbody></table>"
    ),
    ("a link in a link", "<a href=1>a<a href=2>b</a>c", "<a href=\"1\">a</a><a href=\"2\">b</a>c"),
    ("a link around a block", "<a href=1><div>a</div></a>b", "<a href=\"1\"><div>a</div></a>b"),
    ("ends that are not open", "a</b></div></table></td>b", "ab"),
    (
      "an end beyond a cell", "<div><table><td>a</div>b</table>c",
      "<div><table><tbody><tr><td>ab</td></tr></tbody></table>c</div>"
    ),
    ("an end of a block in formatting", "<div><span>a</div>b", "<div><span>a</span></div>b"),
    ("a form in a form", "<form>a<form>b</form>c", "<form>ab</form>c"),
    (
      "text only", "<textarea><b>a</textarea><title>&lt;<i></title>",
      "<textarea>&lt;b>a</textarea><title>&lt;&lt;i></title>"
    ),
    (
      "scripts", "<script><!-- <script></script> --></script>a",
      "<script><!-- <script></script> --></script>a"
    ),
    (
      "drawings", "a<svg><path d=x /><title>t</title><style>a<b></style></svg>b",
      "a<svg><path d=\"x\"></path><title>t</title><style>a</style></svg><b>b</b>"
    ),
    ("a font of a drawing", "<svg><font x=1>a</font>b", "<svg><font x=\"1\">a</font>b</svg>"),
    ("a drawing without an end", "<svg><g><p>a", "<svg><g></g></svg><p>a</p>"),
    ("formulas", "<math><mi>x</mi><mo>&lt;</mo></math>a", "<math><mi>x</mi><mo>&lt;</mo></math>a"),
    ("sections", "a<![CDATA[<b>&amp;]]>b", "a&lt;b>&amp;amp;b"),
    ("names that are not known", "<x-a Y=1>a</X-A>b", "<x-a y=\"1\">a</x-a>b"),
    (
      "a page in an item", "<html><head><title>t</title></head><body><p>a</body></html>b",
      "<title>t</title><p>ab</p>"
    ),
    (
      "references and attributes", "<a href='?a=1&copy=2&amp;b' title=&quot;>&copy</a>",
      "<a href=\"?a=1&amp;copy=2&amp;b\" title=\"&quot;\">©</a>"
    ),
    ("the first of equal attributes", "<a href=1 HREF=2>", "<a href=\"1\"></a>"),
    ("a tag without its end", "a<b title='", "a"),
  ])
  func `an item has the elements of its`(name: String, html: String, expected: String) {
    #expect(markup(html, of: .body, isItem: true) == expected)
  }

  @Test(arguments: [
    (
      "a whole page", "<!doctype html><html><head><title>t</title></head><body>a</body></html>",
      "<head><title>t</title></head><body>a</body>"
    ),
    (
      "a page without tags of its own", "<title>t</title><meta name=x><p>a",
      "<head><title>t</title><meta name=\"x\"></head><body><p>a</p></body>"
    ),
    (
      "text after a head without an end", "<head><title>t</title>a",
      "<head><title>t</title></head><body>a</body>"
    ),
    ("what follows the body", "<body>a</body></html><p>b", "<body>a<p>b</p></body>"),
    ("two bodies", "<body>a<body class=x>b", "<body class=\"x\">ab</body>"),
  ])
  func `a page has a head and a body`(name: String, html: String, expected: String) {
    #expect(markup(html, of: .html, isItem: false) == expected)
  }

  @Test func `parents, ends and children agree`() {
    let html = "<div id=a><p>x<b>y</b></p><ul><li>1<li>2</ul></div>z"
    withTree(html, isItem: true) { tree in
      for node in tree.nodes.indices.dropFirst() {
        let parent = Int(tree.nodes[node].parent)
        #expect(parent < node)
        #expect(tree.nodes[node].end <= tree.nodes[parent].end)
        #expect(tree.children(of: parent).contains(node))
      }
    }
  }

  @Test func `nothing is lost below the greatest depth`() {
    let html = String(repeating: "<div>", count: 2000) + "a" + String(repeating: "</div>", count: 2000) + "b"
    withTree(html, isItem: true) { tree in
      let texts = tree.nodes.indices.filter { tree.nodes[$0].element == .text }
      #expect(texts.map(tree.text) == ["a", "b"])
    }
  }

  @Test(arguments: [
    "<p><b>", "<b><i><u><s>x<p>", "<a href=x>y<div>", "<table><tr><td>", "<table><b>x", "</p>", "<li><div>",
    "<svg><g>", "</div><div><span>", "<button><p>x", "<dl><dt><dd>", "<form><b></form>", "<select><option>",
    "<x-y>a",
  ])
  func `any markup takes time in proportion to its size`(piece: String) {
    expectLinear { size in
      withTree(String(repeating: piece, count: size / piece.utf8.count), isItem: true) { _ = $0.nodes.count }
    }
  }
}

private func withTree(_ html: String, isItem: Bool, _ use: (HTMLTree) -> Void) {
  var html = html
  html.withUTF8 { bytes in
    guard let tree = HTMLTree(bytes, isItem: isItem) else {
      Issue.record("no tree")
      return
    }
    use(tree)
  }
}

private func markup(_ html: String, of element: HTMLElement, isItem: Bool) -> String {
  var markup = ""
  withTree(html, isItem: isItem) { tree in markup = tree.first(element).map { tree.markup(in: $0) } ?? "" }
  return markup
}
