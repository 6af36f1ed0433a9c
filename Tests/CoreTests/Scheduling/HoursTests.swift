// Hours of feeds: never due outside, whatever else allows a fetch.

import Testing

@testable import Core

@Suite struct HoursTests {
  /// A feed with hours; "now" is Monday 10:00.
  private func feed(
    _ hours: String, interval: MinimumInterval? = nil, schedule: [String] = []
  ) throws -> FeedSpec {
    try CoreTests.feed(interval: interval, schedule: schedule, hours: hours)
  }

  private func run(_ time: String) throws -> PlanningContext { context(now: try at("2026-11-0\(time):00Z")) }

  private func until(_ time: String, _ rule: DueRule = .hours) throws -> Due {
    .because(.postponed(rule, until: try at("2026-11-0\(time):00Z")))
  }

  @Test func `a feed is due within its hours only`() throws {
    let (day, week) = (try feed("08:00-18:00"), try feed("mon-fri 08:00-18:00"))
    let often = try feed("08:00-18:00", interval: .every(.hours(4)))
    func fetchedAt(_ time: String) throws -> FeedState {
      fetched(.zero, before: try at("2026-11-02T\(time):00Z"))
    }
    let failed = with(failing(3, .refused, .zero)) { $0.lastAsked = now - .hours(1) }
    let (ago, skips) = (fetched(.hours(1)), fetched(.hours(2)) { $0.hints.skipHours = [10, 11] })
    let reached = DueReason.reached(.minimumInterval, at: try at("2026-11-02T12:58:00Z"))

    try expect(
      "inside as without hours", day, ago, .because(dueDecision(CoreTests.feed(), ago, context()).reason))
    try expect("outside in the next ones", week, ago, until("3T08:00"), run("2T20:00"))
    try expect("after the weekend", week, ago, until("9T08:00"), run("6T18:00"))
    try expect("never fetched: at once inside", day, FeedState(), .because(.neverFetched), run("2T10:00"))
    try expect("not before", day, FeedState(), until("2T08:00"), run("2T07:59"))
    try expect(
      "due in the night: in the morning", often, fetchedAt("17:00"), until("3T08:00"), run("2T22:00"))
    try expect(
      "by the hours", often, fetchedAt("17:00"), .because(.reached(.hours, at: now + .hours(22))),
      run("3T09:00"))
    try expect(
      "due in hours that ended: in the next", day, fetchedAt("12:00"), until("3T08:00"), run("2T18:00"))
    try expect("overdue since the day before", day, fetchedAt("12:00"), .because(reached), run("3T08:00"))
    // 16 h and jitter after 09:00 is in the night.
    try expect("a backoff moves to the morning", day, failed, until("3T08:00"))
    let wished = fetched(.hours(2)) { $0.freshness = freshness(until: now + .hours(12)) }
    let limited = fetched(.hours(2)) { $0.rateLimit = limit(until: now + .hours(12)) }
    for state in [limited, wished] { expect("limit and freshness do", day, state, .after(.hours(22))) }
    try expect(
      "a schedule without a minute inside never fires", feed("08:00-18:00", schedule: ["0 3 * * *"]),
      fetched(.hours(2)), .because(.onlyWhenNamed))
    // Postponed over noon by the document, and then until the next morning.
    try expect("skipped hours apply, too", feed("08:00-12:00"), skips, until("3T08:00", .skipTimes))
    let night = try feed("20:00-21:00")
    try expect(
      "a clock set back changes no hours", night, fetched(.zero, before: now + .days(365)), until("2T20:00"))
    let named: Set = [night.name]
    for state in [FeedState(), fetched(.zero)] {
      expect("naming overrides them", night, state, .because(.named), context(named: named))
      expect("--force, too", night, state, .because(.named), context(named: named, isForced: true))
      expect("also alone", night, state, .because(.named), context(isForced: true))
    }
  }

  @Test func `only the minutes of a schedule within the hours count`() throws {
    let feed = try feed("mon-fri 08:00-18:00", schedule: ["0 6,12,20 * * *"])
    let (noon, friday) = (now + .hours(2), now + .days(4) + .hours(2))

    expect("noon", feed, fetched(.zero), .at(noon))
    expect("tomorrow", feed, fetched(.zero, before: noon), .after(.hours(26)), context(now: now + .hours(3)))
    expect(
      "Monday", feed, fetched(.zero, before: friday), .after(.days(7) + .hours(2)),
      context(now: now + .days(5)))
  }

  @Test func `no run waits for freshness across the end or the beginning of the hours`() throws {
    for (end, start, expected) in [
      ("17:59:50", "17:59:30", .aboutToEnd(.freshness, at: try at("2026-11-02T17:59:50Z"))),
      ("18:00:10", "17:59:30", .postponed(.hours, until: try at("2026-11-03T08:00:00Z"))),
      ("08:00:10", "07:59:30", .postponed(.freshness, until: try at("2026-11-02T08:00:10Z"))),
    ] as [(String, String, DueReason)] {
      let (end, moment) = (try at("2026-11-02T\(end)Z"), try at("2026-11-02T\(start)Z"))
      let state = fetched(.hours(9), before: moment) { $0.freshness = freshness(until: end) }
      try expect("\(end.rfc3339)", feed("08:00-18:00"), state, .because(expected), context(now: moment))
    }
  }

  @Test func `skipped hours that exclude all of the user's apply no longer than the freshness limit`() throws
  {
    let state = fetched(.hours(2)) { $0.hints.skipHours = [10, 11] }

    let due = try #require(dueDecision(try feed("10:00-12:00"), state, context()).dueAt)

    #expect(due >= now + .days(6))
    #expect(due <= now + .days(8))
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
    let zone = TestZone.berlin
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
