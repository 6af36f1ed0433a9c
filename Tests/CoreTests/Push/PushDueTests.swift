// The rules that a push overrides, and the others.

import Core
import Testing

@Suite struct PushDueTests {
  private func context(
    _ pushes: [StoredPush], fetches: [Instant] = [], now moment: Instant = now,
    hosts: [String: HostState] = [:],
    named: Set<FeedName> = [], isForced: Bool = false
  ) -> PlanningContext {
    PlanningContext(
      now: moment, zone: .utc, machine: "test", hosts: hosts, named: named, isForced: isForced,
      pushes: pushDemands(
        pushes, fetches: Dictionary(uniqueKeysWithValues: Set(pushes.map(\.feed)).map { ($0, fetches) })))
  }

  private func decision(
    _ state: FeedState, feed: FeedSpec? = nil, fetches: [Instant] = [], ago: Interval = .zero,
    late: Instant? = nil
  ) throws -> DueDecision {
    dueDecision(
      try feed ?? pushed(), state, context([try waiting(1, ago, late: late)], fetches: fetches))
  }

  private func feed(_ change: (inout FeedSpec) throws -> Void) throws -> FeedSpec {
    var spec = try pushed()
    try change(&spec)
    return spec
  }

  private var wished: FeedState {
    var state = fetched(.zero)
    state.freshness = ServerFreshness(notBefore: now + .days(1), source: "max-age")
    return state
  }

  private var limited: FeedState {
    var state = fetched(.hours(2))
    state.rateLimit = RateLimit(until: now + .hours(3), withoutRetryAfter: 0, status: 429)
    return state
  }

  private var gone: FeedState {
    var state = failing(2, .gone, .days(1))
    state.isGone = true
    return state
  }

  private var paused: FeedState {
    var state = fetched(.zero)
    state.pause = Pause(until: nil)
    return state
  }

  @Test func `a push overrides interval, schedule, the server's caching and backoff`() throws {
    let scheduled = try feed { $0.schedule = [try CronExpression(parsing: "0 3 * * *")] }
    let rare = try feed { $0.minimumInterval = .every(.days(30)) }
    let never = try feed { $0.minimumInterval = .never }

    #expect(try decision(fetched(.zero)).reason == .pushed(from: now))
    #expect(try decision(fetched(.zero), feed: scheduled).isByPush)
    #expect(try decision(fetched(.zero), feed: rare).isByPush)
    #expect(try decision(fetched(.zero), feed: never).isByPush)
    #expect(try decision(wished).isByPush)
    #expect(try decision(failing(9, .refused, .minutes(1))).isByPush)
    #expect(try decision(fetched(.zero), ago: .minutes(4)).overdueBy == .minutes(4))
  }

  @Test func `a push overrides the quiet hours of a document`() throws {
    var state = fetched(.zero)
    state.hints.skipHours = Set(0...23)

    #expect(try decision(state).isByPush)
  }

