// The images of items, which are no enclosures.

import Core
import FeedReading
import Testing

@Suite struct ImageTests {
  @Test(
    arguments: [
      ("<media:thumbnail url='t.png'/>", ["https://site.example/t.png"]),
      ("<media:group><media:thumbnail url='/t.png'/></media:group>", ["https://site.example/t.png"]),
      (
        "<media:content url='/v.mp4'><media:title>x</media:title><media:thumbnail url='/t.png'/></media:content>",
        ["https://site.example/t.png"]
      ),
      ("<itunes:image href='https://a.example/i.jpg'/>", ["https://a.example/i.jpg"]),
      ("<itunes:image>https://a.example/i.jpg</itunes:image>", ["https://a.example/i.jpg"]),
      ("<image><title>no</title><url>https://a.example/i.jpg</url></image>", ["https://a.example/i.jpg"]),
      ("<image>/i.jpg</image>", ["https://site.example/i.jpg"]),
      (
        "<itunes:image href='/1'/><media:thumbnail url='/2'/><itunes:image href='/1'/>",
        ["https://site.example/1", "https://site.example/2"]
      ),
      ("<media:thumbnail/><itunes:image/><image/>", []),
    ])
  func `images of an RSS item are found, each once`(inside: String, urls: [String]) throws {
    let item = try rssItem("<title>t</title>" + inside)

    #expect(item.images.map(\.url) == urls)
    #expect(item.title == "t")
  }

  @Test func `an image is no enclosure, and what follows it is read`() throws {
    let item = try rssItem(
      "<media:content url='/v.mp4'><media:thumbnail url='/t.png'/></media:content><guid>1</guid><image><url>/i</url></image><author>Ann</author>"
    )

    #expect(item.enclosures.map(\.url) == ["https://site.example/v.mp4"])
    #expect(item.id == "1")
    #expect(item.author == "Ann")
  }

  @Test func `the image of a channel is that of no item`() throws {
    let feed = try read(rss("<image><url>/logo.png</url></image><item><title>t</title></item>"))

    #expect(feed.items.map(\.images) == [[]])
  }

  @Test func `an Atom entry has thumbnails and podcast images`() throws {
    let document = """
      <feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/"
        xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><entry><id>1</id>
        <media:group><media:thumbnail url="https://i.example/hq.jpg"/></media:group>
        <itunes:image href="/p.jpg"/></entry></feed>
      """

    let images = try read(document).items.first?.images

    #expect(images?.map(\.url) == ["https://i.example/hq.jpg", "https://site.example/p.jpg"])
  }

  @Test func `a JSON Feed item has an image and a banner`() throws {
    let feed = try read(
      """
      {"version": "https://jsonfeed.org/version/1.1", "items": [
        {"id": "1", "image": "i.png", "banner_image": "https://b.example/b.png"}, {"id": "2", "image": {"url": "x"}}]}
      """)

    #expect(
      feed.items.map { $0.images.map(\.url) } == [
        ["https://site.example/i.png", "https://b.example/b.png"], [],
      ])
  }
}
