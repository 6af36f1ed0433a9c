// When a feed is due: minimum interval, schedule, freshness, skipped times, pauses, and what naming overrides.

import Testing

@testable import Core

@Suite struct DueDecisionTests {
  private let fresh = fetched(.zero) { $0.freshness = freshness(until: now + .days(1)) }
  private let limited = fetched(.hours(2)) { $0.rateLimit = limit(until: now + .hours(1)) }
  private let gone = with(failing(2, .gone, .days(1))) { $0.isGone = true }

  @Test func `the minimum interval says when a feed is due`() throws {
    let bare = fetched(.zero) { $0.validators.entityTag = nil }
    let failed = with(failing(1, .transient, .hours(1))) { $0.lastCounted = now - .hours(3) }
    func feed(_ interval: MinimumInterval?) throws -> FeedSpec { try CoreTests.feed(interval: interval) }
    let end = now - .hours(2) - .minutes(2)

    try expect("a feed never fetched is due at once", feed(nil), FeedState(), .because(.neverFetched))
    try expect(
      "whatever its schedule", CoreTests.feed(schedule: ["0 3 * * *"]), FeedState(), .because(.neverFetched))
    try expect(
      "within its interval a feed waits", feed(.every(.hours(2))), fetched(.hours(1)),
      .waits(.minimumInterval, .minutes(58)))
    try expect(
      "later it is due since its end", feed(.every(.hours(1))), fetched(.hours(3)),
      .because(.reached(.minimumInterval, at: end)))
    #expect(
      try dueDecision(feed(.every(.hours(1))), fetched(.hours(3)), context()).overdueBy == now.since(end))
    try expect("the default is an hour", feed(nil), fetched(.zero), .after(.minutes(58)))
    try expect("without validators a day", feed(nil), bare, .after(.hours(24) - .minutes(2)))
    try expect("a configured one is kept without them", feed(.every(.hours(1))), bare, .after(.minutes(58)))
    try expect("every-run is the very next run", feed(.everyRun), fetched(.seconds(1)), .yes)
    try expect("it does not override freshness", feed(.everyRun), fresh, .no)
    try expect("never: not by itself", feed(.never), fetched(.days(400)), .because(.onlyWhenNamed))
    try expect("nor before a first fetch", feed(.never), FeedState(), .because(.onlyWhenNamed))
    try expect("never has no moment", feed(.never), FeedState(), .at(nil))
    try expect("a failure does not use it up", feed(.every(.hours(2))), failed, .yes)
    try expect("the longest never ends", feed(.every(.seconds(.max))), fetched(.days(10_000)), .no)
    for number in 0..<50 {
      let feed = try CoreTests.feed("feed\(number)")
      expect("jitter never falls on a plain interval", feed, fetched(.zero), .after(.minutes(58)))
    }
  }

  @Test(arguments: [
    // Interval and slack in seconds: 5 %, from 5 m up at least 60 s, at most 2 min.
    (0, 0), (19, 0), (60, 3), (299, 14), (300, 60), (1200, 60), (1800, 90), (2400, 120), (3600, 120),
    (604_800, 120),
  ])
  func `slack is 5 percent, at least a minute from 5 m up, at most two`(interval: Int64, slack: Int64) throws
  {
    try expect(
      "slack", feed(interval: .every(.seconds(interval))), fetched(.zero), .after(.seconds(interval - slack)))
  }

  @Test func `a schedule makes a feed due from its matching minute on`() throws {
    func feed(_ schedule: String..., every interval: Interval? = nil) throws -> FeedSpec {
      try CoreTests.feed(interval: interval.map { .every($0) }, schedule: schedule)
    }
    let bare = fetched(.minutes(3)) { $0.validators.entityTag = nil }
    let missed = fetched(.days(3))
    let success = stateAfterSuccess(missed, attempt(try feed()), result: .noData, reason: "", hints: nil)
      .state
    let failed = stateAfterFailure(
      fetched(.hours(20)), attempt(try feed("0 10 * * *")), failure: .truncated, reason: ""
    ).state
    let zone = try #require(Zone(name: "Test", posix: "TST-5"))
    let ten = "*/10 * * * *"

    try expect("at its minute", feed("30 10 * * *"), fetched(.hours(2)), .after(.minutes(30)))
    try expect("and after", feed("30 10 * * *"), fetched(.hours(2)), .yes, context(now: now + .minutes(45)))
    try expect(
      "without an interval it decides alone", feed(ten), fetched(.minutes(3)),
      .because(.reached(.schedule, at: now)))
    try expect("without validators, too", feed(ten), bare, .yes)
    try expect("the minute of a run is used up", feed("0 10 * * *"), fetched(.zero), .after(.hours(24)))
    // Fetched at 10:00:20; less slack the hour ends at 10:58:20.
    try expect(
      "it counts from the interval's end less slack", feed("0 * * * *", every: .hours(1)),
      fetched(.zero, before: now + .seconds(20)), .after(.hours(1)), context(now: now + .minutes(1)))
    try expect(
      "matches inside the interval are passed over", feed("15 * * * *", every: .hours(3)), fetched(.zero),
      .after(.hours(3) + .minutes(15)))
    try expect(
      "the first of several counts", feed("0 20 * * *", "30 11 * * *", "0 12 * * *"), fetched(.hours(1)),
      .after(.minutes(90)))
    try expect("missed minutes", feed(ten), missed, .yes)
    try expect("count as one", feed(ten), success, .after(.minutes(10)), context(now: now + .seconds(30)))
    try expect("a failure waits", feed("0 10 * * *"), failed, .no, context(now: now + .minutes(1)))
    try expect("and uses up none", feed("0 10 * * *"), failed, .yes, context(now: now + .minutes(17)))
    try expect(
      "it is read in the run's zone", feed("30 15 * * *"), fetched(.hours(1)), .after(.minutes(30)),
      context(zone: zone))
  }

  @Test func `freshness postpones a feed, and a run waits a minute for its end`() throws {
    func until(_ wait: Int64, fetched ago: Interval = .hours(2)) -> FeedState {
      fetched(ago) { $0.freshness = freshness(until: now + .seconds(wait)) }
    }
    let ended = fetched(.minutes(5)) { $0.freshness = freshness(until: now - .minutes(4)) }
    let nearly = Interval.minutes(58) - .seconds(10)

    try expect(
      "a run waits up to a minute", feed(), until(60),
      .because(.aboutToEnd(.freshness, at: now + .seconds(60))))
    #expect(try dueDecision(feed(), until(60), context()).waitUntil == now + .seconds(60))
    try expect("and no longer", feed(), until(61), .no)
    try expect("nor for an interval", feed(), fetched(.minutes(58) - .seconds(1)), .no)
    try expect("nor within one", feed(), until(20, fetched: nearly), .waits(.freshness, .seconds(20)))
    try expect("but then", feed(), until(20, fetched: nearly), .yes, context(now: now + .seconds(10)))
    try expect("it shortens no interval", feed(), ended, .waits(.minimumInterval, .minutes(53)))
  }

  @Test func `skipHours and skipDays of a document postpone a feed`() throws {
    func skips(_ hours: Set<Int>, _ days: Set<Int> = [], fetched ago: Interval = .days(1)) -> FeedState {
      fetched(ago) { ($0.hints.skipHours, $0.hints.skipDays) = (hours, days) }
    }
    func after(_ wait: Interval, zone: Zone = .utc) -> PlanningContext {
      context(now: now + wait, zone: zone)
    }
    let (feed, later) = (try feed(), after(.minutes(25) + .seconds(7)))
    let zone = try #require(Zone(name: "Test", posix: "TST-5"))

    expect("not in an hour that is skipped", feed, skips([9, 10, 11]), .waits(.skipTimes, .hours(2)))
    expect("they end with the hour, whenever the run is", feed, skips([10]), .after(.hours(1)), later)
    expect("and with the day", feed, skips([], [1]), .after(.hours(14)), later)
    expect("they join over midnight", feed, skips([23, 0, 1]), .after(.hours(16)), after(.hours(13)))
    // 2026-11-02 is a Monday.
    expect("not on a day that is skipped", feed, skips([], [1, 2]), .after(.hours(14 + 24)))
    expect("days and hours add up", feed, skips([0, 1], [1]), .after(.hours(16)))
    expect("hours are those of UTC", feed, skips([15]), .yes, after(.zero, zone: zone))
    expect("not of the zone", feed, skips([10]), .no, after(.zero, zone: zone))
    expect("other hours postpone nothing", feed, skips([9, 11]), .yes)
    expect("not if every hour is skipped", feed, skips(Set(0...23)), .yes)
    expect("nor if every day is", feed, skips([], Set(0...6)), .yes)
    expect("naming overrides them", feed, skips([10]), .yes, context(named: [feed.name]))
    expect("also after weeks without a run", feed, skips([10], fetched: .days(30)), .after(.hours(1)))
  }

  private func paused(until: Instant? = nil, _ state: FeedState = fetched(.hours(9))) -> FeedState {
    with(state) { $0.pause = Pause(until: until) }
  }

  @Test func `a paused feed is not due until its pause ends`() throws {
    let (feed, until, day) = (try feed(), now + .days(400), paused(until: now + .days(1)))
    let morning = try CoreTests.feed(hours: "08:00-18:00")
    let waiting = with(paused(until: now + .seconds(30))) {
      $0.freshness = freshness(until: now + .seconds(40))
    }
    let ahead = paused(until: until, fetched(.zero, before: now + .days(365)))
    let (named, forced) = (context(named: [feed.name]), context(named: [feed.name], isForced: true))
    let ended = dueDecision(feed, fetched(.hours(9)), context()).reason

    expect("not at all", feed, paused(), .because(.paused))
    expect("nor if it was never fetched", feed, paused(FeedState()), .because(.paused))
    expect("never by itself", feed, paused(FeedState()), .at(nil))
    expect("until its end", feed, paused(until: now + .hours(3)), .waits(.pause, .hours(3)))
    expect("but then", feed, paused(until: now + .hours(3)), .yes, context(now: now + .hours(3)))
    expect("an ended pause counts no more", feed, paused(until: now - .seconds(1)), .because(ended))
    expect("in the night: until morning", morning, paused(until: now + .hours(12)), .after(.hours(22)))
    expect("naming fetches it", feed, paused(), .because(.named), named)
    expect("with --force, too", feed, paused(), .because(.named), forced)
    expect("--force alone does not", feed, paused(), .because(.paused), context(isForced: true))
    expect("nor before its end", feed, day, .waits(.pause, .days(1)), context(isForced: true))
    expect("a clock set back changes no pause", feed, ahead, .because(.postponed(.pause, until: until)))
    expect("a run does not wait for a server meanwhile", feed, waiting, .no)
    let plan = duePlan(
      [feed, try CoreTests.feed("two"), try CoreTests.feed("three")],
      [feed.name: paused(), try name("two"): day, try name("three"): fetched(.zero)], context())
    #expect(plan.due.isEmpty)
    #expect(plan.skipped.map(\.isPaused) == [true, true, false])
  }

  @Test func `why reports a pause, but not one that has ended`() throws {
    func row(_ state: FeedState) throws -> WhyReport.Row? {
      whyReport(try feed(), state, context()).rows.first { $0.rule == "pause" }
    }
    let forGood = try #require(try row(paused()))
    let limited = try #require(try row(paused(until: now + .hours(3))))

    #expect(forGood.value == "until bgfetch resume")
    #expect(forGood.binds)
    #expect(limited.value == "until 2026-11-02 13:00:00")
    #expect(limited.allowsFrom == now + .hours(3))
    #expect(try row(paused(until: now)) == nil)
    #expect(whyReport(try feed(), paused(), context()).conclusion == "paused; name it to fetch it anyway")
  }

  @Test func `naming a feed overrides all except limits and 410, which yield to --force with names`() throws {
    let feed = try feed()
    let (named, forced) = (context(named: [feed.name]), context(named: [feed.name], isForced: true))
    let hosts = ["planet.example": limitedHost(until: now + .hours(1))]
    let backoff = failing(9, .refused, .minutes(1))

    expect("the interval", feed, fetched(.zero), .because(.named), named)
    try expect(
      "the schedule", CoreTests.feed(schedule: ["0 3 * * *"]), fetched(.zero), .because(.named), named)
    try expect("never", CoreTests.feed(interval: .never), fetched(.zero), .because(.named), named)
    expect("freshness", feed, fresh, .because(.named), named)
    expect("backoff", feed, backoff, .because(.named), named)
    expect("not a rate limit", feed, limited, .waits(.rateLimit, .hours(1)), named)
    expect("but with --force", feed, limited, .yes, forced)
    expect("not 410", feed, gone, .no, named)
    expect("but with --force", feed, gone, .yes, forced)
    let ready = fetched(.hours(2))
    expect("not a limit of the host", feed, ready, .no, context(hosts: hosts, named: [feed.name]))
    expect("but with --force", feed, ready, .yes, context(hosts: hosts, named: [feed.name], isForced: true))
    try expect("others are skipped", CoreTests.feed("other"), FeedState(), .because(.othersNamed), forced)
    for state in [fetched(.zero), fresh, backoff] {
      expect("--force alone names all feeds", feed, state, .because(.named), context(isForced: true))
    }
    try expect("also never", CoreTests.feed(interval: .never), FeedState(), .yes, context(isForced: true))
    for state in [limited, gone] {
      expect("--force alone passes no limit", feed, state, .no, context(isForced: true))
    }
  }

  @Test func `the moment that is stored with a fetch is the one from when on the rules allow the next`()
    throws
  {
    let hosts = ["planet.example": limitedHost(until: now + .hours(3))]
    let fresh = fetched(.zero) { $0.freshness = freshness(until: now + .hours(6)) }

    #expect(
      try nextDue(feed(interval: .every(.hours(1))), fetched(.zero), context())
        == now + .hours(1) - .minutes(2))
    #expect(try nextDue(feed(), fresh, context()) == now + .hours(6))
    #expect(try nextDue(feed(), fetched(.zero), context(hosts: hosts)) == now + .hours(3))
    #expect(try nextDue(feed(interval: .never), fetched(.zero), context()) == nil)
    #expect(try nextDue(feed(), FeedState(), context()) == now)
  }
}
