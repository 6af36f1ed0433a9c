// The pure readers of foreign bytes, each with words of its language.

import TestKit
import Testing

@testable import Core
@testable import Formats

/// A reader, and the words whose repetitions it reads.
struct ForeignReader: Sendable, CustomTestStringConvertible {
  /// The size of the shortest texts in bytes.
  static let size = 600

  let name: String
  /// A `§` becomes a number.
  let tokens: [String]
  let read: @Sendable ([UInt8]) -> Void

  var testDescription: String { name }

  /// A reader of text.
  init(_ name: String, _ tokens: [String], _ read: @escaping @Sendable (String) -> Void) {
    self.init(bytes: name, tokens) { read(String(decoding: $0, as: UTF8.self)) }
  }

  init(bytes name: String, _ tokens: [String], _ read: @escaping @Sendable ([UInt8]) -> Void) {
    (self.name, self.tokens, self.read) = (name, tokens, read)
  }

  /// A reader of documents, with what is before the tokens.
  init(
    documents name: String, _ start: String, _ tokens: [String], as kind: FeedKind = .feed, end: String = "",
    type: String? = nil, _ use: @escaping @Sendable (ParsedFeed) -> Void = { _ in }
  ) {
    self.init(bytes: name, tokens) { text in
      let document = Array(start.utf8) + text + end.utf8
      if let feed = try? readFeed(document, as: kind, contentType: type, address: "https://a.example/b/c") {
        use(feed)
      }
    }
  }

  static let all = documents + pages + texts + addresses + header + lists

  private static let html = [
    "<p>", "<b>", "<td>", "<li>", "<a href='http://a/§'>", "</a>", "<!--", "<pre>", "x ", "&amp;", "🇩",
  ]
  private static let titleWords = [
    "<p>", "</p>", "<a", "<a x='' ", " x='", "<img alt=\"", "\"", "<!--", "-->", "<", ">", "&lt;", "e\u{301}",
  ]
  private static let urlWords = [
    "/", "..", "?", "#", "&", ";", "%2e", "amp;", "=", ":", "@a", "utm_a=\u{85}",
  ]

  // MARK: Documents

  private static let documents: [ForeignReader] = [
    ForeignReader(
      documents: "XML", "<rss><channel>",
      [
        "<a>", "</a>", "<item>", "<title>", "</title>", "<![CDATA[", "]]>", "<!--", "<", "&amp;", "x ", "='",
        "\"", "<!DOCTYPE [",
      ]),
    ForeignReader(
      documents: "attributes of XML", "<rss><channel><item>",
      [
        "<a ", "xmlns:b§='c' ", "xml:base='d/' ", "b§:e='f' ", "/>", ">", "<link href='g'/>", "'", "=",
        "<media:group>",
      ]),
    ForeignReader(
      documents: "parts of an item", "<rss><channel><item>",
      [
        "<category>§</category>", "<category>a</category>", "<enclosure url='§'/>", "<author>§</author>",
        "<guid>§</guid>",
        "<media:content url='§'>", "<description>", "<content:encoded>", "<dc:date>1 </dc:date>",
      ]),
    ForeignReader(
      documents: "text with markup of Atom", "<feed><entry>",
      [
        "<content type='xhtml'>", "<b xml:base='c/'>", "</b>", "<a href='d'>", "<author>", "<name>e</name>",
        "</entry><entry>",
        "<title type='html'>", "&lt;a", "x",
      ]),
    ForeignReader(
      documents: "items with repeated values", "<rss><channel>",
      [
        "<item>", "</item><item>", "<guid>a</guid>", "<guid>§</guid>", "<title>a</title>", "<title>§</title>",
        "<link>http://a/</link>", "<link>http://a/§</link>", "<pubDate>2026-01-01</pubDate>",
        "<enclosure url='http://a/§'/>",
      ], compare),
    ForeignReader(
      documents: "JSON Feed", "{\"items\":[",
      [
        "{", "}", "[", "]", ",", "\"id\":§", "\"tags\":[\"§\",", "\"url\":\"a\"", "\"", "\\", "\\ud83d",
        "\\u001b", "1 ",
      ], end: "]}"),
    ForeignReader(
      documents: "mapped JSON", "[",
      ["{", "}", "[", "]", ",", "\"a\":§", "\"a\":\"b\"", "\"a\":", "{\"a\":\"§\"},", "\"", "\\"],
      as: mapped, end: "]"),
    ForeignReader(
      "JSON", ["{", "}", "[", "]", ",", "\"§\":", "\"a\"", "\"", "\\", "1", "-", "[],", "\\u00e9", " "]
    ) {
      _ = JSONValue(parsing: $0)
      _ = JSONValue(parsing: "[" + $0 + "1]")
      _ = JSONValue(parsing: "{" + $0 + "\"a\":1}")?.text
    },
  ]

