// Lists of subscriptions: OPML and newsboat's urls file.

import Core
import Formats
import Glibc
import TestKit
import Testing

@Suite struct OPMLTests {
  @Test func `feeds have address, title, page, folders and categories, in their order and with their lines`()
    throws
  {
    let entries = try list(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <opml version="2.0"><head><title>Mine</title></head><body>
        <outline text="Tech">
          <outline text="Linux" title="Linux">
            <outline type="rss" text="LWN" xmlUrl="https://lwn.example/rss" htmlUrl="https://lwn.example/"/>
          </outline>
          <outline text="Planet" xmlUrl="https://planet.example/atom.xml" category="/Boston/Weather,Daily"/>
        </outline>
        <outline text="Last" xmlUrl="https://last.example/"/>
      </body></opml>
      """)

    #expect(
      entries == [
        .feed(
          Subscription(
            url: "https://lwn.example/rss", title: "LWN", link: "https://lwn.example/",
            tags: ["Tech", "Linux"]),
          line: 5),
        .feed(
          Subscription(
            url: "https://planet.example/atom.xml", title: "Planet",
            tags: ["Tech", "Boston", "Weather", "Daily"]),
          line: 7),
        .feed(Subscription(url: "https://last.example/", title: "Last"), line: 9),
      ])
  }

  @Test func `entities that a list declares are read`() throws {
    let entries = try list(
      """
      <!DOCTYPE opml [<!ENTITY site "https://a.example"><!ENTITY dot "&#183;">]>
      <opml><body><outline text="A &dot; B" xmlUrl="&site;/feed"/></body></opml>
      """)

    #expect(entries == [.feed(Subscription(url: "https://a.example/feed", title: "A · B"), line: 2)])
  }

  @Test(arguments: [
    ("<outline text='A' xmlUrl='https://a.example/'/>", "https://a.example/", "A"),
    ("<OUTLINE TEXT=\"A\" XMLURL=\"https://a.example/\"></OUTLINE>", "https://a.example/", "A"),
    ("<outline title='Only title' xmlUrl='https://a.example/'/>", "https://a.example/", "Only title"),
    ("<outline text='' title='Other' xmlUrl='https://a.example/'/>", "https://a.example/", "Other"),
    ("<outline text='A' type='rss' url='https://a.example/'/>", "https://a.example/", "A"),
    ("<outline text=A xmlUrl=https://a.example/x>", "https://a.example/x", "A"),
    ("<outline text='A' xmlUrl=' https://a.example/a b&amp;c '/>", "https://a.example/a%20b&c", "A"),
    ("<outline text='A' xmlUrl='https://a.example/?a=1&b=2'/>", "https://a.example/?a=1&b=2", "A"),
    (
      "<outline text='Tom &amp;amp; J&eacute;r&#244;me' xmlUrl='https://a.example/'/>", "https://a.example/",
      "Tom & Jérôme"
    ),
    ("<outline text='<b>Bold</b>\n move' xmlUrl='https://a.example/'/>", "https://a.example/", "Bold move"),
    ("<outline text='Q&amp;A <3' xmlUrl='https://a.example/'/>", "https://a.example/", "Q&A <3"),
    ("<outline text='file' xmlUrl='file:///tmp/x'/>", "file:///tmp/x", "file"),
  ])
  func `an outline is read however it is written`(outline: String, url: String, title: String) throws {
    let entries = try list("<opml><body>\(outline)</body></opml>")

    #expect(entries.first == .feed(Subscription(url: url, title: title), line: 1))
  }

  @Test(arguments: [
    (
      "<outline type='link' text='x' url='https://a.example/'/>",
      SubscriptionRemark.Kind.noAddress("an xmlUrl")
    ),
    ("<outline type='include' text='x' url='https://a.example/a.opml'/>", .noAddress("an xmlUrl")),
    ("<outline type='rss' text='x'/>", .noAddress("an xmlUrl")),
    ("<outline text='x' htmlUrl='https://a.example/'/>", .noAddress("an xmlUrl")),
    ("<outline text='x' xmlUrl=''  type='rss'/>", .noAddress("an xmlUrl")),
    ("<outline type='HTML+XPath' xmlUrl='https://a.example/'/>", .madeOfPage("html+xpath")),
    ("<outline type='JSON+DotNotation' xmlUrl='https://a.example/'/>", .madeOfPage("json+dotnotation")),
  ])
  func `an outline that is not a feed gets a remark`(outline: String, kind: SubscriptionRemark.Kind) throws {
    let entries = try list("<opml><body>\n\(outline)</body></opml>")

    #expect(entries == [.remark(SubscriptionRemark(line: 2, kind))])
  }

  @Test func `the episodes of a podcast are not feeds, and a folder without feeds gives no remark`() throws {
    let entries = try list(
      """
      <opml><body><outline text="playlists"><outline type="podcast-playlist" title="All"/></outline>
      <outline type="rss" text="ATP" xmlUrl="https://atp.example/rss">
      <outline type="podcast-episode" title="1" url="https://atp.example/1" enclosureUrl="https://atp.example/1.mp3"/>
      </outline></body></opml>
      """)

    #expect(entries == [.feed(Subscription(url: "https://atp.example/rss", title: "ATP"), line: 2)])
    #expect(try list("<opml><body><outline text='Empty'/></body></opml>") == [])
  }

  @Test func `any encoding is read`() throws {
    let text = "<opml><body><outline text='Новости' xmlUrl='https://n.example/'/></body></opml>"
    let expected = [
      SubscriptionEntry.feed(Subscription(url: "https://n.example/", title: "Новости"), line: 1)
    ]
    let cyrillic: [UInt8] = text.unicodeScalars.map { scalar in
      // windows-1251 has the Cyrillic capitals from 0xC0 on.
      UInt8(scalar.value < 0x80 ? scalar.value : scalar.value - 0x0410 + 0xC0)
    }

    #expect(try readSubscriptions([0xEF, 0xBB, 0xBF] + Array(text.utf8)) == expected)
    #expect(
      try readSubscriptions([0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        == expected)
    #expect(
      try readSubscriptions(Array("<?xml version='1.0' encoding='windows-1251'?>".utf8) + cyrillic)
        == expected)
  }

  @Test func `a cut-off list gives its complete entries and a remark`() throws {
    let entries = try list(
      "<opml><body><outline text='A' xmlUrl='https://a.example/'/>\n<outline text='B' xmlUr")

    #expect(entries.first == .feed(Subscription(url: "https://a.example/", title: "A"), line: 1))
    #expect(entries.last == .remark(SubscriptionRemark(line: 2, .cutOff)))
  }

  @Test(arguments: [
    ("", SubscriptionListFailure.empty), (" \n", .empty),
    ("<rss version='2.0'><channel><title>x</title></channel></rss>", .feed),
    ("<feed xmlns='http://www.w3.org/2005/Atom'/>", .feed),
    ("<!doctype html><html><body>x</body></html>", .other("a web page")),
    ("<svg/>", .other("XML whose root is svg")), ("{\"a\": 1}", .other("text")),
    ("\u{89}PNG", .other("text")), ("%PDF-1.4", .other("a PDF document")),
    // No line begins with an address.
    ("Dear all,\nsee https://a.example/\n", .other("text")), ("# only a comment\n", .other("text")),
  ])
  func `a document that is not a list is described`(text: String, failure: SubscriptionListFailure) {
    #expect(throws: failure) { try list(text) }
  }

  @Test func `written OPML is read back the same`() throws {
    var generator = SystemRandomNumberGenerator()
    let subscriptions = (0..<300).map { index in
      Subscription(
        url: "https://site.example/\(index)?a=1&b=%22<'",
        title: "\(index) " + noise(using: &generator) + " x",
        link: index % 2 == 0 ? "https://site.example/" : nil,
        tags: [[], ["linux", "news"], ["linux"], ["linux", "news", "a & b"]][index % 4])
    }

    let read = try list(opmlText(subscriptions)).map { entry -> Subscription? in
      if case .feed(let subscription, _) = entry { subscription } else { nil }
    }

    // Folders gather what belongs together.
    #expect(Set(read) == Set(subscriptions))
    #expect(read.count == subscriptions.count)
  }

  @Test func `written OPML has a folder for each first tag, and follows the specification`() {
    let text = opmlText([
      Subscription(url: "https://a.example/?a&b", title: "A \"b\" <c>", tags: ["x", "y"]),
      Subscription(url: "https://b.example/"), Subscription(url: "https://c.example/", tags: ["x"]),
    ])

    #expect(
      text == """
        <?xml version="1.0" encoding="UTF-8"?>
        <opml version="2.0">
          <head>
            <title>Feeds of bgfetch</title>
          </head>
          <body>
            <outline text="x" title="x">
              <outline type="rss" text="A &quot;b&quot; &lt;c&gt;" title="A &quot;b&quot; &lt;c&gt;" \
        xmlUrl="https://a.example/?a&amp;b" category="x,y"/>
              <outline type="rss" text="https://c.example/" title="https://c.example/" \
        xmlUrl="https://c.example/" category="x"/>
            </outline>
            <outline type="rss" text="https://b.example/" title="https://b.example/" xmlUrl="https://b.example/"/>
          </body>
        </opml>

        """)
  }

  /// Random text of characters with a meaning in XML, HTML or YAML, without spaces at the ends.
  private func noise(using generator: inout some RandomNumberGenerator) -> String {
    let characters = Array("aé日😀&<>\"'=;#{}[]*%@!|\\:,-? ")
    let text = (0..<12).map { _ in String(characters.randomElement(using: &generator) ?? "a") }.joined()
    // OPML allows HTML in titles: text like a reference or tag would be one, and blanks in a row become one.
    return text.replacing("&", with: "& ").replacing("<", with: "< ").split(separator: " ").joined(
      separator: " ")
  }
}

/// The entries of a list.
func list(_ text: String) throws(SubscriptionListFailure) -> [SubscriptionEntry] {
  try readSubscriptions(Array(text.utf8))
}

@Suite struct NewsboatTests {
  @Test func `addresses have their tags and titles`() throws {
    let entries = try list(
      """
      # feeds
      https://a.example/rss

        https://b.example/rss linux "two words" "~The \\"B\\" & <co>"  # a remark
      "https://c.example/rss"\t"~C" "~second title is a tag of nobody"
      file:///home/me/d.xml
      """)

    #expect(
      entries == [
        .feed(Subscription(url: "https://a.example/rss"), line: 2),
        .feed(
          Subscription(
            url: "https://b.example/rss", title: "The \"B\" & <co>", tags: ["linux", "two words"]), line: 4),
        .feed(Subscription(url: "https://c.example/rss", title: "C"), line: 5),
        .feed(Subscription(url: "file:///home/me/d.xml"), line: 6),
      ])
  }

  private func made(_ url: String, title: String? = nil, by command: [String]) -> Subscription {
    var subscription = Subscription(url: url, title: title)
    subscription.command = command
    return subscription
  }

  @Test func `newsboat's commands are commands, and its other features give remarks`() throws {
    let entries = try list(
      """
      "query:Unread:unread = \\"yes\\""
      exec:~/bin/feed "~Made"
      "filter:~/bin/clean -x:https://a.example/"
      "exec:curl https://a.example/ | sed s/a/b/"
      "filter:~/bin/clean $HOME:https://a.example/"
      https://b.example/ "!" news
      """)

    #expect(
      entries == [
        .remark(SubscriptionRemark(line: 1, .query("Unread", "unread = \"yes\""))),
        .feed(made("", title: "Made", by: ["~/bin/feed"]), line: 2),
        .feed(made("https://a.example/", by: ["~/bin/clean", "-x"]), line: 3),
        .remark(SubscriptionRemark(line: 4, .shellCommand("exec"))),
        .remark(SubscriptionRemark(line: 5, .shellCommand("filter"))),
        .remark(SubscriptionRemark(line: 6, .hidden)),
        .feed(Subscription(url: "https://b.example/", tags: ["news"]), line: 6),
      ])
  }

  @Test(
    arguments: [
      ("sed 's/a/b & c/'", ["sed", "s/a/b & c/"]),
      ("~/bin/feed 'it is' --x='a b'", ["~/bin/feed", "it is", "--x=a b"]),
      (#"feed \"two words\" ''"#, ["feed", "two words", ""]),
      (#"feed 'say \"x\"' a\"'\"b"#, ["feed", #"say "x""#, "a'b"]), ("feed 'no end", nil),
      (#"feed \"$HOME\""#, nil), ("feed ~/list", nil), ("feed 'a' | sort", nil), ("'a program' x", nil),
      (#"feed \"a\\\\b\""#, nil), ("feed a*", nil), ("", nil),
    ] as [(String, [String]?)])
  func `quotes of a newsboat command need no shell`(line: String, words: [String]?) throws {
    let entries = try list("\"filter:\(line):https://a.example/\"\n")

    guard let words else {
      #expect(entries == [.remark(SubscriptionRemark(line: 1, .shellCommand("filter")))])
      return
    }
    #expect(entries == [.feed(made("https://a.example/", by: words), line: 1)])
  }

  /// A fuzzer found this: addresses were exported otherwise than they had been imported.
  @Test(arguments: [
    ("http://a.example/\u{202E}x", "http://a.example/%E2%80%AEx"),
    ("http://a.example/\u{85}", "http://a.example/%C2%85"),
    ("http://a.example/x\u{FFFE}y\u{FFFF}", "http://a.example/x%EF%BF%BEy%EF%BF%BF"),
    ("\"http://a.example/a b\"", "http://a.example/a%20b"), ("http://a.example/ü", "http://a.example/ü"),
  ])
  func `an imported address is the same after an export`(written: String, url: String) throws {
    let imported = importPlan(try list(written), takingFiles: false).feeds.map(\.subscription)
    let exported = importPlan(try list(opmlText(imported)), takingFiles: false).feeds.map(\.subscription)

    #expect(imported.map(\.url) == [url])
    #expect(exported.map(\.url) == [url])
  }

  @Test func `a byte order mark, other line ends and an open quote do no harm`() throws {
    let entries = try list("\u{FEFF}https://a.example/\r\nhttps://b.example/ \"~B and more\r\n")

    #expect(
      entries == [
        .feed(Subscription(url: "https://a.example/"), line: 1),
        .feed(Subscription(url: "https://b.example/", title: "B and more"), line: 2),
      ])
  }
}

@Suite struct HostileListTests {
  @Test func `a list keeps a bounded number of entries, and says how many more there are`() throws {
    let outline = "<outline text='x' xmlUrl='https://a.example/'/>\n"
    let entries = try list("<opml><body>" + String(repeating: outline, count: 100_002) + "</body></opml>")

    #expect(entries.count == 100_001)
    #expect(entries.last == .remark(SubscriptionRemark(line: 100_001, .tooMany(2))))
  }

  @Test func `outlines nested too deep are counted, and later ones are read`() throws {
    let deep =
      String(repeating: "<outline text='f'>", count: 10_000) + "<outline xmlUrl='https://deep.example/'/>"
    let entries = try list(
      "<opml><body>\(deep)\(String(repeating: "</outline>", count: 10_000))"
        + "<outline text='A' xmlUrl='https://a.example/'/></body></opml>")

    #expect(entries.first == .feed(Subscription(url: "https://a.example/", title: "A"), line: 1))
    // The root, the body and 254 outlines are the 256 levels that are read.
    #expect(entries.last == .remark(SubscriptionRemark(line: 1, .tooDeep(10_001 - 254))))
  }

  @Test func `a title of megabytes is cut`() throws {
    let title = String(repeating: "日", count: 3_000_000)
    let entries = try list("<opml><body><outline text='\(title)' xmlUrl='https://a.example/'/></body></opml>")

    guard case .feed(let subscription, _) = try #require(entries.first) else {
      Issue.record("the feed is missing")
      return
    }
    #expect((subscription.title?.utf8.count ?? 0) <= 4096)
  }

  @Test(arguments: [
    ("<opml><body>", "<outline>", ""), ("<opml><body>", "<outline text='a'>", "</outline>"),
    ("<opml><body>", "<outline xmlUrl='a'/>", ""), ("<opml><body><outline text='", "&amp;", "'/>"),
    ("<opml><body><outline text='", "&", "'/>"), ("<opml><body><outline category='", "/a,", "'/>"),
    ("<opml>", "\n", ""), ("<opml>", "<outline text='", ""), ("", "http://a b\n", ""),
    ("http://a ", "\"~x\" ", ""), ("http://a \"", "\\\"", ""), ("", "\"", ""), ("", "#\n", "http://a"),
  ])
  func `hostile lists take time in proportion to their size`(start: String, piece: String, end: String) {
    expectLinear { size in
      let list = Array((start + String(repeating: piece, count: size / piece.utf8.count) + end).utf8)
      _ = try? readSubscriptions(list)
    }
  }
}
