// The words of `bgfetch why`: every rule, its source, and the conclusion.

import Core
import Testing

@Suite struct WhyReportTests {
  /// The rows as text, the binding one with a star.
  private func rows(_ report: WhyReport) -> [String] {
    report.rows.map { row in
      let mark = row.isOverridden ? "- " : row.binds ? "* " : "  "
      let from = row.allowsFrom.map { " from \($0.local(in: .utc))" } ?? ""
      return mark + [row.rule, row.value, row.source].joined(separator: " | ") + from
    }
  }

  @Test func `every rule is listed with its value and source, and the deciding one is marked`() throws {
    var state = failing(2, .transient, .minutes(5))
    state.lastCounted = now - .hours(3)
    state.lastSuccess = now - .hours(3)
    state.lastReason = "the server answered 500"
    state.freshness = ServerFreshness(notBefore: now + .hours(2), source: "Cache-Control: max-age=18000")
    state.rateLimit = RateLimit(until: now - .hours(9), withoutRetryAfter: 0, status: 503)
    state.hints.skipHours = [3, 4]
    state.hints.skipDays = [0, 6]
    var host = HostState()
    host.limitedUntil = now + .minutes(30)
    host.limitedBy = try name("other")
    let feed = try feed(interval: .every(.hours(1)), schedule: ["*/10 7-22 * * *", "0 3 * * *"])

    let report = whyReport(feed, state, context(hosts: ["planet.example": host]))

    // The jitter of this feed on machine "test" is part of the wait after failures.
    let backoff = try #require(report.rows.first { $0.rule == "backoff" })
    #expect(
      rows(report) == [
        "  minimum interval | 1h, less 2m slack | configuration from 2026-11-02 07:58:00",
        "  schedule | \"*/10 7-22 * * *\" | configuration, the next of 2 from 2026-11-02 08:00:00",
        "* freshness | not before 2026-11-02 12:00:00 | Cache-Control: max-age=18000 from 2026-11-02 12:00:00",
        "  rate limit | until 2026-11-02 01:00:00 | the server answered 503 from 2026-11-02 01:00:00",
        "  host limit | all feeds of planet.example | the server answered 429 to other from 2026-11-02 10:30:00",
        "  backoff | \(backoff.value) | the server answered 500 from \(try #require(backoff.allowsFrom).local(in: .utc))",
        "  skip times | hours 3, 4; days Sunday, Saturday | the document, in UTC",
      ])
    #expect(backoff.value.hasSuffix(" after 2 failures in a row"))
    #expect(report.conclusion == "not before 2026-11-02 12:00:00: freshness")
    #expect(report.lastAsked == now - .minutes(5))
  }

  @Test(
    arguments: [
      (nil, [], true, "1h, less 2m slack | default"),
      (nil, [], false, "1d, less 2m slack | default, as the server gives no validators"),
      (nil, ["0 3 * * *"], true, "none | the schedule alone decides"),
      (.everyRun, [], true, "every-run | configuration"), (.never, [], true, "never | configuration"),
      (.every(.seconds(10)), [], true, "10s | configuration"),
    ] as [(MinimumInterval?, [String], Bool, String)])
  func `the interval is shown with its source`(
    interval: MinimumInterval?, schedule: [String], hasValidators: Bool, text: String
  ) throws {
    var state = fetched(.hours(1))
    if !hasValidators { state.validators = Validators() }

    let row = try #require(
      whyReport(try feed(interval: interval, schedule: schedule), state, context()).rows.first)

    #expect("\(row.value) | \(row.source)" == text)
  }

  @Test func `backoff shows its jitter and failures of its kind beside all, and a feed that is gone says so`()
    throws
  {
    let refused = with(failing(2, .refused, .hours(1))) {
      ($0.failures, $0.lastReason) = (5, "the server answered 404")
    }
    let gone = with(failing(2, .gone, .days(1))) { $0.isGone = true }
    let backoff = try #require(whyReport(try feed(), refused, context()).rows.first { $0.rule == "backoff" })
    let last = try #require(whyReport(try feed(), gone, context()).rows.last)

    #expect(backoff.value.hasPrefix("8h and "))
    #expect(backoff.value.hasSuffix(" jitter after 2 of this kind, 5 failures in a row"))
    #expect(backoff.source == "the server answered 404")
    #expect(last.rule == "gone")
    #expect(last.binds)
    #expect(last.value.hasPrefix("requested once in 30d"))
  }

  @Test func `a server's freshness is shown with its source`() throws {
    var state = fetched(.zero)
    state.freshness = ServerFreshness(notBefore: now + .days(5), source: "Cache-Control: max-age=432000")
    let row = try #require(whyReport(try feed(), state, context()).rows.first { $0.rule == "freshness" })

    #expect(row.source == "Cache-Control: max-age=432000")
    #expect(row.allowsFrom == now + .days(5))
  }

  @Test func `a permanent redirect and repeated crashes are noted`() throws {
    var state = fetched(.zero)
    var learned = Move(address: "https://new.example/", firstSeen: now)
    learned.isLearned = true
    learned.isSuspect = true
    state.moves = [learned, Move(address: "https://newer.example/?key=secret", firstSeen: now)]
    state.crashes = 2

    #expect(
      whyReport(try feed(), state, context()).notes == [
        "moved to https://new.example/; write it into the configuration; "
          + "it failed, so the configured address is tried next",
        "permanently moved to https://newer.example/?key=***, seen 1 of 3 times since 2026-11-02 10:00:00; "
          + "learned after a day",
        "in flight when 2 runs in a row crashed or ended: fetched last, after all else",
      ])
  }

  @Test func `rules that naming overrides are marked`() throws {
    let state = fetched(.zero) { $0.rateLimit = limit(until: now + .hours(1)) }
    let feed = try feed()

    let rows = whyReport(feed, state, context(named: [feed.name])).rows

    #expect(rows.map(\.isOverridden) == [true, false])
    #expect(rows.map(\.binds) == [false, true])
  }

  @Test func `the binding moment is the one the decision is made by`() throws {
    var numbers = SeededNumbers(state: 5)
    for _ in 0..<500 {
      let (feed, state) = try randomFeed(&numbers)
      let report = whyReport(feed, state, context())

      #expect(report.rows.first { $0.binds }?.allowsFrom == boundMoment(report.decision))
    }
  }

  /// The moment by which a decision was made, nil where no rule had one.
  private func boundMoment(_ decision: DueDecision) -> Instant? {
    switch decision.reason {
    case .pushed(let moment), .reached(_, let moment), .aboutToEnd(_, let moment), .postponed(_, let moment),
      .waits(_, let moment):
      moment
    case .neverFetched, .clockSetBack, .named, .onlyWhenNamed, .underWay, .paused, .othersNamed: nil
    }
  }

  @Test func `moments are shown in the run's zone, also in values and notes`() throws {
    func report(_ zone: String, _ state: FeedState = fetched(.zero)) throws -> WhyReport {
      whyReport(try feed(), state, context(zone: try #require(Zone(name: "Test", posix: zone))))
    }
    let state = fetched(.zero) {
      ($0.freshness, $0.rateLimit) = (freshness(until: now + .hours(2)), limit(until: now + .hours(3)))
      $0.pause = Pause(until: now + .hours(4))
      $0.moves = [Move(address: "https://new.example/", firstSeen: now)]
    }

    #expect(try report("TST-5:30").conclusion == "not before 2026-11-02 16:28:00: minimum interval")
    #expect(try report("TST3:30").conclusion == "not before 2026-11-02 07:28:00: minimum interval")
    #expect(
      try report("TST-9", state).rows.map(\.value) == [
        "1h, less 2m slack", "not before 2026-11-02 21:00:00", "until 2026-11-02 22:00:00",
        "until 2026-11-02 23:00:00",
      ])
    #expect(try report("TST-9", state).notes.first?.contains("since 2026-11-02 19:00:00; learned") == true)
  }

  @Test func `each conclusion in words`() throws {
    let (feed, never) = (try feed(), try feed(interval: .never))
    let about = fetched(.hours(2)) { $0.freshness = freshness(until: now + .seconds(9)) }
    for (feed, state, run, words) in [
      (feed, FeedState(), context(), "due now: never fetched"),
      (
        feed, fetched(.zero, before: now + .days(9)), context(),
        "due now: the clock was set back since the last fetch"
      ),
      (feed, fetched(.hours(1)), context(), "due since 2026-11-02 09:58:00: minimum interval"),
      (feed, about, context(), "due at 2026-11-02 10:00:09, during this run: freshness"),
      (feed, fetched(.zero), context(named: [feed.name]), "due now: named on the command line"),
      (never, fetched(.hours(1)), context(), "never due by itself; name it to fetch it"),
      (feed, fetched(.zero), context(named: [try name("other")]), "not due: other feeds were named"),
    ] { #expect(whyReport(feed, state, run).conclusion == words) }
  }
}
