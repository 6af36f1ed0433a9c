// Details of items beside the text: comments, images, and the numbers of podcast episodes.

import Core
import Testing

@testable import Formats

@Suite struct EpisodeTests {
  @Test(
    arguments: [
      ("3600", 3600), ("59:30", 3570), ("1:00:00", 3600), ("01:02:03", 3723), (" 7 \n", 7), ("90:00", 5400),
      ("1832.48", 1832), ("0:00:01.5", 1), ("2592000", 2_592_000),
      // Zero, or longer than any recording.
      ("", nil), ("0", nil), ("00:00:00", nil), ("-5", nil), ("-1:30", nil), ("2592001", nil),
      ("999999999:00:00", nil), ("99999999999999999999", nil), ("9999999999", nil),
      // Text that is not a playing time.
      ("1:2:3:4", nil), (":30", nil), ("1:", nil), ("1::2", nil), ("1h", nil), ("PT1H", nil), ("1e3", nil),
      ("0x10", nil), ("٣", nil), ("one hour", nil), (".5", nil), ("1:00:00:00:00:00:00:00", nil),
    ] as [(String, Int64?)])
  func `a duration is seconds, or minutes and seconds with hours before them`(text: String, seconds: Int64?) {
    #expect(Array(text.utf8).withUnsafeBufferPointer(playingTime)?.seconds == seconds)
  }

  @Test(
    arguments: [
      ("1", 1), (" 12 ", 12), ("007", 7), ("20260131", 20_260_131), ("999999999", 999_999_999), ("0", nil),
      ("-3", nil), ("+3", nil), ("", nil), ("1000000000", nil), ("3.5", nil), ("S01", nil),
      ("99999999999999999999999", nil),
    ] as [(String, Int?)])
  func `a season or episode is a positive number of at most nine digits`(text: String, number: Int?) {
    #expect(Array(text.utf8).withUnsafeBufferPointer(ordinal) == number)
  }

  @Test func `an RSS episode has its duration, season and number, by Apple's elements or others`() throws {
    let podcast = "<podcast:season name='Second'>9</podcast:season><podcast:episode>4</podcast:episode>"
    let apple = try rssItem(
      """
      <itunes:duration>01:02:03</itunes:duration><itunes:season>2</itunes:season><itunes:episode>7</itunes:episode>
      \(podcast)<comments> https://site.example/1#comments </comments>
      """)
    let others = try rssItem(podcast + "<media:content url='https://site.example/1.mp4' duration='90'/>")
    // Numbers that no episode has are left out, and the item stays.
    let none = try rssItem(
      """
      <title>t</title><itunes:duration>\(String(repeating: "9", count: 100_000))</itunes:duration>
      <itunes:season>-1</itunes:season><itunes:episode>1\u{fffd}</itunes:episode>
      """)

    #expect(apple.duration == .seconds(3723))
    #expect(apple.season == 2)
    #expect(apple.episode == 7)
    #expect(apple.comments == "https://site.example/1#comments")
    #expect(others.duration == .seconds(90))
    #expect(others.season == 9)
    #expect(others.episode == 4)
    #expect(none.title == "t")
    #expect(none.duration == nil)
    #expect(none.season == nil)
    #expect(none.episode == nil)
  }

  @Test func `an episode without an image has the podcast's cover, wherever the channel names it`() throws {
    let feed = try read(
      rss(
        """
        <item><guid>1</guid><enclosure url="/1.mp3"/></item>
        <itunes:image href="/cover.jpg"/><itunes:image href="/other.jpg"/>
        <item><guid>2</guid><enclosure url="/2.mp3"/><itunes:image href="/2.jpg"/></item>
        <item><guid>3</guid><title>No episode</title></item>
        """))

    #expect(feed.items.map(\.cover) == ["https://site.example/cover.jpg", nil, nil])
    #expect(feed.items.map { $0.images.map(\.url) } == [[], ["https://site.example/2.jpg"], []])
  }

  @Test(arguments: [
    "https://podcastindex.org/namespace/1.0",
    "https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md",
  ])
  func `Podcasting 2.0 is known by its namespace`(address: String) throws {
    let feed = try read(
      "<rss xmlns:p='\(address)'><channel><item><title>t</title><p:season>3</p:season></item></channel></rss>"
    )

    #expect(feed.items.first?.season == 3)
  }

  @Test(arguments: [
    ("/1/comments", "https://site.example/1/comments"), ("javascript:alert(1)", nil), ("mailto:a@b", nil),
    ("file:///etc/passwd", nil), ("", nil), ("12", "https://site.example/12"),
  ])
  func `comments are a page on the web, resolved like a link`(text: String, expected: String?) throws {
    #expect(try rssItem("<title>t</title><comments>\(text)</comments>").comments == expected)
  }

  @Test(arguments: [
    ("<link rel='replies' type='text/html' href='/1#comments'/>", "https://site.example/1#comments"),
    (
      "<link rel='http://www.iana.org/assignments/relation/replies' type='text/html' href='/r'/>",
      "https://site.example/r"
    ),
    // A feed of comments is not a page.
    ("<link rel='replies' type='application/atom+xml' href='/1.atom'/>", nil),
    ("<link rel='replies' href='/1.atom'/>", nil),
    ("<link rel='replies' type='text/html' href='javascript:alert(1)'/>", nil),
  ])
  func `the comments of an Atom entry are its replies in HTML`(link: String, expected: String?) throws {
    #expect(try atomEntry("<id>1</id>\(link)").comments == expected)
  }

  @Test func `a JSON Feed gives the duration of its first attachment that has one`() throws {
    let feed = try read(
      """
      {"version": "https://jsonfeed.org/version/1.1", "items": [{"id": "1", "attachments": [
        {"url": "https://site.example/1.pdf", "mime_type": "application/pdf"},
        {"url": "https://site.example/1.mp3", "mime_type": "audio/mpeg", "duration_in_seconds": 61.5},
        {"url": "https://site.example/1.ogg", "mime_type": "audio/ogg", "duration_in_seconds": 62}]}]}
      """)

    #expect(feed.items.first?.duration == .seconds(61))
    #expect(feed.items.first?.enclosures.count == 3)
  }
}
