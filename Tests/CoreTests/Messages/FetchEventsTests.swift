// The events of a fetch, and the hooks that get them.

import Testing

@testable import Core

@Suite struct FetchEventsTests {
  private let origin = EventOrigin(round: 7, time: Instant(secondsSince1970: 1_800_000_000), cause: .timer)

  private func feed(_ change: (inout FeedSpec) -> Void = { _ in }) -> FeedSpec {
    var feed = FeedSpec(name: FeedName("planet").unsafelyUnwrapped, url: .plain("https://planet.example/"))
    change(&feed)
    return feed
  }

  private func hook(_ name: String, _ events: Set<EventKind>, feeds: [String] = ["*"]) -> HookSpec {
    var hook = HookSpec(name: name, events: events, run: [.one(Template(literal: "true"))])
    hook.feeds = feeds
    return hook
  }

  private func found(_ titles: [String]) -> Classification {
    with(Classification()) {
      $0.newItems = titles.map { title in
        ItemRecord(
          title, guid: title, link: "https://planet.example/" + title, isSeen: title.hasPrefix("seen"))
      }
    }
  }

  private func events(_ outcome: FetchOutcome, feed: FeedSpec? = nil, hooks: [HookSpec]) -> [EventRecord] {
    let feed = feed ?? self.feed()
    return fetchEvents(outcome, feed: feed, label: FeedLabel(feed, FeedState()), hooks: hooks, origin: origin)
  }

  @Test func `each new item is one event, oldest first, then the result, then the message`() {
    let all = hook("all", Set(EventKind.allCases))

    let records = events(
      FetchOutcome(result: .newData, reason: "2 new", classification: found(["a", "seen", "b"])), hooks: [all]
    )

    #expect(records.map(\.event.kind) == [.newItem, .newItem, .newData, .notification])
    #expect(records[0].event.text("item.title") == "a")
    #expect(records[1].event.text("item.title") == "b")
    #expect(records[3].newItems == [0, 2])
  }

  @Test func `an event without a hook is not recorded, and a feed without notify has no message`() {
    let outcome = FetchOutcome(result: .newData, reason: "1 new", classification: found(["a"]))

    #expect(events(outcome, hooks: []).isEmpty)
    #expect(events(outcome, hooks: [hook("other", [.newItem], feeds: ["yt-*"])]).isEmpty)
    #expect(events(outcome, feed: feed { $0.notify = nil }, hooks: [hook("d", [.notification])]).isEmpty)
  }

  @Test func `the ids of a fetch's events are all different`() {
    let all = NotificationGroup.allCases.map { group in
      with(hook(group.rawValue, Set(EventKind.allCases))) { $0.group = group }
    }
    var outcome = FetchOutcome(result: .newData, reason: "", classification: found(["a", "b"]))
    outcome.health = .recovered

    let ids = events(outcome, hooks: all).map(\.event.id)

    #expect(Set(ids).count == ids.count)
    #expect(ids.count == 9)
  }

  @Test func `each hook gets messages that cover what it says`() {
    let hooks = NotificationGroup.allCases.map { group in
      with(hook(group.rawValue, [.notification])) { $0.group = group }
    }
    let outcome = FetchOutcome(result: .newData, reason: "2 new", classification: found(["a", "b"]))

    let records = events(outcome, hooks: hooks)

    #expect(records.map(\.hooks) == [["item"], ["item"], ["feed"], ["run"]])
    #expect(records.map(\.newItems) == [[0], [1], [0, 1], [0, 1]])
    #expect(records.map(\.event.group) == [.item, .item, .feed, .run])
  }

  @Test func `a message goes to the hooks that the feed names`() {
    let hooks = [hook("desktop", [.notification]), hook("mail", [.notification, .newData])]
    let outcome = FetchOutcome(result: .newData, reason: "1 new", classification: found(["a"]))

    let records = events(outcome, feed: feed { $0.notify?.hooks = ["desktop"] }, hooks: hooks)

    #expect(records.first { $0.event.kind == .notification }?.hooks == ["desktop"])
    #expect(records.first { $0.event.kind == .newData }?.hooks == ["mail"])
  }

  @Test(arguments: [
    (HealthChange.failing, FetchResult.failed, EventKind.failing, "planet is failing"),
    (.recovered, .noData, .recovered, "planet has recovered"),
    (.gone, .failed, .failing, "planet is gone"),
  ])
  func `a change in health is an event and a message`(
    health: HealthChange, result: FetchResult, kind: EventKind, title: String
  ) {
    var outcome = FetchOutcome(result: result, reason: "the server answered 500")
    (outcome.failures, outcome.health) = (3, health)

    let records = events(outcome, hooks: [hook("d", [.notification, .failing, .recovered])])

    #expect(records.map(\.event.kind) == [kind, .notification])
    #expect(records.last?.event.text("title") == title)
  }

  @Test(arguments: [
    ("javascript:alert(1)", ""),
    ("https://planet.example/post#comment-3", "https://planet.example/post#comment-3"),
  ])
  func `a link that is not http is empty, and its fragment may be all that leads to the item`(
    link: String, told: String
  ) {
    let item = with(found(["a"])) { $0.newItems[0].link = link }

    let records = events(
      FetchOutcome(result: .newData, reason: "", classification: item), hooks: [hook("h", [.newItem])])

    #expect(records[0].event.text("item.link") == told)
  }

  // Feed names contain dots, so dots could not separate the parts of an id.
  @Test func `feeds whose names look like parts of ids have events of their own`() throws {
    let names = ["a", "a.health", "a.n0", "added.d", "notification.a"].compactMap(FeedName.init)
    let events = names.flatMap { name in
      ["", "health", "n0"].map { origin.event(.notification, feed: name, mark: $0).id }
    }
    let run = ["added.d", "summary.d.1", "a/health"].map { origin.event(.notification, mark: $0).id }

    #expect(Set(events + run).count == events.count + run.count)
  }

  @Test func `a guid and a link are cleaned before hooks see them`() {
    var hostile = found(["a"])
    hostile.newItems[0].guid = "\u{1B}[31mX\nBcc: y\u{202E}"
    hostile.newItems[0].title = nil
    hostile.newItems[0].link = "x:\u{9B}31m"

    let record = events(
      FetchOutcome(result: .newData, reason: "", classification: hostile), hooks: [hook("h", [.newItem])])[0]

    #expect(record.event.text("item.id") == "X Bcc: y")
    #expect(!record.event.text("item.title").unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x9B })
  }
}
