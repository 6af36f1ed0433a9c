// Files of pushes on their way: of feeds that download nothing else, too.

import Core
import Testing

@Suite struct PushTransferTests {
  private let url = "https://files.example/v1/{content-id}.mp3"

  @Test func `a feed whose pushes bring files has them worked off, and no others start`() throws {
    var queue = TransferQueue([try pushed("a", url: url), try pushed("b")], network: NetworkSettings())
    queue.replace(with: [try transfer(1, feed: "b"), try transfer(2, feed: "a")])

    #expect(queue.next(at: now) == 2)
    #expect(queue.next(at: now) == nil)
  }

  @Test func `they are named as other files are`() throws {
    let feed = try pushed(url: url)
    let transfer = try transfer(url: "https://files.example/v1/42.mp3", title: "Episode 42") {
      $0.item?.published = nil
    }

    let name = assetName(
      transfer, feed: feed, label: FeedLabel(feed, FeedState()), head: reply(),
      address: try web("https://files.example/v1/42.mp3"), in: .utc)

    #expect(name.candidate(1) == "planet/2026-11-02 Episode 42.mp3")
  }

  @Test func `none of the feed's own files is brought`() throws {
    var item = ParsedItem()
    item.id = "1"
    item.enclosures = [Enclosure(url: "https://files.example/1.mp3")]
    var document = ParsedFeed(format: .rss20)
    document.items = [item]
    let feed = try pushed(url: url)
    let found = classify(document, known: [], feed: feed, state: fetched(.hours(1)), at: now)

    #expect(found.newItems.count == 1)
    #expect(
      findAssets(in: document, found, feed: feed, state: fetched(.hours(1)), known: [], at: now).isEmpty)
  }

  @Test(
    arguments: [
      ("https://files.example/v1/42.mp3", true), ("https://files.example/v1/", true),
      ("https://files.example/v1/a..b.mp3", true), ("https://files.example/v1/a%2Fb.mp3", true),
      ("https://files.example/v1/../admin/42.mp3", false),
      ("https://files.example/v1/%2e%2E/42.mp3", false), ("https://files.example/v1/..%2Fadmin.mp3", false),
      ("https://files.example/v1/%252E%252e%255Cadmin.mp3", false),
      ("https://files.example/v1/..;x/admin.mp3", false),
      ("https://files.example/v2/42.mp3", false),
      ("http://files.example/v1/42.mp3", false), ("https://files.example:8443/v1/42.mp3", false),
      ("https://evil.example/v1/42.mp3", false), ("https://files.example@evil.example/v1/42.mp3", false),
    ])
  func `an address is one of pushes where it begins as the template does, and stays below`(
    text: String, isOne: Bool
  ) throws {
    let address = try web(text)

    #expect(try pushed(url: url).isPushAddress(address) == isOne)
    #expect(try isWanted(Asset(url: text), of: pushed(url: url)) == isOne)
    #expect(try !pushed().isPushAddress(address))
  }

  @Test func `a pushed file may be queued again whatever types are wanted of the feed's own`() throws {
    let feed = try pushed(url: url) { feed in
      var download = DownloadSpec()
      download.types = ["video/*"]
      feed.download = download
    }

    #expect(isWanted(Asset(url: "https://files.example/v1/42.mp3"), of: feed))
    #expect(!isWanted(Asset(url: "https://files.example/42.mp3"), of: feed))
  }
}
