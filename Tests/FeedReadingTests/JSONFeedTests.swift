// JSON Feed, and the JSON that `parse --json` prints.

import Core
import FeedReading
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
    item.published = Instant(rfc3339: "2003-12-31T10:14:55Z")
    item.updated = Instant(rfc3339: "2004-01-01T00:00:00Z")
    item.author = "Ann, Bo"
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

  @Test(
    arguments: [
      ("\"id\": 42", "42"), ("\"id\": 1.5e3", "1.5e3"),
      ("\"id\": null, \"url\": \"https://x.example/\"", nil),
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

  @Test(
    arguments: [
      "{\"version\": \"https://jsonfeed.org/version/1\", \"items\": [{\"id\": \"1\"}",
      "{\"items\": [{\"id\": \"1", "{\"title\": ", "{",
      "{\"version\": \"https://jsonfeed.org/version/1\", \"x\": [[[", "{\"a\" 1}", "{a: 1}", "{\"a\": }",
      "{\"id\": \"\\",
    ])
  func `cut-off JSON is not a feed`(document: String) {
    #expect(throws: FeedReadingFailure.unknown("JSON that is broken or incomplete")) { try read(document) }
  }

  @Test(arguments: [
    ("[1, 2]", "a JSON array"), ("{\"items\": []}", "JSON that is not a feed"),
    ("{\"error\": \"x\"}", "JSON that is not a feed"),
  ])
  func `other JSON is not a feed`(document: String, found: String) {
    #expect(throws: FeedReadingFailure.unknown(found)) { try read(document) }
  }

  @Test func `a feed without items is a feed`() throws {
    #expect(try read("{\"version\": \"https://jsonfeed.org/version/1\"}").items.isEmpty)
  }

  @Test(arguments: [
    ("\\ud83d", ""), ("\\ude00", ""), ("\\ud83dx", "x"), ("\\u00", "00"), ("\\u0000", ""), ("\\x", "x"),
    ("\\é", "é"),
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
        {"format":"rss2.0","title":"T","link":null,"id":null,"published":null,"updated":null,"items":[{"id":"g","title":null,\
        "link":null,"published":"2004-01-01T00:00:00Z","updated":null,"summary":null,\
        "enclosures":[{"url":"https://a.example/1","type":null,"length":2}],"content":null,"author":null,"categories":[],\
        "comments":null,"image":null,"duration":null,"season":null,"episode":null}]}
        """)
  }
}
