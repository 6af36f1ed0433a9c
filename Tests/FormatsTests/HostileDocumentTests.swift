// Broken and hostile documents.

import Core
import Formats
import Glibc
import TestKit
import Testing

/// Documents from the web that are not XML, and the items that people expect of them.
@Suite struct MalformedDocumentTests {
  private func document(_ firstTitle: String, inside: String = "") -> String {
    """
    <?xml version="1.0"?><rss version="2.0"><channel><title>T</title>
    <item><title>\(firstTitle)</title><link>https://a.example/1</link>\(inside)</item>
    <item><title>two</title><link>https://a.example/2</link></item></channel></rss>
    """
  }

  @Test(arguments: [
    ("AT&T & co", "AT&T & co"), ("a&nbsp;&mdash;&eacute;", "a —é"), ("a &unknown; b", "a &unknown; b"),
    ("a < b", "a < b"), ("a ]]> b", "a ]]> b"), ("a&#0;b&#xD800;c", "a\u{FFFD}b\u{FFFD}c"),
    ("a\u{B}b\u{1F}c\u{0}d", "abcd"),
    ("a<b>c</i>d</b>", "acd"), ("&lol9;", "&lol9;"), ("a<!-- - -- >b-->c", "ac"), ("x<![CDATA[y]]>z", "xyz"),
    ("a<br>b", "a b"), ("a &amp b", "a &amp b"), ("a<?php echo 1 ?>b", "ab"), ("a</nothing>b", "ab"),
    ("a</>b", "ab"), ("<p/>a", "a"),
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

  @Test(arguments: [
    "<enclosure url=https://a.example/1 length=5/>", "<enclosure url='https://a.example/1' length='5'",
    "<enclosure length=5 url = \"https://a.example/1\" >", "<enclosure url='https://a.example/1'length='5'/>",
    "<ENCLOSURE URL='https://a.example/1' LENGTH='5'/>",
    "<media:content url='https://a.example/1' fileSize='5'/>",
    "<enclosure checked url='https://a.example/1' length='5' / >",
    "<enclosure url='https://a.example/1' length='5'></wrong></enclosure>",
  ])
  func `sloppy attributes are read`(element: String) throws {
    let feed = try read(document("one", inside: element))

    #expect(feed.items.first?.enclosures == [Enclosure(url: "https://a.example/1", length: 5)])
    #expect(feed.items.count == 2)
  }

  @Test func `a value without a closing quote hides nothing else`() throws {
    #expect(try read(document("one", inside: "<enclosure url=\"https://a.example/1>")).items.count == 2)
  }

  @Test func `text before the document and after the root is skipped`() throws {
    for prefix in [
      "\n\n  ", "\u{FEFF}\n", "<br />\n<b>Warning</b>: x in <b>/y.php</b> on line <b>3</b><br />\n",
      "<!-- c -->", "<!DOCTYPE rss>", "junk ",
    ] { #expect(try read(prefix + document("one")).items.count == 2, "\(prefix)") }
    for suffix in [
      "<foo>", "junk", "</rss>", "<!-- x", "\u{0}\u{0}",
      "<rss><channel><item><title>three</title></item></channel></rss>",
    ] {
      let feed = try read(document("one") + suffix)
      #expect(feed.items.count == 2, "\(suffix)")
      #expect(feed.isComplete, "\(suffix)")
    }
  }

  @Test func `a cut-off document gives its complete items, and is marked incomplete`() throws {
    let whole = Array(document("one").utf8)
    for length in 0..<whole.count {
      guard let feed = try? read(String(decoding: whole[..<length], as: UTF8.self)) else { continue }
      let text = String(decoding: whole[..<length], as: UTF8.self)
      #expect(!feed.isComplete)
      #expect(
        feed.items.count == text.split(separator: "</item>", omittingEmptySubsequences: false).count - 1)
    }
  }

  @Test func `items without end tags, beside and after the channel are found and stay distinct`() throws {
    let feed = try read(
      rss(
        "<title>T</title><item><title>a</title><item><title>b<item><title>c</title><foo><item><title>d</title>"
      )
    )
    let beside = try read(
      "<rss><channel><title>T</title><wrap><item><title>a</title></item></wrap></channel><item><title>b</title></item></rss>"
    )

    #expect(feed.title == "T")
    #expect(feed.isComplete)
    #expect(feed.items.map(\.title) == ["a", "b", "c", "d"])
    #expect(beside.items.map(\.title) == ["a", "b"])
    // A feed title without an end tag hides no item.
    #expect(try read(rss("<title>T<item><title>a</title></item>")).items.map(\.title) == ["a"])
  }

  @Test(arguments: ["title", "Title", "TITLE"])
  func `case does not matter, XML 1.1 is XML, and undeclared prefixes have their usual meaning`(name: String)
    throws
  {
    let item = try #require(
      read(
        "<?xml version='1.1'?><rss><channel><item><media:content url='https://a.example/1'/><dc:creator>A</dc:creator><content:encoded>x</content:encoded></item></channel></rss>"
      ).items.first)

    #expect(try rssItem("<\(name)>x</title>").title == "x")
    #expect(item.enclosures.map(\.url) == ["https://a.example/1"])
    #expect(item.author == "A")
    #expect(item.content == "x")
  }

  @Test func `an entity of another file is text, and no file is read`() throws {
    let feed = try read(
      """
      <?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "<!-- ] > ' -->"><!ENTITY f SYSTEM "file:///etc/passwd"> <!-- ' ]> -->
      <!ENTITY g PUBLIC "-//x" 'http://a.example/'><!ENTITY % p "<!ENTITY q 'x'>">%p;]><rss><channel><title>T[&f;]</title>
      <item><title>&g; &p; &q;</title></item></channel></rss>
      """)

    #expect(feed.title == "T[&f;]")
    #expect(feed.items.map(\.title) == ["&g; &p; &q;"])
  }

  @Test(arguments: [
    ("<!ENTITY a 'b'>", "x&a;y", "xby"),
    ("<!ENTITY nbsp \"&#160;\"><!ENTITY bull '&#x2022;'>", "x&nbsp;&bull;", "x •"),
    ("<!ENTITY a 'one'><!ENTITY b '&a;, &lt;'>", "&b; &a;", "&a;, < one"),
    ("<!ENTITY a 'first'><!ENTITY a 'second'>", "&a;", "first"), ("<!ENTITY A 'b'>", "&A; &a;", "b &a;"),
    // The entities that all documents have stay, however they are declared.
    ("<!ENTITY lt '&#38;#60;'><!ENTITY amp 'x'>", "1 &lt; 2 &amp; 3", "1 < 2 & 3"),
    ("<!ENTITY a '1 &#38;lt; 2 &amp; 3'>", "&a;", "1 < 2 & 3"),
    ("<!-- <!ENTITY a 'b'> --><!ELEMENT x (y)><!ATTLIST x y CDATA '>]'>", "&a;", "&a;"),
    ("<!ENTITY a '&a;'>", "&a;", "&a;"), ("<!ENTITY a '&b;'><!ENTITY b '&#38;a;'>", "&a;&b;", "&b;&a;"),
    ("<!ENTITY a 'b'", "&a;", "b"), ("<!ENTITY a 'b>", "&a; and", "&a; and"),
    ("<!ENTITY 'b'>", "&a; &;", "&a; &;"),
  ])
  func `an entity that the document declares is its text`(declarations: String, title: String, text: String)
    throws
  {
    let feed = try read(
      "<!DOCTYPE rss [\(declarations)]><rss><channel><item><title>\(title)</title></item></channel></rss>")

    #expect(feed.items.map(\.title) == [text])
  }

  @Test func `a declared entity is read in texts, attributes, addresses and markup, not in CDATA`() throws {
    let feed = try read(
      """
      <!DOCTYPE feed [<!ENTITY host "https://a.example"><!ENTITY who "Ann &amp; Bob">]>
      <feed xmlns="http://www.w3.org/2005/Atom"><title>&who;</title><entry><title><![CDATA[&host;]]></title>
      <link href="&host;/1"/><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">By <a href="&host;/2">&who;</a></div>
      </content></entry></feed>
      """)

    let item = try #require(feed.items.first)
    #expect(feed.title == "Ann & Bob")
    #expect(item.title == "&host;")
    #expect(item.link == "https://a.example/1")
    #expect(item.content?.contains("By <a href=\"https://a.example/2\">Ann &amp; Bob</a>") == true)
  }

  @Test func `entities cannot make a document large`() throws {
    let lol = String(repeating: "lol", count: 10_000)
    let many = try read(
      "<!DOCTYPE x [<!ENTITY lol '\(lol)'>]><rss><channel><item><title>t</title><description>\(String(repeating: "&lol;", count: 1000))</description></item></channel></rss>"
    )

    #expect(try #require(many.items.first?.summary).utf8.count < 200_000)
  }

  @Test func `only elements nested too deep are lost`() throws {
    let deep = String(repeating: "<div>", count: 5000) + "x" + String(repeating: "</div>", count: 5000)
    let feed = try read(document("one", inside: "<description>\(deep)</description>"))

    #expect(feed.items.count == 2)
    #expect(feed.items.first?.summary?.contains("x") == true)
  }
}

@Suite struct HostileDocumentTests {
  /// The beginning, the repeated piece and the end of a document.
  static let shapes: [(String, String, String)] = [
    ("<rss>", "<a", ""), ("<rss>", "<a ", ""), ("", "<a>", ""), ("<rss><channel>", "<a>", ""),
    ("<rss>", "</a>", ""), ("<rss>", "<a></b>", ""), ("<rss>", "<", ""), ("<rss><channel><title>", "&", ""),
    ("<rss><channel><title>", "&amp;", "</title>"), ("<rss>", "<![CDATA[", ""),
    ("<rss><channel><title>", "]]", ""), ("<rss><channel><title><![CDATA[", "]", ""), ("<rss>", "<!--", ""),
    ("<rss>", "<!-- -- ", ""), ("", "<!DOCTYPE [", ""), ("", "<!DOCTYPE [>", "<rss>"),
    ("<!DOCTYPE x [", "<!--", ""), ("<!DOCTYPE x [", "'\"", ""), ("", "<?", ""), ("", "<?a>", ""),
    ("", "<?a?", ""), ("<rss ", "a='1' ", ">"), ("<rss ", "a=\"", ""), ("<rss ", "a='", ">"),
    ("<rss ", "xmlns:a='b' ", ">"), ("<rss>", "<a b='>", ""), ("<rss><channel>", "<item>", ""),
    ("<rss><channel>", "<item><title>x", ""), ("<rss><channel><item>", "<media:group>", ""),
    ("<rss><channel><item>", "<category>a</category>", ""),
    ("<rss><channel><item><enclosure url='", "a", "'/>"),
    ("<rss><channel><item>", "<enclosure url='a'/>", ""), ("<rss><channel><item><title>", "<b>", ""),
    ("<rss><channel><item><title>", "<b>x</b>", "</title>"),
    ("<rss><channel><item><title>", "e\u{301}", "</title>"),
    ("<rss><channel><item><title>", "&lt;a", "</title></item>"),
    ("<rss><channel><item><link>", " ", "</link>"), ("<rss>", "<a xml:base='b/'>", ""),
    ("<rss><channel><pubDate>", "1 ", "</pubDate>"), ("<feed>", "<entry><content type='xhtml'>", ""),
    ("<feed><entry>", "<author>", ""), ("{\"items\": ", "[", ""), ("{\"items\": [", "{\"id\": 1},", ""),
    ("{\"a\": \"", "\\\\", ""), ("{\"a\": \"", "\\\"", ""), ("{", "\"a\": 1,", ""),
    ("{\"a\":", "{\"a\":", ""), ("{\"items\": [{\"id\": \"", "\\ud83d", "\"}]}"), ("", "\u{0}", ""),
    ("<rss>", "\u{1}", ""), ("", "<br>", ""), ("", "é", ""), ("<rss><", "a:", ">"),
    ("<rss><channel><skipHours>", "<hour>1</hour>", ""), ("<rss><channel>", "<item><item/>", ""),
    ("<?xml encoding='", "x", "'?>"),
  ]