  /// Compares items with those of a feed without any, with themselves, and with the same under other identities.
  @Sendable private static func compare(_ feed: ParsedFeed) {
    guard let name = FeedName("a") else { return }
    var spec = FeedSpec(name: name, url: .plain("http://a/"))
    spec.download = DownloadSpec()
    let now = Instant(secondsSince1970: 1_800_000_000)
    let first = classify(feed, known: [], feed: spec, state: FeedState(), at: now)
    _ = findAssets(in: feed, first, feed: spec, state: FeedState(), known: [], at: now)
    var state = FeedState()
    state.hasBaseline = true
    state.identity = first.identity
    state.lastSuccess = now
    for change: UInt64 in [0, 1] {
      let known = first.newItems.enumerated().map { place, record in
        var keys = record.keys
        keys.guid = keys.guid.map { $0 ^ change }
        keys.link = keys.link.map { $0 ^ change }
        return KnownItem(
          number: Int64(place), keys: keys, published: record.published, editHash: record.editHash,
          postponedEdit: nil,
          updatedAt: nil, isFiltered: false)
      }
      _ = classify(feed, known: known, feed: spec, state: state, at: now)
    }
  }

  private static let mapped: FeedKind = {
    let pointers = ["", "/*", "/*/a"].compactMap { try? JSONPointer(parsing: $0) }
    let parts = JSONMapping.Part.allCases.map { ($0, pointers.map(JSONSource.pointer)) }
    return .json(JSONMapping(items: pointers, parts: Dictionary(uniqueKeysWithValues: parts)))
  }()

  // MARK: Pages

  private static let pages: [ForeignReader] = [
    ForeignReader(
      documents: "a page with items", "<table>",
      [
        "<div>", "</div>", "<h2>", "<a href='§'>", "</a>", "<td>", "<base href='d/'>", "<svg>", "x", "<i/>",
      ],
      as: items("div, td"), type: "text/html"),
    ForeignReader(
      documents: "selectors on a page", "<ul>",
      [
        "<li>", "<li class='a b'>", "<p class='", "a ", "'>", "</p>", "<b>", "</b>", "x<!-- -->",
        "<li class='&amp;aab'>",
      ],
      as: items("li ~ li .a > :last-child, [class*=aab], [class$=b i], p + p:not(.a), b:nth-child(2n+1)"),
      type: "text/html"),
    ForeignReader(
      documents: "a watched page", "", html + ["\n", "<nav>"], as: .html(HTMLMapping()), type: "text/html",
      watch),
    ForeignReader(
      documents: "a watched text", "", ["a", " ", "\n", "\r\n", "\u{1B}]", "🇩", "é"],
      as: .html(HTMLMapping()),
      type: "text/plain", watch),
    ForeignReader(
      "comparison of pages",
      ["a\n", "b§\n", "\n", "🇩", "</pre>", "<pre>", "&amp;"],
      { text in
        let lines = text.split(separator: "\n").map(String.init)
        let difference = LineDifference(from: lines, to: lines.reversed())
        _ = difference.text(limit: 1 << 20)
        _ = pageLines(ofContent: "<pre>" + text + "</pre>")
      }),
    ForeignReader("an article", html + ["<ul>", "<img alt='x'>"]) {
      _ = ArticleText(html: $0, numbersLinks: true).text
      _ = harmlessMarkup($0, showsImages: true)
      _ = ArticleBeginning($0, limit: $0.utf8.count / 2)
    },
    ForeignReader(
      bytes: "links of a page",
      ["<a href='feed/§'>", "<link rel=feed href=§>", "<base href='a/'>", "<!--", "x", "<p "]
    ) {
      _ = PageLinks(of: Response(status: 200, fields: [], body: $0), address: "https://a.example/")
    },
  ]

