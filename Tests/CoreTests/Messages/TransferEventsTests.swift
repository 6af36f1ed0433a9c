// The events of downloads.

import Testing

@testable import Core

@Suite struct TransferEventsTests {
  private let origin = EventOrigin(round: 7, time: now, cause: .timer)
  private let all = HookSpec(
    name: "all", events: Set(EventKind.allCases), run: [.one(Template(literal: "true"))])

  private func event(
    _ kind: EventKind, _ transfer: Transfer, of item: ItemRecord? = nil, file: PlacedFile? = nil,
    reason: String? = nil, feed: FeedSpec? = nil
  ) throws -> EventRecord {
    let feed = try feed ?? podcast()
    return try #require(
      transferEvent(
        kind, transfer, of: item, file: file, reason: reason, feed: feed, label: FeedLabel(feed, FeedState()),
        hooks: [all], origin: origin))
  }

  private func expect(_ event: Event, _ texts: KeyValuePairs<String, String>) {
    for (name, text) in texts { #expect(event.text(name) == text, "\(name)") }
  }

  @Test func `the event of a placed file has all its facts, and those of its item`() throws {
    let file = PlacedFile(directory: "/docs", name: "planet/a.mp3", size: 12, sha256: "ab", placed: now)
    let item = ItemRecord(
      "Episode 1", guid: "guid-1", link: "https://planet.example/1", author: "Ada", summary: "On tides.")
    let episode = try transfer(url: "https://me:pw@cdn.example/1.mp3?key=secret", type: "audio/mpeg")

    expect(
      try event(.assetPlaced, episode, file: file).event,
      [
        "asset.path": "/docs/planet/a.mp3", "asset.url": "https://***@cdn.example/1.mp3?key=***",
        "asset.type": "audio/mpeg", "asset.size": "12", "asset.sha256": "ab", "item.title": "Episode 1",
        "item.id": "guid-1", "item.published": "2026-11-01T10:00:00Z", "feed.title": "planet",
      ])
    expect(
      try event(.assetPlaced, episode, of: item).event,
      ["item.link": "https://planet.example/1", "item.summary": "On tides.", "item.author": "Ada"])
    let failure = try event(.transferFailed, transfer(), reason: "the server answered 404")
    expect(failure.event, ["reason": "the server answered 404", "asset.path": ""])
    #expect(failure.hooks == ["all"])
  }

  @Test func `the body of a feed has the feed's address, masked, and none where that is secret`() throws {
    let body = try transfer(url: "") { ($0.item, $0.description) = (nil, "debian.iso") }
    var feed = try podcast(url: "https://planet.example/cam.jpg?key=secret")

    expect(
      try event(.assetPlaced, body, feed: feed).event,
      ["asset.url": "https://planet.example/cam.jpg?key=***", "item.title": "debian.iso"])
    feed.url = .secret(.environment("ADDRESS"))
    expect(try event(.assetPlaced, body, feed: feed).event, ["asset.url": "***"])
  }

  @Test func `events of different downloads and sessions never share an id`() throws {
    let feed = try podcast()
    let label = FeedLabel(feed, FeedState())
    let sessions = [1, 2].flatMap { number in
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
    let deaf = with(all) { $0.events = [.notification] }

    #expect(
      transferEvent(
        .assetPlaced, try transfer(), file: nil, reason: nil, feed: feed, label: label, hooks: [deaf],
        origin: origin) == nil)
    #expect(sessionFinishedEvent(totals, feed: feed, label: label, hooks: [], origin: origin).isEmpty)
    let record = sessionFinishedEvent(totals, feed: feed, label: label, hooks: [deaf, all], origin: origin)
      .first
    #expect(record?.hooks == ["all"])
    #expect(record?.event.text("count") == "2")
    #expect(record?.event.text("failed") == "1")
  }

  @Test(arguments: [
    (3, 0, 0, "3 files"), (1, 0, 0, "1 file"), (2, 1, 0, "2 of 3 files, 1 failed"),
    (0, 1, 0, "0 of 1 file, 1 failed"), (1, 1, 2, "1 of 4 files, 1 failed, 2 cancelled"),
  ])
  func `a session is summarized in files`(finished: Int, failed: Int, cancelled: Int, words: String) throws {
    let totals = SessionTotals(
      session: 1, feed: try name("planet"), finished: finished, failed: failed, cancelled: cancelled)

    #expect(sessionText(totals) == words)
  }
}
