// Pages that are made to take long: time and memory stay in proportion to their size.

import Core
import Formats
import Synchronization
import TestKit
import Testing

@Suite struct HostilePageTests {
  /// The repeated piece of a page, and the selector of its items.
  static let shapes: [(String, String)] = [
    ("<div>", "div div div div div div div"), ("<div>", "div > div ~ div + div"), ("<div>x", "div"),
    ("<p>", "p ~ p ~ p ~ p"), ("<p>a", "p:nth-child(2n+1):not(.x)"), ("<li>", "li li"), ("<b><i>", "b i b i"),
    ("<table><tr><td>", "td td td"), ("</b>", "b"), ("<b></i>", "b b"), ("<a href=x>", "a[href] a"),
    ("<li></li><ul>", "li"), ("<p><svg/>", "p"), ("<!--", "p"), ("<!", "p"), ("<script>", "script"),
    ("<title>", "title"), ("<p a", "p"), ("<p a='", "p"), ("&", "p"), ("<", "p"), ("<svg><g/>", "svg svg g"),
    ("<option>", "option option"), ("<body><html>", "body"), ("<p class='a b c d e f'>", ".f.e.d.c.b.a"),
    ("<h1><a href=x>", "h1"),
  ]

  @Test(arguments: shapes)
  func `a hostile page takes time in proportion to its size`(piece: String, selector: String) {
    expectLinear(from: 2000) { size in
      let document = String(repeating: piece, count: size / piece.utf8.count)
      _ = try? page(document, items: selector, [.title: "*", .summary: "*", .assets: "*"])
      _ = try? page(document, text: selector)
    }
  }

  @Test func `a hundred thousand nested elements and a million attributes are read`() throws {
    let nested = "<h2>top</h2>" + String(repeating: "<div>", count: 100_000) + "<h2 id=deep>x</h2>"
    let attributes = "<p " + String(repeating: "a ", count: 1_000_000) + "class=x>x"

    #expect(try page(nested, items: "h2", [.id: "@id"]).items.map(\.title) == ["top", "x"])
    #expect(try page(nested, items: "div div h2", [.id: "@id"]).items.map(\.id) == ["deep"])
    #expect(try page(attributes, items: "p.x[a]").items.map(\.title) == ["x"])
  }

  @Test func `the attributes of an element are bounded, and the first of a name counts`() throws {
    let names = (0..<200).map { "a\($0)=\($0)" }.joined(separator: " ")
    let found = try page(
      "<p class=x class=y \(names)>x<p \(names) class=x>y", items: "p.x[a50]", [.id: "@a50"])

    #expect(found.items.map(\.id) == ["50"])
    #expect(throws: FeedReadingFailure.self) { try page("<p \(names)>x", items: "p[a150]") }
  }

  @Test func `items inside one another do not multiply the text`() throws {
    let text = String(repeating: "word ", count: 20_000)
    let nested = String(repeating: "<div>", count: 500) + text

    let items = try page(nested, items: "div", [.summary: "@x", .title: "div"]).items
    let summaries = try page(nested, items: "div", [.summary: "div"]).items.compactMap(\.summary)

    let nearlyBlank = String(repeating: "<div>", count: 500) + String(repeating: " ", count: 100_000) + "x"
    let titles = try page(nearlyBlank, items: "div", [:]).items

    #expect(!items.isEmpty)
    // The text is read ten times at most, and not for each of the elements around it.
    #expect(items.count <= 10)
    #expect(!titles.isEmpty)
    #expect(titles.count <= 10)
    #expect(summaries.reduce(0) { $0 + $1.utf8.count } <= nested.utf8.count * 8 + 1 << 20)
  }

  @Test func `items are bounded in number`() throws {
    let found = try page(String(repeating: "<p>x", count: 60_000), items: "p")

    #expect(found.items.count == 50_000)
    #expect(found.leftOut == 10_000)
  }

  @Test(arguments: [nil, "p"] as [String?])
  func `reading stops soon after shouldStop says so`(items: String?) throws {
    let document = Array(String(repeating: "<p>some text", count: 1 << 16).utf8)
    let mapping = HTMLMapping(items: try items.map { try SelectorList(parsing: $0) })
    for last in [1, 3, 10] {
      let asked = Mutex(0)

      #expect(throws: FeedReadingFailure.stopped) {
        _ = try readFeed(document, as: .html(mapping), contentType: nil, address: nil) {
          asked.withLock { count in
            count += 1
            return count >= last
          }
        }
      }
    }
  }
}
