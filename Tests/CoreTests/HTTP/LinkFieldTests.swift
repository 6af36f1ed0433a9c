// The WebSub hubs of a feed: from the `Link` field first, else from the document, and only a few.

import Testing

@testable import Core

@Suite struct LinkFieldTests {
  @Test(
    arguments: [
      ("<https://hub.example/>; rel=\"hub\"", ["https://hub.example/"], nil),
      (
        "<https://hub.example/>; rel=hub, <https://planet.example/feed>;rel=self", ["https://hub.example/"],
        "https://planet.example/feed"
      ),
      (
        "<https://a.example/>; rel=\"preload hub\"; as=\"a, b; c\", <https://b.example/>; REL=HUB",
        ["https://a.example/", "https://b.example/"], nil
      ),
      ("</hub>; rel=hub, <feed>; rel=self", ["https://planet.example/hub"], "https://planet.example/x/feed"),
      // The first `rel` counts (RFC 8288 section 3.3).
      ("<https://hub.example/>; rel=next; rel=hub", [], nil),
      // The link has another context (section 3.2).
      ("<https://hub.example/>; rel=hub; anchor=\"/other\"", [], nil),
      ("<https://hub.example/>; rel=hub, <https://hub.example/>; rel=hub", ["https://hub.example/"], nil),
      ("<javascript:x>; rel=hub, <ftp://hub.example/>; rel=hub", [], nil),
      ("<https://planet.example/feed>; rel=self", [], nil), ("<https://hub.example/", [], nil), ("", [], nil),
      ("<>;rel=\"\\\"", [], nil),
      ("<https://hub.example/>; title=\"a\\\"b\"; rel=hub", ["https://hub.example/"], nil),
    ] as [(String, [String], String?)])
  func `hub and topic are read from the Link field`(value: String, hubs: [String], topic: String?) {
    let response = Response(status: 200, fields: [HeaderField("link", value)], body: [])

    let links = hubLinks(of: response, from: "https://planet.example/x/atom.xml", ParsedFeed(format: .atom))

    #expect(links.hubs == hubs)
    #expect(links.topic == topic)
  }

  @Test func `several fields count as one, and only the first few hubs are kept, without very long ones`() {
    func links(_ fields: String...) -> HubLinks {
      let response = Response(status: 200, fields: fields.map { HeaderField("Link", $0) }, body: [])
      return hubLinks(of: response, from: nil, ParsedFeed(format: .rss))
    }
    let long = "<https://hub.example/\(String(repeating: "a", count: 3000))>; rel=hub"
    let many = (1...50).map { "<https://hub\($0).example/>; rel=hub" }.joined(separator: ",")
    let two = links("<https://hub.example/>; rel=hub", "<https://a.example/>; rel=self")

    #expect(two.hubs == ["https://hub.example/"])
    #expect(two.topic == "https://a.example/")
    #expect(links(long + "," + many).hubs == (1...4).map { "https://hub\($0).example/" })
  }

  @Test func `a hub in the field replaces the document's hubs, which count without one`() {
    var document = ParsedFeed(format: .rss)
    document.hubLinks.add(hub: "https://document.example/hub")
    document.hubLinks.accept(topic: "https://document.example/feed")
    func links(_ field: String) -> HubLinks {
      hubLinks(of: Response(status: 200, fields: [HeaderField("Link", field)], body: []), from: nil, document)
    }

    #expect(links("<https://field.example/hub>; rel=hub").hubs == ["https://field.example/hub"])
    #expect(links("<https://field.example/hub>; rel=hub").topic == nil)
    #expect(links("<https://field.example/>; rel=self") == document.hubLinks)
  }
}
