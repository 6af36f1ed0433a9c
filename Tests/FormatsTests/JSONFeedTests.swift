// JSON Feed, and the JSON that `parse --json` prints.

import Core
import Formats
import Testing

@Suite struct JSONFeedTests {
  @Test func `a usual document is read completely`() throws {
    let feed = try read(
      """
      {"version": "https://jsonfeed.org/version/1.1", "title": "News", "home_page_url": "https://a.example/",
       "hubs": [{"x": [1, {"y": "]}"}]}], "items": [
        {"id": "1", "url": "/1", "title": "One \\u00e9\\n\\ud83d\\ude00", "content_html": "<p>\\"long\\"<\\/p>", "summary": "a < b",
         "date_published": "2003-12-31T10:14:55Z", "date_modified": "2004-01-01T00:00:00Z",
         "authors": [{"name": "Ann", "url": "x"}, {"name": "Bo"}], "tags": ["linux", "news"],
         "attachments": [{"url": "1.mp3", "mime_type": "audio/mpeg", "size_in_bytes": 42}]}]}
      """)

    var item = ParsedItem()
    item.id = "1"
    item.title = "One é 😀"
    item.link = "https://site.example/1"
    item.author = "Ann, Bo"
    item.published = Instant(rfc3339: "2003-12-31T10:14:55Z")
    item.updated = Instant(rfc3339: "2004-01-01T00:00:00Z")
    item.categories = ["linux", "news"]
    item.summary = "a &lt; b"
    item.content = "<p>\"long\"</p>"
    item.enclosures = [Enclosure(url: "https://site.example/1.mp3", type: "audio/mpeg", length: 42)]
    var expected = ParsedFeed(format: .json)
    expected.title = "News"
    expected.link = "https://a.example/"
    expected.items = [item]
    #expect(feed == expected)
  }

  @Test func `attachments of one title are forms of one file`() throws {
    let feed = try read(
      """
      {"version": "https://jsonfeed.org/version/1.1", "items": [{"id": "1", "attachments": [
        {"url": "a.mp3", "title": "Talk"}, {"url": "b.pdf", "title": "Slides"}, {"url": "a.ogg", "title": "Talk"},
        {"url": "c"}, {"url": "d"}]}]}
      """)

    let files = try #require(feed.items.first).enclosures
    #expect(files.map { $0.url.suffix(5) } == ["a.mp3", "b.pdf", "ple/c", "ple/d"])
    #expect(files.first?.renditions.map { $0.url.suffix(5) } == ["a.ogg"])
  }

  @Test(arguments: [
    ("\"id\": 42", "42"), ("\"id\": 1.5e3", "1.5e3"), ("\"id\": null, \"url\": \"https://x.example/\"", nil),
    ("\"id\": {\"a\": [1]}, \"title\": \"t\"", nil),
    ("\"id\": \"x\", \"tags\": 7, \"attachments\": {\"a\": 1}, \"authors\": \"Ann\"", "x"),
    ("\"id\": \"x\", \"title\": [\"a\"], \"date_published\": true", "x"), ("\"id\": \"x\",", "x"),
    ("\"title\": false, \"id\": \"x\"", "x"),
  ])
  func `a member of a wrong type does not lose the item`(members: String, id: String?) throws {
    let feed = try read(
      "{\"version\": \"https://jsonfeed.org/version/1\", \"items\": [{\(members)}, 5, null, {\"id\": \"last\"},]}"
    )

    #expect(feed.items.map(\.id) == [id, "last"])
  }

  @Test(arguments: [
    "{\"author\": {\"name\": \"Ann\"}}", "{\"authors\": [\"Ann\"]}", "{\"authors\": {\"name\": \"Ann\"}}",
  ])
  func `authors of either version are read`(item: String) throws {
    let item = item.replacing("{\"a", with: "{\"id\": \"1\", \"a", maxReplacements: 1)

    #expect(try read("{\"items\": [\(item)]}").items.first?.author == "Ann")
  }

