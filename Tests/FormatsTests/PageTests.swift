// Feeds of kind html: trees of any page, what selectors match in them, and the items.

import Core
import Formats
import Testing

/// Reads a page as if it came from https://a.example/news/.
func page(
  _ text: String, items: String? = nil, _ parts: [JSONMapping.Part: String] = [:],
  text watched: String? = nil, allowsEmpty: Bool = false, type: String? = "text/html",
  address: String? = "https://a.example/news/"
) throws -> ParsedFeed {
  let mapping = HTMLMapping(
    items: try items.map { try SelectorList(parsing: $0) },
    parts: try parts.mapValues { try PageValue(parsing: $0) },
    text: try watched.map { try SelectorList(parsing: $0) }, allowsEmpty: allowsEmpty)
  return try readFeed(Array(text.utf8), as: .html(mapping), contentType: type, address: address)
}

/// The ids of the elements that a selector matches.
private func selected(_ text: String, _ selector: String) -> [String] {
  (try? page(text, items: selector, [.id: "@id"]))?.items.compactMap(\.id) ?? []
}

@Suite struct SelectorMatchTests {
  private static let document = """
    <div id=d1 class="a  b"><p id=p1 class=x>one</p><p id=p2 lang=en-GB title="A&amp;B">two<b id=b1></b></p>
    <ul id=u1><li id=l1><a id=a1 href="/news/1.pdf">1</a><li id=l2 class="B old"><a id=a2 HREF='https://b/'>2</a>
    <li id=l3><a id=a3>3</a></ul></div><div id=d2><section id=s1><p id=p3 class="x y">three</section></div>
    """

  @Test(arguments: [
    ("p", "p1 p2 p3"), ("P", "p1 p2 p3"), ("*", "d1 p1 p2 b1 u1 l1 a1 l2 a2 l3 a3 d2 s1 p3"), (".x", "p1 p3"),
    (".x.y", "p3"), (".b", "d1"), (".B", "l2"), ("#p2", "p2"), ("p#p2.x", ""), ("div.a", "d1"),
    ("[href]", "a1 a2"), ("[href=\"https://b/\"]", "a2"), ("[href^='/news']", "a1"), ("a[href$=.pdf]", "a1"),
    ("[href*=b]", "a2"), ("[lang|=en]", "p2"), ("[lang|=e]", ""), ("[class~=old]", "l2"),
    ("[class~='B old']", ""), ("[title='A&B']", "p2"), ("[title='a&b' i]", "p2"), ("[id=P1]", ""),
    ("div p", "p1 p2 p3"), ("div > p", "p1 p2"), ("p + p", "p2"), ("p + ul", "u1"), ("p ~ ul", "u1"),
    ("ul ~ p", ""), ("li + li", "l2 l3"), ("li ~ li.old", "l2"), ("div section p", "p3"),
    ("body p", "p1 p2 p3"), ("html > body > div", "d1 d2"), ("div div", ""), ("div > section > p.y", "p3"),
    ("ul a", "a1 a2 a3"), (".a p + ul > li ~ li a", "a2 a3"), ("li:first-child", "l1"),
    ("li:last-child", "l3"), ("li:nth-child(2)", "l2"), ("li:nth-child(odd)", "l1 l3"),
    ("li:nth-child(-n+2) a", "a1 a2"), ("p:first-child", "p1 p3"), ("p:not(.x)", "p2"),
    ("li:not(.old, #l3)", "l1"), ("a:not([href])", "a3"), ("b, p.y, a:not([href])", "b1 a3 p3"),
    ("div.a *:not(p):not(li):not(a)", "b1 u1"),
  ])
  func `a selector matches as in a browser`(selector: String, ids: String) {
    #expect(selected(Self.document, selector) == ids.split(separator: " ").map(String.init))
  }
}

