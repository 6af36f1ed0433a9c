// One link in several feeds is one message, and counts once.

import Core
import Testing

@testable import Store

@Suite final class AnnouncedLinkTests: StoreSuite {
  private static let story = "https://site.example/story"
  private let story = AnnouncedLinkTests.story

  @Test func `a link that a delivered message of another feed has named is a repetition`() async throws {
    try await store.deliver("planet", [story])
    let items = try await store.fetch("digest", [story + "?utm_source=feed", "https://site.example/other"])

    #expect(try await store.repeatedItems(items, to: "desktop", among: [], at: now) == [items[0]])
    #expect(try await store.repeatedItems(items, to: "phone", among: [], at: now).isEmpty)
  }

  @Test(
    arguments: [
      (.pending, story, "digest"), (.dead, story, "digest"), (.dropped, story, "digest"),
      (.delivered, story, "planet"), (.delivered, "https://show.example/", "digest"),
      (.delivered, "https://show.example", "digest"), (.delivered, "https://show.example//", "digest"),
    ] as [(DeliveryStatus, String, String)])
  func `an undelivered message, one of the same feed, and the front page of a site make no repetition`(
    status: DeliveryStatus, link: String, feed: String
  ) async throws {
    try await store.deliver("planet", [link], status)
    let items = try await store.fetch(feed, [link])

    #expect(try await store.repeatedItems(items, to: "desktop", among: [], at: now).isEmpty)
  }

  @Test func `of items with one link the one that came first counts, and all of its feed`() async throws {
    let planet = try await store.fetch("planet", [story])
    let digest = try await store.fetch("digest", [story])

    #expect(try await store.repeatedItems(planet + digest, to: "desktop", among: [], at: now) == Set(digest))
    #expect(try await store.repeatedItems(digest + planet, to: "desktop", among: [], at: now) == Set(digest))
  }

  @Test func `links count as announced for a week`() async throws {
    try await store.deliver("planet", [story])
    let items = try await store.fetch("digest", [story])

    let week = shifted(now, minutes: 7 * 24 * 60)
    #expect(try await store.repeatedItems(items, to: "desktop", among: [], at: week) == Set(items))
    #expect(try await store.repeatedItems(items, to: "desktop", among: [], at: week + .seconds(1)).isEmpty)
  }

  @Test func `a link of several items of a feed identifies none`() async throws {
    try await store.deliver("ogg", ["https://show.example/podcast"])
    _ = try await store.fetch("ogg", ["https://show.example/podcast"])
    let items = try await store.fetch("mp3", ["https://show.example/podcast"])

    #expect(try await store.repeatedItems(items, to: "desktop", among: [], at: now).isEmpty)
  }

