// The ends of the numbers there are, in every place of a document that holds one.

import Core
import FeedReading
import Testing

@Suite struct ExtremeNumbersTests {
  /// As people, programs and attackers write them.
  static let extremes = [
    "0", "-1", "2147483648", "9007199254740992", "4611686018427387904", "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "99999999999999999999999", "1e308", "-1e308", "1e18",
    "NaN", "",
  ]

  @Test(arguments: extremes)
  func `a feed says any number`(text: String) throws {
    let rss = try read(
      rss(
        """
        <ttl>\(text)</ttl><skipHours><hour>\(text)</hour><hour>3</hour></skipHours>
        <skipDays><day>\(text)</day></skipDays>
        <sy:updatePeriod>yearly</sy:updatePeriod><sy:updateFrequency>\(text)</sy:updateFrequency>
        <item><title>T</title><pubDate>\(text)</pubDate><itunes:duration>\(text)</itunes:duration>
        <enclosure url="/a" length="\(text)"/>
        <media:content url="/b" fileSize="\(text)" duration="\(text)" height="\(text)" width="\(text)"/></item>
        """))
    let feed = try read(
      atom(
        """
        <updated>\(text)</updated><entry><id>\(text)</id><updated>\(text)</updated>
        <link rel="enclosure" href="/a" length="\(text)"/></entry>
        """))
    let json = try? read(
      """
      {"version": "https://jsonfeed.org/version/1.1", "items": [{"id": \(text.isEmpty ? "0" : text),
       "date_published": \(text.isEmpty ? "0" : text), "attachments": [
       {"url": "/a", "size_in_bytes": \(text.isEmpty ? "0" : text), "duration_in_seconds": 1}]}]}
      """)

    for feed in [rss, feed, json].compactMap({ $0 }) {
      #expect(
        (feed.hints.updateInterval ?? .zero) <= .longest && (feed.hints.timeToLive ?? .zero) <= .days(365))
      #expect(feed.hints.skipHours.allSatisfy { (0..<24).contains($0) })
      for enclosure in feed.items.flatMap(\.enclosures) { #expect((enclosure.length ?? 0) >= 0) }
    }
  }

  @Test(arguments: [
    "Fri, 31 Dec 99999 23:59:60 GMT", "0000-01-01T00:00:00Z", "9999-12-31T23:59:60-23:59", "-9999-01-01",
    "99999999999999", "9999W537T24:00", "0001001T00:00+2359", "31/12/0", "1/1/9999 23:59:60 +9999",
    "Sat, 00 Jan 0000 99:99:99 -9999", "1969-366", "4294967296", "9223372036854775807",
  ])
  func `a date of any year is a moment or none`(text: String) throws {
    let item = try rssItem("<title>T</title><pubDate>\(text)</pubDate>")

    let year: (Instant) -> Int = { Zone.utc.civil(at: $0).year }
    #expect(item.published.map { (-1...10_000).contains(year($0)) } ?? true)
  }

  @Test(arguments: extremes)
  func `a push says any number`(text: String) {
    for key in ["badge", "content-available", "mutable-content"] {
      if let payload = try? readPush(Array("{\"aps\":{\"\(key)\":\(text)},\"feed\":\"a\"}".utf8)) {
        #expect((0...Int(Int32.max)).contains(payload.badge ?? 0))
      }
    }
    if let payload = try? readPush(Array("{\"feed\":\"a\",\"content-id\":\(text)}".utf8)) {
      #expect(payload.contentID == text)
    }
  }
}