  @Test(arguments: [
    (#""authors":[{"name":"Ann"},{"name":"Bo"}]"#, "Ann, Bo"), (#""author":{"name":"Ann"}"#, "Ann"),
    (#""author":{"name":"x"},"authors":[{"name":"Ann"}]"#, "Ann"),
    (#""authors":[{"url":"https://a.example/"}]"#, nil),
  ])
  func `an item without an author has those of the feed`(members: String, author: String?) throws {
    let items = #""items":[{"id":"1"},{"id":"2","authors":[{"name":"Cy"}]}]"#

    #expect(try read("{\(members),\(items)}").items.map(\.author) == [author, "Cy"])
    #expect(try read("{\(items),\(members)}").items.map(\.author) == [author, "Cy"])
  }

  @Test(arguments: ["1700000000", "1700000000000", "1700000000.123", "\"1700000000000\""])
  func `a date may be a number since 1970`(date: String) throws {
    let feed = try read("{\"items\":[{\"id\":\"1\",\"date_published\":\(date)}]}")

    #expect(feed.items.first?.published == Instant(secondsSince1970: 1_700_000_000))
  }

  @Test func `cut-off and other JSON is not a feed, but one without items is`() throws {
    for document in [
      "{\"version\": \"https://jsonfeed.org/version/1\", \"items\": [{\"id\": \"1\"}",
      "{\"items\": [{\"id\": \"1", "{\"title\": ", "{",
      "{\"version\": \"https://jsonfeed.org/version/1\", \"x\": [[[", "{\"a\" 1}", "{a: 1}", "{\"a\": }",
      "{\"id\": \"\\",
    ] {
      #expect(throws: FeedReadingFailure.unknown("JSON that is broken or incomplete")) { try read(document) }
    }
    for (document, found) in [
      ("[1, 2]", "a JSON array"),
      ("{\"items\": []}", "JSON that is not a feed, but that kind: json may read"),
      ("{\"error\": \"x\"}", "JSON that is not a feed, but that kind: json may read"),
    ] { #expect(throws: FeedReadingFailure.unknown(found)) { try read(document) } }
    #expect(try read("{\"version\": \"https://jsonfeed.org/version/1\"}").items.isEmpty)
  }

  @Test(arguments: ["NaN", "-Infinity", "None", ".5", "1.", "007", "1e5"])
  func `a word that is none of JSON spoils only its member`(word: String) throws {
    let feed = try read("{\"items\": [{\"id\": \"1\", \"score\": \(word), \"title\": \"T\"}]}")

    #expect(feed.items.first?.title == "T")
  }

  @Test(arguments: [
    ("\\ud83d", "\u{FFFD}"), ("\\ude00", "\u{FFFD}"), ("\\ud83dx", "\u{FFFD}x"), ("\\u00", "u00"),
    ("\\u0000", ""),
    ("\\x", "x"), ("\\é", "é"),
  ])
  func `an invalid escape does no harm`(escape: String, expected: String) throws {
    #expect(try read("{\"items\": [{\"id\": \"[\(escape)]\"}]}").items.first?.id == "[\(expected)]")
  }
}

@Suite struct ParseReportTests {
  @Test func `the report has every field, absent ones null`() throws {
    let feed = try read(
      rss(
        "<title>T</title><item><guid>g</guid><pubDate>2004-01-01</pubDate><enclosure url='https://a.example/1' length='2'/></item>"
      ))

    #expect(
      parseReport(feed).text == """
        {"format":"rss","title":"T","link":null,"id":null,"published":null,"updated":null,"truncated":false,\
        "left-out":0,"parts-left-out":0,"items":[{"id":"g","title":null,\
        "link":null,"published":"2004-01-01T00:00:00Z","updated":null,"summary":null,\
        "enclosures":[{"url":"https://a.example/1","type":null,"length":2}],"content":null,"author":null,"categories":[],\
        "comments":null,"image":null,"duration":null,"season":null,"episode":null}]}
        """)
  }

  @Test(arguments: [
    (rss("<item><title>a</title></item>").replacing("</channel></rss>", with: ""), true, 0, 0),
    (rss(String(repeating: "<item><guid>1</guid></item>", count: ParsedFeed.maximumItems + 3)), false, 3, 0),
    (rss("<item><title>a</title>\(String(repeating: "<x>", count: 300))</item>"), false, 0, 47),
    (rss("<item><title>\(String(repeating: "a", count: 5000))</title></item>"), false, 0, 1),
    (rss("<item><link>\(String(repeating: "a", count: 9000))</link></item>"), false, 0, 1),
    (atomWithCategories(201), false, 0, 1),
    ("{\"items\":[{\"id\":\"\(String(repeating: "a", count: 9000))\"}]}", false, 0, 0),
  ])
  func `the report says what was cut`(document: String, isTruncated: Bool, items: Int, parts: Int) throws {
    let report = parseReport(try read(document)).text

    #expect(
      report.contains("\"truncated\":\(isTruncated),\"left-out\":\(items),\"parts-left-out\":\(parts),"))
  }
}

/// An Atom entry with this many categories.
private func atomWithCategories(_ count: Int) -> String {
  atom("<entry>" + (0..<count).map { "<category term='\($0)'/>" }.joined() + "</entry>")
}
