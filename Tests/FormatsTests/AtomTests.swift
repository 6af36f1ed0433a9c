// Atom 1.0 and 0.3.

import Core
import Testing

@Suite struct AtomTests {
  @Test func `a usual document is read completely`() throws {
    let feed = try read(
      atom(
        """
        <title>News</title><id>urn:f</id><updated>2003-12-31T10:14:55Z</updated>
        <link rel="self" href="https://a.example/feed"/><link href="https://a.example/"/>
        <entry><title>One</title><id>urn:1</id><link href="https://a.example/1"/>
        <link rel="enclosure" href="https://a.example/1.mp3" type="audio/mpeg" length="42"/>
        <published>2003-12-30T10:14:55Z</published><updated>2003-12-31T10:14:55Z</updated>
        <author><name>Ann</name><email>a@b.example</email></author><author><name>Bo</name></author><category term="linux"/>
        <summary>short</summary><content type="html">&lt;p&gt;long&lt;/p&gt;</content></entry>
        """))

    var item = ParsedItem()
    item.id = "urn:1"
    item.title = "One"
    item.link = "https://a.example/1"
    item.author = "Ann, Bo"
    item.published = Instant(rfc3339: "2003-12-30T10:14:55Z")
    item.updated = Instant(rfc3339: "2003-12-31T10:14:55Z")
    item.categories = ["linux"]
    item.summary = "short"
    item.content = "<p>long</p>"
    item.enclosures = [Enclosure(url: "https://a.example/1.mp3", type: "audio/mpeg", length: 42)]
    var expected = ParsedFeed(format: .atom)
    expected.title = "News"
    expected.link = "https://a.example/"
    expected.id = "urn:f"
    expected.hubLinks.accept(topic: "https://a.example/feed")
    expected.updated = Instant(rfc3339: "2003-12-31T10:14:55Z")
    expected.items = [item]
    #expect(feed == expected)
  }

  @Test(arguments: [
    ("<title>a &lt; b</title>", "a < b"), ("<title type='text'>&lt;b&gt;</title>", "<b>"),
    ("<title>AT&amp;amp;T</title>", "AT&amp;T"),
    ("<title type='html'>AT&amp;amp;T &lt;b&gt;x&lt;/b&gt;</title>", "AT&T x"),
    ("<title type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>a &lt; <b>b</b></div></title>", "a < b"),
    ("<title type='html'><![CDATA[<i>x</i>]]></title>", "x"), ("<title>if x<a then</title>", "if x<a then"),
    ("<title>Why <script> is odd</title>", "Why <script> is odd"),
    ("<title type='html'>Vec&lt;T> &amp;amp; &lt;b>x&lt;/b></title>", "Vec<T> & x"),
    ("<title type='xhtml'><div>&lt;video> <em>x</em></div></title>", "<video> x"),
    ("<title>naked <b>b</b></title>", "naked b"), ("<title type=''>e</title>", "e"),
    ("<title mode='base64'>YSZhbXA7Yg==</title>", "a&b"),
    ("<title mode='base64'>not base64!</title>", "not base64!"),
    ("<title mode='base64'>gICA</title>", "gICA"), ("<title mode='base64'>YQRi</title>", "ab"),
    ("<title>a\n  b</title>", "a b"),
  ])
  func `a title of any type becomes plain text`(inside: String, expected: String) throws {
    #expect(try atomEntry(inside).title == expected)
  }

  @Test(arguments: [
    ("<content>a &lt; b &amp; c</content>", "a &lt; b &amp; c"),
    ("<content type='html'>&lt;p&gt;x</content>", "<p>x"),
    (
      "<content type='xhtml'><x:div xmlns:x='http://www.w3.org/1999/xhtml'><x:p>1 &lt; 2<x:br/></x:p></x:div></content>",
      "<div xmlns:x='http://www.w3.org/1999/xhtml'><p>1 &lt; 2<br></p></div>"
    ),
    (
      "<content type='xhtml'><div><code><![CDATA[a<b> & c]]></code></div></content>",
      "<div><code>a&lt;b> &amp; c</code></div>"
    ),
    ("<content type='html'><b>a</b><![CDATA[<i>b</i>]]></content>", "<b>a</b><i>b</i>"),
    ("<content type='image/png'>AAAA/w==</content>", nil), ("<content src='https://a.example/x'/>", nil),
  ])
  func `content of any type becomes HTML`(inside: String, expected: String?) throws {
    #expect(try atomEntry("<id>1</id>" + inside).content == expected)
  }

