// Digests: when they are due, what they collect, and what they say.

import Testing

@testable import Core

@Suite struct DigestTests {

  private var origin: EventOrigin { EventOrigin(round: 7, time: now, cause: .timer) }

  private func hook(_ name: String, _ schedule: String...) throws -> HookSpec {
    var hook = HookSpec(name: name, events: [.notification], run: [])
    hook.digest = try schedule.map { try CronExpression(parsing: $0) }
    return hook
  }

  @Test(arguments: [
    (["0 7 * * *"], "2026-11-03T07:00:00Z"), (["0 10 * * *"], "2026-11-03T10:00:00Z"),
    (["0 7 * * *", "0 18 * * mon"], "2026-11-02T18:00:00Z"), (["0 7 1 * *"], "2026-12-01T07:00:00Z"),
    (["0 7 1 1 *"], "2026-12-03T10:00:00Z"),
  ])
  func `a digest is due at the next time of its schedule, at the latest in a month`(
    schedule: [String], moment: String
  ) throws {
    var hook = try hook("morning")
    hook.digest = try schedule.map { try CronExpression(parsing: $0) }

    #expect(hook.digestMoment(after: now, in: .utc)?.rfc3339 == moment)
  }

  @Test func `messages wait for the digest of a hook, and for no other hook`() throws {
    let hooks = [try hook("morning", "0 7 * * *"), try hook("desktop")]
    let records = [EventKind.notification, .newItem].map {
      EventRecord(event: origin.event($0), hooks: ["desktop", "morning"])
    }

    let waiting = scheduled(records, by: nil, to: hooks, at: now, in: .utc)

    #expect(waiting.map(\.digests.keys.first) == ["morning", nil])
    #expect(waiting[0].digests["morning"]?.rfc3339 == "2026-11-03T07:00:00Z")
    #expect(scheduled(records, by: nil, to: [hooks[1]], at: now, in: .utc) == records)
  }

  @Test(arguments: [(0, true), (179, true), (180, false), (-1, false)])
  func `a digest waits for the news of its run, but not for long`(seconds: Int64, waits: Bool) {
    #expect(digestWaits(for: origin, at: Instant(secondsSince1970: now.secondsSince1970 + seconds)) == waits)
  }

  private func item(_ number: Int64, _ feed: String, _ title: String) throws -> StoredItem {
    let record = ItemRecord(
      title, guid: "g\(number)", link: "https://\(feed).example/\(number)", published: now)
    return StoredItem(
      number: number, feed: try #require(FeedName(feed)), record: record, firstSeen: now, updatedAt: nil)
  }

  private func material() -> NotificationMaterial {
    NotificationMaterial(feeds: [:], labels: [:], badge: 3, zone: .utc)
  }

  private func message(_ number: Int64, title: String, body: String) -> Delivery {
    let fields = fixedMessage(title: title, body: body, identifier: "", urgency: .normal, link: "", count: 0)
    return newDelivery(number, to: "morning", origin.event(.notification, mark: "\(number)", fields))
  }

  @Test func `a digest lists its items by feed, then other messages, and counts last`() throws {
    let event = digestEvent(
      [message(4, title: "Wiki is failing", body: "3 failures in a row")], origin: origin, hook: "morning")
    let items = [try item(3, "planet", "C"), try item(2, "moon", "B"), try item(1, "planet", "A")]

    let fields = try #require(digestFields(event, hook: "morning", items: items, material()))
    let digest = with(event) { $0.fields = fields }

    #expect(digest.kind == .digest)
    #expect(digest.text("title") == "morning: C; B; and 1 more")
    #expect(
      digest.text("body") == """
        planet
        - C
          https://planet.example/3
        - A
          https://planet.example/1

        moon
        - B
          https://moon.example/2

        Wiki is failing: 3 failures in a row

        3 new in 2 feeds
        """)
    #expect(digest.text("count") == "3")
    #expect(digest.items.map(\.title) == ["C", "B", "A"])
    #expect(digest.isFrozen)
  }

  @Test func `an empty digest is not delivered, and one of messages alone says how many`() throws {
    let (empty, event) = (
      digestEvent([], origin: origin, hook: "morning"),
      digestEvent([message(4, title: "T", body: "B")], origin: origin, hook: "morning")
    )

    #expect(digestFields(empty, hook: "morning", items: [], material()) == nil)
    let fields = try #require(digestFields(event, hook: "morning", items: [], material()))
    #expect(fields["title"]?.string == "morning: 1 message")
  }

  @Test func `a digest of very many items says how many are left out`() throws {
    let items = try (1...600).map { try item(Int64($0), "planet", "T\($0)") }

    let fields = try #require(
      digestFields(digestEvent([], origin: origin, hook: "m"), hook: "m", items: items, material()))

    let body = fields["body"]?.string ?? ""
    #expect(body.hasSuffix("600 new in 1 feed, 100 of them not listed"))
  }
}
