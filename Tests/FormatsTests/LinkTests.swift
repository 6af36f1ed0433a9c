// Links, hubs and images.

import Core
import Formats
import Testing

@Suite struct LinkTests {
  @Test(arguments: [
    ("https://a.example/x", "https://a.example/x"), (" \n https://a.example/x\t", "https://a.example/x"),
    ("x", "https://site.example/x"), ("../x", "https://site.example/x"),
    ("//b.example/x", "https://b.example/x"), ("?q=1", "https://site.example/feed?q=1"),
    ("#f", "https://site.example/feed#f"), ("mailto:a@b.example", "mailto:a@b.example"),
    ("https://a.example/a b.mp3", "https://a.example/a%20b.mp3"),
    ("https://a.example/a\n b", "https://a.example/a%20b"), ("HTTP://A.example/%7e", "HTTP://A.example/%7e"),
    ("https://a.example/ü", "https://a.example/ü"),
    ("https://a.example/\u{202E}gpj\u{7F}", "https://a.example/%E2%80%AEgpj%7F"),
    ("x\u{9D}y", "https://site.example/x%C2%9Dy"),
    // UTF-8 with the bytes BE and BF, which also end U+FFFE and U+FFFF.
    ("¾", "https://site.example/¾"), ("https://a.example/¿¾ξο", "https://a.example/¿¾ξο"),
    ("https://a.example/\u{FFFE}\u{FFFF}", "https://a.example/%EF%BF%BE%EF%BF%BF"),
  ])
  func `a link becomes absolute`(link: String, expected: String) throws {
    #expect(try rssItem("<link>\(link)</link>").link == expected)
  }

  @Test func `a base applies inside its element and to the bases there`() throws {
    let feed = try read(
      """
      <feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://b.example/one/">
      <link href="f"/>
      <entry xml:base="two/"><id>1</id><link href="a"/></entry>
      <entry><id>2</id><link xml:base="https://c.example/" href="b"/></entry>
      <entry><id>3</id><link href="c"/></entry>
      </feed>
      """)

    #expect(feed.link == "https://b.example/one/f")
    #expect(
      feed.items.map(\.link) == [
        "https://b.example/one/two/a", "https://c.example/b", "https://b.example/one/c",
      ])
  }

  @Test func `without any base a relative address stays as it is, and a base that is too long is ignored`()
    throws
  {
    let base = "https://b.example/" + String(repeating: "x", count: 5000) + "/"

    #expect(try readFeed(Array(rss("<link>x/y</link>").utf8), contentType: nil, address: nil).link == "x/y")
    #expect(
      try read("<rss xml:base='\(base)'><channel><link>y</link></channel></rss>").link
        == "https://site.example/y")
  }
}

@Suite struct HubLinkTests {
  /// Expects the hub and the topic of a document; the page of the feed stays its own.
  private func expect(_ document: String, _ hubs: [String], _ topic: String?) throws {
    var links = HubLinks()
    for hub in hubs { links.add(hub: hub) }
    links.accept(topic: topic)
    let feed = try read(document)
    #expect(feed.hubLinks == links)
    #expect(feed.link == nil || feed.link == "https://site.example/")
  }