  @Test(arguments: [
    ("<link href='/1'/>", "https://site.example/1"),
    ("<link rel='self' href='/s'/><link rel='alternate' href='/1'/>", "https://site.example/1"),
    ("<link rel='self' href='/s'/>", "https://site.example/s"), ("<link rel='enclosure' href='/e'/>", nil),
    (
      "<link rel='alternate' type='application/json' href='/j'/><link rel='alternate' type='text/html' href='/h'/>",
      "https://site.example/h"
    ),
    ("<link href='/1'/><link href='/2'/>", "https://site.example/1"),
    ("<link rel='alternate'>/t</link>", "https://site.example/t"),
    ("<link rel='http://www.iana.org/assignments/relation/alternate' href='/i'/>", "https://site.example/i"),
    ("<id>https://a.example/id</id>", "https://a.example/id"), ("<link rel='replies' href='/r'/>", nil),
  ])
  func `an entry's link is its page`(inside: String, expected: String?) throws {
    #expect(try atomEntry("<title>t</title>" + inside).link == expected)
  }

  @Test func `a feed's own address is not its page, and elements may all have a prefix`() throws {
    let feed = try read(
      "<a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:title>T</a:title><a:entry><a:id>1</a:id></a:entry></a:feed>"
    )

    #expect(try read(atom("<link rel='self' href='https://a.example/feed'/>")).link == nil)
    #expect(feed.title == "T")
    #expect(feed.items.map(\.id) == ["1"])
  }

  @Test(arguments: [
    "<feed version=\"0.3\" xmlns=\"http://purl.org/atom/ns#\">", "<feed version='0.3'>",
    "<feed xmlns='http://purl.org/atom/ns#'>", "<feed>", "<feed xmlns='http://www.w3.org/2005/Atom'>",
  ])
  func `every version has the root of Atom`(start: String) throws {
    let feed = try read(
      "\(start)<entry><title>t</title><issued>2003-01-01</issued><modified>2004-01-01</modified></entry></feed>"
    )

    #expect(feed.format == .atom)
    #expect(feed.items.map { $0.published?.rfc3339 } == ["2003-01-01T00:00:00Z"])
    #expect(feed.items.map { $0.updated?.rfc3339 } == ["2004-01-01T00:00:00Z"])
  }

  @Test func `the source of an entry gives it only authors`() throws {
    let entry = try atomEntry(
      "<source><id>s</id><title>S</title><author><name>So</name></author></source><id>1</id><image><id>i</id></image>"
    )

    #expect(entry.id == "1")
    #expect(entry.title == nil)
    #expect(entry.author == "So")
  }

  @Test(arguments: [
    ("", "Ann, Bo"), ("<author><name>Cy</name></author>", "Cy"), ("<dc:creator>Cy</dc:creator>", "Cy"),
    ("<author><name>Cy</name></author><source><author><name>So</name></author></source>", "Cy"),
    ("<source><author><name>So</name></author></source><dc:creator>Cy</dc:creator>", "Cy"),
    ("<source><author><name>So</name></author><author><name>Su</name></author></source>", "So, Su"),
    ("<source><title>S</title></source>", "Ann, Bo"),
    ("<author><uri>https://a.example/</uri></author>", "Ann, Bo"),
  ])
  func `an entry without an author has those of its source, else of the feed`(inside: String, author: String)
    throws
  {
    let entry = "<entry><id>1</id>\(inside)</entry>"
    let authors = "<author><name>Ann</name></author><author><name>Bo</name></author>"

    #expect(try read(atom(authors + entry)).items.first?.author == author)
    #expect(try read(atom(entry + authors)).items.first?.author == author)
  }

  @Test(
    arguments: [
      ("<content src='p.html' type='text/html'/>", "https://site.example/p.html", nil),
      ("<content src='p'/>", "https://site.example/p", nil),
      ("<content src='p' type='html'/>", "https://site.example/p", nil),
      ("<content src='p' type='application/xhtml+xml'/><link href='l'/>", "https://site.example/l", nil),
      ("<content src='e.mp3' type='audio/mpeg'/>", nil, "https://site.example/e.mp3"),
      ("<content src='e.mp3'/>", nil, "https://site.example/e.mp3"),
      (
        "<content src='e' type='application/pdf'/><link href='l'/>", "https://site.example/l",
        "https://site.example/e"
      ),
      ("<content src='javascript:1' type='text/html'/>", nil, nil),
    ] as [(String, String?, String?)])
  func `content at another address is the link if it is a page, else a file`(
    inside: String, link: String?, file: String?
  ) throws {
    let entry = try atomEntry("<title>t</title>" + inside)

    #expect(entry.link == link)
    #expect(entry.content == nil)
    #expect(entry.enclosures.map(\.url) == [file].compactMap { $0 })
  }

  @Test func `Media RSS in an entry gives files and a summary`() throws {
    let entry = try atomEntry(
      """
      <id>1</id><media:group><media:content url="https://a.example/v.mp4" type="video/mp4"/>
      <media:description>about</media:description></media:group>
      """)

    #expect(entry.enclosures == [Enclosure(url: "https://a.example/v.mp4", type: "video/mp4")])
    #expect(entry.summary == "about")
  }
}
