// The mapping that is proposed for JSON that is not a feed.

import Core
import Testing

@Suite struct JSONProposalTests {
  @Test(
    arguments: [
      (
        "the root", #"[{"id": 1, "title": "A", "url": "https://a.example/"}]"#,
        #"items: "", id: /id, title: /title, link: /url"#
      ),
      (
        "below the root",
        #"{"page": {"name": "x"}, "incidents": [{"id": "a", "name": "DB", "shortlink": "s"}]}"#,
        "items: /incidents, id: /id, title: /name, link: /shortlink"
      ),
      (
        "deeper", #"{"data": {"list": [{"Created-At": "2026-11-21", "body": "b", "guid": "g"}]}}"#,
        "items: /data/list, id: /guid, published: /Created-At, summary: /body"
      ),
      (
        "the best names",
        #"[{"tag_name": "v1", "name": "One", "url": "api", "html_url": "page", "id": {"x": 1}}]"#,
        #"items: "", id: /tag_name, title: [/name, /tag_name], link: /html_url"#
      ),
      ("the nearest list", #"{"a": {"b": [{"id": 1}]}, "c": [{"id": 2}]}"#, "items: /c, id: /id"),
      ("numbers", "[1, 2]", nil), ("an empty list", #"{"items": []}"#, nil),
      ("no list", #"{"error": "x"}"#, nil),
      ("no usable part", #"[{"x": 1, "id": null}]"#, nil),
      ("a name with a slash", #"{"a/b": [{"id": 1}]}"#, nil),
    ] as [(String, String, String?)])
  func `the nearest list of objects is proposed, with its usual members`(
    name: String, document: String, mapping: String?
  ) throws {
    let value = try #require(JSONValue(parsing: document))

    #expect(likelyMapping(of: value) == mapping, "\(name)")
  }
}
