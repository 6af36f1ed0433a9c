// The rules that a push overrides, and the others.

import Testing

@testable import Core

@Suite struct PushDueTests {
  private func context(
    _ pushes: [StoredPush], fetches: [Instant] = [], now moment: Instant = now,
    hosts: [String: HostState] = [:], named: Set<FeedName> = [], isForced: Bool = false
  ) -> PlanningContext {
    PlanningContext(
      now: moment, zone: .utc, machine: "test", hosts: hosts, named: named, isForced: isForced,
      pushes: pushDemands(
        pushes, fetches: Dictionary(uniqueKeysWithValues: Set(pushes.map(\.feed)).map { ($0, fetches) })))
  }

  private func decision(
    _ state: FeedState, feed: FeedSpec? = nil, fetches: [Instant] = [], ago: Interval = .zero
  ) throws -> DueDecision {
    dueDecision(try feed ?? pushed(), state, context([try waiting(1, ago)], fetches: fetches))
  }

  /// A run with a push for the feed.
  private func one(_ fetches: [Instant] = [], hosts: [String: HostState] = [:]) throws -> PlanningContext {
    context([try waiting()], fetches: fetches, hosts: hosts)
  }

  private func feed(_ change: (inout FeedSpec) throws -> Void) throws -> FeedSpec {
    var spec = try pushed()
    try change(&spec)
    return spec
  }

  private let wished = fetched(.zero) { $0.freshness = freshness(until: now + .days(1)) }
  private let limited = fetched(.hours(2)) { $0.rateLimit = limit(until: now + .hours(3)) }
  private let gone = with(failing(2, .gone, .days(1))) { $0.isGone = true }
  private let paused = fetched(.zero) { $0.pause = Pause(until: nil) }
  /// As many fetches as a push may cause within half an hour.
  private let spent = (1...6).map { now - .minutes(Int64($0) * 5) }

  @Test func `a push overrides interval, schedule, the server's caching and backoff`() throws {
    let by = Due.because(.pushed(from: now))
    let run = try one()

    try expect("the default interval", pushed(), fetched(.zero), by, run)
    try expect(
      "a schedule", feed { $0.schedule = [try CronExpression(parsing: "0 3 * * *")] }, fetched(.zero), by, run
    )
    try expect("an interval", feed { $0.minimumInterval = .every(.days(30)) }, fetched(.zero), by, run)
    try expect("never", feed { $0.minimumInterval = .never }, fetched(.zero), by, run)
    try expect("never, and never fetched", feed { $0.minimumInterval = .never }, FeedState(), by, run)
    try expect("freshness", pushed(), wished, by, run)
    try expect("backoff", pushed(), failing(9, .refused, .minutes(1)), by, run)
    try expect("skipped hours", pushed(), fetched(.zero) { $0.hints.skipHours = Set(0...23) }, by, run)
    #expect(try decision(fetched(.zero), ago: .minutes(4)).overdueBy == .minutes(4))
  }

  @Test func `a push does not override limits, 410, hours or a pause, nor a running fetch`() throws {
    let nights = try feed { $0.hours = try WeeklyHours(parsing: "20:00-22:00") }
    let soon = fetched(.zero) { $0.rateLimit = limit(until: now + .seconds(30)) }
    let hosts = ["planet.example": limitedHost(until: now + .hours(1))]
    let run = try one()

    try expect("a rate limit", pushed(), limited, .waits(.rateLimit, .hours(3)), run)
    try expect("410", pushed(), gone, .no, run)
    expect("hours", nights, fetched(.hours(9)), .waits(.hours, .hours(10)), run)
    try expect("a pause", pushed(), paused, .because(.paused), run)
    try expect(
      "a limit on its host", pushed(), fetched(.hours(9)), .waits(.hostLimit, .hours(1)), one(hosts: hosts))
    try expect(
      "a fetch under way", pushed(), fetched(.zero) { $0.hasTransferUnderWay = true }, .because(.underWay),
      run)
    try expect("a limit that ends within a minute is waited for", pushed(), soon, .yes, run)
    #expect(try decision(soon).waitUntil == now + .seconds(30))
  }

