// Pushes: stored, waiting and dropped.

import Testing

@testable import Core
@testable import Store

/// A push with something to fetch, and an alert that tells it from others.
func push(_ feed: FeedName, _ contentID: String?, payload body: String = "{}") -> NewPush {
  NewPush(feed: feed, contentID: contentID, payload: payload(body), events: [])
}

func payload(_ body: String, values: [PushValue] = []) -> PushPayload {
  var payload = PushPayload(text: "")
  payload.isContentAvailable = true
  payload.alert = PushAlert(body: body)
  payload.values = values
  return payload
}

/// The bodies of the alerts of waiting pushes.
func bodies(_ pushes: [StoredPush]) -> [String] { pushes.compactMap(\.payload.alert?.body) }

@Suite final class StoredPushTests: StoreSuite {
  private var moon: FeedName { other }

  /// The waiting payloads, oldest first.
  private func waiting() async throws -> [String] { bodies(try await store.waitingPushes()) }

  @discardableResult
  private func take(_ push: NewPush, at time: Instant = now) async throws -> PushReceipt {
    try await store.acceptPush(push, at: time)
  }

  @Test func `a push is stored unchanged, even for a feed that was never fetched`() async throws {
    var new = push(planet, "42")
    var sent = payload(
      "a\nb", values: [PushValue(name: "part", text: "\"ü\\\u{1B}"), PushValue(name: "n", text: "1")])
    sent.alert?.title = "t"
    sent.sound = "bell"
    sent.urgency = .critical
    new.payload = sent

    #expect(try await take(new) == PushReceipt())
    let stored = try await store.waitingPushes()
    #expect(stored == [StoredPush(number: stored[0].number, feed: planet, payload: sent, received: now)])
  }

  @Test func `pushes wait in order of arrival, whatever the clock says`() async throws {
    try await take(push(planet, "1", payload: "first"), at: now)
    try await take(push(moon, "1", payload: "second"), at: now - .days(3))
    try await take(push(planet, "2", payload: "third"), at: now - .days(2))

    #expect(try await waiting() == ["first", "second", "third"])
  }

  @Test(arguments: [
    ("1", "1", true), (nil, nil, true), ("", "", true),
    ("1", "2", false), ("1", nil, false), (nil, "1", false), ("", nil, false), ("a", "A", false),
  ])
  func `a push replaces only the one of its feed with the same content-id`(
    first: String?, second: String?, isReplaced: Bool
  ) async throws {
    try await take(push(moon, second, payload: "another feed's"))
    try await take(push(planet, first, payload: "old"))
    let old = try await store.waitingPushes()[1]

    #expect(try await take(push(planet, second, payload: "new")) == PushReceipt(hasReplaced: isReplaced))
    #expect(try await waiting() == ["another feed's"] + (isReplaced ? [] : ["old"]) + ["new"])
    #expect(try await store.waitingPushes().last.map { $0.number > old.number } == true)
  }

  @Test func `the newest hundred pushes of a feed wait`() async throws {
    try await take(push(moon, "1", payload: "another feed's"))
    for number in 1...NewPush.mostOfFeed {
      #expect(try await take(push(planet, "\(number)", payload: "\(number)")).dropped == 0)
    }

    // The oldest is now among the newest.
    #expect(try await take(push(planet, "1", payload: "1 again")) == PushReceipt(hasReplaced: true))
    #expect(try await take(push(planet, "101", payload: "101")) == PushReceipt(dropped: 1))

    let expected = ["another feed's"] + (3...100).map(String.init) + ["1 again", "101"]
    #expect(try await waiting() == expected)
  }