@Suite struct PageTreeTests {
  @Test(arguments: [
    // Implied ends.
    ("<p id=a>1<p id=b>2<div id=c>3", "p > *", ""), ("<p id=a><span id=s><div id=c>", "p div", ""),
    ("<ul><li id=a>1<li id=b>2<ul><li id=c></ul><li id=d></ul>", "ul > li", "a b c d"),
    ("<ul><li id=a>1<li id=b>2<ul><li id=c></ul><li id=d></ul>", "li li", "c"),
    ("<dl><dt id=a>x<dd id=b>y<dt id=c>z</dl>", "dl > *", "a b c"),
    ("<table><tr id=r><td id=a>1<td id=b>2<tr id=q><th id=c>", "tr > *", "a b c"),
    ("<table><thead><tr id=r><td>1<tbody><tr id=q><td>", "tbody > tr", "q"),
    ("<table><tr><td><table><tr id=x></table><td id=y>", "td td, tr + tr, td + td", "y"),
    ("<select><option id=a>1<option id=b>2</select><i id=c>", "option + option, select + i", "b c"),
    ("<head><title>t</title><p id=a>", "head p", ""), ("<head>text<p id=a>", "head p", ""),
    // Void and raw elements, and tags that end themselves.
    ("<div><br><img id=i src=x><input><p id=a></div><p id=b>", "div > p", "a"),
    ("<script>'<p id=x>'</script><p id=a>", "p", "a"), ("<style><p id=x></STYLE ><p id=a>", "p", "a"),
    ("<textarea><p id=x></textarea><title></p></title><p id=a>", "p", "a"),
    ("<script></scripty></script><p id=a>", "p", "a"), ("<script><p id=x>", "p", ""),
    ("<table><tr id=r><td id=a>", "table > tbody > tr > td", "a"),
    ("<table><td id=a>", "tbody > tr > *", "a"), ("<title>t</title><p id=a>", "html > body > p", "a"),
    ("text<p id=a>", "body > p", "a"), ("<svg><path id=s /><g id=g></g></svg><p id=a>", "svg > *", "s g"),
    ("<div id=d /><p id=a>", "div > p", "a"),
    // Comments and declarations.
    ("<!-- <p id=x> --><p id=a><!--><p id=b><!---><p id=c><!-- -- > <p id=y> --><p id=d>", "p", "a b c d"),
    ("<!doctype html><?php <p id=y> ?><p id=a>", "p", "a"), ("<![CDATA[<p id=a>]]>", "p", ""),
    ("<p id=a><!-- never closed <p id=b>", "p", "a"),
    // Broken tags.
    ("<p id=a></b></p></p><p id=b>", "p + p", "b"), ("<b id=a><i id=b></b><u id=c>", "b > i", "b"),
    ("<b id=a><i id=b></b><u id=c>", "b + u", "c"), ("< p id=x><p id=a>", "p", "a"),
    ("<p id=a><p id=b", "p", "a"), ("<p id=\"a\"class=x><p id='b'/>", "p", "a b"), ("<p =x id=a>", "p", "a"),
    ("<p id=a id=b>", "p", "a"), ("<p id = a ><p id\n=\n'b'>", "p", "a b"),
    ("<p id=a title='<p id=x>'>", "p", "a"),
    ("<html><body><p id=a></body></html><p id=b>", "body > p", "a b"),
    ("<body id=x><body id=y><p id=a>", "body", "x"),
    ("<my-tag id=a><p id=b></my-tag><p id=c>", "my-tag > p + p", "c"),
    ("<div id=a>A<svg></p><my-tag id=b></div>", "div > my-tag", "b"),
    ("<div id=a>A<svg><g></br><my-tag id=b></div>", "div > my-tag", "b"),
  ])
  func `a page becomes the tree that was meant`(text: String, selector: String, ids: String) {
    #expect(selected(text, selector) == ids.split(separator: " ").map(String.init))
  }

  @Test func `elements beyond the greatest depth are not deeper`() {
    let many =
      String(repeating: "<div>", count: 2000) + "<p id=a>x</p>" + String(repeating: "</div>", count: 2000)

    #expect(selected(many + "<p id=b>y", "p") == ["a", "b"])
    #expect(selected(many + "<p id=b>y", "div p") == ["a"])
  }
}

@Suite struct ArticleTests {
  private func article(_ text: String, _ selector: String = "article") throws -> String? {
    try readFeed(
      Array(text.utf8), as: .html(HTMLMapping(text: try SelectorList(parsing: selector), isArticle: true)),
      contentType: "text/html", address: "https://a.example/news/1"
    ).items.first?.content
  }

