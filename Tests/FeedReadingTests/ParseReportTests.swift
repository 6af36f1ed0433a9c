import Core
import FeedReading
import Testing

@Suite struct ParseReportTests {
  @Test func `the report has every field, absent ones null`() throws {
    let feed = try read(
      rss(
        "<title>T</title><item><guid>g</guid><pubDate>2004-01-01</pubDate><enclosure url='https://a.example/1' length='2'/></item>"
      ))

    #expect(
      parseReport(feed).text == """
        {"format":"rss2.0","title":"T","link":null,"id":null,"published":null,"updated":null,"items":[{"id":"g","title":null,\
        "link":null,"published":"2004-01-01T00:00:00Z","updated":null,"summary":null,\
        "enclosures":[{"url":"https://a.example/1","type":null,"length":2}]}]}
        """)
  }
}
