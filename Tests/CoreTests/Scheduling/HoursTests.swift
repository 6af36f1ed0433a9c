// Hours of feeds: never due outside, whatever else allows a fetch.

import Core
import Testing

@Suite struct HoursTests {
  /// A feed with hours; "now" is Monday 10:00.
  private func feed(
    _ hours: String, interval: MinimumInterval? = nil, schedule: [String] = []
  ) throws -> FeedSpec {
    var feed = try CoreTests.feed(interval: interval, schedule: schedule)
    feed.hours = try WeeklyHours(parsing: hours)
    return feed
  }

  private func reason(_ feed: FeedSpec, _ state: FeedState, at time: String) throws -> DueReason {
    dueDecision(feed, state, context(now: try at("2026-11-0\(time):00Z"))).reason
  }

  @Test func `inside its hours a feed is due as without them`() throws {
    #expect(
      dueDecision(try feed("08:00-18:00"), fetched(.hours(1)), context())
        == dueDecision(try CoreTests.feed(), fetched(.hours(1)), context()))
  }

  @Test func `outside its hours a feed waits for the next ones`() throws {
    let feed = try feed("mon-fri 08:00-18:00")

    #expect(
      try reason(feed, fetched(.hours(1)), at: "2T20:00")
        == .postponed(.hours, until: try at("2026-11-03T08:00:00Z")))
    #expect(
      try reason(feed, fetched(.hours(1)), at: "6T18:00")
        == .postponed(.hours, until: try at("2026-11-09T08:00:00Z")))
  }

  @Test func `a feed never fetched is due at once inside its hours only`() throws {
    let feed = try feed("08:00-18:00")

    #expect(try reason(feed, FeedState(), at: "2T10:00") == .neverFetched)
    #expect(
      try reason(feed, FeedState(), at: "2T07:59")
        == .postponed(.hours, until: try at("2026-11-02T08:00:00Z")))
  }

  @Test func `an interval that ends in the night makes a feed due in the morning`() throws {
    let feed = try feed("08:00-18:00", interval: .every(.hours(4)))
    let state = fetched(.zero, before: try at("2026-11-02T17:00:00Z"))

    #expect(
      try reason(feed, state, at: "2T22:00") == .postponed(.hours, until: try at("2026-11-03T08:00:00Z")))
    #expect(try reason(feed, state, at: "3T09:00") == .reached(.hours, at: try at("2026-11-03T08:00:00Z")))
  }

  @Test func `a feed that became due in hours that have ended waits for the next ones`() throws {
    let feed = try feed("08:00-18:00")
    let state = fetched(.zero, before: try at("2026-11-02T12:00:00Z"))

    #expect(
      try reason(feed, state, at: "2T18:00") == .postponed(.hours, until: try at("2026-11-03T08:00:00Z")))
    // Overdue since the day before.
    #expect(
      try reason(feed, state, at: "3T08:00") == .reached(.minimumInterval, at: try at("2026-11-02T12:58:00Z"))
    )
  }

  @Test func `a backoff that ends in the night moves to the morning`() throws {
    let feed = try feed("08:00-18:00")
    var state = failing(3, .refused, .zero)
    state.lastAsked = try at("2026-11-02T09:00:00Z")

    // 16 h and jitter after 09:00 is in the night.
    #expect(
      dueDecision(feed, state, context()).reason == .postponed(.hours, until: try at("2026-11-03T08:00:00Z")))
  }

  @Test func `rate limits and freshness move to the morning too`() throws {
    let feed = try feed("08:00-18:00")
    var limited = fetched(.hours(2))
    limited.rateLimit = RateLimit(until: now + .hours(12), withoutRetryAfter: 0, status: 429)
    var wished = fetched(.hours(2))
    wished.freshness = ServerFreshness(notBefore: now + .hours(12), source: "ttl")

    for state in [limited, wished] {
      #expect(dueDecision(feed, state, context()).dueAt == now + .hours(22))
    }
  }

  @Test func `only the minutes of a schedule within the hours count`() throws {
    let feed = try feed("mon-fri 08:00-18:00", schedule: ["0 6,12,20 * * *"])

    #expect(dueDecision(feed, fetched(.zero), context()).dueAt == now + .hours(2))
    let afterNoon = fetched(.zero, before: now + .hours(2))
    #expect(dueDecision(feed, afterNoon, context(now: now + .hours(3))).dueAt == now + .hours(26))
    let friday = fetched(.zero, before: now + .days(4) + .hours(2))
    #expect(dueDecision(feed, friday, context(now: now + .days(5))).dueAt == now + .days(7) + .hours(2))
  }

  @Test func `a schedule without a minute inside the hours never makes a feed due`() throws {
    let feed = try feed("08:00-18:00", schedule: ["0 3 * * *"])

    #expect(dueDecision(feed, fetched(.hours(2)), context()).reason == .onlyWhenNamed)
  }

  @Test func `naming and --force override hours`() throws {
    let feed = try feed("20:00-21:00")

    #expect(dueDecision(feed, fetched(.zero), context(named: [feed.name])).reason == .named)
    #expect(dueDecision(feed, FeedState(), context(named: [feed.name], isForced: true)).reason == .named)
    #expect(dueDecision(feed, fetched(.zero), context(isForced: true)).reason == .named)
  }

  @Test func `no run waits for freshness across the end or the beginning of the hours`() throws {
    let feed = try feed("08:00-18:00")
    func reason(_ wishEnds: String, at moment: String) throws -> DueReason {
      let moment = try at("2026-11-02T\(moment)Z")
      var state = fetched(.hours(9), before: moment)
      state.freshness = ServerFreshness(notBefore: try at("2026-11-02T\(wishEnds)Z"), source: "ttl")
      return dueDecision(feed, state, context(now: moment)).reason
    }

    #expect(
      try reason("17:59:50", at: "17:59:30") == .aboutToEnd(.freshness, at: at("2026-11-02T17:59:50Z")))
    #expect(try reason("18:00:10", at: "17:59:30") == .postponed(.hours, until: at("2026-11-03T08:00:00Z")))
    #expect(
      try reason("08:00:10", at: "07:59:30") == .postponed(.freshness, until: at("2026-11-02T08:00:10Z")))
  }

  @Test func `the document's quiet hours and the user's hours both apply`() throws {
    let feed = try feed("08:00-12:00")
    var state = fetched(.hours(2))
    state.hints.skipHours = [10, 11]

    // Postponed over noon by the document, and then until the next morning.
    #expect(
      dueDecision(feed, state, context()).reason
        == .postponed(.skipTimes, until: try at("2026-11-03T08:00:00Z")))
  }

  @Test func `quiet hours that exclude all of the user's apply no longer than the freshness limit`()
    throws
  {
    let feed = try feed("10:00-12:00")
    var state = fetched(.hours(2))
    state.hints.skipHours = [10, 11]

    let due = try #require(dueDecision(feed, state, context()).dueAt)

    #expect(due >= now + .days(6) && due <= now + .days(8))
  }

  @Test func `a clock set back leaves hours as they are`() throws {
    let feed = try feed("20:00-21:00")

    #expect(
      dueDecision(feed, fetched(.zero, before: now + .days(365)), context()).reason
        == .postponed(.hours, until: now + .hours(10)))
  }

  @Test func `why shows the hours, and when they decide`() throws {
    let feed = try feed("mon-fri 20:00-21:00")
    let row = try #require(whyReport(feed, fetched(.hours(2)), context()).rows.first { $0.rule == "hours" })

    #expect(row.value == "mon-fri 20:00-21:00")
    #expect(row.source == "configuration")
    #expect(row.binds)
    #expect(row.allowsFrom == now + .hours(10))
    let inside = whyReport(feed, fetched(.hours(2)), context(now: now + .hours(10)))
    #expect(inside.rows.last?.allowsFrom == now + .hours(10))
    #expect(inside.conclusion == "due since 2026-11-02 20:00:00: hours")
  }

  @Test func `a due moment is within the hours, whatever the state`() throws {
    var numbers = SeededNumbers(state: 11)
    let zone = try #require(Zone(name: "Test", posix: "CET-1CEST,M3.5.0,M10.5.0/3"))
    for _ in 0..<500 {
      var (feed, state) = try randomFeed(&numbers)
      feed.hours = try WeeklyHours(
        parsing: ["mon-fri 08:00-18:00", "22:00-06:00", "sun 02:00-02:30", "sat,sun"][
          Int.random(in: 0..<4, using: &numbers)])
      state.pause =
        Bool.random(using: &numbers) ? nil : Pause(until: now + .hours(.random(in: -9...99, using: &numbers)))
      let moment = now + .minutes(.random(in: 0..<20_000, using: &numbers))
      let decision = dueDecision(feed, state, context(now: moment, zone: zone))

      if decision.isDue { #expect(feed.hours.contains(moment, in: zone)) }
      if let due = decision.dueAt { #expect(feed.hours.contains(due, in: zone)) }
      if let pause = state.pause, pause.isActive(at: moment) { #expect(!decision.isDue) }
    }
  }
}
