// The feeds that an HTML page links to, on honest and hostile pages.

import Core
import Formats
import TestKit
import Testing

@Suite struct PageLinksTests {
  private let html = HeaderField("Content-Type", "text/html")

  private func links(_ page: String, at address: String? = "https://a.example/blog/") -> PageLinks {
    PageLinks(of: Response(status: 200, fields: [html], body: Array(page.utf8)), address: address)
  }

  private func declared(_ page: String, at address: String? = "https://a.example/blog/") -> [String] {
    links(page, at: address).declared.map(\.address.text)
  }

  @Test(arguments: [
    (#"<link rel="alternate" type="application/rss+xml" href="/feed">"#, "https://a.example/feed"),
    (#"<LINK REL=Alternate TYPE=Application/Atom+XML HREF=feed/>"#, "https://a.example/blog/feed/"),
    (
      #"<link href='x.json' type='application/feed+json' rel='home alternate'/>"#,
      "https://a.example/blog/x.json"
    ),
    (#"<link rel=alternate type="text/xml; charset=utf-8" href=//b.example/f>"#, "https://b.example/f"),
    (#"<link rel="feed" href="?a=1&amp;b=2">"#, "https://a.example/blog/?a=1&b=2"),
    ("<link\nrel = 'alternate'\n type = 'application/rss+xml' href = ' f '>", "https://a.example/blog/f"),
    (#"<link data-x="a > b" rel=alternate type=application/rss+xml href=f>"#, "https://a.example/blog/f"),
    (#"<link rel=alternate type=application/rss+xml href=f href=g>"#, "https://a.example/blog/f"),
  ])
  func `a declared feed is found however the tag is written`(page: String, address: String) {
    #expect(declared("<html><head>" + page) == [address])
  }

  @Test(arguments: [
    #"<link rel="stylesheet" type="text/css" href="/x.css">"#,
    #"<link rel="alternate stylesheet" type="application/rss+xml" href="/x">"#,
    #"<link rel="alternate" hreflang="de" href="/de">"#,
    #"<link rel="alternate" type="application/json" href="/wp-json">"#,
    #"<link rel="alternate" type="application/json+oembed" href="/oembed">"#,
    #"<link rel="alternate" type="application/rss+xml">"#,
    #"<link rel="alternate" type="application/rss+xml" href="javascript:alert(1)">"#,
    #"<link rel="alternate" type="application/rss+xml" href="file:///etc/passwd">"#,
    #"<link rel="alternate" type="application/rss+xml" href="https://me:pw@b.example/">"#,
    #"<!-- <link rel="alternate" type="application/rss+xml" href="/x"> -->"#,
    #"<script>'<link rel="alternate" type="application/rss+xml" href="/x">'</script>"#,
    #"<style><link rel="alternate" type="application/rss+xml" href="/x"></style>"#,
    #"<textarea><link rel="alternate" type="application/rss+xml" href="/x"></textarea>"#,
    #"<!-- never closed <link rel="alternate" type="application/rss+xml" href="/x">"#,
    #"<linkx rel="alternate" type="application/rss+xml" href="/x">"#, "", "<", "<link", "<link rel=",
    "<a href='",
  ])
  func `no other link is a declared feed`(page: String) {
    #expect(declared(page) == [])
  }

  @Test func `links have titles, and their order is that of the page`() {
    let found = links(
      """
      <link rel=alternate type=application/rss+xml title="News &amp; more" href=1>
      <script>if (a < b) {}</script>
      <link rel=alternate type=application/atom+xml href=2>
      """)

    #expect(found.declared.map(\.title) == ["News & more", nil])
    #expect(found.declared.map(\.address.text) == ["https://a.example/blog/1", "https://a.example/blog/2"])
  }

  @Test func `relative links follow the first base, and without an address only absolute ones are found`() {
    let link = "<link rel=alternate type=application/rss+xml href=f>"

    #expect(
      declared("<base href='https://b.example/x/'><base href='https://c.example/'>" + link) == [
        "https://b.example/x/f"
      ])
    #expect(declared("<base href=/y/>" + link) == ["https://a.example/y/f"])
    #expect(declared("<base href='javascript:'>" + link) == ["https://a.example/blog/f"])
    #expect(
      declared("<link rel=feed href=/f><link rel=feed href=https://b.example/f>", at: nil)
        == ["https://b.example/f"])
  }

  @Test func `other links that look like feeds are likely`() {
    let found = links(
      """
      <a href="/about">About</a> <a href="news.rss">RSS</a> <a href="/feed/">Feed</a> <a href="news.rss">again</a>
      <a type="application/atom+xml" href="/x">x</a> <a name="rss">no address</a> <a href="/rss/help.html">help</a>
      <a href="Feed://b.example/posts">subscribe</a>
      """)

    #expect(found.declared == [])
    #expect(
      found.likely.map(\.address.text) == [
        "https://a.example/blog/news.rss", "https://a.example/feed/", "https://a.example/x",
        "https://b.example/posts",
      ])
  }

  @Test(arguments: [
    (
      #"</feed>; rel="alternate"; type="application/rss+xml"; title="All, of it""#, ["https://a.example/feed"]
    ),
    (
      #"<x>; rel=alternate; type=application/atom+xml, <y>; rel="me alternate"; type=text/xml"#,
      ["https://a.example/blog/x", "https://a.example/blog/y"]
    ),
    ("</feed.xml>; rel=alternate", ["https://a.example/feed.xml"]),
    ("<feed://b.example/f>; rel=feed", ["https://b.example/f"]),
    (
      "</de/>; rel=alternate; hreflang=de, </>; rel=canonical, </wp-json/1>; rel=alternate; type=application/json",
      []
    ),
    ("<javascript:1>; rel=feed, <https://me:pw@b.example/>; rel=feed", []),
  ])
  func `the header of a page declares feeds too`(field: String, expected: [String]) {
    let page = Response(
      status: 200, fields: [html, HeaderField("Link", field)],
      body: Array("<link rel=feed href=//c.example/>".utf8))
    let found = PageLinks(of: page, address: "https://a.example/blog/")

    #expect(found.declared.map(\.address.text) == expected + ["https://c.example/"])
  }

  @Test func `a page in another encoding is read`() {
    let page =
      Array("<link rel=alternate type=application/rss+xml title='caf".utf8) + [0xE9] + Array("' href=f>".utf8)

    let type = HeaderField("Content-Type", "text/html; charset=iso-8859-1")
    let found = PageLinks(
      of: Response(status: 200, fields: [type], body: page), address: "https://a.example/")

    #expect(found.declared.first?.title == "café")
  }

  @Test(arguments: [
    String(repeating: "<link rel=alternate type=application/rss+xml href=/x>", count: 3000),
    String(repeating: "<a href=/feed>", count: 3000), String(repeating: "<", count: 100_000),
    String(repeating: "<!--", count: 30_000), String(repeating: "<script>", count: 15_000),
    String(repeating: "<a href='", count: 15_000), String(repeating: "<a =", count: 30_000),
    "<link " + String(repeating: "x=y ", count: 30_000),
    "<link rel=feed href=" + String(repeating: "x", count: 100_000),
    String(repeating: "<base href=//x>", count: 6000), String(repeating: "<a/", count: 30_000),
  ])
  func `a hostile page is read in time, and gives few links`(page: String) {
    var found = links("")
    let microseconds = processorTime { found = links(page) }

    #expect(found.declared.count <= 30)
    #expect(found.likely.count <= 30)
    #expect(microseconds < 5_000_000)
  }
}
