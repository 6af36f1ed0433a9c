// The article of a page without a selector: small pages, each of a kind.

import TestKit
import Testing

@testable import Core

/// The text of the article of a page; nil if there is none.
private func article(_ page: String) -> String? {
  withTree(page) { tree in
    tree.article().map {
      plainText(fromHTML: tree.markup(in: $0.element, without: $0.leftOut), limit: 1 << 20)
    }
  }
}

private func withTree<Value>(_ page: String, _ read: (HTMLTree) -> Value?) -> Value? {
  var page = page
  return page.withUTF8 { HTMLTree($0).flatMap(read) }
}

/// A paragraph of prose whose first word is the given one.
private func prose(_ word: String) -> String {
  "<p>\(word) went down to the harbour in the morning, because the ferry was late again, and nobody had told the "
    + "people from the villages and the islands who waited for it in the rain.</p>"
}

/// The words of an article that the paragraphs begin with.
private func words(_ article: String?) -> [String]? {
  article?.split(separator: " ").map(String.init).filter { $0.first?.isUppercase ?? false }
}

@Suite struct ArticleFinderTests {
  private static let menu =
    "<ul id=menu>" + (1...9).map { "<li><a href=/\($0)>Section \($0)</a>" }.joined() + "</ul>"
  private static let body = prose("Anna") + prose("Boris") + prose("Clara")
  private static let names = ["Anna", "Boris", "Clara"]

  private static func teasers(_ mark: String) -> String {
    (1...12).map {
      "<div><\(mark)><a href=/\($0)>Headline of a story number \($0)</a></\(mark)><p>The first words of this story, and "
        + "there is more of it.</p></div>"
    }.joined()
  }

  @Test(
    arguments: [
      ("an article element", "\(menu)<article>\(body)</article><footer>\(prose("Zoe"))</footer>"),
      ("nested divisions", "<div><div>\(menu)</div><div><div>\(body)</div></div></div>"),
      ("paragraphs in the body", "\(menu)\(body)"),
      ("a table for the looks", "<table><tr><td>\(menu)<td>\(body)<td>\(menu)</table>"),
      (
        "lines with breaks",
        "\(menu)<div>" + body.replacing("<p>", with: "").replacing("</p>", with: "<br><br>") + "</div>"
      ),
      (
        "two halves",
        "\(menu)<div class=half>\(prose("Anna"))</div><div class=half>\(prose("Boris"))\(prose("Clara"))</div>"
      ),
      ("a sidebar", "<div>\(body)</div><div class=sidebar>\(prose("Zoe"))</div>"),
      (
        "comments",
        "<div>\(body)</div><div id=comments>\(prose("Zoe"))\(prose("Zoe"))\(prose("Zoe"))\(prose("Zoe"))</div>"
      ),
      (
        "comments without a name beside an article",
        "<main><article>\(body)</article><section>\(prose("Zoe"))\(prose("Zoe"))</section></main>"
      ),
      ("related articles", "<article>\(body)<div><h3>More</h3>\(teasers("b"))</div></article>"),
      (
        "share buttons", "<article>\(body)<div class=share-bar>Share this <a href=x>Tweet</a></div></article>"
      ),
      (
        "a newsletter",
        "<article>\(body)<div><p>Sign up for news of the harbour today.</p><input type=email></div></article>"
      ),
      ("a cookie notice", "<div class=cookie-banner>\(prose("Zoe"))</div><article>\(body)</article>"),
      ("a page that is a modal", "\(menu)<div class=modal-page><div>\(body)</div></div>"),
      (
        "names that mislead",
        "<div class=with-sidebar><div>\(body)</div></div><div class=promo>\(prose("Zoe"))\(prose("Zoe"))</div>"
      ),
      (
        "hidden elements",
        "<div>\(body)<div style='display: none'>\(prose("Zoe"))</div><div hidden>\(prose("Zoe"))</div></div>"
      ),
      ("its title in a heading", "<title>Harbour | Daily</title><article><h1>Harbour</h1>\(body)</article>"),
      ("a form around all of it", "<form>\(menu)<input type=hidden><div>\(body)</div></form>"),
    ] as [(String, String)])
  func `the article is found in a page with`(kind: String, page: String) {
    #expect(words(article(page)) == Self.names)
  }

