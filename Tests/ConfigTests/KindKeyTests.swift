// Feeds that are JSON with a mapping, and feeds that are files.

import Config
import Core
import Testing

@Suite struct KindKeyTests {
  @Test func `a mapping says where items and their parts are`() throws {
    let feed = try #require(
      feeds(
        "feeds: {app: {url: \"https://a.example/\", kind: json, json: {items: \"\", id: /id, title: [/name, /tag]}}}"
      ).first)

    let mapping = try #require(feed.kind.mapping)
    #expect(mapping.items.map(\.text) == [""])
    #expect(mapping.parts.mapValues { $0.map(\.text) } == [.id: ["/id"], .title: ["/name", "/tag"]])
  }

  @Test func `a mapping merges with defaults, key by key, and none unsets`() throws {
    let all = try feeds(
      """
      defaults: {json: {items: /results, id: /id, title: [/name, /tag], link: /url}}
      feeds:
        app: {url: "https://a.example/", kind: json, json: {title: /full_name, link: none}}
        other: {url: "https://b.example/", kind: json}
        blog: https://c.example/
        alone: {url: "https://d.example/", kind: json, json: {items: "", link: /l, id: none, title: none}}
        plain: {url: "https://e.example/", json: none}
      """)

    let parts = all.map { $0.kind.mapping?.parts.mapValues { $0.map(\.text) } }
    #expect(parts[0] == [.id: ["/id"], .title: ["/full_name"]])
    #expect(parts[1] == [.id: ["/id"], .title: ["/name", "/tag"], .link: ["/url"]])
    #expect(parts[2] == nil)
    #expect(parts[3] == [.link: ["/l"]])
    #expect(parts[4] == nil)
    #expect(all[0].kind.mapping?.items.map(\.text) == ["/results"])
  }

  @Test(arguments: [
    ("file:///srv/x.xml", "/srv/x.xml"), ("file:/srv//./x.xml", "/srv/x.xml"),
    ("file://localhost/srv/a%20b%23.xml", "/srv/a b#.xml"), ("FILE:///srv/My Feed.xml", "/srv/My Feed.xml"),
    ("file:x.xml", "/etc/bgfetch/x.xml"), ("file:feeds/x.xml", "/etc/bgfetch/feeds/x.xml"),
    ("file:~/x.xml", "/home/me/x.xml"), ("file:$FEEDS/x.xml", "/srv/feeds/x.xml"),
  ])
  func `a file URL names a path, expanded like every other`(url: String, path: String) throws {
    // Headers and credentials of defaults are for the feeds of servers.
    let defaults = "defaults: {headers: {X-A: b}, auth: {netrc: true}}\n"

    let context = surroundings(["FEEDS": "/srv/feeds"])
    #expect(try feeds("feeds: {f: \"\(url)\"}", context).first?.file?.path == path)
    #expect(try feeds(defaults + "feeds: {f: {url: \"\(url)\"}}", context).first?.file?.path == path)
  }
}

extension FeedKind {
  var mapping: JSONMapping? {
    if case .json(let mapping) = self { mapping } else { nil }
  }
}