  @Test func `links of a message are announced even if it has more items than it lists`() async throws {
    let links = (0..<1200).map { "https://site.example/\($0)" }
    try await store.deliver("planet", links + [links[0]])
    try await store.deliver("planet", [links[1]])
    let items = try await store.fetch("digest", links)

    #expect(
      try await store.repeatedItems(items, to: "desktop", among: [], at: now) == Set(items.dropFirst(2)))
  }

  @Test(arguments: [
    ("digest", 1), ("digest, by number", 1), ("planet", 1), ("both", 1), ("other", 0),
  ])
  func `one link in two feeds counts once, and who has seen one has seen both`(seen: String, count: Int)
    async throws
  {
    let feeds = [planet, try name("digest"), other, try name("third")]
    let configured = FeedNames(feeds)
    func listed(_ feeds: [FeedName]? = nil, unseenOnly: Bool = true) async throws -> [Int64] {
      try await store.items(ItemQuery(feeds: feeds, unseenOnly: unseenOnly, limit: 2), among: configured)
        .map(\.number)
    }
    let first = try await store.fetch("planet", [story], among: configured)
    let second = try await store.fetch("digest", [story + "?utm_source=feed"], among: configured)

    _ = try await store.fetch("third", [story], among: configured)

    #expect(try await store.badge(configured: configured) == 1)
    #expect(try await listed([feeds[1], feeds[3]]) == second)
    #expect(try await listed() == first)
    #expect(try await listed(unseenOnly: false) == first)
    #expect(try await listed([feeds[1]]) == second)
    #expect(try await store.unseenCounts() == [planet: 1])
    let alone = try await store.items(ItemQuery(numbers: second), among: configured)
    #expect(alone.map(\.number) == second, "a list without the first one has the other")
    // Messages to each hook do not depend on it.
    let delivery = try #require(try await store.deliveries([.pending], hook: nil, limit: 1).first)
    #expect(try await store.notificationItems(delivery.number).map(\.record.isSeen) == [false])

    let marked =
      switch seen {
      case "digest, by number": try await store.markSeen(second, configured: configured)
      case "both": try await store.markSeen(of: feeds, among: configured)
      default: try await store.markSeen(of: [try name(seen)], among: configured)
      }
    #expect(marked == count)

    #expect(try await store.badge(configured: configured) == 1 - count)
    #expect(try await listed() == (count == 0 ? first : []))
    #expect(try await store.undoSeen(configured: configured).count == count)
    #expect(try await listed() == first, "undone")
    #expect(try await listed([feeds[1]]) == second, "undone in the other feed, too")
    _ = try await store.markSeen(first, configured: configured)
    #expect(try await listed(unseenOnly: false) == first)
    #expect(try await listed([feeds[1]]) == [])
    #expect(try await store.markUnseen(second, configured: configured) == 1)
    #expect(try await store.badge(configured: configured) == 1)
  }

  @Test(arguments: ["https://site.example/", "https://site.example/podcast"])
  func
    `a link that identifies no item counts each time, and so does one that was seen or left the configuration`(
      link: String
    ) async throws
  {
    let digest = try name("digest")
    let configured: FeedNames = [planet, digest]
    _ = try await store.fetch("planet", [link, link + "#2"], among: configured)
    _ = try await store.fetch("digest", [link], among: configured)
    let before = try await store.badge(configured: configured)
    #expect(before == (link.hasSuffix("/") ? 3 : 2))
    _ = try await store.fetch("digest", [link], among: configured)
    #expect(try await store.badge(configured: configured) == before + 1)

    _ = try await store.fetch("planet", [story, story + "/2"], among: configured)
    _ = try await store.markSeen(story, of: planet, among: configured)
    _ = try await store.fetch("digest", [story], among: configured)
    #expect(try await store.badge(configured: configured) == before + 3)
    _ = try await store.fetch("digest", [story + "/2"], among: [digest])
    #expect(
      try await store.items(ItemQuery(feeds: [digest], unseenOnly: true), among: [digest]).count
        == 4)
  }

  @Test(arguments: [true, false])
  func `a feed cannot silence another one by naming the link of its next item first`(isSiteFirst: Bool)
    async throws
  {
    let feeds = FeedList([
      FeedSpec(name: planet, url: .plain("https://site.example/feed")),
      FeedSpec(name: try name("digest"), url: .plain("https://evil.example/feed")),
    ]).names
    let names = isSiteFirst ? ["planet", "digest"] : ["digest", "planet"]

    try await store.deliver(names[0], [story], among: feeds)
    let items = try await store.fetch(names[1], [story], among: feeds, site: "https://site.example/")

    #expect(try await store.badge(configured: feeds) == (isSiteFirst ? 1 : 2))
    #expect(
      try await store.repeatedItems(items, to: "desktop", among: feeds, at: now)
        == Set(isSiteFirst ? items : []))
    #expect(try await store.markSeen(of: [try name(names[0])], among: feeds) == 1)
    #expect(try await store.badge(configured: feeds) == (isSiteFirst ? 0 : 1))
  }

  @Test func `the site that a document names protects its items`() async throws {
    let configured: FeedNames = [planet, try name("digest")]

    try await store.deliver("digest", [story], among: configured)
    let items = try await store.fetch("planet", [story], among: configured, site: "https://www.site.example/")

    #expect(try await store.badge(configured: configured) == 2)
    #expect(try await store.repeatedItems(items, to: "desktop", among: configured, at: now).isEmpty)
  }

  @Test func `an item is no repetition of itself after a transaction that failed`() async throws {
    let configured: FeedNames = [planet, try name("digest")]
    for feed in ["planet", "digest"] {
      _ = try await store.fetch(feed, ["https://\(feed).example/1"], among: configured)
    }
    let commit = StoreTests.fetch(planet, [Self.item(story)])
    await #expect(throws: StoreFailure.self) {
      try await store.transaction { store in
        _ = try store.write(commit, round: nil, nextDue: nil, configured: configured)
        throw StoreFailure.closed(path: "")
      }
    }

    _ = try await store.fetch("digest", [story], among: configured)

    #expect(try await store.badge(configured: configured) == 3)
  }

  /// An item with a link, and its key.
  fileprivate static func item(_ link: String) -> ItemRecord {
    var item = StoreTests.item(nil, link: link)
    item.keys.link = UInt64(bitPattern: Int64(link.prefix { $0 != "?" }.hashValue))
    return item
  }

  @Test func `links are forgotten with the history`() async throws {
    try await store.deliver("planet", [story])

    try await store.prune(before: shifted(now, minutes: -1), limit: 100)
    #expect(try await store.number("SELECT count(*) FROM announced_link") == 1)
    try await store.prune(before: shifted(now, minutes: 1), limit: 100)
    #expect(try await store.number("SELECT count(*) FROM announced_link") == 0)
  }
}

extension Store {
  /// Commits a fetch with new items that have these links, and a message about them for the desktop; returns the items.
  fileprivate func fetch(
    _ feed: String, _ links: [String], among configured: FeedNames? = nil, site: String? = nil
  ) async throws -> [Int64] {
    let feed = try name(feed)
    var commit = StoreTests.fetch(feed, links.map(AnnouncedLinkTests.item))
    commit.state.link = site
    let known = try knownItems(feed).count
    commit.events = [event("\(feed.text)-\(known)", .notification, newItems: Array(links.indices))]
    return try #require(try await self.commit(commit, configured: configured ?? [feed]))
  }

  /// Does that, and ends the delivery of the message.
  fileprivate func deliver(
    _ feed: String, _ links: [String], _ status: DeliveryStatus = .delivered,
    among configured: FeedNames? = nil
  ) async throws {
    _ = try await fetch(feed, links, among: configured)
    try endNext("desktop", DeliveryEnd(status, notBefore: now, error: nil))
  }
}