  @Test func `a push records its events, and waits only if there is something to fetch`() async throws {
    var alert = push(planet, nil)
    alert.payload = nil
    alert.events = [event("received", .pushReceived), event("alert", .notification)]

    #expect(try await take(alert) == PushReceipt())

    #expect(try await waiting().isEmpty)
    #expect(
      try await store.deliveries([.pending], hook: nil, limit: 9).map(\.event.id) == ["alert", "received"])
    #expect(try await store.feedStates().isEmpty)
  }

  @Test func `pushes are dropped by number, and missing ones are ignored`() async throws {
    for id in ["1", "2", "3"] { try await take(push(planet, id, payload: id)) }
    let numbers = try await store.waitingPushes().map(\.number)

    try await store.dropPushes([numbers[0], numbers[2], 99])
    try await store.dropPushes([numbers[0]])
    try await store.dropPushes([])

    #expect(try await waiting() == ["2"])
  }

  @Test(.onFile) func `a stored push survives a power cut`() async throws {
    // PRAGMA synchronous is the durability of the transaction (https://sqlite.org/pragma.html).
    try await store.execute(
      """
      CREATE TABLE witness (synchronous INTEGER);
      CREATE TEMP TRIGGER witness_push AFTER INSERT ON push BEGIN
        INSERT INTO witness SELECT synchronous FROM pragma_synchronous;
      END;
      """)

    try await take(push(planet, nil))

    #expect(try await store.number("SELECT group_concat(synchronous, '') + 0 FROM witness") == 2)
    #expect(try await store.number("PRAGMA synchronous") == 1)
  }

  @Test(.onFile) func `a push whose transaction fails is not stored`() async throws {
    try await take(push(planet, "1", payload: "old"))
    try await store.execute(
      "CREATE TEMP TRIGGER refuse BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'no'); END;")
    var new = push(planet, "1", payload: "new")
    new.events = [event("received", .pushReceived)]

    await #expect(throws: StoreFailure.self) {
      try await store.acceptPush(new, at: now)
    }

    #expect(try await waiting() == ["old"])
  }

  @Test func `a thousand concurrent pushes from several connections are all stored`() async throws {
    let stores = try (0..<8).map { _ in try directory.open() }
    let (planet, moon) = (planet, moon)

    let receipts = try await withThrowingTaskGroup(of: PushReceipt.self) { group in
      for task in 0..<50 {
        group.addTask {
          var sum = PushReceipt()
          for round in 0..<20 {
            var new = push(round % 2 == 0 ? planet : moon, "\(task)-\(round)")
            new.events = [event("\(task)-\(round)", .pushReceived)]
            sum.dropped += try await stores[(task + round) % 8].acceptPush(new, at: now)
              .dropped
          }
          return sum
        }
      }
      return try await group.reduce(into: [PushReceipt]()) { $0.append($1) }
    }

    #expect(receipts.reduce(0) { $0 + $1.dropped } == 800)
    let waiting = try await store.waitingPushes()
    #expect(waiting.count { $0.feed == planet } == 100)
    #expect(waiting.count { $0.feed == moon } == 100)
    #expect(waiting.map(\.number) == waiting.map(\.number).sorted())
    #expect(try await store.deliveries([.pending], hook: nil, limit: 2000).count == 1000)
  }

  @Test func `a push gives a run something to do, unless its feed is dormant`() async throws {
    for feed in [planet, moon] { try await store.commit(fetch(feed), configured: [planet, moon]) }
    try await store.recordConfigured([planet, moon], at: now)
    try await store.recordQuiet(7, from: now, until: now + .hours(1), changes: try await store.changes())
    #expect(try await store.isQuiet(7, at: now))

    try await take(push(planet, nil))
    #expect(try await !store.isQuiet(7, at: now))

    try await store.recordConfigured([moon], at: now + .days(1))
    try await store.recordQuiet(
      7, from: now + .days(1), until: now + .days(2), changes: try await store.changes())
    #expect(try await store.isQuiet(7, at: now + .days(1)))
    #expect(try await waiting() == ["{}"])

    // The return of the feed is recorded only once a day.
    try await take(push(planet, "2"), at: now + .days(1))
    #expect(try await !store.isQuiet(7, at: now + .days(1)))
  }

  @Test func `a forgotten feed loses its pushes`() async throws {
    try await take(push(planet, nil, payload: "planet's"))
    try await take(push(moon, nil, payload: "moon's"))

    try await store.forgetDormant(configured: [moon], before: now + .days(90))

    #expect(try await waiting() == ["moon's"])
    #expect(try await store.number("SELECT count(*) FROM push") == 1)
  }
}
