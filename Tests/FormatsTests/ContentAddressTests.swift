// Addresses in the texts of items: absolute once a document is read, and never programs.

import Core
import Formats
import TestKit
import Testing

@Suite struct ContentAddressTests {
  /// The content of the one item of a document.
  private func content(_ document: String, at address: String? = "https://site.example/feed?key=k") throws
    -> String?
  {
    try #require(readFeed(Array(document.utf8), contentType: nil, address: address).items.first).content
  }

  private static let image = "<content type='html'>&lt;img src=\"i.png\"&gt;</content>"
  private static let page = "<link href='https://page.example/2026/post/'/>"

  static let bases: [(document: String, expected: String)] = [
    // Atom: content before entry before feed before the page before the document.
    (
      atom("<entry xml:base='https://b.example/blog/'>\(page)\(image)</entry>"),
      "<img src=\"https://b.example/blog/i.png\">"
    ),
    (
      "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='/f/'><entry xml:base='e/'>"
        + "<content type='html' xml:base='../c/'>&lt;img src=i.png&gt;</content>\(page)</entry></feed>",
      "<img src=\"https://site.example/f/c/i.png\">"
    ),
    (
      "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='https://f.example/'><entry>\(page)\(image)</entry></feed>",
      "<img src=\"https://f.example/i.png\">"
    ),
    (atom("<entry>\(image)\(page)</entry>"), "<img src=\"https://page.example/2026/post/i.png\">"),
    (atom("<entry><id>1</id>\(image)</entry>"), "<img src=\"https://site.example/i.png\">"),
    (
      atom(
        "<entry>\(page)<content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'><img src='a.png'/>"
          + "<img src='c.png'/></div></content></entry>"
      ),
      "<div xmlns='http://www.w3.org/1999/xhtml'><img src='https://page.example/2026/post/a.png'>"
        + "<img src='https://page.example/2026/post/c.png'></div>"
    ),
    (atom("<entry>\(page)<content>&lt;a href=\"x\"&gt;</content></entry>"), "&lt;a href=\"x\">"),
    // RSS, RDF and JSON Feed.
    (
      rss(
        "<item><link>https://page.example/a/</link><content:encoded><![CDATA[<a href='b'>]]></content:encoded></item>"
      ),
      "<a href='https://page.example/a/b'>"
    ),
    (
      "<rss xml:base='https://r.example/'><channel xml:base='c/'><item xml:base='i/'><title>t</title>"
        + "<link>https://page.example/</link><content>&lt;a href='b'></content></item></channel></rss>",
      "<a href='https://r.example/c/i/b'>"
    ),
    (
      "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xml:base='https://r.example/x/'><channel/>"
        + "<item><title>t</title><content:encoded>&lt;a href='b'></content:encoded></item></rdf:RDF>",
      "<a href='https://r.example/x/b'>"
    ),
    (
      #"{"version":"https://jsonfeed.org/version/1.1","items":[{"content_html":"<a href='b'>","url":"/p/q"}]}"#,
      "<a href='https://site.example/p/b'>"
    ),
  ]

  @Test(arguments: bases)
  func `addresses start at the nearest base, else at the item's page, else at the document`(
    document: String, expected: String
  ) throws {
    #expect(try content(document) == expected)
  }