  @Test func `a push does not override a rate limit, 410, hours or a pause`() throws {
    let nights = try feed { $0.hours = try WeeklyHours(parsing: "20:00-22:00") }

    #expect(try decision(limited).reason == .postponed(.rateLimit, until: now + .hours(3)))
    #expect(try !decision(gone).isDue)
    #expect(
      try decision(fetched(.hours(9)), feed: nights).reason == .postponed(.hours, until: now + .hours(10)))
    #expect(try decision(paused).reason == .paused)
  }

  @Test func `a push does not override a limit on its host`() throws {
    var host = HostState()
    host.limitedUntil = now + .hours(1)
    let context = context([try waiting()], hosts: ["planet.example": host])

    #expect(
      dueDecision(try pushed(), fetched(.hours(9)), context).reason
        == .postponed(.hostLimit, until: now + .hours(1)))
  }

  @Test func `a rate limit that ends within a minute is waited for`() throws {
    var state = fetched(.zero)
    state.rateLimit = RateLimit(until: now + .seconds(30), withoutRetryAfter: 0, status: 429)

    let decision = try decision(state)

    #expect(decision.isDue)
    #expect(decision.waitUntil == now + .seconds(30))
  }

  @Test func `beyond its limit a push waits, and the feed is due by its own rules`() throws {
    let fetches = (1...6).map { now - .minutes(Int64($0) * 5) }

    #expect(
      try decision(fetched(.minutes(20)), fetches: fetches).reason
        == .postponed(.pushLimit, until: now + .minutes(30)))
    // Its interval is over sooner.
    #expect(
      try decision(fetched(.minutes(50)), fetches: fetches).reason
        == dueDecision(pushed(), fetched(.minutes(50)), CoreTests.context()).reason)
    #expect(try decision(fetched(.hours(2)), fetches: fetches).isDue)
    #expect(try !decision(fetched(.hours(2)), fetches: fetches).isByPush)
  }

  @Test func `the limit applies to pushes only`() throws {
    let fetches = (1...6).map { now - .minutes(Int64($0)) }
    let feed = try pushed()
    let context = context([try waiting()], fetches: fetches, named: [feed.name])

    #expect(dueDecision(feed, fetched(.zero), context).reason == .named)
    #expect(dueDecision(feed, FeedState(), self.context([try waiting()], fetches: fetches)).isDue)
  }

  @Test func `a push of another feed changes nothing`() throws {
    let other = context([try waiting(1, feed: "moon")])

    #expect(
      dueDecision(try pushed(), fetched(.zero), other)
        == dueDecision(try pushed(), fetched(.zero), CoreTests.context()))
  }

  @Test func `a feed that is due by itself says so, push or not`() throws {
    let state = fetched(.hours(5))

    #expect(try decision(state).reason == dueDecision(pushed(), state, CoreTests.context()).reason)
    #expect(try decision(FeedState()).reason == .neverFetched)
  }

  @Test func `a new feed that is never due by itself is due by a push`() throws {
    let never = try feed { $0.minimumInterval = .never }

    #expect(dueDecision(never, FeedState(), CoreTests.context()).reason == .onlyWhenNamed)
    #expect(try decision(FeedState(), feed: never).isByPush)
  }

  @Test func `a push without new data makes its feed due again a minute later`() throws {
    let late = now + .seconds(60)

    #expect(try decision(fetched(.zero), late: late).reason == .postponed(.secondTry, until: late))
    #expect(
      dueDecision(
        try pushed(), fetched(.zero), context([try waiting(late: late)], now: late)
      ).isByPush)
  }

  @Test func `if only one of two pushes may be fetched now, it counts`() throws {
    let pushes = [try waiting(1, .minutes(2), late: now + .seconds(30)), try waiting(2)]

    #expect(dueDecision(try pushed(), fetched(.zero), context(pushes)).reason == .pushed(from: now))
  }

  @Test func `a running fetch is not started again`() throws {
    var state = fetched(.zero)
    state.hasTransferUnderWay = true

    #expect(try decision(state).reason == .underWay)
  }

  @Test func `a push with a file of its own does not make its feed due`() throws {
    let feed = try pushed(url: "https://planet.example/{content-id}")
    let state = fetched(.zero)

    #expect(try decision(state, feed: feed) == dueDecision(feed, state, CoreTests.context()))
    #expect(pushDecision(feed, state, context([try waiting()])).isByPush)
    #expect(!pushDecision(feed, limited, context([try waiting()])).isDue)
    #expect(pushDecision(feed, paused, context([try waiting()])).reason == .paused)
  }

  @Test func `a clock that was set back keeps no push waiting`() throws {
    let ahead = now + .days(300)
    let push = StoredPush(
      number: 1, feed: try name("planet"), payload: PushPayload(text: "{}"), received: ahead, tries: 1,
      notBefore: ahead + .seconds(60))
    let state = fetched(.zero, before: ahead)

    #expect(dueDecision(try pushed(), state, context([push], fetches: [ahead])).isDue)
    #expect(
      dueDecision(try pushed(), limitedAhead(state), context([push])).isDue)
  }

  /// A limit that is further away than any may be.
  private func limitedAhead(_ state: FeedState) -> FeedState {
    var state = state
    state.rateLimit = RateLimit(until: now + .days(301), withoutRetryAfter: 0, status: 429)
    return state
  }

  @Test func `the plan contains pushed feeds, and so does the next due moment`() throws {
    let fetches = (1...6).map { now - .minutes(Int64($0) * 5) }
    let feeds = [try pushed("planet"), try pushed("moon")]
    let states = [feeds[0].name: fetched(.zero), feeds[1].name: fetched(.zero)]

    #expect(duePlan(feeds, states, context([try waiting()])).due.map(\.feed.name.text) == ["planet"])
    #expect(
      nextDue(feeds[0], fetched(.minutes(20)), context([try waiting()], fetches: fetches)) == now
        + .minutes(30))
  }

  @Test func `why says that a push without new data is tried once more`() throws {
    let late = now + .seconds(60)
    let waits = context([try waiting(late: late)])
    let downloads = try pushed(url: "https://planet.example/{content-id}")

    let report = whyReport(try pushed(), fetched(.zero), waits)

    #expect(
      report.conclusion
        == "not before \(late.local(in: .utc)): the push is tried a second time then, because the first try found nothing new"
    )
    #expect(report.rows.filter(\.binds).map(\.rule) == ["second try"])
    #expect(!report.rows.contains { $0.rule == "push limit" })
    #expect(
      whyReport(downloads, fetched(.zero), waits).notes
        == ["1 waiting push announces a file; second try at \(late.local(in: .utc))"])
  }

  @Test func `why names the limit as the rule that binds`() throws {
    let fetches = (1...6).map { now - .minutes(Int64($0) * 5) }
    let held = whyReport(try pushed(), fetched(.minutes(20)), context([try waiting()], fetches: fetches)).rows
    let free = whyReport(try pushed(), fetched(.zero), context([try waiting()])).rows
    let none = whyReport(try pushed(), fetched(.zero), CoreTests.context()).rows

    #expect(held.filter(\.binds).map(\.rule) == ["push limit"])
    #expect(held.first { $0.binds }?.allowsFrom == now + .minutes(30))
    #expect(free.first { $0.rule == "minimum interval" }?.isOverridden == true)
    #expect(free.contains { $0.rule == "push limit" && $0.allowsFrom == nil })
    #expect(!none.contains { $0.rule == "push limit" })
  }
}
