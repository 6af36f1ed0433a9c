import Core
import FeedReading
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

  @Test(
    arguments: [
      ("<outline text='A' xmlUrl='https://a.example/'/>", "https://a.example/", "A"),
      ("<OUTLINE TEXT=\"A\" XMLURL=\"https://a.example/\"></OUTLINE>", "https://a.example/", "A"),
      ("<outline title='Only title' xmlUrl='https://a.example/'/>", "https://a.example/", "Only title"),
      ("<outline text='' title='Other' xmlUrl='https://a.example/'/>", "https://a.example/", "Other"),
      ("<outline text='A' type='rss' url='https://a.example/'/>", "https://a.example/", "A"),
      ("<outline text=A xmlUrl=https://a.example/x>", "https://a.example/x", "A"),
      ("<outline text='A' xmlUrl=' https://a.example/a b&amp;c '/>", "https://a.example/a%20b&c", "A"),
      ("<outline text='A' xmlUrl='https://a.example/?a=1&b=2'/>", "https://a.example/?a=1&b=2", "A"),
      (
        "<outline text='Tom &amp;amp; J&eacute;r&#244;me' xmlUrl='https://a.example/'/>",
        "https://a.example/", "Tom & Jérôme"
      ),
      ("<outline text='<b>Bold</b>\n move' xmlUrl='https://a.example/'/>", "https://a.example/", "Bold move"),
      ("<outline text='Q&amp;A <3' xmlUrl='https://a.example/'/>", "https://a.example/", "Q&A <3"),
      ("<outline text='file' xmlUrl='file:///tmp/x'/>", "file:///tmp/x", "file"),
    ])
  func `an outline is read however it is written`(outline: String, url: String, title: String) throws {
    let entries = try list("<opml><body>\(outline)</body></opml>")

    #expect(entries.first == .feed(Subscription(url: url, title: title), line: 1))
  }

  @Test(
    arguments: [
      ("<outline type='link' text='x' url='https://a.example/'/>", SubscriptionRemark.Kind.link),
      ("<outline type='include' text='x' url='https://a.example/a.opml'/>", .link),
      ("<outline type='rss' text='x'/>", .noAddress),
      ("<outline text='x' htmlUrl='https://a.example/'/>", .noAddress),
      ("<outline text='x' xmlUrl=''  type='rss'/>", .noAddress),
      ("<outline type='HTML+XPath' xmlUrl='https://a.example/'/>", .madeOfPage("html+xpath")),
      ("<outline type='JSON+DotNotation' xmlUrl='https://a.example/'/>", .madeOfPage("json+dotnotation")),
      ("<outline isComment='true' xmlUrl='https://a.example/'/>", .commentedOut),
      ("<outline isComment='true' text='f'><outline xmlUrl='https://a.example/'/></outline>", .commentedOut),
    ])
  func `an outline that is no feed is remarked on`(outline: String, kind: SubscriptionRemark.Kind) throws {
    let entries = try list("<opml><body>\n\(outline)</body></opml>")

    #expect(entries == [.remark(SubscriptionRemark(line: 2, kind))])
  }

  @Test func `the episodes that a list has of a podcast are no feeds`() throws {
    let entries = try list(
      """
      <opml><body><outline text="playlists"><outline type="podcast-playlist" title="All"/></outline>
      <outline type="rss" text="ATP" xmlUrl="https://atp.example/rss">
      <outline type="podcast-episode" title="1" url="https://atp.example/1" enclosureUrl="https://atp.example/1.mp3"/>
      </outline></body></opml>
      """)

    #expect(entries == [.feed(Subscription(url: "https://atp.example/rss", title: "ATP"), line: 2)])
  }

  @Test func `a folder without feeds is nothing to speak of`() throws {
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

  @Test func `a list that ends in the middle gives what is whole, and says so`() throws {
    let entries = try list(
      "<opml><body><outline text='A' xmlUrl='https://a.example/'/>\n<outline text='B' xmlUr")

    #expect(entries.first == .feed(Subscription(url: "https://a.example/", title: "A"), line: 1))
    #expect(entries.last == .remark(SubscriptionRemark(line: 2, .cutOff)))
  }

  @Test(
    arguments: [
      ("", SubscriptionListFailure.empty), (" \n", .empty),
      ("<rss version='2.0'><channel><title>x</title></channel></rss>", .feed),
      ("<feed xmlns='http://www.w3.org/2005/Atom'/>", .feed),
      ("<!doctype html><html><body>x</body></html>", .other("a web page")),
      ("<svg/>", .other("XML whose root is svg")), ("{\"a\": 1}", .other("text")),
      ("\u{89}PNG", .other("text")), ("%PDF-1.4", .other("a PDF document")),
    ])
  func `what is no list is called what it is`(text: String, failure: SubscriptionListFailure) {
    #expect(throws: failure) { try list(text) }
  }

  @Test func `what is written as OPML is read back the same`() throws {
    var generator = SystemRandomNumberGenerator()
    let subscriptions = (0..<300).map { index in
      Subscription(
        url: "https://site.example/\(index)?a=1&b=%22<'",
        title: "\(index) " + noise(using: &generator) + " x",
        link: index % 2 == 0 ? "https://site.example/" : nil, tags: index % 3 == 0 ? ["linux", "news"] : [])
    }

    let read = try list(opmlText(subscriptions)).map { entry -> Subscription? in
      if case .feed(let subscription, _) = entry { subscription } else { nil }
    }

    for (read, written) in zip(read, subscriptions) { #expect(read == written) }
    #expect(read.count == subscriptions.count)
  }

  @Test func `the text of OPML is what the specification asks for`() {
    let text = opmlText([Subscription(url: "https://a.example/?a&b", title: "A \"b\" <c>", tags: ["x", "y"])])

    #expect(
      text == """
        <?xml version="1.0" encoding="UTF-8"?>
        <opml version="2.0">
          <head>
            <title>Feeds of bgfetch</title>
          </head>
          <body>
            <outline type="rss" text="A &quot;b&quot; &lt;c&gt;" title="A &quot;b&quot; &lt;c&gt;" \
        xmlUrl="https://a.example/?a&amp;b" category="x,y"/>
          </body>
        </opml>

        """)
  }

  /// Characters that XML, HTML and YAML mean something by, without blanks at the ends.
  private func noise(using generator: inout some RandomNumberGenerator) -> String {
    let characters = Array("aé日😀&<>\"'=;#{}[]*%@!|\\:,-? ")
    let text = (0..<12).map { _ in String(characters.randomElement(using: &generator) ?? "a") }.joined()
    // OPML allows HTML in titles, so that what looks like a reference or tag would be one; blanks in a row are one.
    return text.replacing("&", with: "& ").replacing("<", with: "< ").split(separator: " ").joined(
      separator: " ")
  }
}

/// The entries of a list.
func list(_ text: String) throws(SubscriptionListFailure) -> [SubscriptionEntry] {
  try readSubscriptions(Array(text.utf8))
}
