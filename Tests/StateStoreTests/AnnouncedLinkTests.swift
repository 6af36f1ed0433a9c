// One link in several feeds is one message.

import Core
import Testing

@testable import StateStore

@Suite struct AnnouncedLinkTests {
  private let story = "https://site.example/story"

  @Test func `a link that a message of another feed has named is not announced again, and stays unseen`()
    async throws
  {
    let store = try TemporaryDirectory().open()
    try await store.fetch("planet", [story])
    try await store.fetch("digest", [story + "?utm_source=feed", "https://site.example/other"])

    #expect(try await store.announced() == [[story], ["https://site.example/other"]])
    #expect(try await store.badge(configured: [try name("planet"), try name("digest")]) == 3)
  }

  @Test func `a message about such links only is not sent`() async throws {
    let store = try TemporaryDirectory().open()
    try await store.fetch("planet", [story])
    try await store.fetch("digest", [story])

    #expect(try await store.announced() == [[story]])
  }

  @Test func `a critical message names every link`() async throws {
    let store = try TemporaryDirectory().open()
    try await store.fetch("planet", [story])
    try await store.fetch("alerts", [story], repeatsLinks: true)

    #expect(try await store.announced() == [[story], [story]])
  }

  @Test func `one feed that names a link again sends a message`() async throws {
    let store = try TemporaryDirectory().open()
    try await store.fetch("planet", [story])
    try await store.fetch("planet", [story], at: shifted(now, minutes: 60))

    #expect(try await store.announced() == [[story], [story]])
  }

  @Test func `a hook that did not get the first message gets the second`() async throws {
    let store = try TemporaryDirectory().open()
    try await store.fetch("planet", [story], hooks: ["phone"])
    try await store.fetch("digest", [story], hooks: ["phone", "desktop"])
    // Both have it now.
    try await store.fetch("third", [story], hooks: ["desktop", "phone"])

    #expect(try await store.announced() == [[story], [story]])
  }

  @Test func `links count as announced for a week`() async throws {
    let store = try TemporaryDirectory().open()
    try await store.fetch("planet", [story])
    try await store.fetch("digest", [story], at: shifted(now, minutes: 7 * 24 * 60 + 1))

    #expect(try await store.announced() == [[story], [story]])
  }

  @Test func `a link of several items, and the front page of a site, identify none`() async throws {
    for link in ["https://show.example/podcast", "https://show.example/", "https://show.example"] {
      let store = try TemporaryDirectory().open()
      let isFrontPage = !link.hasSuffix("podcast")
      try await store.fetch("ogg", [link])
      if !isFrontPage { try await store.fetch("ogg", [link], at: shifted(now, minutes: 1)) }
      try await store.fetch("mp3", [link], at: shifted(now, minutes: 2))

      #expect(try await store.announced().count == (isFrontPage ? 2 : 3), "\(link)")
    }
  }

  @Test func `items without a message leave no trace`() async throws {
    let store = try TemporaryDirectory().open()
    try await store.fetch("planet", [story], hooks: [])
    try await store.fetch("digest", [story])

    #expect(try await store.announced() == [[story]])
  }

  @Test func `links are forgotten with the history`() async throws {
    let store = try TemporaryDirectory().open()
    try await store.fetch("planet", [story])

    try await store.prune(before: shifted(now, minutes: -1), limit: 100)
    #expect(try await store.number("SELECT count(*) FROM announced_link") == 1)
    try await store.prune(before: shifted(now, minutes: 1), limit: 100)
    #expect(try await store.number("SELECT count(*) FROM announced_link") == 0)
  }
}

extension Store {
  /// Commits a fetch with new items that have these links, and a message about them.
  fileprivate func fetch(
    _ feed: String, _ links: [String], hooks: [String] = ["desktop"], at time: Instant = now,
    repeatsLinks: Bool = false
  ) async throws {
    let feed = try name(feed)
    let items = links.map { link in
      var item = StateStoreTests.item(nil, link: link)
      item.keys.link = UInt64(bitPattern: Int64(link.prefix { $0 != "?" }.hashValue))
      return item
    }
    var commit = StateStoreTests.fetch(feed, items, at: time)
    if !hooks.isEmpty {
      commit.events = [
        event(
          "\(feed.text)-\(time.secondsSince1970)", .notification, hooks: hooks, at: time,
          newItems: Array(links.indices))
      ]
    }
    for index in commit.events.indices { commit.events[index].repeatsLinks = repeatsLinks }
    try await self.commit(commit, run: nil, nextDue: nil, configured: [feed])
  }

  /// The links of each message for the desktop or else the phone, in the order of messages.
  fileprivate func announced() throws -> [[String]] {
    var links: [[String]] = []
    var events: Set<String> = []
    for delivery in try deliveries([.pending], hook: nil, limit: 100).sorted(by: {
      $0.number < $1.number
    })
    where events.insert(delivery.event.id).inserted {
      links.append(try notificationItems(delivery.number).compactMap(\.record.link))
    }
    return links
  }
}
