import Core
import FeedReading
import Testing

@Suite struct LinkTests {
  @Test(
    arguments: [
      ("https://a.example/x", "https://a.example/x"), (" \n https://a.example/x\t", "https://a.example/x"),
      ("x", "https://site.example/x"), ("../x", "https://site.example/x"),
      ("//b.example/x", "https://b.example/x"), ("?q=1", "https://site.example/feed?q=1"),
      ("#f", "https://site.example/feed#f"), ("mailto:a@b.example", "mailto:a@b.example"),
      ("javascript:alert(1)", "javascript:alert(1)"),
      ("https://a.example/a b.mp3", "https://a.example/a%20b.mp3"),
      ("https://a.example/a\n b", "https://a.example/a%20b"),
      ("HTTP://A.example/%7e", "HTTP://A.example/%7e"), ("https://a.example/ü", "https://a.example/ü"),
      ("https://a.example/\u{202E}gpj\u{7F}", "https://a.example/%E2%80%AEgpj%7F"),
      ("x\u{9D}y", "https://site.example/x%C2%9Dy"),
    ])
  func `an address is made to stand alone`(link: String, expected: String) throws {
    #expect(try rssItem("<link>\(link)</link>").link == expected)
  }

  @Test func `bases hold for what is inside them and build on each other`() throws {
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

  @Test func `without any base a relative address stays as it is`() throws {
    let feed = try readFeed(Array(rss("<link>x/y</link>").utf8), contentType: nil, address: nil)

    #expect(feed.link == "x/y")
  }

  @Test func `a base beyond all measure is passed over`() throws {
    let base = "https://b.example/" + String(repeating: "x", count: 5000) + "/"
    let feed = try read("<rss xml:base='\(base)'><channel><link>y</link></channel></rss>")

    #expect(feed.link == "https://site.example/y")
  }
}
