// The details of items, from the document to the outputs, templates, hooks and names of files.

import Foundation
import TestKit
import Testing

@Suite final class ItemDetailTests: ServerSuite {
  @Test func `items, hooks and messages have the details that the feed gave`() async throws {
    // One episode has everything, the other one only a title.
    let document = """
      <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" \
      xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>Planet</title>
      <item><guid>full</guid><title>Seven</title><description>short</description>
      <content:encoded><![CDATA[<p>Full &amp; <b>long</b></p>]]></content:encoded>
      <category>linux</category><category>news</category><comments>https://planet.example/7#c</comments>
      <itunes:image href="https://planet.example/7.png"/><itunes:duration>1:02:03</itunes:duration>
      <itunes:season>2</itunes:season><itunes:episode>7</itunes:episode>
      <enclosure url="\(server.url("/7.mp3"))" type="audio/mpeg" length="5"/></item>
      <item><guid>bare</guid><title>Bare</title></item></channel></rss>
      """
    server.on("/planet", .document(document))
    let values = "\"$@\" \"$BGFETCH_ITEM_CONTENT_TEXT\""
    let bgfetch = try BuiltProgram(
      server, keys: "first-run: all, notify: {body: \"{item.episode}: {item.content.text}\"}",
      more: """
        hooks:
          item: {events: [new-item], run: [HOME/note, item, "E{item.episode}", [--tags, "{item.categories}"]]}
          say: {events: [notification], group: item, run: [HOME/note, message, "{body}"]}
        """,
      scripts: ["note": "cat >> \"$HOME/$1.json\"; shift; printf '%s\\n' \(values) >> \"$HOME/said\""])

    try await bgfetch("run")

    let said = bgfetch.said.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(said.contains("E7"))
    #expect(said.contains("linux, news"))
    #expect(said.contains("Full & long"))
    #expect(said.contains("7: Full & long"))

    let given = bgfetch.json(of: "item.json").compactMap { $0["item"] as? [String: Any] }
    for items in [given, try await bgfetch("items", "--json").json] {
      let full = try #require(items.first { $0["id"] as? String == "full" })
      expect(
        full,
        [
          "content": "<p>Full &amp; <b>long</b></p>", "summary": "short",
          "comments": "https://planet.example/7#c", "image": "https://planet.example/7.png", "duration": 3723,
          "season": 2, "episode": 7,
        ])
      #expect(full["categories"] as? [String] == ["linux", "news"])
      #expect((full["enclosures"] as? [[String: Any]])?.first?["type"] as? String == "audio/mpeg")
      let bare = try #require(items.first { $0["id"] as? String == "bare" })
      #expect(bare["content"] is NSNull)
      #expect(bare["episode"] is NSNull)
      #expect(bare["categories"] as? [String] == [])
    }
  }
}
