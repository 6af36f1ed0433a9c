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
    var expected = ParsedFeed(format: .rss20)
    expected.title = "News & more"
    expected.link = "https://site.example/"
    expected.hubLinks.accept(topic: "https://site.example/feed")
    expected.published = Instant(rfc3339: "2004-01-01T19:48:21Z")
    expected.updated = Instant(rfc3339: "2004-01-02T19:48:21Z")
    expected.items = [item]
    #expect(feed == expected)
  }

  @Test(arguments: [
    ("<rss version=\"2.0\">", "</rss>", FeedFormat.rss20), ("<rss>", "</rss>", .rss20),
    ("<rss version=\"0.91\">", "</rss>", .rss09), ("<rss version='0.92'>", "</rss>", .rss09),
    ("<rss version='0.94'>", "</rss>", .rss20),
    (
      "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'>",
      "</rdf:RDF>", .rdf
    ),
    (
      "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://my.netscape.com/rdf/simple/0.9/'>",
      "</rdf:RDF>", .rss09
    ),
    ("<RSS VERSION='2.0'>", "</RSS>", .rss20),
  ])
  func `the root gives the version`(start: String, end: String, format: FeedFormat) throws {
    let feed = try read("\(start)<channel><title>t</title></channel><item><title>i</title></item>\(end)")

    #expect(feed.format == format)
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

  @Test func `media content is a file, a thumbnail is not, and no file is listed twice`() throws {
    let item = try rssItem(
      """
      <enclosure url="https://a.example/1.mp3"/>
      <media:group><media:content url="https://a.example/1.mp3" type="audio/mpeg" fileSize="7"/>
      <media:content url="/my file.mp4" medium="video"/></media:group>
      <media:thumbnail url="https://a.example/t.png"/><enclosure length="3"/>
      """)

    // The enclosure is the default of the group that has it, too.
    var file = Enclosure(url: "https://a.example/1.mp3", type: "audio/mpeg", length: 7)
    file.renditions = [Enclosure(url: "https://site.example/my%20file.mp4")]
    #expect(item.enclosures == [file])
  }

  struct Group: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let inside: String
    /// The files, and after `|` their other forms.
    let files: [String]

    init(_ name: String, _ inside: String, _ files: [String]) {
      self.testDescription = name
      self.inside = inside
      self.files = files
    }
  }

  @Test(arguments: [
    Group(
      "the default that is declared",
      "<media:group><media:content url='/1080' height='1080'/><media:content url='/720' isDefault='true'/></media:group>",
      ["/720|/1080"]),
    Group(
      "without one the largest picture, as BBC",
      "<media:group><media:content url='/s' height='280' bitrate='900'/><media:content url='/l' height='1080'/></media:group>",
      ["/l|/s"]),
    Group(
      "the highest rate of a recording, then the longest file",
      """
      <media:group><media:content url='/64' bitrate='64' fileSize='9'/><media:content url='/128' bitrate='128'/>
      <media:content url='/128b' bitrate='128' fileSize='8'/></media:group>
      """, ["/128b|/128 /64"]),
    Group(
      "the first of equals", "<media:group><media:content url='/a'/><media:content url='/b'/></media:group>",
      ["/a|/b"]),
    Group(
      "a sample last",
      "<media:group><media:content url='/s' expression='sample' height='9'/><media:content url='/f'/></media:group>",
      ["/f|/s"]),
    Group(
      "a video before a recording",
      "<media:group><media:content url='/a' type='audio/mpeg'/><media:content url='/v' medium='video'/></media:group>",
      ["/v|/a"]),
    Group(
      "a picture of a video is no form of it",
      "<media:group><media:content url='/i' medium='image'/><media:content url='/v' type='video/mp4'/></media:group>",
      ["/v"]),
    Group(
      "sizes of a picture",
      "<media:group><media:content url='/s' type='image/png' height='9'/><media:content url='/l' type='image/png' height='90'/></media:group>",
      ["/l|/s"]),
    Group(
      "an enclosure after its group is the default",
      "<media:group><media:content url='/a' height='9'/><media:content url='/b'/></media:group><enclosure url='/b'/>",
      ["/b|/a"]),
    Group(
      "an enclosure of its own is another file",
      "<enclosure url='/e'/><media:group><media:content url='/a'/></media:group>", ["/e", "/a"]),
    Group(
      "two groups are two files",
      "<media:group><media:content url='/a'/></media:group><media:group><media:content url='/b'/></media:group>",
      ["/a", "/b"]),
    Group("files outside of a group", "<media:content url='/a'/><media:content url='/b'/>", ["/a", "/b"]),
    Group(
      "a form twice",
      "<media:group><media:content url='/a'/><media:content url='/b'/><media:content url='/b'/></media:group>",
      ["/a|/b"]),
    Group(
      "YouTube",
      "<media:group><media:title>t</media:title><media:content url='/v/1' type='application/x-shockwave-flash' width='640' height='390'/><media:thumbnail url='/t.jpg'/><media:description>one\ntwo</media:description></media:group>",
      ["/v/1"]),
    Group(
      "a group without files", "<media:group><media:title>t</media:title><media:content/></media:group>", []),
    Group(
      "alternate enclosures of podcasts",
      "<enclosure url='/e'/><podcast:alternateEnclosure type='audio/opus'><podcast:source uri='/o'/></podcast:alternateEnclosure>",
      ["/e"]),
  ])
  func `the forms of a file in a group are one file`(group: Group) throws {
    func path(_ file: Enclosure) -> String { file.url.replacing("https://site.example", with: "") }
    let files = try rssItem(group.inside).enclosures.map { file in
      path(file) + (file.renditions.isEmpty ? "" : "|") + file.renditions.map(path).joined(separator: " ")
    }

    #expect(files == group.files)
  }

  @Test func `forms of files are bounded`() throws {
    let forms = (1...500).map { "<media:content url='/\($0)'/>" }.joined()
    let item = try rssItem("<media:group>\(forms)</media:group><media:group>\(forms)</media:group>")

    #expect(item.enclosures.count == 1)
    #expect(item.enclosures.first?.renditions.count == 199)
  }

  @Test(
    arguments: [
      ("<enclosure>https://a.example/my file.mp3</enclosure>", "https://a.example/my%20file.mp3", nil, nil),
      (
        "<enclosure type='audio/mpeg' length='7'> /e.mp3 </enclosure>", "https://site.example/e.mp3",
        "audio/mpeg", 7
      ),
      (
        "<enclosure><![CDATA[https://a.example/?a=1&b=2]]></enclosure>", "https://a.example/?a=1&b=2", nil,
        nil
      ),
      ("<enclosure>none</enclosure>", nil, nil, nil), ("<enclosure>see the page.</enclosure>", nil, nil, nil),
      (
        "<enc:enclosure rdf:resource='https://a.example/e.mp3' enc:type='audio/mpeg' enc:length='7'/>",
        "https://a.example/e.mp3", "audio/mpeg", 7
      ),
      (
        "<e:enclosure xmlns:e='http://purl.oclc.org/net/rss_2.0/enc#' e:url='e.mp3' e:type='audio/mpeg'/>",
        "https://site.example/e.mp3", "audio/mpeg", nil
      ),
    ] as [(String, String?, String?, Int64?)])
  func `a file is found in a text and in the module of RSS 1.0`(
    inside: String, url: String?, type: String?, length: Int64?
  ) throws {
    let expected = url.map { [Enclosure(url: $0, type: type, length: length)] } ?? []

    #expect(try rssItem("<title>t</title>" + inside).enclosures == expected)
  }

  @Test(arguments: [
    ("0", nil), ("", nil), ("-1", nil), ("12 MB", nil), (" 12 ", 12), ("99999999999999999999", nil),
  ])
  func `a length is a number above zero or nil`(text: String, expected: Int64?) throws {
    #expect(
      try rssItem("<enclosure url='https://a.example/x' length='\(text)'/>").enclosures.first?.length
        == expected)
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
