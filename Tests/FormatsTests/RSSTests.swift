// RSS of all versions, and CDF.

import Core
import Testing

@Suite struct RSSTests {
  @Test func `a usual document is read completely`() throws {
    let feed = try read(
      rss(
        """
        <title>News &amp; more</title><link>https://site.example/</link>
        <atom:link href="https://site.example/feed" rel="self"/>
        <pubDate>Thu, 01 Jan 2004 19:48:21 GMT</pubDate><lastBuildDate>Fri, 02 Jan 2004 19:48:21 GMT</lastBuildDate>
        <image><title>Logo</title><link>https://logo.example/</link></image>
        <item>
          <title>One</title><link>https://site.example/1</link><guid isPermaLink="false">id-1</guid>
          <pubDate>Thu, 01 Jan 2004 19:48:21 GMT</pubDate><dc:creator>Ann</dc:creator>
          <category>linux</category><category><![CDATA[news]]></category>
          <description>short</description><content:encoded><![CDATA[<p>long</p>]]></content:encoded>
          <enclosure url="https://site.example/1.mp3" type="audio/mpeg" length="42"/>
        </item>
        """))

    var item = ParsedItem()
    item.id = "id-1"
    item.title = "One"
    item.link = "https://site.example/1"
    item.author = "Ann"
    item.published = Instant(rfc3339: "2004-01-01T19:48:21Z")
    item.categories = ["linux", "news"]
    item.summary = "short"
    item.content = "<p>long</p>"
    item.enclosures = [Enclosure(url: "https://site.example/1.mp3", type: "audio/mpeg", length: 42)]
    var expected = ParsedFeed(format: .rss)
    expected.title = "News & more"
    expected.link = "https://site.example/"
    expected.hubLinks.accept(topic: "https://site.example/feed")
    expected.published = Instant(rfc3339: "2004-01-01T19:48:21Z")
    expected.updated = Instant(rfc3339: "2004-01-02T19:48:21Z")
    expected.items = [item]
    #expect(feed == expected)
  }

  @Test(arguments: [
    ("<rss version=\"2.0\">", "</rss>"), ("<rss>", "</rss>"), ("<rss version=\"0.91\">", "</rss>"),
    (
      "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'>",
      "</rdf:RDF>"
    ),
    (
      "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://my.netscape.com/rdf/simple/0.9/'>",
      "</rdf:RDF>"
    ),
    ("<RSS VERSION='2.0'>", "</RSS>"),
  ])
  func `every version has the root of RSS`(start: String, end: String) throws {
    let feed = try read("\(start)<channel><title>t</title></channel><item><title>i</title></item>\(end)")

    #expect(feed.format == .rss)
    #expect(feed.title == "t")
    #expect(feed.items.map(\.title) == ["i"])
  }

  @Test func `RDF has identities in attributes and dates in Dublin Core`() throws {
    let feed = try read(
      """
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
        xmlns:dc="http://purl.org/dc/elements/1.1/">
      <channel rdf:about="https://a.example/"><title>T</title><items><rdf:Seq><rdf:li resource="x"/></rdf:Seq></items></channel>
      <image rdf:about="i"><title>no</title></image>
      <item rdf:about="https://a.example/1"><title>One</title><dc:date>2003-12-31T10:14:55Z</dc:date></item>
      </rdf:RDF>
      """)

    #expect(feed.id == "https://a.example/")
    #expect(feed.title == "T")
    #expect(feed.items.map(\.id) == ["https://a.example/1"])
    #expect(feed.items.map(\.link) == ["https://a.example/1"])
    #expect(feed.items.map(\.published) == [Instant(rfc3339: "2003-12-31T10:14:55Z")])
  }

  @Test func `CDF has in attributes what RSS has in elements`() throws {
    let feed = try read(
      """
      <CHANNEL HREF="https://a.example/" LASTMOD="2004-04-06T23:05:43-05:00"><TITLE>C</TITLE>
      <ITEM HREF="https://a.example/1" LASTMOD="2004-04-07T04:05:43Z"><TITLE>One</TITLE></ITEM></CHANNEL>
      """)

    #expect(feed.link == "https://a.example/")
    #expect(feed.updated == Instant(rfc3339: "2004-04-07T04:05:43Z"))
    #expect(feed.items.map(\.link) == ["https://a.example/1"])
    #expect(feed.items.map(\.title) == ["One"])
  }

  @Test(
    arguments: [
      ("<guid isPermaLink='true'>7/</guid>", "https://a.example/e/7/"),
      ("<guid isPermaLink='true'>7</guid>", nil), ("<guid>7/</guid>", nil),
      ("<guid isPermaLink='true'>tag:a.example,2004:/7</guid>", nil),
    ] as [(String, String?)])
  func `a relative guid is a page only if isPermaLink says so`(inside: String, expected: String?) throws {
    let feed = try read(
      "<rss xml:base='https://a.example/e/'><channel><title>f</title><item><title>t</title>\(inside)</item></channel></rss>"
    )

    #expect(feed.items.map(\.link) == [expected])
  }

