// Atom and JSON Feed as text; ProgramTests reads them back.

import Core
import Formats
import Foundation
import FoundationXML
import Testing

@Suite struct FeedWritersTests {
  private func hostile() throws -> [PublishedItem] {
    try hostileTexts.enumerated().map { number, text in
      item(
        Int64(number), text, link: "https://a.example/\(number)?a=1&b=\"2\"", summary: text,
        feed: try label("evil", text, link: "javascript:alert(1)")
      ) {
        ($0.content, $0.categories) = ("<p>\(text)</p>", [text])
        $0.comments = "https://a.example/c?\(text)"
        $0.enclosures = [Enclosure(url: "https://a.example/" + text, type: text, length: 5)]
        ($0.duration, $0.season, $0.episode) = (.seconds(61), 2, 3)
      }
    }
  }

  @Test func `hostile items make well-formed XML`() throws {
    let text = atomFeed(publication(try hostile()))

    let reader = XMLCheck()
    #expect(reader.check(text), "\(reader.problem)")
    #expect(reader.elements.isDisjoint(with: ["script", "evil", "img", "style", "b"]))
    #expect(reader.texts.contains { $0.contains("</title><script>alert(1)</script>") })
  }

  @Test func `hostile items make valid JSON`() throws {
    let text = jsonFeed(publication(try hostile()))

    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let items = try #require(object?["items"] as? [[String: Any]])
    #expect(items.count == hostileTexts.count)
    #expect(items.allSatisfy { ($0["url"] as? String)?.hasPrefix("https://a.example/") == true })
    #expect((items[0]["content_html"] as? String)?.contains("<script>") == true)
  }

  @Test(arguments: [atomFeed, jsonFeed])
  func `two feeds with the same guids give different ids, which stay`(
    write: @Sendable (Publication) -> String
  ) throws {
    let items = [item(1, "A", feed: try label("a", "A")), item(1, "A", feed: try label("b", "B"))]
    let text = write(publication(items))

    #expect(text.contains("urn:bgfetch:a:guid%201"))
    #expect(text.contains("urn:bgfetch:b:guid%201"))
    #expect(text == write(Publication(title: "News & more", updated: now + .days(3), items: items)))
  }

  @Test(arguments: [atomFeed, jsonFeed])
  func `items with the same guid have ids of their own, and the first keeps its id`(
    write: @Sendable (Publication) -> String
  ) throws {
    let feed = try label("a", "A")
    var (newer, older) = (item(9, "B", feed: feed), item(5, "A", feed: feed))
    newer.item.record.guid = "same"
    older.item.record.guid = "same"

    let ids = Set(
      write(publication([newer, older])).matches(of: /urn:bgfetch:a:[a-z0-9:%]+/).map { String($0.output) })
    #expect(ids == ["urn:bgfetch:a:same", "urn:bgfetch:a:same:9"])
  }

  @Test func `a summary in plain text is not read as HTML, and an item without anything is still an item`()
    throws
  {
    let feed = try label("a", "A")
    let text = publication([item(1, "T", summary: "if a < b && b > c", feed: feed)])
    let empty = publication([item(1, nil, at: nil, feed: feed)])

    #expect(atomFeed(text).contains("<content>if a &lt; b &amp;&amp; b &gt; c</content>"))
    #expect(jsonFeed(text).contains("\"content_text\":\"if a < b && b > c\""))
    for write in [atomFeed, jsonFeed] { #expect(write(empty).contains("(untitled)")) }
  }
}

/// Checks XML with the parser of Foundation.
private final class XMLCheck: NSObject, XMLParserDelegate {
  var problem = ""
  var elements: Set<String> = []
  var texts: [String] = []
  private var text = ""

  func check(_ document: String) -> Bool {
    let parser = XMLParser(data: Data(document.utf8))
    parser.delegate = self
    defer { problem = parser.parserError.map { "\($0)" } ?? "" }
    return parser.parse()
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    elements.insert(name)
    text = ""
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?)
  {
    texts.append(text)
  }
}
