// JSON read by a mapping of the configuration.

import Core
import Formats
import TestKit
import Testing

@Suite struct MappedTests {
  @Test
  func `the first pointer that finds a value counts, in any order of the document`()
    throws
  {
    let parts: [JSONMapping.Part: [String]] = [.title: ["/name", "/tag", "/id"]]

    let found = try mapped(
      "[{\"id\": 1, \"tag\": \"t\", \"name\": \"n\"}, {\"id\": 2, \"tag\": \"t\", \"name\": \"\"}, {\"name\": null, \"id\": 3}]",
      items: [""], parts)

    #expect(found.items.map(\.title) == ["n", "t", "3"])
  }

  @Test(arguments: [
    ("{\"a\": [[1, 2], [3]]}", "/a/*/*", "1"), ("{\"a\": {\"b\": 1, \"c\": 2}}", "/a/*", "1"),
    ("{\"a/b\": {\"m~n\": 5}}", "/a~1b/m~0n", "5"), ("{\"~1\": 6}", "/~01", "6"), ("{\"\": 7}", "/", "7"),
    ("{\"0\": 8}", "/0", "8"), ("{\"a\": [10, 11]}", "/a/1", "11"), ("{\"a\": [10]}", "/a/1", nil),
    ("{\"a\": [10]}", "/a/-", nil), ("{\"a\": [10, 11]}", "/a/01", nil), ("{\"a\": 1}", "/a/b", nil),
    ("{\"a\": null}", "/a", nil), ("{\"a\": \"  \"}", "/a", nil), ("{\"a\": true}", "/a", nil),
    ("{\"a\": {}}", "/a", nil), ("{\"a\": []}", "/a", nil), ("{\"A\": 1}", "/a", nil),
    ("{\"caf\\u00e9\": 9}", "/café", "9"), ("{\"a\": \"x\\ud83d\\ude00\"}", "/a", "x😀"),
    ("{\"a\": 1.10}", "/a", "1.10"), ("{\"a\": 12345678901234567890123}", "/a", "12345678901234567890123"),
    ("{\"a\": -0.50}", "/a", "-0.50"), ("{\"a\": 1, \"a\": 2}", "/a", "1"),
  ])
  func `a pointer follows RFC 6901, and text and numbers are taken as written`(
    item: String, pointer: String, id: String?
  ) throws {
    let found = try mapped("[\(item), {\"x\": 1}]", items: [""], [.id: [pointer], .title: ["/x"]])

    #expect(found.items.first { $0.title == nil }?.id == id)
  }

  @Test(arguments: [
    ("\"2026-11-21T08:30:00Z\"", "2026-11-21T08:30:00Z"),
    ("\"Sat, 21 Nov 2026 08:30:00 +0000\"", "2026-11-21T08:30:00Z"),
    ("\"2026-11-21\"", "2026-11-21T00:00:00Z"), ("1795249800", "2026-11-21T08:30:00Z"),
    ("\"1795249800\"", "2026-11-21T08:30:00Z"), ("1795249800000", "2026-11-21T08:30:00Z"),
    ("\"1795249800000\"", "2026-11-21T08:30:00Z"), ("1795249800.75", "2026-11-21T08:30:00Z"),
    ("1795249800000000", "2026-11-21T08:30:00Z"),
    ("1795249800000000000", "2026-11-21T08:30:00Z"), ("\"20261121083000\"", "2026-11-21T08:30:00Z"),
    ("20261121", "1970-08-23T12:05:21Z"), ("0", nil), ("-5", nil), ("1e400", nil), ("\"soon\"", nil),
    ("\"0001-01-01T00:00:00Z\"", nil), ("true", nil),
  ])
  func `a date is text as in feeds, or the time since 1970`(written: String, moment: String?) throws {
    let found = try mapped(
      "[{\"id\": 1, \"at\": \(written)}]", items: [""],
      [.id: ["/id"], .published: ["/at"], .updated: ["/missing", "/at"]])

    #expect(found.items.map { $0.published?.rfc3339 } == [moment])
    #expect(found.items.map { $0.updated?.rfc3339 } == [moment])
  }