  @Test func `hub and topic are links of the feed, not of its entries`() throws {
    try expect(
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><link href="https://site.example/"/>
      <link rel="hub" href="https://hub.example/"/><link rel="HUB" href="/hub"/>
      <link rel="self" href="https://site.example/atom.xml"/>
      <entry><id>1</id><title>One</title><link rel="hub" href="https://evil.example/"/>
      <link rel="self" href="https://evil.example/1"/></entry></feed>
      """, ["https://hub.example/", "https://site.example/hub"], "https://site.example/atom.xml")
    // RSS may have links of Atom too, also before the link to its page.
    try expect(
      """
      <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>News</title>
      <atom:link rel="self" type="application/rss+xml" href="rss.xml"/><atom:link href="https://site.example/"/>
      <atom:link rel="hub" href="https://hub.example/"/><item><title>One</title>
      <atom:link rel="hub" href="https://evil.example/"/></item></channel></rss>
      """, ["https://hub.example/"], "https://site.example/rss.xml")
    // Only WebSub hubs of JSON Feed count.
    try expect(
      """
      {"version": "https://jsonfeed.org/version/1.1", "title": "News", "feed_url": "https://site.example/feed.json",
       "hubs": [{"type": "rssCloud", "url": "https://cloud.example/"}, {"url": "https://hub.example/", "type": "WebSub"},
       7, {"type": "WebSub"}, {"type": "websub", "url": "javascript:x"}], "items": []}
      """, ["https://hub.example/"], "https://site.example/feed.json")
    let page =
      "<atom:link rel='self' href='https://site.example/rss.xml'/><atom:link href='https://site.example/'/>"
    #expect(try read(rss(page)).link == "https://site.example/")
  }
}

@Suite struct ImageTests {
  @Test(arguments: [
    ("<media:thumbnail url='t.png'/>", ["https://site.example/t.png"]),
    ("<media:group><media:thumbnail url='/t.png'/></media:group>", ["https://site.example/t.png"]),
    (
      "<media:content url='/v.mp4'><media:title>x</media:title><media:thumbnail url='/t.png'/></media:content>",
      ["https://site.example/t.png"]
    ),
    ("<itunes:image href='https://a.example/i.jpg'/>", ["https://a.example/i.jpg"]),
    ("<itunes:image>https://a.example/i.jpg</itunes:image>", ["https://a.example/i.jpg"]),
    ("<image><title>no</title><url>https://a.example/i.jpg</url></image>", ["https://a.example/i.jpg"]),
    ("<image>/i.jpg</image>", ["https://site.example/i.jpg"]),
    (
      "<itunes:image href='/1'/><media:thumbnail url='/2'/><itunes:image href='/1'/>",
      ["https://site.example/1", "https://site.example/2"]
    ),
    ("<media:thumbnail/><itunes:image/><image/>", []),
  ])
  func `images of an RSS item are found, each once`(inside: String, urls: [String]) throws {
    let item = try rssItem("<title>t</title>" + inside)

    #expect(item.images.map(\.url) == urls)
    #expect(item.title == "t")
  }

  @Test func `an image is not an enclosure, and that of a channel belongs to no item`() throws {
    let item = try rssItem(
      "<media:content url='/v.mp4'><media:thumbnail url='/t.png'/></media:content><guid>1</guid><image><url>/i</url></image><author>Ann</author>"
    )
    let feed = try read(rss("<image><url>/logo.png</url></image><item><title>t</title></item>"))

    #expect(item.enclosures.map(\.url) == ["https://site.example/v.mp4"])
    // The elements after it are read.
    #expect(item.id == "1")
    #expect(item.author == "Ann")
    #expect(feed.items.map(\.images) == [[]])
  }

  @Test func `an Atom entry has thumbnails and podcast images, a JSON Feed item an image and a banner`()
    throws
  {
    let entry = try read(
      """
      <feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/"
        xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><entry><id>1</id>
        <media:group><media:thumbnail url="https://i.example/hq.jpg"/></media:group>
        <itunes:image href="/p.jpg"/></entry></feed>
      """)
    let json = try read(
      """
      {"version": "https://jsonfeed.org/version/1.1", "items": [
        {"id": "1", "image": "i.png", "banner_image": "https://b.example/b.png"}, {"id": "2", "image": {"url": "x"}}]}
      """)

    #expect(
      entry.items.map { $0.images.map(\.url) } == [
        ["https://i.example/hq.jpg", "https://site.example/p.jpg"]
      ])
    #expect(
      json.items.map { $0.images.map(\.url) } == [
        ["https://site.example/i.png", "https://b.example/b.png"], [],
      ])
  }
}