  @Test(
    arguments: [
      ("<a href='/x?a=1&amp;b=2'>", "<a href='https://p.example/x?a=1&amp;b=2'>"),
      (
        "<img data-src=i.jpg data-srcset='j.jpg 1x, k.jpg 2x' data-original=/o.png>",
        "<img data-src=\"https://p.example/d/i.jpg\" data-srcset='https://p.example/d/j.jpg 1x, https://p.example/d/k.jpg 2x' data-original=\"https://p.example/o.png\">"
      ),
      ("<a class=k href = x>", "<a class=k href = \"https://p.example/d/x\">"),
      ("<A HREF=\"//c.example/x\">", "<A HREF=\"https://c.example/x\">"),
      ("<a href=' my file.pdf\n'>", "<a href='https://p.example/d/my%20file.pdf'>"),
      (
        "<a href='#note'>1</a><area href=#m>",
        "<a href='https://p.example/d/e#note'>1</a><area href=\"https://p.example/d/e#m\">"
      ),
      ("<svg><use xlink:href='#i'/></svg>", nil), ("<img usemap='#m'>", nil), ("<a href=''>", nil),
      ("<a href>", nil),
      (
        "<video poster='p.jpg' src=v.mp4>",
        "<video poster='https://p.example/d/p.jpg' src=\"https://p.example/d/v.mp4\">"
      ),
      ("<object data='o.svg'>", "<object data='https://p.example/d/o.svg'>"),
      ("<q cite=../c>", "<q cite=\"https://p.example/c\">"),
      ("<form action='?q'>", "<form action='https://p.example/d/e?q'>"),
      (
        "<img srcset='a.png 1x, /b,c.png 2x,https://c.example/c.png 3x'>",
        "<img srcset='https://p.example/d/a.png 1x, https://p.example/b,c.png 2x,https://c.example/c.png 3x'>"
      ),
      (
        "<img srcset='https://c.example/a 1x, b 2x'>",
        "<img srcset='https://c.example/a 1x, https://p.example/d/b 2x'>"
      ),
      ("<img src='data:image/png;base64,AA=='>", nil), ("<a href='mailto:a@b.example'>", nil),
      ("<a href='tel:+1'>", nil), ("<a href='https://a.example/ x'>", nil),
      ("<a title='href=\"x\"' data-x=y>", nil), ("a href='x'", nil),
      ("<!-- <a href='x'> --><a href='y'>", "<!-- <a href='x'> --><a href='https://p.example/d/y'>"),
      (
        "<textarea><a b='</textarea><a href='y'>",
        "<textarea><a b='</textarea><a href='https://p.example/d/y'>"
      ),
      ("<script>s = \"<a href='x'>\"</script>", nil), ("1 <2 href='x'", nil),
      ("<a href='x", nil),
    ] as [(String, String?)])
  func `every attribute with an address is made absolute, and nothing else changes`(
    html: String, expected: String?
  ) throws {
    let document = rss(
      "<item><link>https://p.example/d/e</link><description><![CDATA[\(html)]]></description></item>")

    #expect(try read(document).items.first?.summary == expected ?? html)
  }

  @Test func `without any base a relative address in a text stays`() throws {
    let document = rss(
      "<item><title>t</title><description>&lt;img src='x'> &lt;a href='#a'></description></item>")
    func summary(at address: String?) throws -> String? {
      try readFeed(Array(document.utf8), contentType: nil, address: address).items.first?.summary
    }

    #expect(try summary(at: nil) == "<img src='x'> <a href='#a'>")
    // Neither the query of the feed's address nor an anchor in the feed can be meant.
    #expect(try summary(at: "https://s.example/f?key=k") == "<img src='https://s.example/x'> <a href='#a'>")
  }

  /// Spellings of programs that browsers, or something between us and them, would run.
  static let programs = [
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", " \u{1}javascript:alert(1)", "java\nscript:alert(1)",
    "java\tscript :alert(1)", "&#106;avascript:alert(1)", "&#x6A&#x61;vascript&colon;alert(1)",
    "java&Tab;script:alert(1)", "java&NewLine;script:x", "&#0000000000106avascript:x", "vbscript:msgbox(1)",
    "data:text/html,<b>", "DATA:text/html;base64,AAAA", "data: text/html,x", "data:application/xhtml+xml,x",
    "data:text/javascript,x", "feed:javascript:alert(1)", "feed:feed:javascript:alert(1)", "livescript:x",
  ]

  @Test(arguments: programs)
  func `a program is no address`(program: String) throws {
    let escaped = escapedMarkup(program)
    let item = try rssItem(
      """
      <title>t</title><link>\(escaped)</link><comments>\(escaped)</comments><enclosure url="\(escaped)"/><media:content url="\(escaped)"/>
      <description>\(escapedMarkup("<a href=\"\(program)\">x</a><img src='\(program)'><form action='\(program)'>"))</description>
      """)
    let feed = try read(rss("<link>\(escaped)</link><itunes:new-feed-url>\(escaped)</itunes:new-feed-url>"))

    #expect(item.link == nil)
    #expect(item.comments == nil)
    #expect(item.enclosures.isEmpty)
    #expect(item.summary == "<a >x</a><img ><form >")
    #expect(feed.link == nil)
    #expect(feed.newAddress == nil)
  }

