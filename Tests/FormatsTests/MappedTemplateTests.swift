// JSON whose links must be put together, and items that conditions leave out, in the forms of some APIs.

import Core
import Formats
import Testing

@Suite struct MappedTemplateTests {
  @Test func `a comic has its page by its number`() throws {
    let found = try mapped(
      "{\"num\": 3050, \"title\": \"A & B\", \"img\": \"https://i.example/a b.png\", \"day\": \"7\", \"month\": \"2\", \"year\": \"2026\"}",
      items: [""],
      [
        .id: ["/num"], .title: ["{num}: {title}"], .link: ["https://xkcd.com/{num}/"],
        .published: ["{year}-0{month}-0{day}"], .assets: ["/img"],
      ])

    #expect(found.items.map(\.title) == ["3050: A & B"])
    #expect(found.items.map(\.link) == ["https://xkcd.com/3050/"])
    #expect(found.items.map { $0.published?.rfc3339 } == ["2026-02-07T00:00:00Z"])
  }

  @Test(arguments: [
    ("https://b.example/{id}", "a/b c", "https://b.example/a%2Fb%20c"),
    ("/x/{id}", "1", "https://api.site.example/x/1"),
    ("https://b.example{+id}", "/r/x/?a=1", "https://b.example/r/x/?a=1"),
    ("{+id}?from=feed", "https://c.example/", "https://c.example/?from=feed"),
    ("javascript:{id}", "alert", nil), ("{+id}", "javascript:alert(1)", nil),
    ("https://b.example/{none}", "1", nil),
    ("https://b.example/{id}", "a\\u001b[31m[b", "https://b.example/a%5Bb"),
  ])
  func `a composed link is held to the rules of every link`(template: String, value: String, link: String?)
    throws
  {
    let found = try mapped("[{\"id\": \"\(value)\"}]", items: [""], [.id: ["/id"], .link: [template]])

    #expect(found.items.map(\.link) == [link])
  }

  @Test func `a template without a value gives way to the next one, and pointers in it may lead deep`() throws
  {
    let found = try mapped(
      "[{\"id\": 1, \"n\": \"x\"}, {\"id\": 2, \"n\": \"\"}, {\"id\": 3, \"n\": null}, {\"id\": 4, \"n\": {}}]",
      items: [""], [.id: ["/id"], .title: ["{n} of {id}", "/id"]])
    let deep = try mapped(
      "[{\"a\": {\"b\": [\"x\", \"y\"]}, \"c\": 1}]", items: [""], [.title: ["{a/b/*}-{/a/b/1}-{c}"]])

    #expect(found.items.map(\.title) == ["x of 1", "2", "3", "4"])
    // The first value counts.
    #expect(deep.items.map(\.title) == ["x-y-1"])
  }

  private static let releases = """
    [{"id": 4, "prerelease": true, "draft": false}, {"id": 3, "prerelease": false, "draft": true},
     {"id": 2, "prerelease": false, "draft": false}, {"id": 1}, {"id": 0, "prerelease": null}]
    """

  @Test func `an empty text is a value`() throws {
    let documents = #"[{"id": 1, "deleted": ""}, {"id": 2, "deleted": "x"}]"#
    let only = [JSONCondition(try JSONPointer(parsing: "/deleted"), values: [""])]

    #expect(try mapped(documents, items: [""], [.id: ["/id"]], only: only).items.map(\.id) == ["1"])
  }

  @Test(arguments: [(["/prerelease", "/draft"], "false", ["2", "1", "0"]), (["/draft"], "maybe", [])])
  func `releases without previews and drafts, even if none is left`(
    places: [String], value: String, ids: [String]
  ) throws {
    let only = try places.map { JSONCondition(try JSONPointer(parsing: $0), values: [value]) }

    #expect(try mapped(Self.releases, items: [""], [.id: ["/id"]], only: only).items.map(\.id) == ids)
  }

  @Test(arguments: [
    ("/yanked", ["false"], ["a"]), ("/yanked", ["true"], ["b"]), ("/info/size", ["10"], ["b"]),
    ("/info/size", ["9", "10"], ["a", "b"]), ("/tags/*", ["x"], ["a", "b"]), ("/tags/*", ["y"], ["b"]),
    ("/info", ["false"], []), ("/missing", ["null"], ["a", "b"]),
  ])
  func `a condition reads truth values, numbers and texts anywhere in the item`(
    pointer: String, values: [String], ids: [String]
  ) throws {
    let found = try mapped(
      """
      {"urls": [{"f": "a", "yanked": false, "info": {"size": 9}, "tags": ["x"]},
                {"f": "b", "yanked": true, "info": {"size": 10}, "tags": ["x", "y"]}]}
      """, items: ["/urls"], [.id: ["/f"]],
      only: [JSONCondition(try JSONPointer(parsing: pointer), values: values)])

    #expect(found.items.map(\.id) == ids)
  }
}