  @Test(
    arguments: [
      (
        "tables with data", "<table><tr><th>Ferry<th>Time<tr><td>A<td>9<tr><td>B<td>10</table>",
        "Ferry Time A 9 B 10"
      ),
      (
        "figures with their credits",
        "<div><img src=1.png><span>The harbour. <a href=x>Agency</a></span></div>", "The harbour. Agency"
      ),
      ("code with comments", "<pre><span class=comment>// Why</span> x</pre>", "// Why x"),
      (
        "quotes with their sources", "<blockquote><p>So.</p><footer>Somebody</footer></blockquote>",
        "So. Somebody"
      ),
      ("lists", "<ul><li>One thing<li>And <a href=x>another thing</a></ul>", "One thing And another thing"),
      ("headings", "<h2>Part two</h2><h3>One</h3>", "Part two One"),
      ("headings before what is left out", "<h2>Part</h2><ul><li><a href=x>Link</a></ul>So.", "Part So."),
    ] as [(String, String, String)])
  func `an article keeps its`(part: String, markup: String, text: String) {
    let found = article("\(Self.menu)<article>\(prose("Anna"))\(markup)\(prose("Boris"))</article>") ?? ""

    #expect(found.contains("in the rain. \(text) Boris went"))
  }

  @Test func `an article keeps pictures and players, and no advertisements`() {
    let page =
      "<article>\(Self.body)<noscript><img src=1></noscript><noscript>No</noscript><iframe src=2 allowfullscreen></iframe>"
      + "<iframe src=3></iframe></article>"
    let markup = withTree(page) { tree in
      tree.article().map { tree.markup(in: $0.element, without: $0.leftOut) }
    }

    #expect(
      markup?.hasSuffix(
        "<noscript><img src=\"1\"></noscript><iframe src=\"2\" allowfullscreen=\"\"></iframe>") == true)
  }

  @Test func `an article may be Chinese`() {
    let text = "今天早上，渡轮又晚点了，没有人告诉在雨中等候的人们。安娜走到港口，在那里等了两个小时，然后回家了。"

    #expect(article("\(Self.menu)<div><p>\(text)</p><p>\(text)</p></div>") == text + " " + text)
  }

  @Test(
    arguments: [
      ("nothing", ""), ("an empty body", "<body></body>"),
      ("the head of an app", "<body><div id=root></div><script>\(prose("Anna"))</script>"),
      ("a front page", "\(menu)<main>\(teasers("h2"))</main>"),
      (
        "a front page of a blog",
        "\(menu)"
          + (1...9).map { "<h2><a href=/\($0)>\($0)</a></h2>\(prose("Anna"))\(prose("Boris"))" }.joined()
      ),
      ("search results", "\(menu)<form><input name=q></form><div>\(teasers("div"))</div>"),
      ("a list of links", "\(menu)\(menu)\(menu)"),
      ("an error", "\(menu)<h1>404</h1><p>The page that you are looking for does not exist.</p>"),
      (
        "an error of a server",
        "<title>404 Not Found</title><h1>Not Found</h1><p>The requested URL was not found on this server.</p>"
      ),
      (
        "a challenge",
        "<script></script><p>This site must review the security of your connection before it goes on.</p>"
      ),
      (
        "a login form",
        "\(menu)<div><p>Please log in to read on.</p>\(prose("Members"))<form><input name=user><input type=password></form></div>"
      ),
      ("a cookie wall", "<div id=consent-wall>\(prose("We"))\(prose("We"))<button>Accept</button></div>"),
      (
        "a cookie wall without names",
        "<div>\(prose("We"))\(prose("We"))<form><input type=submit></form></div>"
      ),
      (
        "a paywall", "\(menu)<article><p>Subscribe to read this article.</p><a href=x>Subscribe</a></article>"
      ),
    ] as [(String, String)])
  func `no article is found in a page with`(kind: String, page: String) {
    #expect(article(page) == nil)
  }

  @Test(
    arguments: [
      ("<title>Ferry late again | Daily</title>", "Ferry late again"),
      (
        "<title>Ferry late again - The Daily - News</title><meta property=og:site_name content=News>",
        "Ferry late again - The Daily"
      ),
      ("<title>Yes - no</title>", "Yes - no"),
      ("<title>x</title><meta property=og:title content='Ferry &amp; harbour'>", "Ferry & harbour"),
      ("<title>Ferry late: news of Daily</title><h1> Ferry\nlate</h1>", "Ferry late"),
      ("<h1>Ferry</h1>", "Ferry"),
      ("<title> </title>", nil), ("", nil),
    ])
  func `the title of a page is without the name of its site`(page: String, title: String?) {
    #expect(withTree(page) { $0.articleTitle } == title)
  }

  @Test(
    arguments: [
      "<div>", "<p>x ", "<a href=x>y", "<noscript>", "<table><tr><td>", "<div class='a-b-c related'>",
      "<h1>x</h1>",
      "<blockquote><footer>",
    ])
  func `a page takes time in proportion to its size`(piece: String) {
    expectLinear(from: 4000) { size in
      _ = article(prose("Anna") + String(repeating: piece, count: size / piece.utf8.count))
    }
  }
}