  /// HTML before a link that is markup for browsers, and before one that is text for them.
  static let contexts: [(before: String, isMarkup: Bool)] = [
    ("", true), ("<![CDATA[ >", true), ("<p><![CDATA[x]]>", true), ("<![CDATA[ ", false),
    ("<svg><![CDATA[ >", false), ("<svg><![CDATA[x]]>", true), ("<svg><![CDATA[ > <i b=' ]]>", true),
    ("<math><mi><![CDATA[ >", false), ("<svg/><![CDATA[ >", true), ("<svg></svg><![CDATA[ >", true),
    ("<div><svg></div><![CDATA[ >", true), ("<svg><p><![CDATA[ >", true),
    ("<svg><foreignObject><![CDATA[ >", false), ("<svg><foreignObject><p><![CDATA[ >", true),
    ("<style>", false), ("<svg><style>", true), ("<math><style>", true), ("<svg><title>", true),
    ("<svg><script>", true), ("<svg><textarea>", true), ("<svg><xmp>", true), ("<svg><title><style>", false),
    ("<math><title><style>", true), ("<svg><mi><style>", true), ("<math><mi><style>", false),
    ("<svg></svg><style>", false), ("<svg/><style>", false), ("<noscript>", true), ("<template>", true),
    ("<!-->", true), ("<!--->", true), ("<!-- --!>", true), ("<!-- >", false), ("<!x>", true), ("<?x>", true),
    ("</ x>", true),
  ]

  @Test(arguments: contexts)
  func `a link is changed where browsers see a tag`(before: String, isMarkup: Bool) throws {
    let html = before + "<a href='javascript:1'>"
    let item = try rssItem("<title>t</title><description>\(escapedMarkup(html))</description>")

    #expect(item.summary == (isMarkup ? before + "<a >" : html))
  }

  @Test func `a program after many attributes is no address`() throws {
    let html = "<a \(String(repeating: "b=c ", count: 200))href='javascript:1'>"
    let item = try rssItem("<title>t</title><description>\(escapedMarkup(html))</description>")

    #expect(item.summary?.contains("javascript") == false)
  }

  @Test func `a program in a list of images or in JSON Feed is no address either`() throws {
    let document =
      #"{"version":"https://jsonfeed.org/","home_page_url":"javascript:1","items":[{"url":"javascript:1","external_url":"VBSCRIPT:1","#
      + #""content_html":"<img srcset='javascript:1 1x, https://a.example/ 2x'>","attachments":[{"url":"javascript:1"}]}]}"#
    let feed = try read(document)

    #expect(feed.link == nil)
    #expect(feed.items.first?.link == nil)
    #expect(feed.items.first?.enclosures == [])
    #expect(feed.items.first?.content?.contains("javascript") == false)
  }

  @Test(
    arguments: [
      ("feed://a.example/x", "https://a.example/x"), ("feed:https://a.example/x", "https://a.example/x"),
      ("feed://http://a.example/x", "http://a.example/x"), ("FEED:http://a.example/x", "http://a.example/x"),
      ("pcast://a.example/x", "https://a.example/x"), ("data:image/svg+xml,x", nil), ("data:,x", nil),
      ("data:text/plain,x", nil), ("magnet:?xt=1", nil), ("gopher://a.example/", nil),
      ("x:javascript:1", nil),
    ] as [(String, String?)])
  func `a link loses the scheme of feeds, and any other address stays`(link: String, expected: String?) throws
  {
    #expect(try rssItem("<title>t</title><link>\(link)</link>").link == expected ?? link)
  }

  @Test(arguments: [
    ("<a href='x'>", "https://a.example/" + String(repeating: "b/", count: 1900)), ("<a b='<a b=\"", ""),
    ("<!--", ""), ("href=", ""), ("<textarea></", ""), ("<a href='&#", ""), ("<img srcset=',,,, ", ""),
    ("<a href=&Tab;", ""), ("=\n\n\n", ""),
  ])
  func `a hostile text takes linear time, and does not grow much beyond the document`(
    piece: String, base: String
  ) {
    var growth = 0
    expectLinear(from: 2000) { count in
      let long = escapedMarkup(String(repeating: piece, count: count))
      let document =
        "<rss xml:base='\(base)'><channel><item><content>\(long)</content></item></channel></rss>"
      let item = try? read(document).items.first
      // Resolved addresses are at most as long as the document and 64 KiB.
      growth = max(growth, (item?.content?.utf8.count ?? 0) - document.utf8.count - count * piece.utf8.count)
    }

    #expect(growth <= 1 << 17)
  }
}