  @Test(arguments: shapes)
  func `hostile documents take time in proportion to their size`(start: String, piece: String, end: String) {
    expectLinear { size in
      let document = Array((start + String(repeating: piece, count: size / piece.utf8.count) + end).utf8)
      _ = try? readFeed(document, contentType: nil, address: "https://a.example/")
    }
  }

  @Test func `a document keeps a bounded number of items, files and categories, and a title is cut`() throws {
    let item = try rssItem(
      (0..<2000).map { "<enclosure url='https://a.example/\($0)'/><category>\($0)</category>" }.joined())
    let feed = try read(
      rss(String(repeating: "<item><title>a</title></item>", count: 50_001) + "<item><title>b</title></item>")
    )
    let long = try rssItem("<title>\(String(repeating: "日", count: 5000))</title>")

    #expect(item.enclosures.count == 200)
    #expect(item.categories.count == 200)
    #expect(feed.items.count == 50_000)
    #expect(feed.leftOut == 2)
    #expect(feed.items.last?.title == "a")
    #expect(long.title == String(repeating: "日", count: 4096 / 3))
  }
}

/// Documents changed at random, in the same way in every run: the reader ends, and gives valid text.
@Suite struct MutationTests {
  static let seeds: [String] = [
    rss(
      """
      <title>N &amp; m</title><link>https://a.example/</link><ttl>60</ttl><skipHours><hour>1</hour></skipHours>
      <item><title><![CDATA[<b>é</b>]]></title><link>/1</link><guid isPermaLink="false">x&#233;</guid><pubDate>Thu, 01 Jan 2004 19:48:21 GMT</pubDate>
      <description>&lt;p&gt;日本&lt;/p&gt;</description><media:group><media:content url="1.mp3" fileSize="7"/></media:group></item>
      <item xml:base="b/"><title>t <i>x</i></title><enclosure url='2.mp3' length='3'/></item>
      """),
    atom(
      """
      <title type="html">x &amp;lt; y</title><entry><id>1</id><link rel="alternate" href="1"/><updated>2003-12-31T10:14:55Z</updated>
      <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>é<br/></p></div></content><author><name>A</name></author></entry>
      """),
    "{\"version\": \"https://jsonfeed.org/version/1\", \"items\": [{\"id\": 1, \"title\": \"\\u00e9\\ud83d\\ude00\", \"tags\": [\"a\"], \"attachments\": [{\"url\": \"x\"}]}]}",
    "<!DOCTYPE rdf [<!ENTITY a 'b'>]><rdf:RDF xmlns='http://purl.org/rss/1.0/'><channel rdf:about='x'/><item rdf:about='y'><dc:date>2004-W01-1</dc:date></item></rdf:RDF>",
  ]

