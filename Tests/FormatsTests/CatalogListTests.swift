// Lists for the catalog: CSV and lines of JSON, as spreadsheets and databases write them.

import Formats
import Testing

@Suite struct CatalogListTests {
  private func csv(_ text: String) throws -> [ListedFeed] {
    var feeds: [ListedFeed] = []
    try readCSV(Array(text.utf8)) { feeds.append($0) }
    return feeds
  }

  private func lines(_ text: String) throws -> [ListedFeed] {
    var feeds: [ListedFeed] = []
    try readJSONLines(Array(text.utf8)) { feeds.append($0) }
    return feeds
  }

  private func feed(
    _ line: Int, _ name: String, _ url: String, profile: String? = nil, tags: [String] = []
  ) -> ListedFeed {
    var feed = ListedFeed(line: line)
    (feed.name, feed.url, feed.profile, feed.tags) = (name, url, profile, tags)
    return feed
  }

  @Test(arguments: [
    ("name,url\na,https://a.example/\n", [1]), ("name,url\r\na,https://a.example/\r\n", [1]),
    ("\u{FEFF}URL,Name,other\nhttps://a.example/,a,x\n", [1]), ("url,name\nhttps://a.example/,a", [1]),
    ("name,url\n\n\na,https://a.example/\n", [3]),
  ])
  func `the first line names the columns`(text: String, lines: [Int]) throws {
    #expect(try csv(text) == lines.map { feed($0 + 1, "a", "https://a.example/") })
  }

  @Test func `fields in quotes have commas, quotes and ends of lines`() throws {
    let text =
      "name,url,profile,tags\na,\"https://a.example/?x=1,2\",\"sl\"\"ow\nx\",\"t, u v\"\nb,https://b.example/,,\n"

    #expect(
      try csv(text) == [
        feed(2, "a", "https://a.example/?x=1,2", profile: "sl\"ow\nx", tags: ["t", "u", "v"]),
        feed(4, "b", "https://b.example/"),
      ])
  }

  @Test func `missing fields are empty`() throws {
    #expect(try csv("name,url,tags\na\n") == [feed(2, "a", "")])
  }

  @Test(arguments: ["", "url\nhttps://a.example/\n", "name;url\n"])
  func `a list without the columns is refused`(text: String) {
    #expect(throws: CatalogListFailure.self) { try csv(text) }
  }

  @Test(arguments: [("name,url\na,\"x\n", 2), ("name,url\na,b\n\"x\"y,z\n", 3)])
  func `a quote that does not end is named with its line`(text: String, line: Int) {
    #expect(throws: CatalogListFailure.broken(line: line)) { try csv(text) }
  }

  @Test func `each line is an object`() throws {
    let text = """
      {"name": "a", "url": "https://a.example/", "more": [1, {"x": 2}]}

      {"tags": ["t", "u"], "profile": "slow", "url": "https:\\/\\/b.example\\/", "name": "b"}
      {"name": "c", "url": "https://c.example/", "profile": null, "tags": null}
      """

    #expect(
      try lines(text) == [
        feed(1, "a", "https://a.example/"),
        feed(3, "b", "https://b.example/", profile: "slow", tags: ["t", "u"]),
        feed(4, "c", "https://c.example/"),
      ])
  }

  @Test(arguments: ["[]", "{", "{\"name\": \"a\"} x", "name,url"])
  func `a line that is no object is named`(text: String) {
    #expect(throws: CatalogListFailure.broken(line: 2)) { try lines("{}\n" + text) }
  }
}
