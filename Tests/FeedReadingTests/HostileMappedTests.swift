// JSON made to hurt, under mappings with many stars: time and memory stay in proportion to the document.

import Core
import FeedReading
import Testing

@Suite struct HostileMappedTests {
  /// What stands before, what is repeated, what stands behind.
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
    func time(_ size: Int) -> Int {
      let document = start + String(repeating: piece, count: size / piece.utf8.count) + end
      return (0..<3).map { _ in
        let begun = threadTime()
        _ = try? mapped(document, items: ["/*", "", "/*/*/*"], parts)
        return threadTime() - begun
      }.min() ?? 0
    }
    _ = time(1000)
    let small = time(4000)
    let large = time(32_000)

    // Eight times the size: linear work takes eight times as long, quadratic work 64 times.
    #expect(large < small * 30 + 30_000)
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