  private static let pieces: [[UInt8]] =
    [
      "<", ">", "</", "/>", "<![CDATA[", "]]>", "<!--", "-->", "&", "&amp;", "&#", ";", "\"", "'", "=",
      "<item>", "</item>", "<?", "?>", "<!DOCTYPE [", "]", " xmlns=\"", ":", "\\u", "\\", "{", "}", "[",
      "xml:base='", "\u{0}", "\u{FEFF}",
    ].map { Array($0.utf8) } + [
      [0xFF], [0xC3], [0xE2, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
    ]

  private func mutate(_ document: [UInt8], _ numbers: inout RandomNumbers) -> [UInt8] {
    var document = document
    for _ in 0..<Int.random(in: 1...6, using: &numbers) where !document.isEmpty {
      let place = Int.random(in: 0..<document.count, using: &numbers)
      let end = min(document.count, place + Int.random(in: 0...20, using: &numbers))
      switch Int.random(in: 0..<6, using: &numbers) {
      case 0: document[place] = UInt8.random(in: 0...255, using: &numbers)
      case 1: document.removeSubrange(place..<end)
      case 2:
        document.insert(
          contentsOf: document[place..<end], at: Int.random(in: 0...document.count, using: &numbers))
      case 3: document.removeSubrange(place...)
      default: document.insert(contentsOf: Self.pieces.randomElement(using: &numbers) ?? [], at: place)
      }
    }
    return document
  }

  @Test(arguments: seeds.indices)
  func `a document changed at random is read to its end`(seed: Int) {
    var numbers = RandomNumbers(seed: UInt64(seed))
    for _ in 0..<3000 {
      let document = mutate(Array(Self.seeds[seed].utf8), &numbers)
      guard let feed = try? readFeed(document, contentType: nil, address: "https://a.example/f") else {
        continue
      }
      let texts =
        [feed.title, feed.link, feed.id]
        + feed.items.flatMap { [$0.id, $0.title, $0.link, $0.summary, $0.content, $0.author] }
      for text in texts.compactMap(\.self) {
        #expect(!text.isEmpty)
        #expect(text.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D })
      }
    }
  }
}
