// The events of downloads.

import Core
import Testing

@Suite struct TransferEventsTests {
  private let origin = EventOrigin(run: 7, time: now, cause: .timer)
  private let all = HookSpec(
    name: "all", events: Set(EventKind.allCases), run: [.one(Template(literal: "true"))])

  private func event(
    _ kind: EventKind, _ transfer: Transfer, file: PlacedFile? = nil, reason: String? = nil
  ) throws -> EventRecord {
    let feed = try podcast()
    return try #require(
      transferEvent(
        kind, transfer, file: file, reason: reason, feed: feed, label: FeedLabel(feed, FeedState()),
        hooks: [all],
        origin: origin))
  }

  @Test func `the event of a placed file has all its facts`() throws {
    let file = PlacedFile(
      directory: "/docs", name: "planet/a.mp3", size: 12, sha256: "ab", placed: now)

    let event = try event(
      .assetPlaced, transfer(url: "https://me:pw@cdn.example/1.mp3?key=secret", type: "audio/mpeg"),
      file: file
    ).event

    #expect(event.text("asset.path") == "/docs/planet/a.mp3")
    #expect(event.text("asset.url") == "https://***@cdn.example/1.mp3?key=***")
    #expect(event.text("asset.type") == "audio/mpeg")
    #expect(event.text("asset.size") == "12")
    #expect(event.text("asset.sha256") == "ab")
    #expect(event.text("item.title") == "Episode 1")
    #expect(event.text("item.id") == "guid-1")
    #expect(event.text("item.published") == "2026-11-01T10:00:00Z")
    #expect(event.text("feed.title") == "planet")
  }

  @Test func `the body of a feed has the feed's address, masked, and none where that is secret`() throws {
    var feed = try podcast()
    let body = try transfer(url: "")
    func address() -> String? {
      transferEvent(
        .assetPlaced, body, file: nil, reason: nil, feed: feed, label: FeedLabel(feed, FeedState()),
        hooks: [all], origin: origin)?.event.text("asset.url")
    }

    feed = try podcast(url: "https://planet.example/cam.jpg?key=secret")
    #expect(address() == "https://planet.example/cam.jpg?key=***")
    feed.url = .secret(.environment("ADDRESS"))
    #expect(address() == "***")
  }

  @Test func `the event of a file has the facts of its item`() throws {
    let feed = try podcast()
    let item = ItemRecord(
      guid: "guid-1", link: "https://planet.example/1",
      keys: IdentityKeys(guid: nil, link: nil, title: nil, content: 1), editHash: 1, title: "Episode 1",
      summary: "On tides.", author: "Ada", published: nil, isSeen: false, isFiltered: false)
    let episode = try transfer()

    let event = try #require(
      transferEvent(
        .assetPlaced, episode, of: item, file: nil, reason: nil, feed: feed,
        label: FeedLabel(feed, FeedState()), hooks: [all], origin: origin)
    ).event

    #expect(event.text("item.link") == "https://planet.example/1")
    #expect(event.text("item.summary") == "On tides.")
    #expect(event.text("item.author") == "Ada")
  }

  @Test func `the event of a failure has its reason`() throws {
    let record = try event(.transferFailed, transfer(), reason: "the server answered 404")

    #expect(record.event.text("reason") == "the server answered 404")
    #expect(record.event.text("asset.path") == "")
    #expect(record.hooks == ["all"])
  }

  @Test func `the event of a feed's body has the feed's address`() throws {
    let body = try transfer(url: "") {
      $0.item = nil
      $0.description = "debian.iso"
    }

    let event = try event(.assetPlaced, body).event

    #expect(event.text("asset.url") == "https://planet.example/atom.xml")
    #expect(event.text("item.title") == "debian.iso")
  }

  @Test func `events of different downloads and sessions never share an id`() throws {
    let feed = try podcast()
    let label = FeedLabel(feed, FeedState())
    let sessions = [1, 2].compactMap { number in
      sessionFinishedEvent(
        SessionTotals(session: number, feed: feed.name, finished: 1, failed: 0, cancelled: 0), feed: feed,
        label: label, hooks: [all], origin: origin)
    }
    let records = try [
      event(.assetPlaced, transfer(1)), event(.assetPlaced, transfer(2)), event(.transferFailed, transfer(1)),
    ]

    #expect(Set((records + sessions).map(\.event.id)).count == 5)
  }

  @Test func `an event without a hook is not made`() throws {
    let feed = try podcast()
    let label = FeedLabel(feed, FeedState())
    let totals = SessionTotals(session: 1, feed: feed.name, finished: 2, failed: 1, cancelled: 0)
    var deaf = all
    deaf.events = [.notification]

    #expect(
      transferEvent(
        .assetPlaced, try transfer(), file: nil, reason: nil, feed: feed, label: label, hooks: [deaf],
        origin: origin) == nil)
    #expect(sessionFinishedEvent(totals, feed: feed, label: label, hooks: [], origin: origin) == nil)
    let record = sessionFinishedEvent(totals, feed: feed, label: label, hooks: [deaf, all], origin: origin)
    #expect(record?.hooks == ["all"])
    #expect(record?.event.text("count") == "2")
    #expect(record?.event.text("failed") == "1")
  }

  @Test(
    arguments: [
      (3, 0, 0, "3 files"), (1, 0, 0, "1 file"), (2, 1, 0, "2 of 3 files, 1 failed"),
      (0, 1, 0, "0 of 1 file, 1 failed"), (1, 1, 2, "1 of 4 files, 1 failed, 2 cancelled"),
    ])
  func `a session is summarized in files`(finished: Int, failed: Int, cancelled: Int, words: String) throws {
    let totals = SessionTotals(
      session: 1, feed: try name("planet"), finished: finished, failed: failed, cancelled: cancelled)

    #expect(sessionText(totals) == words)
  }
}
