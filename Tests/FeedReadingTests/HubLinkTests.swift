import Core
import FeedReading
import Testing

@Suite struct HubLinkTests {
  private func links(_ document: String) throws -> HubLinks {
    try readFeed(
      Array(document.utf8), contentType: nil, address: "https://site.example/feed"
    ).hubLinks
  }

  private func expected(_ hubs: [String], _ topic: String?) -> HubLinks {
    var links = HubLinks()
    for hub in hubs { links.add(hub: hub) }
    links.take(topic: topic)
    return links
  }

  @Test func `hub and topic of Atom are links of the feed, not of its entries`() throws {
    let found = try links(
      """
      <feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><link href="https://site.example/"/>
      <link rel="hub" href="https://hub.example/"/><link rel="HUB" href="/hub"/>
      <link rel="self" href="https://site.example/atom.xml"/>
      <entry><id>1</id><title>One</title><link rel="hub" href="https://evil.example/"/>
      <link rel="self" href="https://evil.example/1"/></entry></feed>
      """)

    #expect(
      found
        == expected(["https://hub.example/", "https://site.example/hub"], "https://site.example/atom.xml"))
  }

  @Test func `hub and topic of RSS are links of Atom`() throws {
    let found = try links(
      """
      <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>News</title>
      <link>https://site.example/</link><atom:link rel="self" type="application/rss+xml" href="rss.xml"/>
      <atom:link rel="hub" href="https://hub.example/"/><item><title>One</title>
      <atom:link rel="hub" href="https://evil.example/"/></item></channel></rss>
      """)

    #expect(found == expected(["https://hub.example/"], "https://site.example/rss.xml"))
  }

  @Test func `of the hubs of JSON Feed those of WebSub count`() throws {
    let found = try links(
      """
      {"version": "https://jsonfeed.org/version/1.1", "title": "News", "feed_url": "https://site.example/feed.json",
       "hubs": [{"type": "rssCloud", "url": "https://cloud.example/"}, {"url": "https://hub.example/", "type": "WebSub"},
       7, {"type": "WebSub"}, {"type": "websub", "url": "javascript:x"}], "items": []}
      """)

    #expect(found == expected(["https://hub.example/"], "https://site.example/feed.json"))
  }

  @Test func `a page that links to itself has no other link for that`() throws {
    let feed = try readFeed(
      Array(
        """
        <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
        <atom:link rel="self" href="https://site.example/rss.xml"/><atom:link href="https://site.example/"/>
        <title>News</title></channel></rss>
        """.utf8), contentType: nil, address: nil)

    #expect(feed.link == "https://site.example/")
  }
}