  @Test(arguments: [
    (
      "<nav>x</nav><article>a <b>b</b><img src=1.png></article>",
      "a <b>b</b><img src=\"https://a.example/news/1.png\">"
    ),
    ("<base href=/x/><article><a href=y>z</a>", "<a href=\"https://a.example/x/y\">z</a>"),
    // An element in another one is not repeated.
    (
      "<article>a<article>b</article></article><p>c</p><article>d</article>",
      "<div>a<article>b</article></div><div>d</div>"
    ),
    ("<article><img src=1.png></article>", "<img src=\"https://a.example/news/1.png\">"),
    ("<article> <script>1</script></article>", nil), ("<p>a</p>", nil), ("", nil), ("{}", nil),
  ])
  func `an article is the content of elements, with absolute addresses`(text: String, content: String?) throws
  {
    #expect((try? article(text)) == content)
  }

  @Test func `an article without a selector is found, with its title`() throws {
    let words = String(repeating: " had told the people in the rain,", count: 8)
    let page = "<title>Harbour | Daily</title><h1>Harbour</h1><p><a href=x>Nobody</a>\(words)</p>"

    let found = try readFeed(
      Array(page.utf8), as: .html(HTMLMapping(isArticle: true)), contentType: "text/html",
      address: "https://a.example/news/1")

    #expect(found.title == "Harbour")
    #expect(
      found.items.map(\.content) == ["<p><a href=\"https://a.example/news/x\">Nobody</a>\(words)</p>"])
  }

  @Test(arguments: [
    ("{\"@graph\":[{\"articleBody\":\"§\\n\\n§\"},{\"articleBody\":\"x\"}]}", "§<br>\n<br>\n§"),
    ("{\"@type\":\"NewsArticle\",\"articleBody\":\"<p>§</p>\"}", "<p>§</p>"),
    ("[{\"articleBody\":\"Short.\"}]", nil),
    ("[{\"articleBody\":", nil),
  ])
  func `an article may be in the data of a page that JavaScript fills`(data: String, content: String?) {
    let sentences = String(repeating: "The ferry was late. ", count: 20).dropLast()
    let page =
      "<script type=application/ld+json>\(data)</script><div id=root></div>".replacing("§", with: sentences)

    let found = try? readFeed(
      Array(page.utf8), as: .html(HTMLMapping(isArticle: true)), contentType: "text/html", address: nil)

    #expect(found?.items.first?.content == content?.replacing("§", with: sentences))
  }

  @Test(arguments: [
    ("<p>No.", "no article found in the "), ("{}", "not a page: JSON"),
  ])
  func `a page without an article is a failure that says so`(page: String, problem: String) {
    let failure = #expect(throws: FeedReadingFailure.self) {
      try readFeed(
        Array(page.utf8), as: .html(HTMLMapping(isArticle: true)), contentType: "text/html", address: nil)
    }

    guard case .unmapped(let text) = failure else { return #expect(failure == nil) }
    #expect(text.hasPrefix(problem))
  }

  @Test func `a page without the element of the article is a failure that says so`() {
    let failure = #expect(throws: FeedReadingFailure.self) { try article("<p>a", "main p.x") }
    guard case .unmapped(let text) = failure else { return #expect(failure == nil) }
    #expect(text.hasPrefix("content.page \"main p.x\" matches none of the "))
    #expect(!text.contains("allow-empty"))
  }
}

@Suite struct IgnoredTextTests {
  private func text(_ page: String, _ ignored: String? = nil, lines: [String] = []) throws -> String? {
    var mapping = HTMLMapping()
    mapping.ignored = try ignored.map { try SelectorList(parsing: $0) }
    mapping.ignoredLines = lines
    return try readFeed(Array(page.utf8), as: .html(mapping), contentType: "text/html", address: nil)
      .items.first?.content
  }

  @Test(
    arguments: [
      (".ad, time", [], "<pre>Ferries\nOn time, since .\n12 views</pre>"),
      (nil, ["^\\d+ views$", "Buy"], "<pre>Ferries\nOn time, since 10:00.</pre>"),
      (nil, [], "<pre>Ferries\nBuy\nOn time, since 10:00.\n12 views</pre>"),
    ] as [(String?, [String], String)])
  func `elements and lines that are ignored are not in the text`(
    ignored: String?, lines: [String], content: String
  ) throws {
    let page = "<h1>Ferries<div class=ad>Buy</div></h1><p>On time, since <time>10:00</time>.<p>12 views"

    #expect(try text(page, ignored, lines: lines) == content)
  }
}