  private static func items(_ selector: String) -> FeedKind {
    .html(HTMLMapping(items: try? SelectorList(parsing: selector)))
  }

  @Sendable private static func watch(_ page: ParsedFeed) {
    let now = Instant(secondsSince1970: 1_800_000_000)
    let first = pageChange(page, since: nil, at: now)
    var changed = page
    changed.items[0].content = page.items[0].content.map { "<pre>y\n" + $0.dropFirst(5) }
    let former = FormerPage(number: 1, content: first?.items.first?.content)
    _ = pageChange(changed, since: former, at: now)
  }

  // MARK: Texts

  private static let texts: [ForeignReader] = [
    ForeignReader("text of HTML", html + ["<", "<a ", "='"]) { _ = plainText(fromHTML: $0, limit: .max) },
    ForeignReader(
      bytes: "tokens and tree of HTML",
      [
        "<b>", "</b>", "<p>", "<a x='&copy§'>", "<table>", "<td>", "<svg>", "<li>", "<div>", "</div>",
        "<script>",
        "<!--", "<sup>", "<![CDATA[", "&notit;", "]]>", "x\r", "\u{0}", "<x-y>",
      ]
    ) { text in
      text.withUnsafeBufferPointer {
        for isItem in [false, true] {
          let tree = HTMLTree($0, isItem: isItem)
          _ = (tree?.markup(in: 0), tree?.plainText(in: 0, limit: .max))
        }
      }
    },
    ForeignReader(bytes: "a title", titleWords + ["<sup>", "</sup>"]) { text in
      text.withUnsafeBufferPointer {
        // Not plainTitle, which cuts long titles first.
        _ = plainText($0, .title, limit: .max)
      }
    },
    ForeignReader(
      "text for a terminal",
      ["a", " ", "\u{1B}]", "\u{1B}[", "\u{9D}", "\u{7}", "\u{202E}", "🇩", "e\u{301}", "\n", "é"]
    ) {
      _ = (cleanText($0, limit: .max), cleanText($0, limit: 1000), cleanLines($0, limit: .max))
      _ = (terminalSafeAddress($0), latinWords($0, limit: 24), composed($0))
    },
    ForeignReader("a mail", ["From ", ".", "\n", "=", "é", "=?", "\"", " ", "a", "\\"]) {
      _ = (
        quotedPrintable($0), headerField("Subject", $0), headerField("From", $0, "<a@b>"),
        cleanLines($0, limit: .max)
      )
    },
    ForeignReader("patterns", ["a", "b", " ", "é", "x1", "\n", "aab"]) { text in
      for pattern in ["(a|b)*c", "^.*a.{3}b$", "\\bx\\d+\\b", "(?i)É+"] {
        _ = try? Pattern(parsing: pattern).matches(in: text)
      }
      _ = glob(matches: text, pattern: "*a*b*c")
    },
    ForeignReader("masking", ["a", "b", "ab", "é", " ", "aaaaaaaaaaaaaaaab", "§"]) { text in
      // Secrets that begin like parts of the text, as many as it has.
      let bytes = Array(text.utf8)
      let words = stride(from: 0, to: bytes.count, by: 100).map { bytes[$0..<min($0 + 100, bytes.count)] }
      _ = HiddenWords(words.map { String(decoding: $0, as: UTF8.self) + "!" }).masked(text)
    },
    ForeignReader(
      "codings of text", ["a", "é", "\u{1B}]", "\u{1B}[1", "\r", "\u{7}", "\u{0}", "\u{1B}$B", "漢"]
    ) { text in
      // Bytes that are no UTF-8, and other encodings.
      let bytes = text.utf8.map { $0 == 0xC3 ? 0xE9 : $0 }
      for type in [
        nil, "a; charset=shift_jis", "a; charset=gb18030", "a; charset=iso-2022-jp", "a; charset=koi8-r",
      ] {
        _ = decodedText(bytes, contentType: type)
      }
      _ = decodedText([0xFF, 0xFE] + bytes, contentType: nil)
      _ = decodedBase64(text.utf8)
    },
    ForeignReader(
      bytes: "dates", ["1", "2026", " ", "/", ":", "Jan", "(", ")", "+", "Europe/", "_", "é", "-", "e"]
    ) { text in
      text.withUnsafeBufferPointer {
        _ = (feedDate($0), writtenDate($0), playingTime($0), ordinal($0), unixTime($0))
      }
      _ = Instant(httpDate: String(decoding: text, as: UTF8.self))
    },
  ]