  @Test(arguments: [
    ("<guid>https://a.example/1</guid>", "https://a.example/1"),
    ("<guid isPermaLink='true'>https://a.example/1</guid>", "https://a.example/1"),
    ("<guid isPermaLink='false'>https://a.example/1</guid>", nil), ("<guid>tag:x</guid>", nil),
    ("<guid>https://a.example/1</guid><link>https://a.example/2</link>", "https://a.example/2"),
    ("<link>https://a.example/2</link><guid>https://a.example/1</guid>", "https://a.example/2"),
    ("<link/><atom:link href='https://a.example/3'/>", "https://a.example/3"),
    ("<atom:link rel='self' href='https://a.example/3'/>", nil),
    (
      "<link>https://p.example/x</link><feedburner:origLink>https://a.example/4</feedburner:origLink>",
      "https://a.example/4"
    ),
    ("<link href='https://a.example/5'/>", "https://a.example/5"),
    ("<link>\n https://a.example/\n6 </link>", "https://a.example/6"),
    ("<link>/7</link>", "https://site.example/7"), ("<image><link>https://no.example/</link></image>", nil),
  ])
  func `the best of several links counts`(inside: String, expected: String?) throws {
    #expect(try rssItem("<title>t</title>" + inside).link == expected)
  }

  @Test func `a guid is kept as it is written, and an empty item is still an item`() throws {
    let items = try read(
      rss(
        "<item/><item></item><item><foo>x</foo></item><item><title> </title></item><item><guid>1</guid></item>"
      )
    ).items

    #expect(
      try rssItem("<guid>\n  HTTP://A.example/%7e?a=1&amp;b=2 </guid>").id == "HTTP://A.example/%7e?a=1&b=2")
    #expect(items.map(\.isEmpty) == [true, true, true, true, false])
  }

  @Test(arguments: [
    ("<title>AT&amp;amp;T</title>", "AT&T"), ("<title>AT&amp;T</title>", "AT&T"),
    ("<title>a &lt; b</title>", "a < b"), ("<title>&lt;b&gt;bold&lt;/b&gt; move</title>", "bold move"),
    ("<title><![CDATA[<i>x</i> &eacute;]]></title>", "x é"),
    ("<title>Why List&lt;String&gt; is fast</title>", "Why List<String> is fast"),
    ("<title> a\n  b </title>", "a b"), ("<title>naked <b>mark</b>up</title>", "naked markup"),
    ("<title>a<![CDATA[ & ]]>b</title>", "a & b"), ("<title>a &amp;lt;b&amp;gt; c</title>", "a <b> c"),
    ("<media:title>m</media:title>", "m"), ("<media:title>m</media:title><title>t</title>", "t"),
    ("<dc:title>d</dc:title>", "d"),
    ("<title>Why &lt;script> is dangerous</title>", "Why <script> is dangerous"),
    ("<title>Why &lt;script>x&lt;/script> &amp;amp; co</title>", "Why <script>x</script> & co"),
    ("<title>if x&lt;a then</title>", "if x<a then"),
    ("<title><![CDATA[x<a and b>c]]></title>", "x<a and b>c"),
    (
      "<title><![CDATA[Vec<T>, Map<A, B>, Box<A> and Option<String>]]></title>",
      "Vec<T>, Map<A, B>, Box<A> and Option<String>"
    ),
    ("<title>Vec<T> and Option<String></title>", "Vec<T> and Option<String>"),
    ("<title><![CDATA[<!DOCTYPE> matters]]></title>", "<!DOCTYPE> matters"),
    ("<title>a &lt; b > c</title>", "a < b > c"),
    ("<title><![CDATA[<div> or <table>?]]></title>", "<div> or <table>?"),
    ("<title><![CDATA[#include <vector> <-- so]]></title>", "#include <vector> <-- so"),
    ("<title><![CDATA[a <!-- no end, <?php]]></title>", "a <!-- no end, <?php"),
    ("<title><![CDATA[a<!-- x -->b]]></title>", "ab"),
    ("<title><![CDATA[<p class='x'>One</p><p>two</p>]]></title>", "One two"),
    ("<title><![CDATA[one<br/>two]]></title>", "one two"),
    (
      "<title><![CDATA[<B>x</B> <a href='y'>l</a> H<sub>2</sub>O <code>c</code> <span style=\"a>b\">s</span>]]></title>",
      "x l H₂O c s"
    ),
    ("<title><![CDATA[x <img src='e.png' alt='&lt;3 you'> <img src=y>z]]></title>", "x <3 you z"),
    // A value may have tags, and a tag ends before the next one.
    ("<title><![CDATA[x <img alt='a<b'> <img alt=\"a<br>b\"> y]]></title>", "x a<b a b y"),
    ("<title><![CDATA[<p><a<a x='<b>y</b>]]></title>", "<p><a<a x='y"),
    ("<title></title><dc:title>d</dc:title>", "d"), ("<title>a&#160;b</title>", "a b"),
  ])
  func `a title is plain text`(inside: String, expected: String) throws {
    #expect(try rssItem(inside).title == expected)
  }

  @Test(arguments: [
    ("<description>&lt;p&gt;x&lt;/p&gt;</description>", "<p>x</p>"),
    ("<description><p>x<br/>y</p></description>", "<p>x<br>y</p>"),
    ("<description><![CDATA[<p>x</p>]]></description>", "<p>x</p>"),
    ("<itunes:summary>s</itunes:summary>", "s"),
    ("<itunes:summary>s</itunes:summary><description>d</description>", "d"),
    ("<media:group><media:description>m</media:description></media:group>", "m"),
  ])
  func `a summary keeps its markup`(inside: String, expected: String) throws {
    #expect(try rssItem(inside).summary == expected)
  }

  @Test(arguments: [
    ("<author>a@b.example (Ann)</author>", "a@b.example (Ann)"),
    ("<dc:creator>Bo</dc:creator><author>x</author>", "Bo"),
    ("<dc:creator>Bo</dc:creator><dc:creator>Cy</dc:creator>", "Bo, Cy"),
    ("<atom:author><atom:name>Di</atom:name><atom:email>d@x</atom:email></atom:author>", "Di"),
    ("<itunes:author>E</itunes:author>", "E"),
  ])
  func `the author of the highest rank counts`(inside: String, expected: String) throws {
    #expect(try rssItem("<title>t</title>" + inside).author == expected)
  }

  @Test(arguments: [
    ("<dc:creator>Ann</dc:creator><itunes:author>x</itunes:author>", "", "Ann"),
    ("<itunes:author>Ann</itunes:author>", "", "Ann"),
    ("<managingEditor>a@b.example (Ann)</managingEditor>", "", "a@b.example (Ann)"),
    ("<atom:author><atom:name>Ann</atom:name></atom:author>", "", "Ann"),
    ("<dc:creator>Ann</dc:creator>", "<itunes:author>Bo</itunes:author>", "Bo"),
    ("<webMaster>w@b.example</webMaster><image><dc:creator>x</dc:creator></image>", "", nil),
  ])
  func `an item without an author has those of its channel`(channel: String, inside: String, author: String?)
    throws
  {
    let item = "<item><title>t</title>\(inside)</item>"

    #expect(try read(rss(channel + item)).items.first?.author == author)
    #expect(try read(rss(item + channel)).items.first?.author == author)
  }

  @Test(arguments: [
    ("<pubDate>2004-01-01T00:00:00Z</pubDate><dc:date>2005-01-01</dc:date>", "2004-01-01T00:00:00Z"),
    ("<dc:date>2005-01-01</dc:date>", "2005-01-01T00:00:00Z"),
    ("<pubDate>soon</pubDate><dc:date>2005-01-01</dc:date>", "2005-01-01T00:00:00Z"),
    ("<atom:published>2006-01-01</atom:published>", "2006-01-01T00:00:00Z"),
  ])
  func `the best readable date of an item counts`(inside: String, expected: String) throws {
    #expect(try rssItem(inside).published?.rfc3339 == expected)
  }

  @Test func `a feed can say when to fetch it again, and senseless intervals are ignored`() throws {
    let hints = try read(
      rss(
        """
        <ttl> 60 </ttl><skipHours><hour>1</hour><hour>24</hour><hour>99</hour></skipHours>
        <skipDays><day>Sunday</day><day>saturday</day><day>Noday</day></skipDays>
        <sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>
        """)
    ).hints

    #expect(hints.timeToLive == .minutes(60))
    #expect(hints.updateInterval == .hours(6))
    #expect(hints.skipHours == [1, 0])
    #expect(hints.skipDays == [0, 6])
    for ttl in ["-5", "soon", "99999999999"] {
      #expect(try read(rss("<ttl>\(ttl)</ttl>")).hints == FeedHints(), "\(ttl)")
    }
    #expect(try read(rss("<sy:updatePeriod>rarely</sy:updatePeriod>")).hints == FeedHints())
  }

  @Test func `namespaces are known by address, not by prefix, and RSS in that of Atom is RSS`() throws {
    let item = try #require(
      read(
        """
        <rss xmlns:c="http://purl.org/rss/1.0/modules/content/" xmlns:m="HTTPS://search.yahoo.com/mrss" xmlns:dc="urn:other">
        <channel><item><title>t</title><c:encoded>x</c:encoded><m:content url="https://a.example/1"/><dc:creator>no</dc:creator></item>
        </channel></rss>
        """
      ).items.first)
    let feed = try read(
      "<rss xmlns='http://www.w3.org/2005/Atom'><channel><item><guid>g</guid><link>https://a.example/</link></item></channel></rss>"
    )

    #expect(item.content == "x")
    #expect(item.author == nil)
    #expect(item.enclosures.map(\.url) == ["https://a.example/1"])
    #expect(feed.items.map(\.id) == ["g"])
    #expect(feed.items.map(\.link) == ["https://a.example/"])
  }
}
