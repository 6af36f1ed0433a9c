// A push: its feed, its events, and the feed's fingerprint.

import Testing

@testable import Core

@Suite struct PushTargetTests {
  private func target(_ feed: String?, among feeds: [FeedSpec]) throws(PushProblem) -> String {
    try pushTarget(with(PushPayload(text: "{}")) { $0.feed = feed }, among: feeds).name.text
  }

  @Test func `a payload is for the feed that it names exactly, else for the only feed with a push.url`()
    throws
  {
    let one = try pushed("a", url: "https://a.example/x")
    let feeds = [one, try pushed("b"), try pushed("c")]

    #expect(try target("b", among: feeds) == "b")
    #expect(try target(nil, among: feeds) == "a")
    for feeds in [[], [try pushed("c")], [one, try pushed("b", url: "https://b.example/x")]] {
      #expect(throws: PushProblem.namesNoFeed) { try target(nil, among: feeds) }
    }
    for (name, shown) in [
      ("", ""), ("B", "B"), ("b ", "b "), ("b*", "b*"), ("@tag", "@tag"), ("b\u{202E}", "b\\u{202e}"),
      ("\u{1B}[1mmoon", "\\u{1b}[1mmoon"),
    ] { #expect(throws: PushProblem.unknownFeed(shown)) { try target(name, among: feeds) } }
  }

  @Test func `a push made with --set equals one with a payload`() throws {
    let payload = try pushPayload(
      feed: try name("planet"),
      values: [PushValue(name: "part", text: "a\"b"), PushValue(name: "content-id", text: "42")])

    #expect(payload.feed == "planet")
    #expect(payload.isContentAvailable)
    #expect(payload.contentID == "42")
    #expect(payload.alert == nil)
    #expect(
      payload.text
        == "{\"aps\":{\"content-available\":1},\"feed\":\"planet\",\"part\":\"a\\\"b\",\"content-id\":\"42\"}"
    )
  }

  @Test(
    arguments: [
      (["a", "b", "a"], .repeated(key: "a")), (["aps"], .reserved(key: "aps")),
      (["a", "feed"], .reserved(key: "feed")),
    ] as [([String], PushProblem)])
  func `--set accepts each key once, and neither aps nor feed`(keys: [String], problem: PushProblem) throws {
    let planet = try name("planet")

    #expect(throws: problem) {
      try pushPayload(feed: planet, values: keys.map { PushValue(name: $0, text: "1") })
    }
  }
}

@Suite struct PushEventsTests {
  private let origin = EventOrigin(round: 7, time: now, cause: .push)
  private let desktop = HookSpec(
    name: "desktop", events: [.notification], run: [.one(Template(literal: "true"))])
  private let log = HookSpec(name: "log", events: [.pushReceived], run: [.one(Template(literal: "true"))])

  private func push(
    _ payload: PushPayload, feed: FeedSpec, hooks: [HookSpec]? = nil, at moment: Instant = now
  ) throws -> NewPush {
    try newPush(
      payload, feed: feed, label: FeedLabel(feed, FeedState()), hooks: hooks ?? [desktop, log],
      origin: origin, mark: "1", at: moment, in: .utc)
  }

  private func alert(
    _ payload: PushPayload, feed: FeedSpec? = nil, hooks: [HookSpec]? = nil
  ) throws -> EventRecord? {
    let feed = try feed ?? pushed()
    return alertEvent(
      payload, feed: feed, label: FeedLabel(feed, FeedState()), hooks: hooks ?? [desktop], origin: origin,
      mark: "1")
  }

  private let news = payload {
    $0.text = "{\"aps\":{}}"
    $0.alert = PushAlert(body: "News")
  }
  private var quiet: PushPayload { with(news) { $0.isContentAvailable = false } }

  @Test func `with something to fetch the alert waits with the payload`() throws {
    let push = try push(news, feed: pushed())

    #expect(push.payload?.text == "{\"aps\":{}}")
    #expect(push.events.map(\.event.kind) == [.pushReceived])
    #expect(push.events.first?.event.text("payload") == "{\"aps\":{}}")
    #expect(push.events.first?.event.cause == .push)
    #expect(push.events.first?.hooks == ["log"])
  }