  @Test func `links are resolved, and only web addresses count`() throws {
    let found = try mapped(
      "[\"a\", \"//b.example/\", \"javascript:alert(1)\", \"mailto:x@y\", \"file:///etc/passwd\", \"http://c.example/x y\"]",
      items: [""], [.id: [""], .link: [""], .assets: [""]])

    #expect(
      found.items.map(\.link) == [
        "https://api.site.example/v1/a", "https://b.example/", nil, nil, nil, "http://c.example/x%20y",
      ])
    #expect(found.items.map { $0.enclosures.count } == [1, 1, 0, 0, 0, 1])
  }

  @Test func `relative assets stay in a document without an address if there are no others`()
    throws
  {
    let found = try mapped(
      """
      [{"id": 1, "a": ["a.mp3", "/srv/b.mp3"]}, {"id": 2, "a": "file:///c.mp3", "b": "d.mp3"},
      {"id": 3, "a": "e.mp3", "b": "https://x.example/f.mp3"}, {"id": 4, "a": "magnet:?xt=g", "b": "h.mp3"},
      {"id": 5, "a": ["mailto:x@y"]}]
      """, items: [""], [.id: ["/id"], .assets: ["/a/*", "/a", "/b"]], address: nil)

    #expect(
      found.items.map { $0.enclosures.map(\.url) } == [
        ["a.mp3", "/srv/b.mp3"], ["file:///c.mp3"], ["https://x.example/f.mp3"], ["h.mp3"], [],
      ])
  }

  @Test(arguments: [
    ("{\"l\": [{\"id\": 1}, {\"id\": 2}]}", ["/l"], ["1", "2"]), ("{\"id\": 1}", [""], ["1"]),
    ("{\"l\": {\"id\": 1}}", ["/l"], ["1"]),
    ("{\"l\": {\"a\": {\"id\": 1}, \"b\": {\"id\": 2}}}", ["/l/*"], ["1", "2"]),
    ("{\"l\": {\"a\": [{\"id\": 1}], \"b\": [{\"id\": 2}]}}", ["/l/*"], ["1", "2"]),
    ("{\"new\": [{\"id\": 1}]}", ["/l", "/new"], ["1"]),
    ("{\"l\": [], \"new\": [{\"id\": 1}]}", ["/l", "/new"], ["1"]),
    ("{\"l\": [null, {\"id\": 1}, 5, {\"x\": 1}]}", ["/l"], ["1"]), ("{\"l\": []}", ["/l"], []),
    ("{\"l\": null}", ["/l"], []), ("null\n", [""], []), ("[]", [""], []), ("[null]", [""], []),
    ("  [{\"id\":1},]  ", [""], ["1"]),
  ])
  func `an array has items, an object is one item, and no items are not a failure`(
    document: String, places: [String], ids: [String]
  ) throws {
    #expect(try mapped(document, items: places, [.id: ["/id"]]).items.map(\.id) == ids)
  }

  @Test(arguments: [
    (
      "{\"a\": {\"b\": 1, \"c\": 2}}", ["/a/l"],
      "json.items finds no items at /a/l; /a is an object with b, c"
    ),
    (
      "[{\"id\": 1}, 2]", ["/l", "/m"], "json.items finds no items at /l or /m; the document is an array of 2"
    ),
    ("{\"l\": \"text\"}", ["/l"], "json.items finds no items at /l; /l is a string"),
    ("{\"l\": {\"x\": []}}", ["/l/*/y"], "json.items finds no items at /l/*/y; /l/* is an empty array"),
    ("{}", ["/l"], "json.items finds no items at /l; the document is an empty object"),
    (
      "[{\"uuid\": 1}, {\"uuid\": 2}]", [""],
      "json finds /id in none of 2 items; the first is an object with uuid"
    ),
    (
      "[{\"id\": {\"value\": 1}}]", [""],
      "json finds /id in none of 1 item; /id of the first is an object with value"
    ),
    ("[{\"id\": []}, {}]", [""], "json finds /id in none of 2 items; /id of the first is an empty array"),
    ("[{\"id\": \"\"}]", [""], "json finds /id in none of 1 item; the first is an object with id"),
    ("{\"id\": 1}\n{\"id\": 2}\n", [""], "not one JSON document but several, one after the other (NDJSON)"),
    ("{\"id\": 1} x", [""], "JSON with something else after it"),
    ("[{\"id\": 1}, {\"id\"", [""], "JSON that is broken or incomplete"),
    ("<!DOCTYPE html><html></html>", [""], "not JSON: an HTML page"),
    ("<rss version='2.0'></rss>", [""], "not JSON: RSS or Atom, which kind: feed reads"),
    ("\"text\"", [""], "not JSON: text that begins with neither { nor ["),
    (")]}',[]", [""], "not JSON: text that begins with neither { nor ["),
  ])
  func `a document that does not fit the mapping is not a feed, and is described`(
    document: String, places: [String], reason: String
  ) {
    #expect(throws: FeedReadingFailure.unmapped(reason)) {
      try mapped(document, items: places, [.id: ["/id"]])
    }
  }

  @Test func `if the list may be missing, a document without it has no items, but a broken one has failed`()
    throws
  {
    for document in ["{}", "{\"total\": 0}", "{\"l\": \"\"}"] {
      #expect(try mapped(document, items: ["/l"], [.id: ["/id"]], allowsEmpty: true).items.isEmpty)
    }
    for document in ["{", "<html></html>", "{\"l\": [{\"uuid\": 1}]}"] {
      #expect(throws: FeedReadingFailure.self) {
        try mapped(document, items: ["/l"], [.id: ["/id"]], allowsEmpty: true)
      }
    }
  }

  @Test func `a reason is bounded, and free of terminal escape sequences`() {
    let members = (0..<100).map { "\"\\u001b[31m\\u202e\(String(repeating: "x", count: 500))\($0)\": 1" }

    let error = #expect(throws: FeedReadingFailure.self) {
      try mapped("{" + members.joined(separator: ",") + "}", items: ["/l"], [.id: ["/id"]])
    }

    guard case .unmapped(let reason) = error else { return #expect(Bool(false), "another failure") }
    #expect(reason.utf8.count < 500)
    #expect(reason.hasSuffix("and 92 more"))
    #expect(!reason.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
  }

  @Test func `an item without an identity is left out`() throws {
    let found = try mapped(
      "[{\"at\": 1795249800, \"by\": \"me\"}, {\"id\": 1}]", items: [""],
      [.id: ["/id"], .published: ["/at"], .author: ["/by"]])

    #expect(found.items.map(\.id) == ["1"])
  }
}