  @Test func `beyond its limit a push waits, and the feed is due by its own rules`() throws {
    let (feed, run) = (try pushed(), try one(spent))
    let own = dueDecision(feed, fetched(.minutes(50)), CoreTests.context()).reason

    expect("it waits", feed, fetched(.minutes(20)), .waits(.pushLimit, .minutes(30)), run)
    expect("its interval is over sooner", feed, fetched(.minutes(50)), .because(own), run)
    expect("or is over", feed, fetched(.hours(2)), .yes, run)
    #expect(try !decision(fetched(.hours(2)), fetches: spent).isByPush)
    expect("never fetched", feed, FeedState(), .yes, run)
    let named = context([try waiting()], fetches: spent, named: [feed.name])
    expect("a name is no push", feed, fetched(.zero), .because(.named), named)
  }

  @Test func `a feed that is due by itself says so, and a push of another feed changes nothing`() throws {
    let state = fetched(.hours(5))
    let own = dueDecision(try pushed(), state, CoreTests.context()).reason
    let other = context([try waiting(1, feed: "moon")])

    try expect("push or not", pushed(), state, .because(own), one())
    try expect("never fetched", pushed(), FeedState(), .because(.neverFetched), one())
    try expect(
      "never by itself", feed { $0.minimumInterval = .never }, FeedState(), .because(.onlyWhenNamed),
      CoreTests.context())
    #expect(
      dueDecision(try pushed(), fetched(.zero), other)
        == dueDecision(try pushed(), fetched(.zero), CoreTests.context()))
  }

  @Test func `a push without new data makes its feed due again a minute later, another push at once`() throws
  {
    let (feed, late) = (try pushed(), now + .seconds(60))
    let again = [try waiting(late: late)]

    expect("it waits", feed, fetched(.zero), .waits(.secondTry, .seconds(60)), context(again))
    expect("then", feed, fetched(.zero), .because(.pushed(from: late)), context(again, now: late))
    let two = [try waiting(1, .minutes(2), late: now + .seconds(30)), try waiting(2)]
    expect(
      "the one that may be fetched now", feed, fetched(.zero), .because(.pushed(from: now)), context(two))
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
    // A limit that is further away than any may be.
    let limited = with(state) { $0.rateLimit = limit(until: now + .days(301)) }

    try expect("a moment", pushed(), state, .yes, context([push], fetches: [ahead]))
    try expect("a limit", pushed(), limited, .yes, context([push]))
  }

  @Test func `the plan contains pushed feeds, and so does the next due moment`() throws {
    let feeds = [try pushed("planet"), try pushed("moon")]
    let states = [feeds[0].name: fetched(.zero), feeds[1].name: fetched(.zero)]

    #expect(duePlan(feeds, states, try one()).due.map(\.name.text) == ["planet"])
    #expect(nextDue(feeds[0], fetched(.minutes(20)), try one(spent)) == now + .minutes(30))
  }

  @Test func `why says that a push without new data is tried once more`() throws {
    let late = now + .seconds(60)
    let waits = context([try waiting(late: late)])
    let downloads = try pushed(url: "https://planet.example/{content-id}")

    let report = whyReport(try pushed(), fetched(.zero), waits)

    #expect(report.conclusion == "not before \(late.local(in: .utc)): second try")
    #expect(report.rows.filter(\.binds).map(\.rule) == ["second try"])
    #expect(!report.rows.contains { $0.rule == "push limit" })
    #expect(
      whyReport(downloads, fetched(.zero), waits).notes
        == ["1 waiting push announces a file; not before \(late.local(in: .utc)): second try"])
  }

  @Test func `why names the limit as the rule that binds`() throws {
    let held = whyReport(try pushed(), fetched(.minutes(20)), try one(spent)).rows
    let free = whyReport(try pushed(), fetched(.zero), try one()).rows
    let none = whyReport(try pushed(), fetched(.zero), CoreTests.context()).rows

    #expect(held.filter(\.binds).map(\.rule) == ["push limit"])
    #expect(held.first { $0.binds }?.allowsFrom == now + .minutes(30))
    #expect(free.first { $0.rule == "minimum interval" }?.isOverridden == true)
    #expect(free.contains { $0.rule == "push limit" && $0.allowsFrom == nil })
    #expect(!none.contains { $0.rule == "push limit" })
  }
}