@Suite struct PageItemTests {
  private static let list = """
    <html><head><title>The &amp; News</title><base href="/archive/"></head><body>
    <article class=post data-no=1><h2><a href="one">First <i>post</i></a></h2>
    <time datetime="2026-11-20T08:00:00+01:00">yesterday</time>
    <div class=body><p>Text &amp; <b>more</b></p></div><img src="1.png"><a href="1.pdf">PDF</a></article>
    <article class=post data-no=2><h2></h2><a href="">here</a><a href="https://b.example/2">Second</a>
    <time>21 Nov 2026</time><span class=by>Ann</span></article></body></html>
    """

  @Test func `title, link and date have defaults`() throws {
    let found = try page(Self.list, items: "article.post")

    #expect(found.format == .page)
    #expect(found.title == "The & News")
    #expect(found.link == "https://a.example/news/")
    #expect(found.items.map(\.title) == ["First post", "here"])
    #expect(found.items.map(\.link) == ["https://a.example/archive/one", "https://b.example/2"])
    #expect(found.items.map { $0.published?.rfc3339 } == ["2026-11-20T07:00:00Z", "2026-11-21T00:00:00Z"])
    #expect(found.items.map(\.id) == [nil, nil])
  }

  @Test func `every part can be chosen, by element or attribute`() throws {
    let found = try page(
      Self.list, items: "article.post",
      [
        .id: "@data-no", .title: "article > a:last-child, span", .link: "h2 a@href", .summary: ".body",
        .author: ".by", .assets: "img, a[href$='.pdf']", .published: "time@datetime",
      ])

    #expect(found.items.map(\.id) == ["1", "2"])
    #expect(found.items.map(\.title) == ["PDF", "Ann"])
    #expect(found.items.map(\.link) == ["https://a.example/archive/one", nil])
    #expect(found.items.map(\.summary) == ["<p>Text &amp; <b>more</b></p>", nil])
    #expect(found.items.map(\.author) == [nil, "Ann"])
    #expect(
      found.items.map { $0.enclosures.map(\.url) } == [
        ["https://a.example/archive/1.png", "https://a.example/archive/1.pdf"], [],
      ])
    #expect(found.items[1].published == nil)
  }

  @Test
  func `an item may be a link itself, and without heading and link its title is the beginning of its text`()
    throws
  {
    let links = try page(
      "<a href='javascript:alert(1)'>x</a><a href=/1>One</a><a href='mailto:a@b'>m</a><a href='#f'>Frag</a>",
      items: "a"
    ).items
    let texts = try page("<li>\(String(repeating: "word ", count: 100))<li><br>", items: "li").items

    #expect(links.map(\.title) == ["x", "One", "m", "Frag"])
    // Only http links count.
    #expect(links.map(\.link) == [nil, "https://a.example/1", nil, "https://a.example/news/#f"])
    try #require(texts.count == 1)
    #expect(texts[0].title?.hasPrefix("word word") == true)
    #expect((texts[0].title?.utf8.count ?? .max) <= 200)
  }

  @Test(arguments: [
    (
      "<p>x", "article",
      "html.items \"article\" matches none of the 3 elements of the page; has the page changed, or does JavaScript create it? "
        + "if there may be none, set html.allow-empty"
    ),
    (
      "<b></b><b></b>", "b",
      "html.items \"b\" matches 2 elements, but there is no title and no link in any of them; see html.title and html.link"
    ),
    ("{\"a\": 1}", "b", "not a page: JSON, which kind: json reads"),
    ("<rss><channel></channel></rss>", "b", "not a page: RSS or Atom, which kind: feed reads"),
  ])
  func `a page without items has failed, and the reason says why`(text: String, items: String, reason: String)
  {
    #expect(throws: FeedReadingFailure.unmapped(reason)) { try page(text, items: items) }
  }

  @Test func `the charset is that of the header, else that of the page`() throws {
    let bytes = Array("<meta charset=windows-1251><h1>".utf8) + [0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2]
    let mapping = HTMLMapping(items: try SelectorList(parsing: "h1"))

    let titles = try ["text/html", "text/html; charset=koi8-r"].map {
      try readFeed(bytes, as: .html(mapping), contentType: $0, address: nil).items.first?.title
    }

    #expect(titles == ["Привет", "оПХБЕР"])
  }
}
