import Core
import FeedReading
import Testing

/// Documents changed at random, the same at every run: whatever comes of them, the reader ends, and gives valid text.
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

  /// SplitMix64 (Steele, Lea, Flood 2014).
  struct Numbers: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
      return value ^ value >> 31
    }
  }

  private static let pieces: [[UInt8]] =
    [
      "<", ">", "</", "/>", "<![CDATA[", "]]>", "<!--", "-->", "&", "&amp;", "&#", ";", "\"", "'", "=",
      "<item>", "</item>", "<?", "?>", "<!DOCTYPE [", "]", " xmlns=\"", ":", "\\u", "\\", "{", "}",
      "[", "xml:base='", "\u{0}", "\u{FEFF}",
    ].map { Array($0.utf8) } + [
      [0xFF], [0xC3], [0xE2, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
    ]

  private func mutate(_ document: [UInt8], _ numbers: inout Numbers) -> [UInt8] {
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
    var numbers = Numbers(state: UInt64(seed))
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
