// Summaries: one message instead of several.

import Testing

@testable import Core

@Suite struct MessageSummaryTests {

  private var origin: EventOrigin { EventOrigin(round: 7, time: now, cause: .timer) }

  private func label(_ name: String) throws -> FeedLabel {
    FeedLabel(FeedSpec(name: try #require(FeedName(name)), url: .plain("")), FeedState())
  }

  /// The content of a message about items with these titles; `count` is the number of all of them.
  private func news(_ feed: String, _ titles: [String], count: Int? = nil) throws -> (
    feed: FeedLabel?, fields: JSONValue
  ) {
    let label = try label(feed)
    let items = titles.map {
      EventItem(title: $0, link: "", id: $0, feed: label.name, feedTitle: label.title, published: nil)
    }
    return (label, JSONValue(["count": count ?? titles.count, "items": items]))
  }

  private func other(_ title: String, _ body: String = "", feed: String? = nil) throws -> (
    feed: FeedLabel?, fields: JSONValue
  ) {
    let fields = JSONValue(["title": title, "body": body, "count": 0])
    return (try feed.map(label), fields)
  }

  private func summary(_ messages: [(feed: FeedLabel?, fields: JSONValue)]) -> Event {
    summaryEvent(messages, origin: origin, hook: "d", first: 4)
  }

  @Test func `a summary names the feeds, and has a line with titles for each feed and each other message`()
    throws
  {
    let event = summary([
      try news("planet", ["A", "B"]), try news("moon", ["M1", "M2", "M3", "M4", "M5"]),
      try news("planet", ["C"]), try other("wiki is failing", "3 failures in a row"),
    ])

    #expect(event.text("title") == "planet, moon: 8 new, 1 message")
    #expect(
      event.text("body")
        == "planet: C; A; B\nmoon: M1; M2; M3; and 2 more\nwiki is failing: 3 failures in a row")
    #expect(event.text("count") == "8")
    #expect(event.text("identifier") == "bgfetch")
  }

  @Test func `the news of one feed has a line for each title`() throws {
    let titles = (1...12).map { "T\($0)" }
    let event = summary([
      try news("planet", Array(titles.dropFirst(2))), try news("planet", Array(titles.prefix(2))),
    ])

    #expect(event.text("title") == "planet: 12 new")
    #expect(event.text("body") == titles.prefix(10).joined(separator: "\n") + "\nand 2 more")
  }

  /// The content of a message about a change of a watched page, with these lines.
  private func change(_ feed: String, _ lines: String...) throws -> (
    feed: FeedLabel?, fields: JSONValue
  ) {
    let label = try label(feed)
    let item = with(
      EventItem(
        title: "\(feed): first", link: "", id: "", feed: label.name, feedTitle: label.title, published: nil)
    ) {
      $0.changes = lines
    }
    return (label, JSONValue(["count": 1, "items": [item]]))
  }

  @Test func `the changes of watched pages keep their first lines, and one feed's keep more`() throws {
    let price = try change("lamp", "- 12 €", "+ 10 €")
    let list = try change("list", "- a", "- b", "- c", "- d", "+ e", "+ f")
    let shop = try change("shop", "+ open")
    let few = summary([price, try news("planet", ["A"]), shop])
    let more = summary([price, list, shop, try change("bus", "- late"), try change("zoo", "+ z"), price])
    let many = summary(try (1...10).map { try change("p\($0)", "- old", "+ new \($0)") })

    #expect(few.text("title") == "lamp, planet, shop: 3 new")
    #expect(few.text("body") == "lamp:\n- 12 €\n+ 10 €\nplanet: A\nshop: + open")
    #expect(
      more.text("body") == """
        lamp:
        - 12 €
        + 10 €
        lamp:
        - 12 €
        + 10 €
        list:
        - a
        + e …
        shop: + open
        bus: - late
        zoo: + z
        """)
    #expect(many.text("body") == (1...10).map { "p\($0): + new \($0) …" }.joined(separator: "\n"))
    #expect(summary([list, list]).text("body").split(separator: "\n").count == 14)
  }

  @Test func `the news of a run has a line for each of its feeds`() throws {
    let moon = try news("moon", ["M1", "M2"])
    let planet = try news("planet", ["P1"])
    let ofRun = JSONValue([
      "title": "moon, planet: 5 new", "body": "moon: M1\nmoon: M2\nplanet: P1", "count": 5,
      "items": moon.fields.eventItems + planet.fields.eventItems,
    ])

    let event = summary([(nil, ofRun), try news("planet", ["P2"])])

    #expect(event.text("title") == "moon, planet: 6 new", "two of them are not listed")
    #expect(event.text("body") == "moon: M1; M2\nplanet: P2; P1")
    #expect(event.text("count") == "6")
  }

  @Test func `the title names three of many feeds, a long title leaves room, and counts need no titles`()
    throws
  {
    let many = summary(try (1...40).map { try news("feed\($0)", ["T"]) })
    let long = summary([
      try news("planet", [String(repeating: "x", count: 1000), "B"]), try news("moon", ["M"]),
    ]).text("body").split(separator: "\n")

    #expect(many.text("title") == "feed1, feed2, feed3 and 37 more: 40 new")
    #expect(many.text("body").split(separator: "\n").count == 40)
    #expect(long.count == 2)
    #expect(long.first?.hasSuffix("…; B") == true)
    #expect(summary([(try label("planet"), JSONValue(["count": 3]))]).text("body") == "planet: 3 new")
  }

  @Test func `a summary says what the messages say that are not about items`() throws {
    let event = summary([
      try other("planet", "disk 1 is full", feed: "planet"),
      try other("planet", "disk 2\nis full", feed: "planet"), try other("Backup"),
      try other("planet", String(repeating: "x", count: 4096)),
    ])

    #expect(event.text("title") == "4 messages")
    #expect(
      event.text("body") == "planet: disk 1 is full\nplanet: disk 2 is full\nBackup\nplanet: "
        + String(repeating: "x", count: 245) + "…")
  }

  @Test(arguments: ["x", "é", "&", "👩‍👩‍👧‍👦"])
  func `a summary of very many says how many more there are, behind whole lines`(letter: String) {
    let count = 400
    let lines = (1...count).map { "alert \($0) " + String(repeating: letter, count: 5) }
    let event = summaryEvent(
      lines.map { (nil, JSONValue(["title": $0, "count": 0])) }, origin: origin, hook: "d",
      first: 4)
    let body = event.text("body").split(separator: "\n").map(String.init)
    let shown = body.count - 1
    #expect(shown > 10)
    #expect(Array(body.dropLast()) == Array(lines.prefix(shown)))
    #expect(body.last == "and \(count - shown) more")
    // A hook gets all of it, even in the longer form.
    let call = hookCall(HookSpec(name: "d", events: [.notification], run: []), event, replaces: "", in: .utc)
    let markup = call.environment.first { $0.name == "BGFETCH_BODY_MARKUP" }
    #expect(markup?.value.hasSuffix("and \(count - shown) more") == true)
  }

  @Test func `a summary has the sound and the urgency of its messages`() {
    let event = summaryEvent(
      [
        (nil, JSONValue(["title": "a", "sound": nil, "urgency": "low"])),
        (nil, JSONValue(["title": "b", "sound": "bell", "urgency": "critical"])),
      ], origin: origin, hook: "d", first: 4, identifier: "news")

    #expect(event.text("sound") == "bell")
    #expect(event.text("urgency") == "critical")
    #expect(event.text("identifier") == "news")
  }
}
