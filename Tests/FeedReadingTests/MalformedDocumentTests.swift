import Core
import Testing

/// Documents that are no XML, as they are met on the web, and what people expect to see of them all the same.
@Suite struct MalformedDocumentTests {
  private func document(_ firstTitle: String, inside: String = "") -> String {
    """
    <?xml version="1.0"?><rss version="2.0"><channel><title>T</title>
    <item><title>\(firstTitle)</title><link>https://a.example/1</link>\(inside)</item>
    <item><title>two</title><link>https://a.example/2</link></item></channel></rss>
    """
  }

  @Test(
    arguments: [
      ("AT&T & co", "AT&T & co"), ("a&nbsp;&mdash;&eacute;", "a —é"), ("a &unknown; b", "a &unknown; b"),
      ("a < b", "a < b"),
      ("a ]]> b", "a ]]> b"), ("a&#0;b&#xD800;c", "abc"), ("a\u{B}b\u{1F}c\u{0}d", "abcd"),
      ("a<b>c</i>d</b>", "acd"),
      ("&lol9;", "&lol9;"), ("a<!-- - -- >b-->c", "ac"), ("x<![CDATA[y]]>z", "xyz"), ("a<br>b", "a b"),
      ("a &amp b", "a &amp b"),
      ("a<?php echo 1 ?>b", "ab"), ("a</nothing>b", "ab"), ("a</>b", "ab"), ("<p/>a", "a"),
    ])
  func `a broken title is read and loses no item`(title: String, expected: String) throws {
    let feed = try read(document(title))

    #expect(feed.items.map(\.title) == [expected, "two"])
    #expect(feed.items.map(\.link) == ["https://a.example/1", "https://a.example/2"])
    #expect(feed.isComplete)
  }

  @Test func `a bare ampersand in an address stays`() throws {
    let item = try rssItem(
      "<link>https://a.example/?a=1&b=2&copy=3</link><enclosure url='https://a.example/?c=1&d=2'/>")

    #expect(item.link == "https://a.example/?a=1&b=2&copy=3")
    #expect(item.enclosures.map(\.url) == ["https://a.example/?c=1&d=2"])
  }

  @Test(
    arguments: [
      "<enclosure url=https://a.example/1 length=5/>", "<enclosure url='https://a.example/1' length='5'",
      "<enclosure length=5 url = \"https://a.example/1\" >",
      "<enclosure url='https://a.example/1'length='5'/>", "<ENCLOSURE URL='https://a.example/1' LENGTH='5'/>",
      "<media:content url='https://a.example/1' fileSize='5'/>",
      "<enclosure checked url='https://a.example/1' length='5' / >",
      "<enclosure url='https://a.example/1' length='5'></wrong></enclosure>",
    ])
  func `sloppy attributes are read`(element: String) throws {
    let feed = try read(document("one", inside: element))

    #expect(feed.items.first?.enclosures == [Enclosure(url: "https://a.example/1", length: 5)])
    #expect(feed.items.count == 2)
  }

  @Test func `a value whose quote is never closed hides nothing else`() throws {
    let feed = try read(document("one", inside: "<enclosure url=\"https://a.example/1>"))

    #expect(feed.items.count == 2)
  }

  @Test(arguments: [
    "\n\n  ", "\u{FEFF}\n", "<br />\n<b>Warning</b>: x in <b>/y.php</b> on line <b>3</b><br />\n",
    "<!-- c -->", "<!DOCTYPE rss>", "junk ",
  ])
  func `what stands before the document is passed over`(prefix: String) throws {
    #expect(try read(prefix + document("one")).items.count == 2)
  }

  @Test(arguments: [
    "<foo>", "junk", "</rss>", "<!-- x", "\u{0}\u{0}",
    "<rss><channel><item><title>three</title></item></channel></rss>",
  ])
  func `what stands behind the root is passed over`(suffix: String) throws {
    let feed = try read(document("one") + suffix)

    #expect(feed.items.count == 2)
    #expect(feed.isComplete)
  }

  @Test func `of a document that breaks off the whole items are given, and it says so`() throws {
    let whole = Array(document("one").utf8)
    for length in 0..<whole.count {
      guard let feed = try? read(String(decoding: whole[..<length], as: UTF8.self)) else { continue }
      let text = String(decoding: whole[..<length], as: UTF8.self)
      #expect(!feed.isComplete)
      #expect(
        feed.items.count == text.split(separator: "</item>", omittingEmptySubsequences: false).count - 1)
    }
  }

  @Test func `items whose end tags were forgotten are told apart`() throws {
    let feed = try read(
      rss(
        "<title>T</title><item><title>a</title><item><title>b<item><title>c</title><foo><item><title>d</title>"
      ))

    #expect(feed.title == "T")
    #expect(feed.items.map(\.title) == ["a", "b", "c", "d"])
    #expect(feed.isComplete)
  }

  @Test func `a feed title whose end tag was forgotten hides no item`() throws {
    #expect(try read(rss("<title>T<item><title>a</title></item>")).items.map(\.title) == ["a"])
  }

  @Test func `items beside and behind the channel are found`() throws {
    let feed = try read(
      "<rss><channel><title>T</title><wrap><item><title>a</title></item></wrap></channel><item><title>b</title></item></rss>"
    )

    #expect(feed.items.map(\.title) == ["a", "b"])
  }

  @Test(arguments: ["title", "Title", "TITLE"])
  func `case does not matter`(name: String) throws {
    #expect(try rssItem("<\(name)>x</title>").title == "x")
  }

  @Test func `no entity of a document type is expanded, and no file is read`() throws {
    let feed = try read(
      """
      <?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "<!-- ] > ' -->"><!ENTITY f SYSTEM "file:///etc/passwd"> <!-- ' ]> -->
      <!ENTITY b "&a;&a;&a;">]><rss><channel><title>T[&f;]</title><item><title>&b;</title></item></channel></rss>
      """)

    #expect(feed.title == "T[&f;]")
    #expect(feed.items.map(\.title) == ["&b;"])
  }

  @Test func `a document type without end does not hide the document`() throws {
    #expect(try read("<!DOCTYPE rss [ <!ENTITY a 'b'>" + document("one")).items.count == 2)
  }

  @Test func `XML 1_1 is XML`() throws {
    #expect(try read("<?xml version='1.1'?><rss><channel><title>T</title></channel></rss>").title == "T")
  }

  @Test func `undeclared prefixes mean what everybody means by them`() throws {
    let item = try #require(
      read(
        "<rss><channel><item><media:content url='https://a.example/1'/><dc:creator>A</dc:creator><content:encoded>x</content:encoded></item></channel></rss>"
      )
      .items.first)

    #expect(item.enclosures.map(\.url) == ["https://a.example/1"])
    #expect(item.author == "A")
    #expect(item.content == "x")
  }

  @Test func `elements nested beyond all measure lose nothing but themselves`() throws {
    let deep = String(repeating: "<div>", count: 5000) + "x" + String(repeating: "</div>", count: 5000)
    let feed = try read(document("one", inside: "<description>\(deep)</description>"))

    #expect(feed.items.count == 2)
    #expect(feed.items.first?.summary?.contains("x") == true)
  }
}
