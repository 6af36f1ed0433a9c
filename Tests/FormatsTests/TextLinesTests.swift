// The lines of texts that are not HTML: they stay in the content of items, which is HTML.

import Core
import Formats
import TestKit
import Testing

@Suite struct TextLinesTests {
  @Test(arguments: [
    (
      "a description without an element",
      rss("<item><title>t</title><description>a &amp;amp; b\n\n\n c\nd</description></item>"),
      "a &amp; b<br>\n<br>\nc<br>\nd"
    ),
    (
      "a description that its document indents",
      rss("<item><title>t</title><description>\n    a\n    b\n      - c\n\td\n  </description></item>"),
      "a<br>\nb<br>\n- c<br>\nd"
    ),
    (
      "a description with an element",
      rss("<item><title>t</title><description>&lt;i>a&lt;/i>\nb</description></item>"),
      "<i>a</i>\nb"
    ),
    (
      "a description with a sign",
      rss("<item><title>t</title><description>1 &lt; 2\n&lt;3</description></item>"),
      "1 < 2<br>\n<3"
    ),
    (
      "Media RSS",
      rss(
        "<item><title>t</title><media:group><media:description>a\nb</media:description></media:group></item>"),
      "a<br>\nb"
    ),
    (
      "Atom's text", atom("<entry><id>1</id><summary>a\n&lt;b>\r\nc</summary></entry>"),
      "a<br>\n&lt;b><br>\nc"
    ),
    (
      "Atom's HTML", atom("<entry><id>1</id><summary type='html'>&lt;p>a\nb&lt;/p></summary></entry>"),
      "<p>a\nb</p>"
    ),
    (
      "JSON Feed",
      #"{"version": "https://jsonfeed.org/version/1.1", "items": [{"id": "1", "summary": "a\nb <c>"}]}"#,
      "a<br>\nb &lt;c>"
    ),
  ])
  func `a text keeps its lines`(what: String, document: String, summary: String) throws {
    let feed = try readFeed(Array(document.utf8), contentType: nil, address: nil)

    #expect(feed.items.first?.summary == summary)
  }

  @Test func `the content of JSON Feed keeps its lines if it is text`() throws {
    let document = #"""
      {"version": "https://jsonfeed.org/version/1.1",
       "items": [{"id": "1", "content_text": "00:00 a\n01:00 b & c"}, {"id": "2", "content_html": "<p>a\nb"}]}
      """#

    let feed = try readFeed(Array(document.utf8), contentType: nil, address: nil)

    #expect(feed.items.map(\.content) == ["00:00 a<br>\n01:00 b &amp; c", "<p>a\nb"])
  }
}