  @Test func `hooks get an equivalent payload without terminal escape sequences`() throws {
    let text = try readPush(Array("{\"a\u{202E}\":\"\u{9B}31m\\n\"}".utf8)).text
    let hostile = payload { $0.text = text }

    let push = try push(hostile, feed: pushed())

    #expect(push.payload == hostile)
    #expect(push.events.first?.event.text("payload") == "{\"a\\u202e\":\"\\u009b31m\\n\"}")
  }

  @Test func `with nothing to fetch the alert is shown at once, or in the feed's hours`() throws {
    let push = try push(quiet, feed: pushed())
    let nights = try pushed { $0.notify?.hours = (try? WeeklyHours(parsing: "20:00-22:00")) ?? .always }

    #expect(push.payload == nil)
    #expect(push.events.map(\.event.kind) == [.pushReceived, .notification])
    #expect(Set(push.events.map(\.event.id)).count == 2)
    #expect(
      try self.push(quiet, feed: nights).events.map { $0.postponedUntil?.rfc3339 }
        == [nil, "2026-11-02T20:00:00Z"])
    #expect(try self.push(quiet, feed: pushed(), hooks: []).events == [])
  }

  @Test func `a push that could not be read again, or whose file not fetched, is refused at once`() throws {
    let feed = try pushed(url: "https://planet.example/{content-id}")
    let long = payload { $0.text = String(repeating: "x", count: 4097) }

    #expect(throws: PushProblem.missingValue(key: "content-id", feed: feed.name)) {
      try push(news, feed: feed)
    }
    #expect(throws: PushProblem.tooLarge) { try push(long, feed: pushed()) }
    #expect(try push(quiet, feed: feed).payload == nil)
    #expect(try push(payload([("content-id", "42")]), feed: feed).contentID == "42")
  }

  @Test func `an alert has the payload's text, and the rest from the feed's notifications`() throws {
    let feed = try pushed {
      $0.title = "Planet"
      $0.notify?.sound = "bell"
      $0.notify?.urgency = .low
    }
    let event = try #require(try alert(news, feed: feed)).event

    #expect(event.kind == .notification)
    #expect(event.group == nil)
    #expect(event.text("title") == "Planet")
    #expect(event.text("body") == "News")
    #expect(event.text("sound") == "bell")
    #expect(event.text("urgency") == "low")
    #expect(event.text("identifier") == "planet")
  }

  @Test func `an alert may have its own title, sound and urgency; the default sound is the feed's`() throws {
    let own = payload([("content-id", "42")]) {
      $0.alert = PushAlert(title: "Episode", body: "")
      ($0.sound, $0.urgency) = ("gong", .critical)
    }
    let plain = payload { ($0.alert, $0.sound) = (PushAlert(body: "x"), "default") }
    let event = try #require(try alert(own)).event

    #expect(event.text("title") == "Episode")
    #expect(event.text("sound") == "gong")
    #expect(event.text("urgency") == "critical")
    #expect(event.text("identifier") == "planet.42")
    #expect(try alert(plain, feed: pushed { $0.notify?.sound = "bell" })?.event.text("sound") == "bell")
    #expect(try alert(plain)?.event.text("sound") == "default")
  }

  @Test func `alerts whose long content-ids differ only at their ends have distinct identifiers`() throws {
    let identifiers = try ["1", "2"].map { end in
      let long = payload([("content-id", String(repeating: "x", count: 255) + end)]) {
        $0.alert = PushAlert(body: end)
      }
      return try alert(long)?.event.text("identifier")
    }

    #expect(identifiers[0] != identifiers[1])
  }

  @Test func `there is no event without an alert or without a hook for it`() throws {
    let other = with(desktop) { $0.feeds = ["moon"] }

    #expect(try alert(payload()) == nil)
    #expect(try alert(news, hooks: []) == nil)
    #expect(try alert(news, hooks: [log, other]) == nil)
    #expect(try alert(news, feed: pushed { $0.notify = nil }) == nil)
    #expect(try alert(news, feed: pushed { $0.notify?.hooks = [] }) == nil)
    #expect(try alert(news)?.hooks == ["desktop"])
  }
}