  // MARK: Addresses

  private static let addresses: [ForeignReader] = [
    ForeignReader("addresses", urlWords) { text in
      let base = URIReference("https://a.example/b/c")
      _ = URIReference(text).resolved(against: base).masked.text
      _ = (WebAddress("http://a/" + text)?.normalized, WebAddress(text), FileAddress("file:///" + text))
      var print = Fingerprint()
      print.add(address: "http://a/" + text)
      var links = LinkResolver(at: "https://a.example/b/c", documentSize: text.utf8.count)
      for start in ["", "data:"] {
        _ = Array((start + text).utf8).withUnsafeBufferPointer {
          (isProgram($0), cleanAddress($0), links.link($0))
        }
      }
    },
    ForeignReader(
      "addresses in content",
      [
        "<img ", "srcset=", "href=", "\"", "'", "http://a/ ", "b ", ",", ">", "src='../§'", "&#58;",
        "java&Tab;script:", "= ",
      ]
    ) { text in
      var links = LinkResolver(at: "https://a.example/b/c", documentSize: text.utf8.count)
      _ = ItemMarkup(text: text).resolved(at: "https://a.example/d", &links)
    },
    ForeignReader("lines of a text", ["a", "\n", " ", "<!--", "-->", "<", "&lt;"]) {
      _ = ItemMarkup(text: $0).keepingLines()
    },
    ForeignReader(
      "selectors", ["a", " ", ">", ".b", "[c=\"", "\"]", ":not(", ")", "\\", ",", ":nth-child(", "2n"]
    ) {
      _ = try? SelectorList(parsing: $0)
      _ = try? PageValue(parsing: $0)
    },
  ]

  // MARK: Fields of headers

  private static let header: [ForeignReader] = [
    ForeignReader(
      "fields of a header",
      ["<", ">", ";", ",", "\"", "\\", "=", "rel=a ", "=?utf-8?q?", "?=", "'"]
    ) { text in
      _ = (
        fieldParameters(text), WebLink.links(inField: text), fieldParameters(text, separatedBy: ","),
        ContentRange("bytes " + text)
      )
      for start in ["a; filename=\"", "a; filename*=utf-8''", "a; filename="] {
        _ = suggestedName(start + text)
      }
      _ = (retryAfter(text, at: Instant(secondsSince1970: 0)), charset(ofContentType: text))
    },
    ForeignReader(
      "cookies",
      [
        "a.example", "\t", "\n", "#HttpOnly_", "a.example\tTRUE\t/\tFALSE\t0\tn§\tv\n",
      ]
    ) { text in
      let jar = CookieJar(text, for: "a.example")
      _ = jar?.isSent(like: CookieJar(lines: [text]))
    },
  ]

  // MARK: Lists

  private static let lists: [ForeignReader] = [
    ForeignReader(
      bytes: "lists of feeds",
      [
        "<outline ", "text='a' ", "xmlUrl='http://a/§' ", "category='b§,c' ", "/>", ">", "</outline>",
        "http://a/§ ", "\"b§\" ", "\n",
        "exec:", "#",
      ]
    ) { text in
      for start in ["<opml>", "http://a/ "] {
        let plan = importPlan((try? readSubscriptions(Array(start.utf8) + text)) ?? [], takingFiles: true)
        _ = opmlText(plan.feeds.map(\.subscription))
      }
    },
    ForeignReader(
      bytes: "lists of feeds in JSON", ["{\"name\":\"§\"}", "\n", "{", "\"tags\":[\"a\",", "]", "}"]
    ) {
      try? readJSONLines($0) { _ in }
    },
  ]
}