/// Reads JSON by a mapping as if it came from https://api.site.example/v1/list.
func mapped(
  _ document: String, items: [String], _ parts: [JSONMapping.Part: [String]], only: [JSONCondition] = [],
  allowsEmpty: Bool = false, address: String? = "https://api.site.example/v1/list"
) throws -> ParsedFeed {
  let mapping = JSONMapping(
    items: try items.map { try JSONPointer(parsing: $0) },
    parts: try parts.mapValues { try $0.map { try JSONSource(parsing: $0) } }, only: only,
    allowsEmpty: allowsEmpty)
  return try readFeed(Array(document.utf8), as: .json(mapping), contentType: nil, address: address)
}

@Suite struct HostileMappedTests {
  /// The beginning, the repeated piece and the end of a document.
  static let shapes: [(String, String, String)] = [
    ("", "[", ""), ("[", "[],", "]"), ("[[[", "0,", "]]]"), ("[", "[[0]],", "]"), ("", "{\"a\":", ""),
    ("{\"a\":{", "\"b\":{\"c\":1},", "}}"), ("[{\"a\":[", "\"u:x\",", "]}]"), ("[{\"a\":[", "\"/x\",", "]}]"),
    ("[", "{\"a\":[1]},", "]"), ("[{", "\"a\":[\"x\"],", "}]"), ("[{\"a\":[[", "\"2026-\",", "]]}]"),
    ("[\"", "\\\\", "\"]"),
  ]

  @Test(arguments: shapes)
  func `hostile JSON takes time in proportion to its size`(start: String, piece: String, end: String) {
    let stars = ["/*", "/*/*", "/*/*/*", "/a/*", "/a/*/*"]
    let parts = Dictionary(uniqueKeysWithValues: JSONMapping.Part.allCases.map { ($0, stars) })
    expectLinear(from: 4000) { size in
      let document = start + String(repeating: piece, count: size / piece.utf8.count) + end
      _ = try? mapped(document, items: ["/*", "", "/*/*/*"], parts)
    }
  }

  @Test func `items and their assets are bounded in number`() throws {
    let assets = (0..<2000).map { "\"https://a.example/\($0)\"" }.joined(separator: ",")
    let many = String(repeating: "{\"id\":1},", count: 60_000)

    #expect(
      try mapped("{\"id\":1,\"a\":[\(assets)]}", items: [""], [.id: ["/id"], .assets: ["/a/*"]])
        .items[0].enclosures.count == 200)
    let feed = try mapped("[\(many)]", items: [""], [.id: ["/id"]])
    #expect(feed.items.count == 50_000)
    #expect(feed.leftOut == 10_000)
  }
}
