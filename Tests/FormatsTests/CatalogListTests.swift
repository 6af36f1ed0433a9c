// Lists for the catalog: lines of JSON, as databases write them.

import Testing

@testable import Formats

@Suite struct CatalogListTests {
  private func lines(_ text: String) throws -> [ListedFeed] {
    var feeds: [ListedFeed] = []
    try readJSONLines(Array(text.utf8)) { feeds.append($0) }
    return feeds
  }

  private func feed(
    _ line: Int, _ name: String, _ url: String, tags: [String] = []
  ) -> ListedFeed {
    var feed = ListedFeed(line: line)
    feed.name = name
    feed.url = url
    feed.tags = tags
    return feed
  }

  @Test func `each line is an object`() throws {
    let text = """
      {"name": "a", "url": "https://a.example/", "more": [1, {"x": 2}]}

      {"tags": ["t", "u"], "url": "https:\\/\\/b.example\\/", "name": "b"}
      {"name": "c", "url": "https://c.example/", "tags": null}
      """

    #expect(
      try lines(text) == [
        feed(1, "a", "https://a.example/"),
        feed(3, "b", "https://b.example/", tags: ["t", "u"]),
        feed(4, "c", "https://c.example/"),
      ])
  }

  @Test(arguments: ["[]", "{", "{\"name\": \"a\"} x", "name,url"])
  func `a line that is no object is named`(text: String) {
    #expect(throws: CatalogListFailure(line: 2)) { try lines("{}\n" + text) }
  }
}
